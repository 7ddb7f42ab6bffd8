// Decides when requests with events are sent: after an interval, when one is full, or on request of the caller; after a
// failure, again.
import { TIMER_MS_MAX } from './deadline.ts'
import type { openQueue } from './queue.ts'
import type { Sender } from './sender.ts'

/** `onEmpty` is called when nothing is left to send. */
export function openSending(
  queue: ReturnType<typeof openQueue>,
  sender: Sender,
  intervalMs: number,
  onEmpty: () => void,
) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | null = null
  let wake = () => {}
  /** How many events to send now. The others wait for more. */
  let due = 0

  /** For an event that was added. */
  function added(): void {
    if (queue.isFull()) void start()
    else timer ??= unheld(all, intervalMs)
  }

  /** Sends the queued events. Ends a wait after a failure, unless the host requested it. */
  function all(): Promise<void> {
    due = queue.size()
    wake()
    return start()
  }

  function start(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    running ??= run().finally(() => {
      running = null
      if (queue.size() === 0) onEmpty()
      else timer ??= unheld(all, intervalMs)
    })
    return running
  }

  /** One request after the other, so that events arrive in their order. */
  async function run(): Promise<void> {
    while (queue.size() > 0 && (due > 0 || queue.isFull())) {
      const [batch = []] = queue.batches(1)
      const failure = await sender.send(batch, false).catch(() => null) // Given up: the queue is empty.
      if (failure === null) due = Math.max(0, due - batch.length)
      else await pause(failure.waitMs, failure.isAsked)
    }
    due = 0
  }

  const pause = (waitMs: number, isAsked: boolean) =>
    new Promise<void>(resolve => {
      unheld(resolve, waitMs)
      wake = isAsked ? () => {} : resolve
    })

  return { added, all }
}

/** A timer that does not keep the process alive. */
function unheld(elapsed: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(elapsed, Math.min(ms, TIMER_MS_MAX))
  ;(timer as { unref?: () => void }).unref?.()
  return timer
}
