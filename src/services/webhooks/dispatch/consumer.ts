// Creates deliveries from the events of the log, in the transaction in which they are consumed.
import { setImmediate as turn } from 'node:timers/promises'
import type { OrgId } from '../../../kit/caller.ts'
import { newUuid, uuidOf } from '../../../kit/uuid.ts'
import { consumer } from '../state.ts'
import { ATTEMPTS, deliveries } from './deliveries.ts'
import * as store from './store.ts'

/** Deliveries of one transaction, or those of one event: an organisation may have a thousand endpoints. */
const DELIVERIES_MAX = 1_000
/** The share of the days for which deliveries are kept by which an event's time may differ from the current time. The age
 *  of a delivery is read from its id: with the time of older events, it would be deleted too early. */
const TIME_SHARE = 0.1
const DAY_MS = 86_400_000

/** `deliveryOf`: a delivery's id is derived from the event and the endpoint, so that a host restored from a backup sends
 *  the same ids again. */
type Found = { event: store.NewEvent; endpoints: readonly string[]; deliveryOf(endpoint: string): string }

export const fanOut = consumer({
  id: 'webhooks.fan-out',
  subjects: ['>'],
  batchMax: 50,
  run: async ({ db, clock, random, state, queues }, events) => {
    const org = events[0]?.tenant as OrgId
    const { isEmpty, isLarge, wanting } = await state.subscriptionsOf(db, org)
    if (isEmpty) return events.length
    const now = clock.now()
    const timeOf = timesWithin(now, state.keptDays * DAY_MS * TIME_SHARE)
    const found: Found[] = []
    let [count, handled] = [0, 0]
    for (const event of events) {
      const endpoints = wanting(event.type)
      if (isLarge) await turn()
      count += endpoints.length
      if (count > DELIVERIES_MAX && found.length > 0) break
      handled++
      if (endpoints.length === 0) continue
      const stored = { id: newUuid(random, now), org, subject: event.type, body: JSON.stringify(event) }
      const at = timeOf(event.time)
      found.push({ event: stored, endpoints, deliveryOf: endpoint => uuidOf(`${event.id} ${endpoint}`, at) })
    }
    // Endpoints that are deleted meanwhile, alone or with their organisation, get none.
    const wanted = [...new Set(found.flatMap(({ endpoints }) => endpoints))]
    const kept = wanted.length > 0 ? await store.lockEndpoints(db, wanted) : new Map<string, store.Retry>()
    const sent = found.filter(({ endpoints }) => endpoints.some(webhook => kept.has(webhook)))
    if (sent.length === 0) return handled
    const jobs = sent.flatMap(({ event, endpoints, deliveryOf }) =>
      endpoints.flatMap(key => {
        const retry = kept.get(key)
        return retry
          ? [{ id: deliveryOf(key), key, org, payload: { event: event.id }, attemptsMax: ATTEMPTS[retry] }]
          : []
      }),
    )
    const added = sent.map(({ event }) => event)
    await Promise.all([store.insertWebhookEvents(db, added), queues.add(db, deliveries, jobs)])
    return handled
  },
})

/** The time of an event, or the current time if they differ by more. */
function timesWithin(now: Date, ms: number): (time: string) => Date {
  return time => {
    const at = new Date(time)
    return Math.abs(now.getTime() - at.getTime()) <= ms ? at : now
  }
}
