import { readdirSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** How long a server that we left behind gets to stop in order, before it is killed. */
const STOP_MS = 10_000
const SOCKET_FILES = ['.s.PGSQL.5432', '.s.PGSQL.5432.lock']

/** Clears what a killed Stoa left behind: its server lives on, and even one whose postmaster is dead can have a backend
 *  that blocks every start. Safe only under the lock on the directory. */
export async function clearLeftovers(home: string, socketDirectory: string): Promise<void> {
  const deadline = performance.now() + STOP_MS
  for (const pid of processesIn(home)) signal(pid, 'SIGINT')
  while (processesIn(home).length > 0) {
    if (performance.now() > deadline) for (const pid of processesIn(home)) signal(pid, 'SIGKILL')
    await wait(20)
  }
  const files = [join(home, 'postmaster.pid'), ...SOCKET_FILES.map(name => join(socketDirectory, name))]
  for (const file of files) rmSync(file, { force: true })
}

/** Every server process has the cluster as its working directory, and nothing else has. */
function processesIn(home: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === home
      } catch {
        return false // Gone meanwhile, or another person's process: not ours to touch.
      }
    })
    .map(Number)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
