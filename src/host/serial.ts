// Work under the same name runs one at a time. Waiting work uses no database connection, so that one busy
// name does not block others. How much may wait is bounded.
import { Fault } from '../kit/fault.ts'

export type Serial = { run<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> }

/** About as many as complete within a few seconds; further callers get 503 and retry. */
const WAITING_MAX = 100

export function openSerial(waitingMax = WAITING_MAX): Serial {
  /** Waiting work by name. A name without an entry is free. */
  const waiting = new Map<string, (() => void)[]>()

  function acquire(name: string): Promise<void> | null {
    const queue = waiting.get(name)
    if (!queue) {
      waiting.set(name, [])
      return null
    }
    if (queue.length >= waitingMax) throw tooMany()
    return new Promise(resolve => queue.push(resolve))
  }

  function release(name: string): void {
    const next = waiting.get(name)?.shift()
    if (next) next()
    else waiting.delete(name)
  }

  return {
    run: async (name, signal, work) => {
      await acquire(name)
      try {
        signal.throwIfAborted()
        return await work()
      } finally {
        release(name)
      }
    },
  }
}

const tooMany = () =>
  new Fault('overloaded', {
    message: 'Too many calls of your organisation are waiting for this; nothing was done. Try again in a moment.',
    retryAfterS: 1,
  })
