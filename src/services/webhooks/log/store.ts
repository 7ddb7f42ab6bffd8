// All SQL on what was delivered: reading it, and sending again.
import type { Sql, Tx } from '../../../engines/engines.ts'
import * as dispatch from '../dispatch/store.ts'

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
  until: string
}

/** After which attempt the list goes on. */
export type AttemptPosition = Pick<AttemptRow, 'created' | 'delivery' | 'attempt'>

export async function selectAttempts(
  db: Sql,
  webhook: string,
  filter: AttemptFilter,
  after: AttemptPosition,
  count: number,
): Promise<AttemptRow[]> {
  if (filter.subject !== null) return selectAttemptsOf(db, webhook, filter, filter.subject, after, count)
  const { statuses, since, until } = filter
  return db<AttemptRow>`select a.delivery, a.subject, a.attempt, a.status, a.http_status as "httpStatus", a.error,
      a.response, a.duration_ms as "durationMs", d.resend_of as "resendOf", a.created
    from unnest(${statuses}::text[]) as s (status) cross join lateral (
      select * from webhook_attempts where webhook = ${webhook} and status = s.status
        and (created, delivery, attempt) < (${after.created}, ${after.delivery}, ${after.attempt})
        and created >= ${since} and created < ${until}
      order by created desc, delivery desc, attempt desc limit ${count}) as a
    join webhook_deliveries as d on d.id = a.delivery
    order by a.created desc, a.delivery desc, a.attempt desc limit ${count}`
}

async function selectAttemptsOf(
  db: Sql,
  webhook: string,
  { statuses, since, until }: AttemptFilter,
  subject: string,
  after: AttemptPosition,
  count: number,
): Promise<AttemptRow[]> {
  return db<AttemptRow>`select a.delivery, a.subject, a.attempt, a.status, a.http_status as "httpStatus", a.error,
      a.response, a.duration_ms as "durationMs", d.resend_of as "resendOf", a.created
    from webhook_attempts as a join webhook_deliveries as d on d.id = a.delivery
    where a.webhook = ${webhook} and a.subject = ${subject} and a.status = any(${statuses})
      and (a.created, a.delivery, a.attempt) < (${after.created}, ${after.delivery}, ${after.attempt})
      and a.created >= ${since} and a.created < ${until}
    order by a.created desc, a.delivery desc, a.attempt desc limit ${count}`
}

/** Sends the event of that delivery again. Returns false if there is no such delivery. */
export async function insertResend(
  db: Tx,
  webhook: string,
  { delivery, ...resend }: { delivery: string; id: string; attemptsMax: number },
  at: string,
): Promise<boolean> {
  const [found] = await db<{ event: string }>`select event from webhook_deliveries
    where id = ${delivery} and webhook = ${webhook}`
  if (!found) return false
  const { id, attemptsMax } = resend
  await insertResends(db, webhook, [{ id, event: found.event, resendOf: delivery }], attemptsMax, at)
  return true
}

export type Resend = { id: string; event: string; resendOf: string }

export async function insertResends(
  db: Tx,
  webhook: string,
  resends: readonly Resend[],
  attemptsMax: number,
  at: string,
): Promise<void> {
  await dispatch.insertDeliveries(
    db,
    resends.map(one => ({ ...one, webhook })),
    attemptsMax,
    at,
  )
  await dispatch.callQueues(db, [webhook], at)
}

/** Those that were not sent again. Tests are not among them: they are of one moment. */
export async function selectFailed(
  db: Sql,
  webhook: string,
  since: string,
  count: number,
): Promise<{ event: string; resendOf: string }[]> {
  return db<{ event: string; resendOf: string }>`select event, id as "resendOf" from webhook_deliveries as d
    where webhook = ${webhook} and outcome = 'failed' and created >= ${since} and attempts_max > 1
      and not exists (select from webhook_deliveries as later where later.event = d.event and later.resend_of = d.id)
    order by created, id limit ${count}`
}

/** Records the only attempt of a test. Returns null if there is no such endpoint. */
export async function startTest(
  db: Tx,
  { org, webhook, delivery, event }: { org: string; webhook: string; delivery: string; event: dispatch.NewEvent },
  at: string,
  lost: string,
): Promise<dispatch.Started | null> {
  const [endpoint] = await db<
    Pick<dispatch.Started, 'url' | 'secret' | 'former' | 'formerUntil' | 'status'>
  >`select url,
      status, secret, former, former_until as "formerUntil"
    from webhooks where org = ${org} and id = ${webhook} for no key update`
  if (!endpoint) return null
  await dispatch.insertEvents(db, [event], at)
  await db`insert into webhook_deliveries (id, webhook, event, attempts, attempts_max, due, started, created)
    values (${delivery}, ${webhook}, ${event.id}, 1, 1, ${lost}, ${at}, ${at})`
  await dispatch.callQueues(db, [webhook], lost)
  const { subject, body } = event
  return { ...endpoint, delivery, webhook, org, attempt: 1, attemptsMax: 1, subject, body }
}

/** Deletes deliveries with a lower id, at most so many; returns how many. Their attempts go with them. */
export async function deleteDeliveriesBefore(db: Tx, id: string, count: number): Promise<number> {
  const rows = await db`delete from webhook_deliveries where id in (
    select id from webhook_deliveries where id < ${id} order by id limit ${count}) returning 1`
  return rows.length
}

/** Deletes events with a lower id which no delivery has, at most so many; returns how many. */
export async function deleteEventsBefore(db: Tx, id: string, count: number): Promise<number> {
  const rows = await db`delete from webhook_events where id in (
    select id from webhook_events as e where id < ${id}
      and not exists (select from webhook_deliveries as d where d.event = e.id) order by id limit ${count}) returning 1`
  return rows.length
}

/** Deletes deliveries of an endpoint that was deleted, at most so many; returns how many. */
export async function deleteDeliveriesOfDeleted(db: Tx, count: number): Promise<number> {
  const [one] = await db<{ webhook: string }>`select webhook from webhook_deleted order by webhook limit 1`
  if (!one) return 0
  const rows = await db`delete from webhook_deliveries where id in (
    select id from webhook_deliveries where webhook = ${one.webhook} limit ${count}) returning 1`
  if (rows.length < count) await db`delete from webhook_deleted where webhook = ${one.webhook}`
  return Math.max(rows.length, 1)
}

export async function deleteDaysBefore(db: Tx, day: string): Promise<void> {
  await db`delete from webhook_days where day < ${day}::timestamptz::date`
}
