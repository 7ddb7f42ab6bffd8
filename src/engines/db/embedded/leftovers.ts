import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** How long a leftover server may take to shut down before it is killed. */
const STOP_MS = 10_000
const SOCKET_FILES = ['.s.PGSQL.5432', '.s.PGSQL.5432.lock']

/** Ends the server that a killed Stoa left behind, and removes its files. Even after its postmaster died, a backend can
 *  block every start. Safe only under the lock on the directory. */
export async function clearLeftovers(home: string, socketDirectory: string): Promise<void> {
  await endProcesses(home, STOP_MS)
  const files = [join(home, 'postmaster.pid'), ...SOCKET_FILES.map(name => join(socketDirectory, name))]
  for (const file of files) rmSync(file, { force: true })
}

/** Ends every process that works on the directory, and waits until none is left. */
export async function endProcesses(directory: string, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs
  for (const pid of processesOn(directory)) signal(pid, 'SIGINT')
  for (let left = processesOn(directory); left.length > 0; left = processesOn(directory)) {
    if (performance.now() > deadline) for (const pid of left) signal(pid, 'SIGKILL')
    await wait(20)
  }
}

/** A server process has the cluster as its working directory; initdb has it among its arguments. The process name is
 *  checked too, so that a shell or a backup in the directory is left alone. */
function processesOn(directory: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(pid => {
      try {
        if (!['postgres', 'initdb'].includes(readFileSync(`/proc/${pid}/comm`, 'utf8').trim())) return false
        if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(directory)) return true
        return readlinkSync(`/proc/${pid}/cwd`) === directory
      } catch {
        return false // It has ended, or belongs to another user.
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
