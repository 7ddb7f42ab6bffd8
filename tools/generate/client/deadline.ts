// The deadline of an attempt, and the wait before the next one. Timers and listeners end with their call.

/** `setTimeout` treats longer times as 1 ms. */
export const TIMER_MS_MAX = 2 ** 31 - 1

export type Deadline = ReturnType<typeof startDeadline>

/** Its signal aborts when the caller's does, or when the time is over. `end` must be called. */
export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const follow = () => controller.abort(outer?.reason)
  const pause = () => clearTimeout(timer)
  /** Restarts with another time. */
  const restart = (ms: number) => {
    pause()
    const expire = () => controller.abort(new DOMException(`No answer within ${ms} ms`, 'TimeoutError'))
    timer = setTimeout(expire, Math.min(ms, TIMER_MS_MAX))
  }
  const end = () => {
    pause()
    outer?.removeEventListener('abort', follow)
  }
  /** Ends the deadline, and cancels the request if it is still running. */
  const cancel = () => {
    end()
    controller.abort()
  }
  outer?.throwIfAborted()
  outer?.addEventListener('abort', follow, { once: true })
  restart(timeoutMs)
  return { signal: controller.signal, pause, restart, end, cancel }
}

export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const elapsed = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await orAborted(elapsed, signal).finally(() => clearTimeout(timer))
}

/** Settles like `awaited`, but rejects as soon as the signal aborts. */
export async function orAborted<T>(awaited: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let abort = () => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal?.reason)
  })
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  return Promise.race([awaited, aborted]).finally(() => signal?.removeEventListener('abort', abort))
}
