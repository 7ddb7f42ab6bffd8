// A wait that ends early if somebody calls.
import type { Clock } from '../../engines/engines.ts'

export type Waker = {
  /** Ends the wait, or the next one if nobody waits. */
  wake(): void
  wait(ms: number): Promise<void>
}

export function openWaker(clock: Clock): Waker {
  let isWoken = false
  let end = () => {}
  return {
    wake: () => {
      // Once only: each abort makes an error with its stack, and every delivery that ends calls this.
      if (isWoken) return
      isWoken = true
      end()
    },
    wait: async ms => {
      if (!isWoken && ms > 0) {
        const over = new AbortController()
        end = () => over.abort()
        await clock.sleep(ms, over.signal)
      }
      isWoken = false
    },
  }
}
