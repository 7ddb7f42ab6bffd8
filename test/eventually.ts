// For effects that reach the host by a notification: polls until the expected result.
import { setTimeout as wait } from 'node:timers/promises'
import type { Sql } from '../src/engines/engines.ts'

/** Longer than a busy machine needs, and shorter than a test may take. */
const TIMEOUT_MS = 300_000

export async function eventually<T>(read: () => T | Promise<T>, isExpected: (result: T) => boolean): Promise<T> {
  const startedMs = performance.now()
  for (;;) {
    const result = await read()
    if (isExpected(result)) return result
    const elapsedMs = performance.now() - startedMs
    if (elapsedMs > TIMEOUT_MS) throw new Error(`still ${JSON.stringify(result)?.slice(0, 300)} after ${TIMEOUT_MS} ms`)
    // Frequent polling would slow down long work.
    await wait(Math.min(2 + elapsedMs / 20, 50))
  }
}

/** Until a schedule has run once. A clock that is advanced meanwhile would end that run by its deadline. */
export const firstRun = (db: Sql, schedule: string) =>
  eventually(
    () => db`select from leases where name = ${`schedule ${schedule}`} and done is not null`,
    ({ length }) => length > 0,
  )
