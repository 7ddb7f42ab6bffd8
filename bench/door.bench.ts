// The cost of the tool door: the same operation as a tool call and as an HTTP request, with the same key, in one process.
import { type Bench, requestBytes } from './harness.ts'
import { READ_ANSWER, READ_PATHS, READ_QUERY } from './servers/operations.ts'
import { startServer } from './servers/start.ts'

export const toolCall: Bench = {
  title: 'a tool call against the same operation over HTTP',
  start: async servers => {
    const server = servers.use(await startServer('host.ts'))
    const authorization = `Bearer ${server.key}`
    const params = { name: 'get_v1_bench_bearer', arguments: { limit: 20 } }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const headers = { authorization, 'content-type': 'application/json' }
    const call = requestBytes('POST', '/v1/mcp', { headers, body: JSON.stringify(message) })
    const read = requestBytes('GET', READ_PATHS.bearer + READ_QUERY, { headers: { authorization } })
    const answer = JSON.stringify(READ_ANSWER)
    const content = JSON.stringify([{ type: 'text', text: answer }])
    const result = `{"content":${content},"structuredContent":${answer},"resultType":"complete"}`
    const called = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`)
    return {
      subject: { name: 'tool call', server, request: call, answer: called },
      // At most 1.25 times the cost.
      controls: [{ name: 'HTTP', server, request: read, answer: Buffer.from(answer), target: 0.8 }],
    }
  },
}
