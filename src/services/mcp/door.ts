// POST /v1/mcp: the operations as MCP tools. Every tool call takes the path of an HTTP request: identify, admit, invoke.
import { Type } from 'typebox'
import { repliesIn, reply } from '../../kit/answer.ts'
import { jsonrpc } from '../../kit/dialect.ts'
import { Fault } from '../../kit/fault.ts'
import { slug } from '../../kit/fields.ts'
import { presentedBy } from '../../kit/host/credentials.ts'
import type { RequestFacts } from '../../kit/operation.ts'
import { type Answer, answerBatch, type Exchange } from './batches.ts'
import { call } from './calling.ts'
import {
  errorText,
  INVALID_PARAMS,
  INVALID_REQUEST,
  idIn,
  METHOD_NOT_FOUND,
  type Message,
  messageIn,
  PARSE_ERROR,
  RpcError,
  resultText,
} from './messages.ts'
import { isModern, LEGACY, MODERN } from './revisions.ts'
import { operation } from './state.ts'
import { openViews, TTL_MS } from './views.ts'

const INSTRUCTIONS =
  'Stoa is the back end of a product: keys, people, projects, risk data and more. Each tool is one operation of its API. Tools that take `after` return `next` for the next page. Errors say what to do. With `?tools=find` in the address, three tools find, describe and call all others.'

export const callTools = operation({
  route: 'POST /v1/mcp',
  summary: 'Serves every operation as a tool of the Model Context Protocol (MCP), as JSON-RPC 2.0',
  description:
    'Listing tools needs no credential. Calling one needs the credential of its operation: without it, the answer is a result with `isError` that says what is missing. Operations that disclose a secret, or that stream, are not tools; calling one returns the reason, and how to call it over HTTP.',
  access: 'public',
  uses: ['calls'],
  body: 'parsed',
  input: {
    tools: Type.Optional(
      Type.Enum(['find'], {
        description: '`find`: three tools that find, describe and call the others, for models with a small context',
      }),
    ),
    service: Type.Optional({ ...slug('Only the tools of this service'), examples: ['projects'] }),
    readOnly: Type.Optional(Type.Enum(['1'], { description: '`1`: only tools that change nothing' })),
  },
  bodyExample: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  output: repliesIn('application/json'),
  audit: 'none',
  dialect: jsonrpc,
  faults: ['forbidden', 'too_many_tries', 'unsupported_media_type'],
  run: async ({ calls, request, state }, { body, ...query }) => {
    // A foreign page must not reach a host that only this browser can reach.
    if (request.isForeignPage) {
      throw new Fault('forbidden', { message: 'Pages of this origin may not use this host.' })
    }
    requireJson(request)
    state.views ??= openViews(calls.operations)
    const exchange: Exchange = { calls, request, view: state.views(query), door: state, challenge: null }
    const { status, text } = await answer(exchange, body.json)
    const head: Record<string, string> = {}
    if (exchange.challenge !== null) head['www-authenticate'] = exchange.challenge
    if (text === null) return reply(status, head)
    head['content-type'] = 'application/json; charset=utf-8'
    return reply(status, head, `${text}\n`)
  },
})

function requireJson({ headers }: RequestFacts): void {
  if (/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return
  throw new Fault('unsupported_media_type', { message: 'Send JSON, with `Content-Type: application/json`.' })
}

async function answer(exchange: Exchange, body: unknown): Promise<Answer> {
  if (Array.isArray(body)) return answerBatch(exchange, body, one => answerOneOf(exchange, one))
  try {
    if (body === undefined) throw new RpcError(PARSE_ERROR, 'The body is empty.')
    return await answerMessage(exchange, messageIn(body))
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { status: error.status, text: errorText(idIn(body), error) }
  }
}

async function answerOneOf(exchange: Exchange, body: unknown): Promise<Answer> {
  try {
    const message = messageIn(body)
    if (isModern(message, exchange.request.headers)) {
      throw new RpcError(INVALID_REQUEST, `Revision ${MODERN} has no batches. Send one message at a time.`)
    }
    return await serve(exchange, message, false)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { status: 200, text: errorText(idIn(body), error) }
  }
}

const answerMessage = (exchange: Exchange, message: Message) =>
  serve(exchange, message, isModern(message, exchange.request.headers))

async function serve(exchange: Exchange, message: Message, modern: boolean): Promise<Answer> {
  if (message.kind !== 'request') return { status: 202, text: null }
  const { id, method, params } = message
  const found = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined
  if (!found || (modern ? found.until === 'handshake' : found.since === MODERN)) {
    throw new RpcError(METHOD_NOT_FOUND, `There is no method ${method.slice(0, 100)}.`, { status: modern ? 404 : 200 })
  }
  return { status: 200, text: resultText(id, await found.run(exchange, params)) }
}

type MethodOf = {
  since?: typeof MODERN
  until?: 'handshake'
  run: (exchange: Exchange, params: Record<string, unknown>) => string | Promise<string>
}

/** Clients request resources and prompts even if they are not announced; the lists are empty. */
const capabilities = { tools: {}, resources: {}, prompts: {} }
const serverInfo = { name: 'stoa', title: 'Stoa', version: 'v1' }
const cached = { resultType: 'complete', ttlMs: TTL_MS, cacheScope: 'public' }
const empty = (name: string): MethodOf => ({ run: () => JSON.stringify({ [name]: [], ...cached }) })

const METHODS: Record<string, MethodOf> = {
  initialize: {
    until: 'handshake',
    run: (_, { protocolVersion }) => {
      const agreed = LEGACY.find(one => one === protocolVersion) ?? LEGACY[0]
      return JSON.stringify({ protocolVersion: agreed, capabilities, serverInfo, instructions: INSTRUCTIONS })
    },
  },
  ping: { until: 'handshake', run: () => '{}' },
  'server/discover': {
    since: MODERN,
    run: () => {
      const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo }
      const supportedVersions = [MODERN, ...LEGACY]
      return JSON.stringify({ supportedVersions, capabilities, instructions: INSTRUCTIONS, ...cached, _meta })
    },
  },
  'tools/list': {
    run: ({ view }, { cursor }) => {
      if (cursor !== undefined) throw invalidParams('There is only one page, so `cursor` is not supported.')
      return view.list
    },
  },
  'tools/call': {
    run: async (exchange, { name, arguments: given = {} }) => {
      const { calls, request, view, door } = exchange
      const { text, challenge } = await call({ calls, request, view, presented: presentedBy(request) }, name, given)
      if (challenge !== null)
        exchange.challenge = `${challenge}${challenge === 'Bearer' ? ' ' : ', '}resource_metadata="${door.metadataUrl}"`
      return text
    },
  },
  'resources/list': empty('resources'),
  'resources/templates/list': empty('resourceTemplates'),
  'prompts/list': empty('prompts'),
}

const invalidParams = (message: string) => new RpcError(INVALID_PARAMS, message, { status: 200 })
