// Static files, such as pages. They are read at start and served from memory, so that requests reach no other file.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { jsonBody, type Reply, reply } from '../kit/answer.ts'

export type Files = {
  /** The URL path they are served at: `/console`. */
  path: string
  directory: URL
}
export type FindFile = (method: string, path: string, headers: IncomingHttpHeaders) => Reply | null

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

/** Names with a digest of the content, `assets/app-4f3a9c21.js`. Their content never changes. */
const HASHED = /\/assets\/[^/]*-[\w-]{8,}\.\w+$/
export const FOREVER = 'public, max-age=31536000, immutable'
/** Cached, but revalidated on every use. */
const REVALIDATED = 'no-cache'
const PAGE_HEADERS = {
  'content-security-policy': "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/** Of a header with a list: browsers send far less, and more costs time for nothing. */
export const LIST_CHARS_MAX = 1_000

/** Bytes that are sent unchanged, with an entity tag. `brotli`: the same, compressed. */
export type Document = { bytes: Buffer; etag: string; headers: Record<string, string>; brotli?: Document }

/** `documents` are served as JSON, by path. */
export function openFiles(mounts: readonly Files[], documents: Record<string, () => object> = {}): FindFile {
  const files = new Map(mounts.flatMap(mount => [...filesIn(mount)]))
  const find = (path: string) => {
    const value = Object.hasOwn(documents, path) ? documents[path]?.() : undefined
    return value ? documentOf(Buffer.from(jsonBody(value)), '.json') : files.get(path)
  }
  return (method, path, headers) => {
    const file = method === 'GET' || method === 'HEAD' ? find(path) : undefined
    return file ? replyWith(file, headers) : null
  }
}

/** 304 if the client has the current version. */
export function replyWith(document: Document, requested: IncomingHttpHeaders): Reply {
  const { bytes, etag, headers } = (acceptsBrotli(requested) && document.brotli) || document
  const isCurrent = String(requested['if-none-match'] ?? '')
    .slice(0, LIST_CHARS_MAX)
    .split(',')
    .some(one => ['*', etag].includes(one.trim().replace(/^W\//, '')))
  return isCurrent ? reply(304, headers) : reply(200, headers, bytes)
}

const acceptsBrotli = (headers: IncomingHttpHeaders) =>
  String(headers['accept-encoding'] ?? '')
    .slice(0, LIST_CHARS_MAX)
    .split(',')
    .some(one => {
      const [name = '', ...parameters] = one.split(';').map(part => part.trim().toLowerCase())
      return name === 'br' && !parameters.some(part => /^q=0(\.0*)?$/.test(part))
    })

/** With a compressed form for clients that accept it. */
export const withBrotli = (document: Document, compressed: Buffer): Document => {
  const { bytes, headers } = document
  const vary = 'Accept-Encoding'
  const etag = etagOf(compressed)
  return {
    ...{ bytes, etag: document.etag, headers: { ...headers, vary } },
    brotli: { bytes: compressed, etag, headers: { ...headers, etag, vary, 'content-encoding': 'br' } },
  }
}

const etagOf = (bytes: Buffer) => `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`

export function documentOf(bytes: Buffer, extension: string): Document {
  const etag = etagOf(bytes)
  const type = TYPES[extension] ?? 'application/octet-stream'
  return { bytes, etag, headers: { 'content-type': type, etag, 'cache-control': REVALIDATED } }
}

function* filesIn({ path, directory }: Files): Generator<[string, Document]> {
  const root = fileURLToPath(directory)
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!statSync(join(root, name)).isFile()) continue
    const file = fileAt(join(root, name))
    yield [`${path}/${name}`, file]
    if (name === 'index.html') yield* [[path, file] as [string, Document], [`${path}/`, file] as [string, Document]]
  }
}

function fileAt(path: string): Document {
  const document = documentOf(readFileSync(path), extname(path))
  const forever = HASHED.test(path) && { 'cache-control': FOREVER }
  return { ...document, headers: { ...document.headers, ...forever, ...(extname(path) === '.html' && PAGE_HEADERS) } }
}
