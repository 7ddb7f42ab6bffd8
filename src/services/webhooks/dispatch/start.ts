// Records attempts before they are sent, and reads what is sent to where. Endpoints and events are read once for all attempts
// of a turn: an event may go to a thousand endpoints.
import type { Database } from '../../../engines/engines.ts'
import * as store from './store.ts'

/** When an attempt is taken for lost: longer than it can take. */
export const LOST_MS = 30_000

/** An attempt that has been recorded and is to be sent. */
export type Started = Pick<store.Begun, 'delivery' | 'attempt' | 'attemptsMax'> &
  store.Target & { subject: string; body: Uint8Array }

/** `me` is the name of this process. Attempts to endpoints that were deleted are not among the result. */
export async function startAttempts(
  db: Database,
  me: string,
  due: readonly store.DueDelivery[],
  now: Date,
): Promise<Started[]> {
  const at = now.toISOString()
  const tried = due.filter(({ attempts }) => attempts > 0).map(({ id }) => id)
  const lost = new Date(now.getTime() - LOST_MS).toISOString()
  if (tried.length > 0) await store.closeInterrupted(db.autocommit, tried, at, lost)
  const ids = due.map(({ id }) => id)
  const begun = await store.startAttempts(db.autocommit, me, ids, at)
  const named = (name: 'webhook' | 'event') => [...new Set(begun.map(one => one[name]))]
  const reading = [store.selectTargets(db, named('webhook')), store.selectSent(db, named('event'))] as const
  const [targetRows, eventRows] = await Promise.all(reading)
  const targets = new Map(targetRows.map(one => [one.webhook, one]))
  const events = new Map(eventRows.map(one => [one.event, sentOf(one)]))
  return begun.flatMap(({ webhook, event, delivery, attempt, attemptsMax }) => {
    const [target, sent] = [targets.get(webhook), events.get(event)]
    return target && sent ? [{ ...target, ...sent, delivery, attempt, attemptsMax }] : []
  })
}

const sentOf = ({ subject, body }: store.Sent) => ({ subject, body: Buffer.from(body) })
