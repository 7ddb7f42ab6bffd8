// Decodes the document of a source as it was received.
import { gunzipSync } from 'node:zlib'
import { Unreadable } from '../sources/source.ts'

/** Far more than any source publishes; it stops decompression bombs. */
const BYTES_MAX = 64 * 1024 * 1024

export function bytesFrom(document: Uint8Array, encoding: string | null): Uint8Array {
  if (encoding === null || encoding === 'identity') return document
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new Unreadable(`The document has the content encoding ${encoding}, which was not requested`)
  try {
    return gunzipSync(document, { maxOutputLength: BYTES_MAX })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new Unreadable(`The document decompresses to more than ${BYTES_MAX} bytes`)
    throw new Unreadable('The document cannot be decompressed: it is truncated or damaged')
  }
}
