// The queue of deliveries: an event for an endpoint. The key is the endpoint, so that a slow one delays no other.
import type { Ended, EndReason } from '../../../kit/queue.ts'
import { endpointFailing } from '../events.ts'
import { queue } from '../state.ts'
import { TIMEOUT_MS } from './post.ts'
import { type Loaded, type Result, sendAttempt } from './send.ts'
import * as store from './store.ts'

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000]
const FAILING_MS = HOUR_MS
const DAY_MS = 24 * HOUR_MS
/** The pauses after the attempts of a `standard` delivery, and the further ones of a `long` delivery. */
const PAUSES_MS: Record<store.Retry, readonly number[]> = {
  standard: [SECOND_MS, 5 * SECOND_MS],
  long: [5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 8 * HOUR_MS, 24 * HOUR_MS],
}
/** How many attempts a delivery has. */
export const ATTEMPTS: Record<store.Retry, number> = {
  standard: PAUSES_MS.standard.length + 1,
  long: PAUSES_MS.standard.length + PAUSES_MS.long.length + 1,
}
/** More than one endpoint may have waiting; it bounds the disk space of many endpoints that hang. */
const ENDPOINTS_OF_ORG = 10

/** `resendOf` is the delivery that is sent again. */
export type Delivery = { event: string; resendOf?: string }

export const deliveries = queue<Delivery, Loaded, Result, typeof endpointFailing>({
  id: 'webhooks.deliveries',
  limits: ({ concurrency }) => ({ concurrency, rate: null }),
  backlog: ({ backlogMax: perKey }) => ({ perKey, perOrg: perKey * ENDPOINTS_OF_ORG, isRecorded: true }),
  pausesMs: [...PAUSES_MS.standard, ...PAUSES_MS.long],
  deadlineMs: TIMEOUT_MS + 5_000,
  expiresMs: ({ backlogDays, keptDays }) => Math.min(backlogDays, keptDays) * DAY_MS,
  emits: endpointFailing,

  /** Endpoints and events are read once for all attempts: an event may go to a thousand endpoints. */
  load: async ({ db }, jobs) => {
    const webhooks = [...new Set(jobs.map(({ key }) => key))]
    const events = [...new Set(jobs.map(({ payload }) => payload.event))]
    const [targets, sent] = await Promise.all([store.selectTargets(db, webhooks), store.selectSent(db, events)])
    return new Map(
      jobs.flatMap(({ id, key, payload }) => {
        const target = targets.get(key)
        return target ? [[id, { target, sent: sent.get(payload.event) ?? null }]] : []
      }),
    )
  },

  run: async ({ http, clock, state }, { id, key, org }, loaded) => {
    const attempted = await sendAttempt({ http, clock, keysOf: state.keysOf }, id, loaded)
    if (attempted) state.measured.add(org, key, attempted.isOk, attempted.result.durationMs)
    return attempted
  },

  end: async ({ db, clock, emit }, ended) => {
    const now = clock.now()
    // Deliveries of a deleted endpoint are deleted with their log.
    const kept = ended.filter(({ reason }) => reason !== 'gone')
    // Deliveries that were not attempted say nothing about the endpoint.
    const tried = kept.filter(({ started }) => started !== null)
    const ok = new Set(tried.filter(({ status }) => status === 'ok').map(({ job }) => job.key))
    const failed = new Set(tried.map(({ job }) => job.key).filter(webhook => !ok.has(webhook)))
    const before = new Date(now.getTime() - FAILING_MS).toISOString()
    const attempts = kept.map(one => attemptOf(one, now))
    const [, failing] = await Promise.all([
      store.insertAttempts(db, attempts, now.toISOString()),
      store.setFailing(db, [...ok], [...failed], now.toISOString(), before),
    ])
    for (const { webhook: id, org, url, since } of failing) emit('webhook.endpoint.failing', { id, url, since }, org)
  },
})

const SAYS: Record<EndReason, string> = {
  interrupted: 'It was interrupted; it is not known whether it arrived.',
  late: `It did not answer within ${TIMEOUT_MS / 1_000} s.`,
  failed: 'It could not be sent because of an error of this service.',
  gone: '',
  // Too many wait for the endpoint, or it waited for too long.
  backlog: 'backlog',
  expired: 'backlog',
}

function attemptOf({ job, started, status, result, reason }: Ended<Delivery, Result>, now: Date): store.NewAttempt {
  const { subject = null, httpStatus = null, response = '', durationMs = 0 } = result ?? {}
  return {
    delivery: job.id,
    attempt: job.attempt,
    webhook: job.key,
    event: job.payload.event,
    subject,
    status,
    httpStatus,
    error: reason ? SAYS[reason] : (result?.error ?? null),
    response,
    durationMs,
    resendOf: job.payload.resendOf ?? null,
    isResendable: status === 'failed' && job.attemptsMax > 1,
    created: started ?? now.toISOString(),
  }
}
