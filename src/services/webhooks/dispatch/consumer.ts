// Creates deliveries from the events of the log, in the transaction in which they are consumed.
import { setImmediate as turn } from 'node:timers/promises'
import type { OrgId } from '../../../kit/caller.ts'
import { newUuid } from '../../../kit/uuid.ts'
import { consumer } from '../state.ts'
import { ATTEMPTS, deliveries } from './deliveries.ts'
import * as store from './store.ts'

/** Deliveries of one transaction, or those of one event: an organisation may have a thousand endpoints. */
const DELIVERIES_MAX = 1_000

export const fanOut = consumer({
  id: 'webhooks.fan-out',
  subjects: ['>'],
  batchMax: 50,
  run: async ({ db, clock, random, state, queues }, events) => {
    const org = events[0]?.tenant as OrgId
    const { isEmpty, isLarge, wanting } = await state.subscriptionsOf(db, org)
    if (isEmpty) return events.length
    const found: { event: store.NewEvent; endpoints: readonly string[] }[] = []
    let [count, handled] = [0, 0]
    for (const event of events) {
      const endpoints = wanting(event.type)
      if (isLarge) await turn()
      count += endpoints.length
      if (count > DELIVERIES_MAX && found.length > 0) break
      handled++
      if (endpoints.length === 0) continue
      const id = newUuid(random, clock.now())
      found.push({ event: { id, org, subject: event.type, body: JSON.stringify(event) }, endpoints })
    }
    // Endpoints that are deleted meanwhile, alone or with their organisation, get none.
    const wanted = [...new Set(found.flatMap(({ endpoints }) => endpoints))]
    const kept = wanted.length > 0 ? await store.lockEndpoints(db, wanted) : new Map<string, store.Retry>()
    const sent = found.filter(({ endpoints }) => endpoints.some(webhook => kept.has(webhook)))
    if (sent.length === 0) return handled
    const jobs = sent.flatMap(({ event, endpoints }) =>
      endpoints.flatMap(key => {
        const retry = kept.get(key)
        return retry ? [{ key, org, payload: { event: event.id }, attemptsMax: ATTEMPTS[retry] }] : []
      }),
    )
    const added = sent.map(({ event }) => event)
    await Promise.all([store.insertWebhookEvents(db, added), queues.add(db, deliveries, jobs)])
    return handled
  },
})
