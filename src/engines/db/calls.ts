// The calls that run in the database. The driver waits for ever for a server that stopped answering; here every call
// has a deadline, and all of them can be failed at once.
import { EngineUnavailable } from '../engines.ts'

export type RunningCall = {
  /** It may take effect at any moment: only the server knows its outcome, so the caller waits for that. */
  isCommitting: boolean
  /** The caller has received a failure. */
  isGivenUp: boolean
  /** The newest statement, to cancel it. */
  statement: object | null
  /** Whether it has got a connection. */
  isBegun(): boolean
}

export type CallsOptions = {
  /** Until a call has a connection. The driver tries for ever to connect. */
  connectMs: number
  /** For a whole transaction. */
  deadlineMs: number
  /** Asks the server to cancel a statement. */
  cancel(statement: object): void
  /** A call does not get a connection, or does not end after it was cancelled. */
  onSilent(): void
}

const CHECK_MS = 1_000
/** How long a call may take to end after it was cancelled. A connection that is silent for longer is lost. */
const CANCEL_MS = 5_000

type Entry = {
  call: RunningCall
  startedMs: number
  cancelledMs: number | null
  fail(error: Error): void
  end(error?: unknown): void
}

export function openCalls({ connectMs, deadlineMs, cancel, onSilent }: CallsOptions) {
  const running = new Set<Entry>()

  function giveUp(entry: Entry): void {
    entry.call.isGivenUp = true
    entry.fail(new EngineUnavailable('db', 'down'))
  }

  function check(): void {
    const nowMs = performance.now()
    let isSilent = false
    for (const entry of running) {
      if (entry.cancelledMs !== null) isSilent ||= nowMs - entry.cancelledMs > CANCEL_MS
      else if (!entry.call.isBegun()) isSilent ||= nowMs - entry.startedMs > connectMs
      else if (nowMs - entry.startedMs > deadlineMs) {
        entry.cancelledMs = nowMs
        if (!entry.call.isCommitting) giveUp(entry)
        if (entry.call.statement) cancel(entry.call.statement)
      }
    }
    if (isSilent) onSilent()
  }

  const timer = setInterval(check, CHECK_MS).unref()
  return {
    /** `release` is called once, when the connection of the call is free again or no longer counts; with the error of the
     *  call, if there is one. */
    run: <T>(call: RunningCall, start: () => PromiseLike<T>, release: (error?: unknown) => void): Promise<T> =>
      new Promise((resolve, reject) => {
        const entry: Entry = {
          call,
          startedMs: performance.now(),
          cancelledMs: null,
          fail: reject,
          end: error => {
            if (running.delete(entry)) release(error)
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
    /** After the pool was replaced: the old connections no longer count. */
    failAll: () => {
      for (const entry of [...running]) {
        if (!entry.call.isCommitting || !entry.call.isBegun()) giveUp(entry)
        entry.end()
      }
    },
    close: () => clearInterval(timer),
  }
}
