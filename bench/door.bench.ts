// The cost of MCP: the same operation as a tool call and as an HTTP request, with the same key, in one process.
import { type Bench, requestBytes } from './harness.ts'
import { READ_ANSWER, READ_PATHS, READ_QUERY } from './servers/operations.ts'
import { startServer } from './servers/start.ts'

/** At most 1.25 times the cost. */
const TARGET = 0.8

export const listing = doorBench({
  title: 'a tool call that lists projects, against the same over HTTP',
  tool: 'get_v1_projects',
  path: '/v1/projects?limit=20',
  answer: { data: [], next: '' },
})

/** The worst case: an operation that does nothing, so that only the two protocols are measured. */
export const smallest = doorBench({
  title: 'a tool call that does nothing, against the same over HTTP',
  tool: 'get_v1_bench_bearer',
  path: READ_PATHS.bearer + READ_QUERY,
  answer: READ_ANSWER,
})

type Compared = { title: string; tool: string; path: string; answer: object }

function doorBench({ title, tool, path, answer }: Compared): Bench {
  return {
    title,
    start: async servers => {
      const server = servers.use(await startServer('host.ts'))
      const authorization = `Bearer ${server.key}`
      const params = { name: tool, arguments: { limit: 20 } }
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const headers = { authorization, 'content-type': 'application/json' }
      const call = requestBytes('POST', '/v1/mcp', { headers, body: JSON.stringify(message) })
      const read = requestBytes('GET', path, { headers: { authorization } })
      const json = JSON.stringify(answer)
      const content = JSON.stringify([{ type: 'text', text: json }])
      const result = `{"content":${content},"structuredContent":${json},"resultType":"complete"}`
      const called = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`)
      return {
        subject: { name: 'tool call', server, request: call, answer: called },
        controls: [{ name: 'HTTP', server, request: read, answer: Buffer.from(json), target: TARGET }],
      }
    },
  }
}
