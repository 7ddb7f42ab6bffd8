// GET /v1/event/tag.js: the script that pages include, made from `page/` by `npm run generate`.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { type Reply, repliesIn, reply } from '../../../kit/answer.ts'
import { string } from '../../../kit/fields.ts'
import { operation } from '../state.ts'

const script = readFileSync(new URL('tag.js', import.meta.url))

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64url').slice(0, 16)

/** Changes with the script. */
export const TAG_HASH = digestOf(script)
export const TAG_PATH = `/v1/event/tag.js?v=${TAG_HASH}`

type Encoded = { bytes: Buffer; etag: string; encoding: string | null }
const encoded = (bytes: Buffer, encoding: string | null): Encoded => ({ bytes, etag: `"${digestOf(bytes)}"`, encoding })
const PLAIN = encoded(script, null)
const COMPRESSED = [encoded(brotliCompressSync(script), 'br'), encoded(gzipSync(script, { level: 9 }), 'gzip')]

const FOREVER = 'public, max-age=31536000, immutable'
/** Pages without the current hash get a new version this soon. */
const BRIEFLY = 'public, max-age=300'
/** Browsers send far less. */
const HEADER_CHARACTERS_MAX = 1_000

export const getTag = operation({
  route: 'GET /v1/event/tag.js',
  summary: 'The script that records page views, clicks and errors in a page',
  description:
    'The address with its hash is in `GET /v1/event/install`. With the current hash in `v` browsers keep the script for a year, otherwise for five minutes. At most 4 KB as gzip. Other parameters are ignored, because some sites add their own.',
  access: 'public',
  passUnknown: true,
  input: { v: Type.Optional(string('The hash of the script that is meant', 'pX1yq0Zk3v8sT5uW', { maxLength: 64 })) },
  output: repliesIn('text/javascript'),
  run: ({ request: { headers } }, { v }) =>
    served(v === TAG_HASH, headers['accept-encoding'], headers['if-none-match']),
})

function served(isCurrent: boolean, accepted: string | undefined, known: string | undefined): Reply {
  const { bytes, etag, encoding } = COMPRESSED.find(one => accepts(accepted, one.encoding)) ?? PLAIN
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': isCurrent ? FOREVER : BRIEFLY,
    // Pages that isolate themselves load only what says this.
    'cross-origin-resource-policy': 'cross-origin',
    vary: 'Accept-Encoding',
    etag,
    ...(encoding !== null && { 'content-encoding': encoding }),
  }
  return listed(known).some(one => one.replace(/^W\//, '') === etag) ? reply(304, headers) : reply(200, headers, bytes)
}

const listed = (header = '') =>
  header
    .slice(0, HEADER_CHARACTERS_MAX)
    .split(',')
    .map(one => one.trim())

const accepts = (header: string | undefined, encoding: string | null) =>
  listed(header).some(one => {
    const [name, quality] = one.toLowerCase().split(';')
    return name?.trim() === encoding && !/^\s*q=0(\.0*)?\s*$/.test(quality ?? '')
  })
