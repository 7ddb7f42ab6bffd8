// How long callers wait for charges.
import type { Clock } from '../../engines/engines.ts'
import { Fault } from '../../kit/fault.ts'

/** Timers are shared, so a caller may wait up to this much longer. */
const SETTLED_MS = 9_000
const SHARED_MS = 1_000

export type Patience = ReturnType<typeof openPatience>

/** Raises 503 if what it waits for takes too long. Waits that begin within a second share a timer: a timer for each charge
 *  would cost more than everything else here. */
export function openPatience(clock: Clock) {
  const closed = new AbortController()
  let late: Promise<never> | null = null
  let fromMs = 0
  function next(): Promise<never> {
    const over = clock.sleep(SETTLED_MS + SHARED_MS, closed.signal).then(() => {
      throw unavailable()
    })
    over.catch(() => {}) // Nobody may wait for it.
    return over
  }
  return {
    inTime: async (settled: Promise<unknown>): Promise<void> => {
      if (late === null || clock.elapsedMs() - fromMs >= SHARED_MS) [late, fromMs] = [next(), clock.elapsedMs()]
      await Promise.race([settled, late])
    },
    close: () => closed.abort(),
  }
}

export const unavailable = () =>
  new Fault('database_unreachable', {
    message: 'Earlier usage cannot be settled at the moment. Try again.',
    retryAfterS: 2,
  })
