// Work on the same thing, one after the other. Those who wait hold no connection to the database meanwhile, so that a crowd
// at one thing does not keep everybody else from theirs; and only so many wait.
import { Fault } from '../kit/fault.ts'

export type Queues = { run<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> }

/** As many as are done within a few seconds; the next one is better off trying again. */
const WAITING_MAX = 100

export function openQueues(waitingMax = WAITING_MAX): Queues {
  /** Those who wait, by name. A name without an entry is free. */
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
    message: 'Too many calls of your organisation wait for this already; nothing was done. Try again in a moment.',
    retryAfterS: 1,
  })
