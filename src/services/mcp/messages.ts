// JSON-RPC 2.0 messages: what was sent, and the answers to it.

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602

export type Id = string | number
export type Params = Record<string, unknown>
/** A request has an id, a notification has none, and a response has no method. */
export type Message =
  | { kind: 'request'; id: Id; method: string; params: Params }
  | { kind: 'notification'; method: string; params: Params }
  | { kind: 'response' }

/** An answer to the whole HTTP request or to one message of it. `id` is null if it could not be read. */
export class RpcError extends Error {
  readonly code: number
  readonly status: number
  readonly data: unknown
  constructor(code: number, message: string, { status = 400, data }: { status?: number; data?: unknown } = {}) {
    super(message)
    this.code = code
    this.status = status
    this.data = data
  }
}

export function messageIn(value: unknown): Message {
  if (!isJsonObject(value) || value.jsonrpc !== '2.0') {
    throw new RpcError(INVALID_REQUEST, 'A message is an object with `"jsonrpc": "2.0"`.')
  }
  const { id, method, params = {} } = value
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'response' }
  if (typeof method !== 'string') throw new RpcError(INVALID_REQUEST, '`method` must be a string.')
  if ('id' in value && idIn(value) === null) {
    throw new RpcError(INVALID_REQUEST, '`id` must be a string or an integer.')
  }
  if (!isJsonObject(params)) throw new RpcError(INVALID_PARAMS, '`params` must be an object.')
  return 'id' in value ? { kind: 'request', id: id as Id, method, params } : { kind: 'notification', method, params }
}

/** The id of a message, so far as it has a valid one. */
export function idIn(value: unknown): Id | null {
  const id = isJsonObject(value) ? value.id : null
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as Id) : null
}

/** `result` is JSON already, so that prepared results are not serialised again. */
export const resultText = (id: Id, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`

export const errorText = (id: Id | null, { code, message, data }: RpcError): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } })

export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
