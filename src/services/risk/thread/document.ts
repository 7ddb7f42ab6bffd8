// A publisher's document out of what came over the wire.
import { gunzipSync } from 'node:zlib'
import { Unreadable } from '../sources/source.ts'

/** No publisher is near it, and what unpacks to more was made to. */
const BYTES_MAX = 64 * 1024 * 1024

export function bytesFrom(document: Uint8Array, encoding: string | null): Uint8Array {
  if (encoding === null || encoding === 'identity') return document
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new Unreadable(`The document is packed as ${encoding}, which was not asked for`)
  try {
    return gunzipSync(document, { maxOutputLength: BYTES_MAX })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new Unreadable(`The document unpacks to more than ${BYTES_MAX} bytes`)
    throw new Unreadable('The document is packed and cannot be unpacked: it is cut off or damaged')
  }
}
