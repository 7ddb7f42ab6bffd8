// Reads the events of a request, and the key that its SDK sends with them.
import type { IncomingHttpHeaders } from 'node:http'
import type { RequestFacts } from '../../kit/operation.ts'
import { type Alias, find } from './wires/aliases.ts'
import { decodeBody } from './wires/decode.ts'
import { readEvents } from './wires/read.ts'
import { type Hints, type ReadBody, UnreadableBody, type WireName } from './wires/wire.ts'

/** `sender` determines the format of faults. Until the events are received, only the path is known. */
export type Sent = {
  key: string | null
  path: string
  alias: Alias | null
  hints: Hints
  read: ReadBody | UnreadableBody
  sender: Sender
}

type Sender = { wire: WireName; count: number }

const PREFIX = '/v1/event'

/** `isOpened` of the hints: an announced and accepted encoding is already decompressed. */
export function readSent(body: Buffer, { url, method, headers }: RequestFacts, sentBytes: number): Sent {
  const { path, query } = partsOf(url)
  const alias = aliasAt(path, method)
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  const isOpened = encoding !== '' && encoding !== 'identity'
  const hints = { contentType: headers['content-type'] ?? null, query, path: hintOf(alias), isOpened, sentBytes }
  const read = readOrRefuse(body, hints)
  const key = keyInHeaders(headers) ?? keyIn(read) ?? (alias && tokenIn(alias, path)) ?? keyInQuery(query)
  return { key, path, alias, hints, read, sender: senderAt(alias) }
}

function readOrRefuse(body: Buffer, hints: Hints): ReadBody | UnreadableBody {
  try {
    return readEvents(decodeBody(body, hints), hints)
  } catch (error) {
    if (error instanceof UnreadableBody) return error
    throw error
  }
}

const hintOf = (alias: Alias | null) => (alias?.does === 'ingest' ? alias.hint : null)
const senderAt = (alias: Alias | null): Sender => ({ wire: hintOf(alias)?.wire ?? 'native', count: 0 })

/** The sender of a request whose body was not read. */
export const unreadSender = ({ url, method }: RequestFacts): Sender => senderAt(aliasAt(partsOf(url).path, method))

function aliasAt(path: string, method: string): Alias | null {
  const [, vendor = '', ...rest] = path.slice(PREFIX.length).split('/')
  return find(vendor, rest.join('/'), method)
}

function partsOf(url: string): { path: string; query: URLSearchParams } {
  const start = url.indexOf('?')
  if (start === -1) return { path: url, query: NO_QUERY }
  return { path: url.slice(0, start), query: new URLSearchParams(url.slice(start)) }
}

const NO_QUERY = new URLSearchParams()

const BASIC = /^basic ([A-Za-z0-9+/=]{1,4000})$/i

/** The key as the user of basic authentication, or in a header of the vendor. */
function keyInHeaders({ authorization = '', 'x-write-key': own }: IncomingHttpHeaders): string | null {
  const encoded = BASIC.exec(authorization)?.[1]
  const sent = encoded === undefined ? own : Buffer.from(encoded, 'base64').toString('utf8').split(':', 1)[0]
  return typeof sent === 'string' && sent !== '' ? (sent.split(':', 1)[0] as string) : null
}

const keyIn = (read: ReadBody | UnreadableBody) => (read instanceof UnreadableBody ? null : read.key)

/** The segment of the path that the alias names `{token}`. */
function tokenIn({ vendor, path }: Alias, sent: string): string | null {
  const at = path.split('/').indexOf('{token}')
  return at === -1 ? null : (sent.slice(`${PREFIX}/${vendor}/`.length).split('/')[at] ?? null)
}

const KEY_PARAMETERS = ['token', 'api_key', 'writeKey']

function keyInQuery(query: URLSearchParams): string | null {
  const name = KEY_PARAMETERS.find(one => query.has(one))
  return name === undefined ? null : query.get(name)
}
