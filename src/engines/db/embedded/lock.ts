// Locks a directory against a second Stoa. Within one machine the lock is an abstract socket, which the kernel frees
// however its owner ends. Containers that share a volume do not see each other's sockets, so the owner also touches a
// file regularly; another process that sees this from outside its namespaces does not start.
import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const HEARTBEAT_MS = 2_000
/** A file not touched for this long has no living owner. */
const STALE_MS = 10_000

/** Locks a directory, given by its real path. Returns the release function, or null if it is locked. */
export async function lockDirectory(path: string): Promise<(() => void) | null> {
  const release = await lockName(path)
  if (!release) return null
  const file = join(path, 'in-use')
  if (await isOwnedElsewhere(file)) {
    release()
    return null
  }
  writeFileSync(file, namespaceId(), { mode: 0o600 })
  const heartbeat = setInterval(() => touch(file), HEARTBEAT_MS)
  heartbeat.unref()
  return () => {
    clearInterval(heartbeat)
    rmSync(file, { force: true })
    release()
  }
}

/** Within this machine and its network namespace. Null if another process has it. */
export function lockName(of: string): Promise<(() => void) | null> {
  const name = `\0stoa-${createHash('sha256').update(of).digest('hex').slice(0, 32)}`
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

/** Whether a process whose socket we cannot see keeps touching the file. Waits until that is certain. */
async function isOwnedElsewhere(file: string): Promise<boolean> {
  const first = touchedAt(file)
  if (first === null || readFileSync(file, 'utf8') === namespaceId()) return false
  const deadline = performance.now() + STALE_MS
  while (performance.now() < deadline) {
    const now = touchedAt(file)
    if (now === null) return false
    if (now !== first) return true
    await wait(200)
  }
  return false
}

/** Identifies the boot and the namespaces, within which abstract sockets and process ids are comparable. */
function namespaceId(): string {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return [boot, readlinkSync('/proc/self/ns/net'), readlinkSync('/proc/self/ns/pid')].join(' ')
}

const touchedAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null

function touch(file: string): void {
  const now = performance.timeOrigin + performance.now()
  try {
    utimesSync(file, now / 1000, now / 1000)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // The directory was removed meanwhile.
  }
}
