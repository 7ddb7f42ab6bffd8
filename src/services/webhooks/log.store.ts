// All SQL on finished deliveries: reading them and sending them again.

import type { Sql, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { fragment, oneRow } from '../../kit/sql.ts'
import * as dispatch from './dispatch/store.ts'

export type AttemptRow = {
  delivery: string
  subject: string
  attempt: number
  status: 'ok' | 'retrying' | 'failed'
  httpStatus: number | null
  error: string | null
  response: string
  durationMs: number
  resendOf: string | null
  created: string
}

export type AttemptFilter = {
  /** All that are listed. */
  statuses: readonly string[]
  subject: string | null
  since: string
}

/** After which attempt the list goes on. */
export type AttemptPosition = Pick<AttemptRow, 'created' | 'delivery' | 'attempt'>

const ATTEMPT = fragment`a.delivery, a.subject, a.attempt, a.status, a.http_status as "httpStatus", a.error, a.response,
  a.duration_ms as "durationMs", a.resend_of as "resendOf", a.created`

export async function selectAttempts(
  db: Sql,
  webhook: string,
  { statuses, subject, since }: AttemptFilter,
  after: AttemptPosition,
  count: number,
): Promise<AttemptRow[]> {
  const of = subject === null ? fragment`webhook = ${webhook}` : fragment`webhook = ${webhook} and subject = ${subject}`
  return db<AttemptRow>`select ${ATTEMPT}
    from unnest(${statuses}::text[]) as s (status) cross join lateral (
      select * from webhook_attempts where ${of} and status = s.status and created >= ${since}
        and (created, delivery, attempt) < (${after.created}, ${after.delivery}, ${after.attempt})
      order by created desc, delivery desc, attempt desc limit ${count}) as a
    order by a.created desc, a.delivery desc, a.attempt desc limit ${count}`
}

/** Of one delivery, the first one first. */
export function selectAttemptsOf(db: Sql, webhook: string, delivery: string): Promise<AttemptRow[]> {
  return db<AttemptRow>`select ${ATTEMPT} from webhook_attempts as a
    where delivery = ${delivery} and webhook = ${webhook} order by attempt`
}

/** The body that was sent; null if it is no longer stored. */
export async function selectBody(db: Sql, webhook: string, delivery: string): Promise<string | null> {
  const [row] = await db<{ body: string }>`select body from webhook_events
    where id = (select event from webhook_attempts where delivery = ${delivery} and webhook = ${webhook} limit 1)`
  return row?.body ?? null
}

/** The delivery that is sent again, and its event. */
export type Resend = { event: string; resendOf: string }

/** Returns null if there is no such delivery that has ended, or if its event is no longer stored. */
export async function takeDelivery(db: Tx, webhook: string, delivery: string): Promise<Resend | null> {
  const [found] = await db<Resend>`select e.id as event, ${delivery} as "resendOf" from webhook_events as e
    where e.id = (select event from webhook_attempts where delivery = ${delivery} and webhook = ${webhook} limit 1)`
  if (!found) return null
  await db`update webhook_attempts set is_resendable = false where delivery = ${delivery} and is_resendable`
  return found
}

/** The oldest deliveries that failed at or after that time and were not sent again, except tests. */
export async function takeFailed(db: Tx, webhook: string, since: string, count: number): Promise<Resend[]> {
  return db<Resend>`with failed as (select a.delivery, a.attempt, a.event
      from webhook_attempts as a join webhook_events as e on e.id = a.event
      where a.webhook = ${webhook} and a.is_resendable and a.created >= ${since}
      order by a.created, a.delivery limit ${count})
    update webhook_attempts as a set is_resendable = false from failed as f
    where a.delivery = f.delivery and a.attempt = f.attempt returning a.event, a.delivery as "resendOf"`
}

/** Their events are kept until they have ended. To be called before the commit, after the jobs were added: the end of a
 *  delivery locks its key first, too. */
export async function countResends(db: Tx, resends: readonly Resend[]): Promise<void> {
  await db`with given as (select event, count(*)::int as count from unnest(${resends.map(one => one.event)}::uuid[]) as g (event)
      group by event),
    locked as (select e.id, g.count from given as g join webhook_events as e on e.id = g.event
      order by e.id for no key update of e)
    update webhook_events as e set resends = e.resends + l.count from locked as l where e.id = l.id`
}

/** Locks the endpoint against changes until the transaction ends. */
export function lockTarget(db: Tx, org: OrgId, webhook: string): Promise<dispatch.Target | null> {
  return oneRow(db<dispatch.Target>`select id as webhook, org, url, status, secret, former,
      former_until as "formerUntil"
    from webhooks where org = ${org} and id = ${webhook} for no key update`)
}

export const insertEvent = (db: Tx, event: dispatch.NewEvent): Promise<void> =>
  dispatch.insertWebhookEvents(db, [event])

/** A deleted endpoint that may still have deliveries. */
export async function selectDeletedEndpoint(db: Sql): Promise<string | null> {
  const [one] = await db<{ webhook: string }>`select webhook from webhook_deleted order by webhook limit 1`
  return one?.webhook ?? null
}

/** Deletes the log of an endpoint, at most so many rows; returns how many. */
export async function deleteAttemptsOf(db: Tx, webhook: string, count: number): Promise<number> {
  const rows = await db`delete from webhook_attempts where (delivery, attempt) in (
    select delivery, attempt from webhook_attempts where webhook = ${webhook} limit ${count}) returning 1`
  return rows.length
}

export async function deleteDeleted(db: Tx, webhook: string): Promise<void> {
  await db`delete from webhook_days where webhook = ${webhook}`
  await db`delete from webhook_deleted where webhook = ${webhook}`
}
