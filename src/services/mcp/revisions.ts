// The revisions of the Model Context Protocol. Since 2026-07-28 every request names its revision in `_meta` and repeats
// method and name in headers; before, clients began with `initialize`. Neither needs a session here.
import type { IncomingHttpHeaders } from 'node:http'
import { INVALID_PARAMS, INVALID_REQUEST, isJsonObject, type Message, type Params, RpcError } from './messages.ts'

/** The first revision without a handshake, and the only one so far. */
export const MODERN = '2026-07-28'
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const HEADER_MISMATCH = -32020
const UNSUPPORTED_VERSION = -32022

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'

/** The parameter that the header Mcp-Name repeats, by method. */
const NAMED_BY: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

/** Whether a message is of a revision without handshake. Raises an error if body and headers disagree. */
export function isModern(message: Message, headers: IncomingHttpHeaders): boolean {
  const header = headerOf(headers, 'mcp-protocol-version')
  const namesModern = header !== undefined && header >= MODERN
  if (message.kind === 'response') {
    if (namesModern) throw new RpcError(INVALID_REQUEST, 'This server sends no requests, so there are no responses.')
    return false
  }
  const { method, params } = message
  const claim = claimIn(params)
  if (claim === undefined) {
    if (header !== undefined && !namesModern && !LEGACY.includes(header)) throw unsupported(header)
    if (!namesModern) return false
    if (message.kind === 'notification') return true
    if (method === 'initialize')
      throw mismatch('`initialize` is of an earlier revision than MCP-Protocol-Version names')
    throw missingMeta(params)
  }
  if (message.kind === 'request') requireMeta(params)
  if (typeof claim !== 'string') throw invalidMeta(VERSION_KEY, 'must be a string')
  if (header !== undefined && header !== claim)
    throw mismatch(`MCP-Protocol-Version is ${header}, but _meta names ${claim}`)
  requireHeader(headers, 'mcp-method', method, message.kind === 'request' ? 'checked later' : 'optional')
  if (claim !== MODERN) throw unsupported(claim)
  if (message.kind === 'request') requireHeaders(headers, method, params)
  return true
}

const claimIn = (params: Params): unknown => (isJsonObject(params._meta) ? params._meta[VERSION_KEY] : undefined)

/** Every request has these headers, so that proxies can route it without reading the body. */
function requireHeaders(headers: IncomingHttpHeaders, method: string, params: Params): void {
  if (headerOf(headers, 'mcp-protocol-version') === undefined) throw mismatch('MCP-Protocol-Version is missing')
  requireHeader(headers, 'mcp-method', method, 'required')
  const field = NAMED_BY[method]
  const name = field === undefined ? undefined : params[field]
  if (typeof name === 'string') requireHeader(headers, 'mcp-name', name, 'required')
}

function requireHeader(
  headers: IncomingHttpHeaders,
  name: 'mcp-method' | 'mcp-name',
  expected: string,
  presence: 'required' | 'optional' | 'checked later',
): void {
  const shown = name === 'mcp-method' ? 'Mcp-Method' : 'Mcp-Name'
  const given = headerOf(headers, name)
  if (given === undefined) {
    if (presence === 'required') throw mismatch(`${shown} is missing`)
    return
  }
  const decoded = name === 'mcp-name' ? decodedHeader(given) : given
  if (decoded === null) throw mismatch(`${shown} is not valid base64`)
  if (decoded !== expected) throw mismatch(`${shown} is not what the body says`)
}

/** Text that is not visible ASCII is sent as `=?base64?…?=`. */
function decodedHeader(value: string): string | null {
  const encoded = value.match(/^=\?base64\?(.*)\?=$/)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : null
}

function requireMeta(params: Params): void {
  const meta = params._meta as Params
  if (!(CAPABILITIES_KEY in meta)) throw invalidMeta(CAPABILITIES_KEY, 'is missing')
  if (!isJsonObject(meta[CAPABILITIES_KEY])) throw invalidMeta(CAPABILITIES_KEY, 'must be an object')
}

function missingMeta(params: Params): RpcError {
  const meta = isJsonObject(params._meta) ? params._meta : null
  const missing = meta ? [VERSION_KEY, CAPABILITIES_KEY].filter(key => !(key in meta)) : ['_meta']
  const message = `A request of revision ${MODERN} needs ${missing.map(key => `\`${key}\``).join(' and ')} in \`params\`.`
  return new RpcError(INVALID_PARAMS, message, { data: { envelope: { missing } } })
}

const invalidMeta = (key: string, says: string) =>
  new RpcError(INVALID_PARAMS, `\`_meta["${key}"]\` ${says}.`, { data: { envelope: { key, problem: says } } })

const unsupported = (requested: string) =>
  new RpcError(UNSUPPORTED_VERSION, `Revision ${requested.slice(0, 40)} is not supported.`, {
    data: { supported: [MODERN, ...LEGACY], requested: requested.slice(0, 100) },
  })

const mismatch = (message: string) => new RpcError(HEADER_MISMATCH, `${message}.`)

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : undefined
}
