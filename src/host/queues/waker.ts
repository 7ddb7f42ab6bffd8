// Wakes whoever works on queues: ends its wait, and tells it which of its keys have something new.
import type { Clock } from '../../engines/engines.ts'
import type { HeldKey } from '../../kit/queues/store.ts'

/** Something of this key is due then. */
export type Note = HeldKey & { dueMs: number }

export type Waker = {
  /** Ends the wait, or the next one if nobody waits. */
  wake(notes?: readonly Note[]): void
  /** What was told since the last call. */
  takeNotes(): Iterable<Note>
  wait(ms: number): Promise<void>
}

export function openWaker(clock: Clock): Waker {
  let isWoken = false
  let notes = new Map<string, Note>()
  let end = () => {}
  return {
    wake: told => {
      for (const one of told ?? []) {
        const name = `${one.queue} ${one.key}`
        notes.set(name, { ...one, dueMs: Math.min(one.dueMs, notes.get(name)?.dueMs ?? one.dueMs) })
      }
      // Once only: each abort makes an error with its stack, and every delivery that ends calls this.
      if (isWoken) return
      isWoken = true
      end()
    },
    takeNotes: () => {
      const taken = notes
      notes = new Map()
      return taken.values()
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
