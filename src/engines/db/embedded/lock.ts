// Keeps a second Stoa away from a directory. Within one machine an abstract socket does it, which the kernel frees
// however its holder ends. Containers that share a volume do not see each other's sockets, so the holder also keeps a
// file fresh; who finds it fresh and cannot ask its owner stays away.
import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const BEAT_MS = 2_000
/** A file untouched for so long has no living owner. */
const STALE_MS = 10_000

/** Holds a directory, named by its real path. Answers the release, or null when another holds it. */
export async function lockDirectory(path: string): Promise<(() => void) | null> {
  const release = await listen(`\0stoa-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`)
  if (!release) return null
  const file = join(path, 'in-use')
  if (await ownedElsewhere(file)) {
    release()
    return null
  }
  writeFileSync(file, here(), { mode: 0o600 })
  const beat = setInterval(() => touch(file), BEAT_MS)
  beat.unref()
  return () => {
    clearInterval(beat)
    rmSync(file, { force: true })
    release()
  }
}

function listen(name: string): Promise<(() => void) | null> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    )
    server.listen(name, () => {
      server.unref()
      resolve(() => server.close())
    })
  })
}

/** Whether a living process that the socket cannot tell us of keeps the file fresh. Waits until that is certain. */
async function ownedElsewhere(file: string): Promise<boolean> {
  const first = beatOf(file)
  if (first === null || ownerOf(file) === here()) return false
  const deadline = performance.now() + STALE_MS
  while (performance.now() < deadline) {
    const now = beatOf(file)
    if (now === null) return false
    if (now !== first) return true
    await wait(200)
  }
  return false
}

/** Where abstract sockets and process ids mean the same as they do to us: this boot, and these namespaces. */
function here(): string {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return [boot, readlinkSync('/proc/self/ns/net'), readlinkSync('/proc/self/ns/pid')].join(' ')
}

function beatOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null
}

function ownerOf(file: string): string {
  return readFileSync(file, 'utf8')
}

function touch(file: string): void {
  const now = performance.timeOrigin + performance.now()
  try {
    utimesSync(file, now / 1000, now / 1000)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // The directory was removed under us.
  }
}
