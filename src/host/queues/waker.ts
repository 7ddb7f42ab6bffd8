// Wakes the queue loop: ends its wait, and records which of its keys have new jobs.
import type { Clock } from '../../engines/engines.ts'
import type { HeldKey } from '../../kit/queues/store.ts'

/** Shared, because an abort without a reason creates an error with a stack trace each time. */
const WOKEN = new Error('woken')
const [SOON_MS, SOON_BUSY_MS] = [5, 14]
/** While this many attempts run, new ones can wait a little: starting a few at a time costs as many statements each. */
const BUSY = 128
/** After this many ended attempts, the loop wakes without waiting further. */
const ENDED_MAX = 128

/** A key with the time when a job of it is due. */
export type Note = HeldKey & { dueMs: number }

export type Waker = {
  /** Ends the wait, or the next one if nobody waits. */
  wake(): void
  /** Wakes in a few milliseconds, or when this was called often enough, so that many attempts that end together are
   *  replaced together. `running`: the number of running attempts. */
  wakeSoon(running: number): void
  /** Wakes immediately because jobs were added, to these keys of this process or to keys of others. */
  tell(notes: readonly Note[], isElsewhere: boolean): void
  /** The notes since the last call. */
  takeNotes(): { notes: Iterable<Note>; isElsewhere: boolean }
  wait(ms: number): Promise<void>
}

export function openWaker(clock: Clock): Waker {
  let isWoken = false
  let notes = new Map<string, Note>()
  let isElsewhere = false
  let isSoon = false
  let ended = 0
  let end = () => {}

  function wake(): void {
    if (isWoken) return
    isWoken = true
    end()
  }

  return {
    wake,
    wakeSoon: running => {
      if (++ended >= ENDED_MAX) wake()
      if (isSoon) return
      isSoon = true
      setTimeout(
        () => {
          isSoon = false
          wake()
        },
        running < BUSY ? SOON_MS : SOON_BUSY_MS,
      )
    },
    tell: (told, isAlsoElsewhere) => {
      isElsewhere ||= isAlsoElsewhere
      for (const one of told) {
        const name = `${one.queue} ${one.key}`
        notes.set(name, { ...one, dueMs: Math.min(one.dueMs, notes.get(name)?.dueMs ?? one.dueMs) })
      }
      wake()
    },
    takeNotes: () => {
      const taken = { notes: notes.values(), isElsewhere }
      notes = new Map()
      isElsewhere = false
      return taken
    },
    wait: async ms => {
      if (!isWoken && ms > 0) {
        const over = new AbortController()
        end = () => over.abort(WOKEN)
        await clock.sleep(ms, over.signal)
      }
      isWoken = false
      ended = 0
    },
  }
}
