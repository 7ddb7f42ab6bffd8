// Sends requests with events, and decides the outcome of each: settled, dropped, or to be retried.
import { foreignAnswer } from './advice.ts'
import { attempt, type FailedAttempt, readJson } from './attempt.ts'
import { StoaApiError, StoaConnectionError, StoaError } from './errors.ts'
import type { ClientSettings } from './options.ts'
import { batchText, type CapturedEvent, type openQueue, type Queued } from './queue.ts'
import { requestFor } from './request.ts'
import { backoffMs } from './retry.ts'

/** An event that will not be stored, and the reason: `not_json`, `too_large`, `queue_full`, `closed`, `not_confirmed`
 *  (the time limit was reached; it may be stored), or the host's reason, such as `id_too_long`. */
export type DroppedEvent = { event: CapturedEvent; reason: string }

export type Report = (error: StoaError, dropped: DroppedEvent[]) => void

type Receipt = { accepted: number; errors?: { index: number; reason: string }[] }

const TIMEOUT_MS_OF_EVENTS = 10_000
const RETRY_MS_MAX = 8_000
/** The longest wait that a host can request. A longer one would stop the events of this process for good. */
const ASKED_MS_MAX = 60_000

export type Sender = ReturnType<typeof openSender>

export function openSender(settings: ClientSettings, queue: ReturnType<typeof openQueue>, report: Report) {
  let leaving = new AbortController()
  let refusal: StoaError | null = null
  let failures = 0

  function drop(events: Iterable<Queued>, reason: string, error: StoaError): void {
    const dropped = queue.remove(events).map(({ event }) => ({ event, reason }))
    if (dropped.length > 0) report(error, dropped)
  }

  /** Resolves to the wait before the next request; `isAsked` if the host requested it. */
  async function send(batch: Queued[], keepalive: boolean): Promise<{ waitMs: number; isAsked: boolean } | null> {
    const headers = new Headers({ ...settings.headers, authorization: `Bearer ${settings.key}` })
    const made = { ...requestFor(settings.baseUrl, INGEST, {}, headers), body: batchText(batch), keepalive }
    const timeoutMs = settings.timeoutMs ?? TIMEOUT_MS_OF_EVENTS
    const outcome = await attempt(made, readJson<Receipt | null>, settings, timeoutMs, leaving.signal)
    if ('error' in outcome) return failed(batch, outcome)
    const { data: receipt, response, deadline } = outcome
    deadline.end()
    failures = 0
    if (typeof receipt?.accepted === 'number') settle(batch, receipt)
    else drop(batch, 'no_receipt', foreignAnswer(made.route, response, JSON.stringify(receipt) ?? ''))
    return null
  }

  function settle(batch: Queued[], { errors = [] }: Receipt): void {
    for (const reason of new Set(errors.map(one => one.reason))) {
      const events = errors.flatMap(one => (one.reason === reason ? (batch[one.index] ?? []) : []))
      drop(events, reason, new StoaError(`The host did not store ${events.length} of the events: ${reason}.`))
    }
    queue.remove(batch)
  }

  function failed(batch: Queued[], { error, again, retryAfter }: FailedAttempt) {
    const status = error instanceof StoaApiError || error instanceof StoaConnectionError ? error.status : null
    if (error instanceof StoaApiError && [401, 403].includes(error.status) && error.code !== OF_THE_EVENTS) {
      refusal = error
      drop(queue.all(), error.code, error)
    } else if (again !== 'never' || status === null || status >= 500) {
      if (failures === 0) report(error, [])
      const waitMs = Math.max(Math.min(1000 * (retryAfter ?? 0), ASKED_MS_MAX), backoffMs(failures++, RETRY_MS_MAX))
      return { waitMs, isAsked: retryAfter !== null }
    } else drop(batch, error instanceof StoaApiError ? error.code : 'no_receipt', error)
    return null
  }

  /** Drops the remaining events and cancels running requests. */
  function giveUp(error: StoaError): void {
    drop(queue.all(), 'not_confirmed', error)
    leaving.abort()
    leaving = new AbortController()
  }

  /** `refusal`: why the host refuses the key, so that it is not used any more. */
  return { send, giveUp, refusal: () => refusal }
}

const INGEST = ['ingestEvents', 'POST', '/v1/event'] as const

/** The key may send events, but not these. */
const OF_THE_EVENTS = 'insufficient_capability'
