// The calls running in the database. The driver waits forever for a server that stopped answering; here every call has a
// deadline, and all of them can be failed together.
import { EngineUnavailable } from '../engines.ts'
import { ConnectFailed } from './driver.ts'

export type RunningCall = {
  /** It may take effect at any moment: only the server knows its outcome, so the caller waits for it. */
  isCommitting: boolean
  /** The caller has received a failure. */
  isGivenUp: boolean
  /** The newest statement, to cancel it. */
  statement: object | null
  /** Whether it has a connection. */
  isBegun(): boolean
}

export type CallsOptions = {
  /** The time limit of a whole transaction. */
  deadlineMs: number
  /** The time limit for ending after a cancellation. */
  cancelMs: number
  /** Asks the server to cancel a statement. */
  cancel(statement: object): void
}

const CHECK_MS = 1_000

type Entry = {
  call: RunningCall
  startedMs: number
  cancelledMs: number | null
  fail(error: Error): void
  end: Release
}

/** Called once, when the call's connection is free again or no longer counts: with the call's error, if any, and how
 *  long a lost connection may still wait for an outcome. */
type Release = (error?: unknown, waitS?: number) => void

export type Calls = ReturnType<typeof openRunningCalls>

export function openRunningCalls({ deadlineMs, cancelMs, cancel }: CallsOptions) {
  const running = new Set<Entry>()

  function giveUp(entry: Entry): void {
    entry.call.isGivenUp = true
    entry.fail(new EngineUnavailable('db', 'down'))
  }

  /** The call's connection does not answer and is dropped: unsent statements are never sent. If only the server knows
   *  the outcome, the driver fails the call after that time. */
  function drop(entry: Entry, waitS = 0): void {
    const isPending = entry.call.isCommitting && entry.call.isBegun()
    if (!isPending) giveUp(entry)
    entry.end(new ConnectFailed({ message: 'the connection does not answer' }), isPending ? waitS : 0)
  }

  function check(): void {
    const nowMs = performance.now()
    for (const entry of [...running]) {
      if (entry.cancelledMs !== null) {
        if (nowMs - entry.cancelledMs > cancelMs) drop(entry)
      } else if (nowMs - entry.startedMs > deadlineMs) {
        entry.cancelledMs = nowMs
        if (!entry.call.isCommitting) giveUp(entry)
        if (entry.call.statement) cancel(entry.call.statement)
      }
    }
  }

  const timer = setInterval(check, CHECK_MS).unref()
  return {
    /** `connectMs`: the time limit for a new connection, because the driver waits forever; null for an existing
     *  connection. */
    run: <T>(call: RunningCall, start: () => PromiseLike<T>, release: Release, connectMs: number | null): Promise<T> =>
      new Promise((resolve, reject) => {
        const connecting = connectMs === null ? undefined : setTimeout(() => call.isBegun() || drop(entry), connectMs)
        const entry: Entry = {
          call,
          startedMs: performance.now(),
          cancelledMs: null,
          fail: reject,
          end: (error, waitS) => {
            clearTimeout(connecting)
            if (running.delete(entry)) release(error, waitS)
          },
        }
        running.add(entry)
        start().then(
          value => {
            entry.end()
            resolve(value)
          },
          error => {
            entry.end(error)
            reject(error)
          },
        )
      }),
    /** How long calls whose outcome only the server knows may wait for it. */
    dropAll: (waitS: number) => {
      for (const entry of [...running]) drop(entry, waitS)
    },
    close: () => clearInterval(timer),
  }
}
