// Wakes whoever works on queues: ends its wait, and tells it which of its keys have something new.
import type { Clock } from '../../engines/engines.ts'
import type { HeldKey } from '../../kit/queues/store.ts'

/** Without a reason, each abort makes an error with its stack. */
const WOKEN = new Error('woken')
const [SOON_MS, SOON_BUSY_MS] = [5, 14]
/** While so many attempts run, others need not begin at once: a few at a time cost as many statements each. */
const BUSY = 128
/** As many are enough. */
const ENDED_MAX = 128

/** Something of this key is due then. */
export type Note = HeldKey & { dueMs: number }

export type Waker = {
  /** Ends the wait, or the next one if nobody waits. */
  wake(): void
  /** The same in some milliseconds, or when many have called, so that what ends meanwhile is followed by as many at once.
   *  `running`: how many attempts run now. */
  wakeSoon(running: number): void
  /** At once, because something was added, to these keys of this process or to others. */
  tell(notes: readonly Note[], isElsewhere: boolean): void
  /** What was told since the last call. */
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
