// The CPU time of the PostgreSQL server, with the backends that have ended.
import { readdirSync, readFileSync } from 'node:fs'
import type { Database } from '../../src/engines/engines.ts'

/** The kernel reports the times of ended children in hundredths of a second on every architecture. */
const TICK_US = 10_000

/** Returns a function that reads the CPU time of all processes of the server so far, in microseconds. */
export async function databaseCpu(db: Database): Promise<() => number> {
  const server = await databasePid(db)
  return () => databaseCpuUs(server)
}

/** The process id of the server, whose children are the backends. */
export async function databasePid(db: Database): Promise<number> {
  const [row] = await db<{ pid: number }>`select pg_backend_pid() as pid`
  return Number(statOf(String(row?.pid)).parent)
}

export function databaseCpuUs(server: number): number {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name) && isOf(name, server))
  return pids.reduce((sum, pid) => sum + usedBy(pid), statOf(String(server)).endedTicks * TICK_US)
}

function isOf(pid: string, server: number): boolean {
  try {
    return Number(pid) === server || statOf(pid).parent === server
  } catch {
    return false // The process has ended in the meantime.
  }
}

/** The first number is nanoseconds on a processor; the times in `stat` are rounded to hundredths of a second. */
function usedBy(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000
  } catch {
    return 0 // It has ended in the meantime; the server has its time.
  }
}

function statOf(pid: string): { parent: number; endedTicks: number } {
  // The name of the program, in parentheses, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number)
  const [parent = 0, cutime = 0, cstime = 0] = [fields[1], fields[13], fields[14]]
  return { parent, endedTicks: cutime + cstime }
}
