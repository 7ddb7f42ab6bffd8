// The tool door of this host (MCP), asked as an agent asks it, with the session of the person. The client has no method for it.
import { queryOptions } from '@tanstack/react-query'
import { services as servicesQuery, stoa } from '../../api.ts'
import type { Schema } from '../../frame/schema.ts'

export const DOOR = '/v1/mcp'

export type Tool = {
  name: string
  description: string
  inputSchema: Schema
  annotations: { readOnlyHint: boolean; destructiveHint: boolean }
  service: string
}
type Result = { content?: { text: string }[]; structuredContent?: unknown; isError?: boolean; tools?: Tool[] }
export type Exchange = { result: Result; ms: number; requestId: string | null }

type Asked = { query?: Record<string, string>; csrf?: boolean; signal?: AbortSignal }
type Message = { method: string; params?: object }
type Reply = { result?: Result; error?: { message: string } }

async function post(messages: Message | Message[], { query = {}, csrf = false, signal }: Asked): Promise<Response> {
  const token: Record<string, string> = csrf ? { 'x-csrf-token': (await stoa.getCsrf()).csrfToken } : {}
  const rpc = (message: Message, id: number) => ({ jsonrpc: '2.0', id, ...message })
  return fetch(`${DOOR}?${new URLSearchParams(query)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...token },
    body: JSON.stringify(Array.isArray(messages) ? messages.map(rpc) : rpc(messages, 1)),
    ...(signal && { signal }),
  })
}

function resultOf({ result, error }: Reply): Result {
  if (!result) throw new Error(error?.message ?? 'the tool door gave no result')
  return result
}

async function ask(message: Message, asked: Asked): Promise<Exchange> {
  const begun = performance.now()
  const response = await post(message, asked)
  const result = resultOf((await response.json()) as Reply)
  return { result, ms: performance.now() - begun, requestId: response.headers.get('x-request-id') }
}

/** Only what writes needs the token of the session. */
export const callTool = ({ name, annotations }: Tool, given: object) =>
  ask({ method: 'tools/call', params: { name, arguments: given } }, { csrf: !annotations.readOnlyHint })

/** The tools of the host itself have no service. Everybody may call them. */
const OF_HOST = 'host'
/** The most that one search returns. */
const FOUND_MAX = 50

/** The tools that the person may call, and how many others there are. */
export const toolsQuery = queryOptions({
  queryKey: ['tools'],
  staleTime: 5 * 60_000,
  queryFn: async ({ signal, client }) => {
    const [{ result }, { services }] = await Promise.all([
      ask({ method: 'tools/list' }, { signal }),
      client.ensureQueryData(servicesQuery),
    ])
    const names = services.filter(one => one.operations > 0).map(one => one.name)
    const read = await Promise.all(names.map(service => toolsOf(service, signal)))
    const all = (result.tools ?? []).map(tool => {
      const of = read.find(one => one.names.has(tool.name))
      return { ...tool, service: of?.service ?? OF_HOST, may: of?.may(tool.name) ?? true }
    })
    const tools: Tool[] = all.filter(({ may }) => may)
    return { tools, hidden: all.length - tools.length }
  },
})

async function toolsOf(service: string, signal: AbortSignal) {
  const find = { method: 'tools/call', params: { name: 'tools_find', arguments: { limit: FOUND_MAX } } }
  const response = await post([{ method: 'tools/list' }, find], { query: { service }, signal })
  const [listed = {}, found = {}] = (await response.json()) as Reply[]
  const result = resultOf(found)
  if (result.isError) throw new Error(textOf(result))
  const { tools, more } = result.structuredContent as { tools: { name: string }[]; more: number }
  const callable = new Set(tools.map(({ name }) => name))
  return {
    service,
    names: new Set(resultOf(listed).tools?.map(({ name }) => name)),
    // With more than one search returns, the call itself says what the person may not do.
    may: (name: string) => more > 0 || callable.has(name),
  }
}

export const textOf = ({ content }: Result): string => content?.map(({ text }) => text).join('\n') ?? ''
