// A tar archive, compressed with zstd, written and read as streams, so that memory use is constant. Files may change while
// they are written: each keeps its initial length, truncated or padded with zeros.
import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { Header, type HeaderData, Parser, Pax, type ReadEntry } from 'tar'
import { systemRandom } from '../random/random.ts'

export type ArchiveEntry = { name: string; mode: number } & (
  | { kind: 'directory' }
  /** `chunks` yields the content, of about `size` bytes. */
  | { kind: 'file'; size: number; chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> }
)

const BLOCK = 512
const ZEROS = Buffer.alloc(128 * BLOCK)
/** Level 1 is as fast as most disks; the checksum detects a damaged archive. */
const COMPRESSION = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 }

/** Writes the archive under a name of its own, which becomes `path` when it is complete and on the disk; `path` must not
 *  exist then either. `onBytes` is called with the progress. */
export async function writeArchive(
  path: string,
  entries: AsyncIterable<ArchiveEntry>,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const partial = `${path}.${systemRandom.token(6)}.partial`
  // Never an existing file: another account could read what it created, and another backup could write to it, too.
  const file = createWriteStream(partial, { mode: 0o600, flags: 'wx', flush: true })
  await once(file, 'open')
  try {
    const compressed = createZstdCompress({ params: COMPRESSION })
    await pipeline(Readable.from(tarOf(entries, onBytes)), compressed, file, { signal })
    await link(partial, path).catch(error => placeWithoutLinks(error, partial, path))
    await syncDirectory(dirname(path))
  } finally {
    await rm(partial, { force: true })
  }
}

/** `link` never replaces a file, but some file systems have no links. */
async function placeWithoutLinks(error: NodeJS.ErrnoException, partial: string, path: string): Promise<void> {
  if (error.code === 'EEXIST' || existsSync(path)) throw new Error(`${path} was created during the backup`)
  if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(error.code ?? '')) throw error
  await rename(partial, path)
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
  const data: HeaderData = { path: kind === 'file' ? name : `${name}/`, mode, size, type, mtime: new Date(0) }
  const block = Buffer.alloc(BLOCK)
  const needsMore = new Header(data).encode(block)
  return needsMore ? Buffer.concat([new Pax(data).encode(), block]) : block
}

/** Reads a whole archive, and fails if it is damaged or incomplete. `place` gets one entry at a time and must read its
 *  content. After a failure nothing is placed any more. */
export async function readArchive(
  path: string,
  place: (entry: ArchiveEntry) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const parser = new Parser({ strict: true })
  const ended = new Promise(resolve => parser.once('end', resolve))
  let current: ReadEntry | null = null
  let stopped: unknown = null
  let placed = Promise.resolve()
  const failed = new Promise<never>((_, reject) => {
    parser.once('error', reject)
    parser.on('entry', (entry: ReadEntry) => {
      placed = placed.then(() => {
        if (stopped) throw stopped
        current = entry
        return place(entryFrom(entry))
      })
      placed.catch(reject) // Its content remains unread, so neither the drain nor the end would occur.
    })
  })
  failed.catch(() => {}) // Also when nobody waits for it at that moment.
  const parse = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      if (parser.write(chunk)) continue
      await Promise.race([new Promise(resolve => parser.once('drain', resolve)), failed])
    }
    parser.end()
    await Promise.race([ended, failed])
  }
  try {
    await pipeline(createReadStream(path), createZstdDecompress(), parse, { signal })
    await Promise.race([placed, failed])
  } catch (error) {
    stopped = error
    ;(current as ReadEntry | null)?.destroy(error)
    await placed.catch(() => {}) // So that no file appears while the caller removes them.
    throw error
  }
}

function entryFrom(entry: ReadEntry): ArchiveEntry {
  const { path, type, size, mode = 0 } = entry
  // Our archives contain no others. A name that leads outside must not be written.
  const names = (type === 'Directory' ? path.replace(/\/$/, '') : path).split('/')
  const isOurs = (type === 'File' || type === 'Directory') && names.every(name => !['', '.', '..'].includes(name))
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

/** Writes a file of an archive, readable only by its owner unless its mode says otherwise. It is opened first, so that it
 *  exists when this fails, and does not appear later. */
export async function writeFileOf(path: string, { chunks, mode }: ArchiveEntry & { kind: 'file' }): Promise<void> {
  const file = await open(path, 'wx', mode)
  await pipeline(Readable.from(chunks), file.createWriteStream())
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
