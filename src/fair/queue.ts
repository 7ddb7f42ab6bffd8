// A queue for a resource with limited concurrency. Users are served in turn, however many calls each of them makes, and
// none may take more of the slots, running or waiting, than is left for the others.
import { openShares } from './shares.ts'

export type QueueOptions = {
  /** How many may run at once. */
  width: number
  /** How many may wait. */
  waitingMax: number
  waitMs: number
}

export type FairQueue = {
  /** True if the call may run immediately. It must call `leave` when it ends. */
  tryEnter(user: string): boolean
  /** Resolves when the call may run. Rejects with `QueueFull` if too many wait or it waited too long, and with the
   *  signal's reason if the caller has left. */
  enter(user: string, signal?: AbortSignal): Promise<void>
  leave(user: string): void
  /** Rejects all waiting calls. */
  rejectWaiting(reason: Error): void
  load(): { running: number; waiting: number }
}

export class QueueFull extends Error {}

type Waiter = { start(): void; fail(reason: unknown): void }

export function openFairQueue({ width, waitingMax, waitMs }: QueueOptions): FairQueue {
  const running = openShares(width)
  const waiting = openShares(waitingMax)
  /** Users with waiting calls, the least recently served first. */
  const waiters = new Map<string, Set<Waiter>>()

  function remove(user: string, waiter: Waiter): void {
    const own = waiters.get(user)
    if (!own?.delete(waiter)) return
    waiting.give(user, 1)
    if (own.size === 0) waiters.delete(user)
  }

  function startNext(): void {
    for (const [user, own] of waiters) {
      if (running.taken() === width) return
      if (!running.take(user, 1)) continue
      const [first] = own as Set<Waiter> & Iterable<Waiter>
      remove(user, first as Waiter)
      if (waiters.delete(user)) waiters.set(user, own) // To the end.
      first?.start()
    }
  }

  function enter(user: string, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (!waiting.take(user, 1)) return Promise.reject(new QueueFull('too many calls wait'))
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        start: () => {
          end()
          resolve()
        },
        fail: reason => {
          end()
          remove(user, waiter)
          reject(reason)
        },
      }
      const timer = setTimeout(() => waiter.fail(new QueueFull('waited too long')), waitMs)
      const leave = () => waiter.fail(signal?.reason)
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      signal?.addEventListener('abort', leave)
      const own = waiters.get(user)
      if (own) own.add(waiter)
      else waiters.set(user, new Set([waiter]))
    })
  }

  return {
    tryEnter: user => !waiters.has(user) && running.take(user, 1),
    enter,
    leave: user => {
      running.give(user, 1)
      startNext()
    },
    rejectWaiting: reason => {
      for (const own of [...waiters.values()]) for (const waiter of [...own]) waiter.fail(reason)
    },
    load: () => ({ running: running.taken(), waiting: waiting.taken() }),
  }
}

/** Runs the work when its turn comes. */
export async function inTurn<T>(
  queue: FairQueue,
  user: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  if (!queue.tryEnter(user)) await queue.enter(user, signal)
  try {
    return await work()
  } finally {
    queue.leave(user)
  }
}
