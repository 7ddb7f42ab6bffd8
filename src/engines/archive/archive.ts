// A tar archive, compressed with zstd, written and read as streams, so that memory use is constant. Files may change while
// they are written: each keeps its initial length, truncated or padded with zeros.
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { Header, Parser, type ReadEntry } from 'tar'

export type ArchiveEntry = { name: string; mode: number } & (
  | { kind: 'directory' }
  /** `chunks` yields the content, of about `size` bytes. */
  | { kind: 'file'; size: number; chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> }
)

const BLOCK = 512
const ZEROS = Buffer.alloc(128 * BLOCK)
/** Level 1 is as fast as most disks; the checksum detects a damaged archive. */
const COMPRESSION = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 }

/** Writes the archive under another name and renames it when it is complete and on the disk. `onBytes` is called with
 *  the progress. */
export async function writeArchive(
  path: string,
  entries: AsyncIterable<ArchiveEntry>,
  onBytes: (count: number) => void,
): Promise<void> {
  const partial = `${path}.partial`
  try {
    const file = createWriteStream(partial, { mode: 0o600, flush: true })
    await pipeline(Readable.from(tarOf(entries, onBytes)), createZstdCompress({ params: COMPRESSION }), file)
    await rename(partial, path)
    await syncDirectory(dirname(path))
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

async function* tarOf(entries: AsyncIterable<ArchiveEntry>, onBytes: (count: number) => void) {
  for await (const entry of entries) {
    const size = entry.kind === 'file' ? entry.size : 0
    yield headerOf(entry, size)
    if (entry.kind === 'directory') continue
    let left = size
    for await (const chunk of entry.chunks) {
      const part = chunk.subarray(0, left)
      left -= part.length
      onBytes(part.length)
      yield part
      if (left === 0) break
    }
    for (left += -size & (BLOCK - 1); left > 0; left -= ZEROS.length) yield ZEROS.subarray(0, left)
  }
  yield ZEROS.subarray(0, 2 * BLOCK)
}

function headerOf({ name, kind, mode }: ArchiveEntry, size: number): Buffer {
  const type = kind === 'file' ? 'File' : 'Directory'
  const header = new Header({ path: kind === 'file' ? name : `${name}/`, mode, size, type, mtime: new Date(0) })
  const block = Buffer.alloc(BLOCK)
  if (header.encode(block)) throw new Error(`${name} is too long a name for an archive`)
  return block
}

/** Reads a whole archive, and fails if it is damaged or incomplete. `place` gets one entry at a time and must read its
 *  content. */
export async function readArchive(path: string, place: (entry: ArchiveEntry) => Promise<void>): Promise<void> {
  const parser = new Parser({ strict: true })
  const ended = new Promise(resolve => parser.once('end', resolve))
  const failed = new Promise<never>((_, reject) => {
    parser.once('error', reject)
    parser.on('entry', (entry: ReadEntry) => {
      placed = placed.then(() => place(entryFrom(entry)))
      placed.catch(reject) // Its content remains unread, so neither the drain nor the end would occur.
    })
  })
  failed.catch(() => {}) // Also when nobody waits for it at that moment.
  let placed = Promise.resolve()
  await pipeline(createReadStream(path), createZstdDecompress(), async chunks => {
    for await (const chunk of chunks) {
      if (parser.write(chunk)) continue
      await Promise.race([new Promise(resolve => parser.once('drain', resolve)), failed])
    }
    parser.end()
    await Promise.race([ended, failed])
  })
  await Promise.race([placed, failed])
}

function entryFrom(entry: ReadEntry): ArchiveEntry {
  const { path, type, size, mode = 0 } = entry
  // Our archives contain no others. A name that leads outside must not be written.
  const isOurs = (type === 'File' || type === 'Directory') && !path.split('/').includes('..') && !path.startsWith('/')
  if (!isOurs) throw new Error(`it contains ${path}, which does not belong in a backup`)
  if (type === 'File') return { kind: 'file', name: path, mode, size, chunks: entry as AsyncIterable<Buffer> }
  entry.resume()
  return { kind: 'directory', name: path.replace(/\/$/, ''), mode }
}

const CHUNK_BYTES = 1024 * 1024

/** The content of an open file; it is closed afterwards. */
export async function* chunksOf(file: FileHandle): AsyncIterable<Uint8Array> {
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** Writes a file of an archive, readable only by its owner unless its mode says otherwise. */
export async function writeFileOf(path: string, { chunks, mode }: ArchiveEntry & { kind: 'file' }): Promise<void> {
  await pipeline(Readable.from(chunks), createWriteStream(path, { mode, flags: 'wx' }))
}

/** Without this, the name of a new file would not survive a power failure. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
