// Creates deliveries from the events of the bus, in the transaction in which they are consumed.
import { setImmediate as turn } from 'node:timers/promises'
import type { Random, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { consumer } from '../state.ts'
import { ATTEMPTS_MAX } from './send.ts'
import * as store from './store.ts'
import { newUuid } from './uuid.ts'

/** Deliveries of one transaction, and as many more as the last event has: an organisation may have a thousand endpoints.
 *  Those who add to the same endpoints wait for it, and all readers of the bus. */
const DELIVERIES_MAX = 2_000

export const dispatchEvents = consumer({
  name: 'webhooks',
  subjects: ['>'],
  batchMax: 50,
  run: async ({ db, clock, random, state }, events) => {
    const org = events[0]?.tenant as OrgId
    if (events.some(({ type }) => type === 'iam.org.deleted')) await store.insertDeletedOrg(db, org)
    const { isEmpty, isLarge, wanting } = await state.subscriptionsOf(db, org)
    if (isEmpty) return events.length
    const now = clock.now()
    const found: Found[] = []
    let [count, handled] = [0, 0]
    for (const event of events) {
      handled++
      const endpoints = wanting(event.type)
      if (isLarge) await turn()
      if (endpoints.length === 0) continue
      const body = JSON.stringify(event)
      found.push({ event: { id: newUuid(random, now), org, subject: event.type, body }, endpoints })
      count += endpoints.length
      if (count >= DELIVERIES_MAX) break
    }
    await createDeliveries({ db, random }, found, now)
    db.afterCommit(state.dispatcher.wake)
    return handled
  },
})

type Found = { event: store.NewEvent; endpoints: readonly string[] }

async function createDeliveries(
  { db, random }: { db: Tx; random: Random },
  found: readonly Found[],
  now: Date,
): Promise<void> {
  if (found.length === 0) return
  const at = now.toISOString()
  // Endpoints that are deleted meanwhile get none, by themselves or with their organisation.
  const kept = await store.lockEndpoints(db, [...new Set(found.flatMap(({ endpoints }) => endpoints))])
  const deliveries = found.flatMap(({ event, endpoints }) =>
    endpoints
      .filter(webhook => kept.has(webhook))
      .map(webhook => ({ id: newUuid(random, now), webhook, event: event.id, resendOf: null })),
  )
  if (deliveries.length === 0) return
  await store.insertEvents(
    db,
    found.map(({ event }) => event),
  )
  await store.insertDeliveries(db, deliveries, ATTEMPTS_MAX, at)
  await store.callQueues(db, [...kept], at)
}
