// How long the hosts of tests take to start.
import { appendFileSync } from 'node:fs'

/** For the table of times that `tools/test.ts` prints. */
export function recordStart(startedMs: number, cpuBefore: NodeJS.CpuUsage): void {
  const { user, system } = process.cpuUsage(cpuBefore)
  const line = JSON.stringify({ ms: performance.now() - startedMs, cpuMs: (user + system) / 1_000 })
  if (process.env.STOA_TEST_HOSTS) appendFileSync(process.env.STOA_TEST_HOSTS, `${line}\n`)
}
