import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** How long a server that we left behind gets to stop in order, before it is killed. */
const STOP_MS = 10_000
const SOCKET_FILES = ['.s.PGSQL.5432', '.s.PGSQL.5432.lock']

/** Clears what a killed Stoa left behind: its server lives on, and even one whose postmaster is dead can have a backend
 *  that blocks every start. Safe only under the lock on the directory. */
export async function clearLeftovers(home: string, socketDirectory: string): Promise<void> {
  await endProcesses(home, STOP_MS)
  const files = [join(home, 'postmaster.pid'), ...SOCKET_FILES.map(name => join(socketDirectory, name))]
  for (const file of files) rmSync(file, { force: true })
}

/** Ends every process that works on the directory, and returns when none is left. */
export async function endProcesses(directory: string, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs
  for (const pid of processesOn(directory)) signal(pid, 'SIGINT')
  for (let left = processesOn(directory); left.length > 0; left = processesOn(directory)) {
    if (performance.now() > deadline) for (const pid of left) signal(pid, 'SIGKILL')
    await wait(20)
  }
}

/** A server process has its cluster as working directory, and what makes one has it among its arguments. Their names
 *  are asked too: a shell or a backup that stands in the directory is somebody's. */
function processesOn(directory: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(pid => {
      try {
        if (!['postgres', 'initdb'].includes(readFileSync(`/proc/${pid}/comm`, 'utf8').trim())) return false
        if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(directory)) return true
        return readlinkSync(`/proc/${pid}/cwd`) === directory
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
