// Reads request bodies: checks the media type, decodes the Content-Encoding, limits the size before and after decoding.
import type { IncomingMessage } from 'node:http'
import { Readable, Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { Fault } from '../kit/fault.ts'
import type { Encoding, Operation, ParsedBody } from '../kit/operation.ts'
import { bodyTooLarge, isSafe, malformed } from './faults.ts'
import { parseJson } from './input.ts'
import { type MemoryShare, UNCOUNTED_BYTES } from './memory-budget.ts'

const JSON_TYPE = /^application\/json *(;|$)/i

/** The body of a request without one. */
export const NO_BODY = Buffer.alloc(0)

/** `sentBytes` is the body's size before it was decoded. */
type Done = (error: unknown, body: unknown, sentBytes: number) => void

/** Calls `done` once. Bodies of GET, HEAD and OPTIONS requests are ignored. `newShare` reserves memory for the body. */
export function readBody(
  request: IncomingMessage,
  operation: Operation,
  newShare: () => MemoryShare,
  done: Done,
): void {
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': coding } = request.headers
  const isJsonOrNone = operation.bodyKind === 'none' || operation.bodyKind === 'json'
  const isSafeMethod = isSafe(request.method ?? '')
  const isEmpty = isSafeMethod || (coding === undefined && (length === undefined || length === '0'))
  if (isJsonOrNone && isEmpty && (type === undefined || isSafeMethod)) done(null, undefined, 0)
  else if (isJsonOrNone && !JSON_TYPE.test(type ?? '')) done(jsonRequired(), undefined, 0)
  else if (isEmpty) done(null, emptyBody(operation), 0)
  else readWhole(request, operation, newShare, done)
}

function readWhole(request: IncomingMessage, operation: Operation, newShare: () => MemoryShare, done: Done): void {
  const { bodyKind, bodyLimit, decodedLimit } = operation
  const encoding = encodingOf(request, operation)
  if (encoding instanceof Fault) done(encoding, undefined, 0)
  else if (bodyKind === 'stream') done(null, streamOf(request, encoding, bodyLimit), 0)
  else {
    // Before anything is read. The length is unknown if the body is chunked.
    const length = Number(request.headers['content-length'])
    const share = length <= UNCOUNTED_BYTES && encoding === null ? null : newShare()
    share?.grow(length || 0)
    readBytes(request, bodyLimit, share, (error, bytes) => {
      const finished = (failure: unknown, decoded: Buffer) => finish(operation, failure, decoded, bytes.length, done)
      if (error || encoding === null) finished(error, bytes)
      else decode(bytes, encoding, decodedMax(bytes.length, bodyLimit, decodedLimit), share, finished)
    })
  }
}

/** Beyond this size, and beyond the limit on the wire if that is lower, the decoded size must be in proportion to the sent
 *  size: 1 KB would otherwise cost as much time as the largest body. A list of objects that differ only in an id and a time
 *  compresses to a fiftieth if each has a hundred fields. */
const DECODED_BYTES_FREE = 256 * 1024
const RATIO_MAX = 64
const decodedMax = (bytes: number, bodyLimit: number, decodedLimit: number) =>
  Math.min(decodedLimit, Math.max(Math.min(bodyLimit, DECODED_BYTES_FREE), bytes * RATIO_MAX))

function emptyBody({ bodyKind }: Operation): unknown {
  if (bodyKind === 'stream') return Readable.from([])
  if (bodyKind === 'bytes') return NO_BODY
  return bodyKind === 'parsed' ? { bytes: NO_BODY, json: undefined } : undefined
}

function finish({ bodyKind }: Operation, error: unknown, bytes: Buffer, sentBytes: number, done: Done): void {
  let [failure, body] = [error, undefined as unknown]
  try {
    if (!failure) body = bodyKind === 'bytes' ? bytes : bodyKind === 'parsed' ? parsed(bytes) : parseJson(bytes)
  } catch (fault) {
    failure = fault
  }
  done(failure, body, sentBytes)
}

const parsed = (bytes: Buffer): ParsedBody => ({ bytes, json: parseJson(bytes) })

function readBytes(
  request: IncomingMessage,
  limit: number,
  share: MemoryShare | null,
  done: (error: unknown, bytes: Buffer) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  let isDone = false
  const end = (error: unknown, bytes: Buffer) => {
    if (isDone) return
    isDone = true
    done(error, bytes)
  }
  request.on('data', (chunk: Buffer) => {
    if (isDone) return
    length += chunk.length
    if (length > limit) return end(bodyTooLarge(limit), chunk)
    chunks.push(chunk)
    const failure = share && failureOf(() => share.grow(length))
    if (failure) end(failure, chunk)
  })
  request.on('end', () => end(null, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length)))
  request.on('error', error => end(error, NO_BODY))
}

function failureOf(work: () => void): unknown {
  try {
    work()
    return null
  } catch (error) {
    return error
  }
}

/** The encoding of the body; null if it has none, a fault if the operation does not accept it. */
function encodingOf({ headers }: IncomingMessage, { encodings }: Operation): Encoding | Fault | null {
  const named = headers['content-encoding']?.trim().toLowerCase()
  if (named === undefined || named === '' || named === 'identity') return null
  const found = encodings.find(one => one === named || `x-${one}` === named)
  if (found) return found
  const accepted = encodings.length > 0 ? `encoded as ${encodings.join(', ')}, or ` : ''
  return new Fault('unsupported_media_type', {
    message: `Send the body ${accepted}without a Content-Encoding.`,
    headers: { 'accept-encoding': encodings.join(', ') || 'identity' },
  })
}

/** A zstd frame may request a window of gigabytes; RFC 8878 recommends that decoders support 8 MiB. */
const ZSTD = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }

function decode(
  bytes: Buffer,
  encoding: Encoding,
  limit: number,
  share: MemoryShare | null,
  done: (error: unknown, decoded: Buffer) => void,
): void {
  const bound = { maxOutputLength: limit }
  const decoded = (error: NodeJS.ErrnoException | null, out: Buffer) => {
    if (!error) return done(share && failureOf(() => share.grow(bytes.length + out.length)), out)
    done(error.code === 'ERR_BUFFER_TOO_LARGE' ? bodyTooLarge(limit) : invalidEncoding(encoding, error), bytes)
  }
  if (encoding === 'gzip') zlib.gunzip(bytes, bound, decoded)
  else if (encoding === 'br') zlib.brotliDecompress(bytes, bound, decoded)
  else if (encoding === 'zstd') zlib.zstdDecompress(bytes, { ...bound, ...ZSTD }, decoded)
  else zlib.inflate(bytes, bound, decoded)
}

/** The body as it arrives, limited in size. Destroying the stream discards the rest of the request. */
function streamOf(request: IncomingMessage, encoding: Encoding | null, limit: number): Readable {
  let seen = 0
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      seen += chunk.length
      if (seen > limit) next(bodyTooLarge(limit))
      else next(null, chunk)
    },
    destroy(error, next) {
      request.unpipe()
      request.resume()
      next(error)
    },
  })
  bounded.on('error', () => {}) // Readers get the error too; without a reader it must not crash the process.
  request.on('error', error => bounded.destroy(error))
  if (encoding === null) return request.pipe(bounded)
  const decoder = decoderOf(encoding)
  decoder.on('error', error => bounded.destroy(invalidEncoding(encoding, error)))
  bounded.on('close', () => decoder.destroy())
  return request.pipe(decoder).pipe(bounded)
}

function decoderOf(encoding: Encoding): Transform {
  if (encoding === 'gzip') return zlib.createGunzip()
  if (encoding === 'br') return zlib.createBrotliDecompress()
  return encoding === 'zstd' ? zlib.createZstdDecompress(ZSTD) : zlib.createInflate()
}

const invalidEncoding = (encoding: Encoding, cause: unknown) =>
  malformed(`The Content-Encoding is ${encoding}, but the body is not valid ${encoding}.`, cause)

const jsonRequired = () => new Fault('unsupported_media_type', { message: 'Send the body as application/json.' })
