// Reads the events of a request once, whether its credential or its events are asked for first.
import type { RequestFacts } from '../../kit/operation.ts'
import { type Alias, find } from './wires/aliases.ts'
import { decodeBody } from './wires/decode.ts'
import { readBody } from './wires/read.ts'
import { type Hints, type ReadBody, UnreadableBody, type WireName } from './wires/wire.ts'

export type Reading = { hints: Hints; alias: Alias | null; read: ReadBody | UnreadableBody }

const PREFIX = '/v1/event'

const readings = new WeakMap<Buffer, Reading>()

export function readingOf(body: Buffer, request: RequestFacts): Reading {
  const before = readings.get(body)
  if (before) return before
  const { alias, hints } = hintsOf(request)
  const reading = { hints, alias, read: readEvents(body, hints) }
  // Requests without a body may share one buffer, and their events are in the query.
  if (body.length > 0) readings.set(body, reading)
  return reading
}

function readEvents(body: Buffer, hints: Hints): ReadBody | UnreadableBody {
  try {
    return readBody(decodeBody(body, hints), hints)
  } catch (error) {
    if (error instanceof UnreadableBody) return error
    throw error
  }
}

/** What path, query and headers say of the body. */
function hintsOf({ url, method, headers }: RequestFacts): { alias: Alias | null; hints: Hints } {
  const { path, query } = partsOf(url)
  const alias = aliasAt(path, method)
  const hint = alias?.does === 'ingest' ? alias.hint : null
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  const isOpened = encoding !== '' && encoding !== 'identity'
  return { alias, hints: { contentType: headers['content-type'] ?? null, query, path: hint, isOpened } }
}

export function aliasAt(path: string, method: string): Alias | null {
  const [, vendor = '', ...rest] = path.slice(PREFIX.length).split('/')
  return find(vendor, rest.join('/'), method)
}

/** The wire that the path says. */
export function wireAt({ url, method }: { url: string; method: string }): WireName {
  const alias = aliasAt(partsOf(url).path, method)
  return alias?.does === 'ingest' ? alias.hint.wire : 'native'
}

export function partsOf(url: string): { path: string; query: URLSearchParams } {
  const start = url.indexOf('?')
  if (start === -1) return { path: url, query: NO_QUERY }
  return { path: url.slice(0, start), query: new URLSearchParams(url.slice(start)) }
}

const NO_QUERY = new URLSearchParams()

const KEY_PARAMETERS = ['token', 'api_key', 'writeKey']

/** The key in the places where SDKs put it: as the user of basic authentication, in a header, in the body, the path or the
 *  query. */
export function keyIn(body: Buffer, request: RequestFacts): string | null {
  const { headers } = request
  const inHeader = basicUser(headers.authorization) ?? headers['x-write-key']
  if (typeof inHeader === 'string' && inHeader !== '') return inHeader.split(':', 1)[0] as string
  const { alias, hints, read } = readingOf(body, request)
  if (!(read instanceof UnreadableBody) && read.key !== null) return read.key
  const name = KEY_PARAMETERS.find(one => hints.query.has(one))
  return (alias && tokenIn(alias, partsOf(request.url).path)) ?? (name ? hints.query.get(name) : null)
}

/** The segment of the path that the alias names `{token}`. */
function tokenIn({ vendor, path }: Alias, sent: string): string | null {
  const at = path.split('/').indexOf('{token}')
  return at === -1 ? null : (sent.slice(`${PREFIX}/${vendor}/`.length).split('/')[at] ?? null)
}

const BASIC = /^basic ([A-Za-z0-9+/=]{1,4000})$/i

function basicUser(authorization: string | undefined): string | null {
  const encoded = BASIC.exec(authorization ?? '')?.[1]
  return encoded === undefined ? null : (Buffer.from(encoded, 'base64').toString('utf8').split(':', 1)[0] ?? null)
}
