// Deletes many rows in small transactions, so that other writes are not delayed.
import { setTimeout as wait } from 'node:timers/promises'
import type { Tx } from '../../engines/engines.ts'
import type { Removing } from '../table.ts'

/** Repeats the step until it deletes fewer rows than allowed, with a pause as long as the step before: half of the time
 *  is left for others. Returns the number of deleted rows. */
export async function untilFewer(
  { signal, write }: Pick<Removing, 'signal' | 'write'>,
  max: number,
  step: (tx: Tx) => Promise<number>,
): Promise<number> {
  let deleted = 0
  while (!signal.aborted) {
    const startMs = performance.now()
    const count = await write(step)
    deleted += count
    if (count < max) break
    await wait(performance.now() - startMs)
  }
  return deleted
}
