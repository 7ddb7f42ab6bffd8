// All SQL on deliveries that are sent.
import type { Sql, Tx } from '../../../engines/engines.ts'

export async function selectActive(db: Sql, org: string): Promise<{ id: string; events: string[] }[]> {
  return db<{ id: string; events: string[] }>`select id, events from webhooks where org = ${org} and status = 'active'
    order by id`
}

/** It changes with every change of an active endpoint. */
export async function selectVersion(db: Sql, org: string): Promise<string> {
  const [row] = await db<{
    version: string
  }>`select coalesce(md5(string_agg(id || ' ' || xmin, ',' order by id)), '') as version
    from webhooks where org = ${org} and status = 'active'`
  return row?.version ?? ''
}

export type NewEvent = { id: string; org: string; subject: string; body: string }

export async function insertEvents(db: Tx, events: readonly NewEvent[], at: string): Promise<void> {
  const column = (name: keyof NewEvent) => events.map(one => one[name])
  await db`insert into webhook_events (id, org, subject, body, created)
    select id, org, subject, body, ${at}::timestamptz from unnest(${column('id')}::uuid[], ${column('org')}::text[],
      ${column('subject')}::text[], ${column('body')}::text[]) as e (id, org, subject, body)`
}

export type NewDelivery = { id: string; webhook: string; event: string; resendOf: string | null }

/** Endpoints that are deleted meanwhile get none. */
export async function insertDeliveries(
  db: Tx,
  deliveries: readonly NewDelivery[],
  attemptsMax: number,
  due: string,
): Promise<void> {
  const column = (name: keyof NewDelivery) => deliveries.map(one => one[name])
  await db`insert into webhook_deliveries (id, webhook, event, resend_of, attempts_max, due, created)
    select d.id, d.webhook, d.event, d.resend_of, ${attemptsMax}, ${due}::timestamptz, ${due}::timestamptz
    from unnest(${column('id')}::uuid[], ${column('webhook')}::text[], ${column('event')}::uuid[],
      ${column('resendOf')}::uuid[]) as d (id, webhook, event, resend_of)
    join webhooks as w on w.id = d.webhook for key share of w`
}

/** Says that there is something to send. In one order: transactions that touch the same endpoints would wait for each
 *  other otherwise. */
export async function callQueues(db: Tx, webhooks: readonly string[], due: string): Promise<void> {
  await db`with locked as (select webhook from webhook_queues where webhook = any(${webhooks}) order by webhook for update)
    update webhook_queues as q set due = least(q.due, ${due}::timestamptz) from locked where q.webhook = locked.webhook`
}

export type Claimed = { webhook: string; org: string }

/** Endpoints to which something is to be sent, and to which no other process sends. Until they are released, they are due
 *  only when something is added. */
export async function claimQueues(
  db: Tx,
  holder: string,
  now: string,
  until: string,
  count: number,
): Promise<Claimed[]> {
  return db<Claimed>`with due as (select webhook from webhook_queues
      where due <= ${now} and (holder is null or holder = ${holder}) order by due limit ${count} for update skip locked)
    update webhook_queues as q set holder = ${holder}, until = ${until}, due = null from due where q.webhook = due.webhook
    returning q.webhook, q.org`
}

/** Those of processes that did not renew them. */
export async function abandonQueues(db: Tx, now: string): Promise<void> {
  await db`with lost as (select webhook from webhook_queues where until < ${now} for update skip locked)
    update webhook_queues as q set holder = null, until = null, due = ${now} from lost where q.webhook = lost.webhook`
}

/** Returns those that are still held. */
export async function renewQueues(
  db: Tx,
  holder: string,
  webhooks: readonly string[],
  until: string,
): Promise<string[]> {
  const rows = await db<{ webhook: string }>`with locked as (select webhook from webhook_queues
      where webhook = any(${webhooks}) and holder = ${holder} order by webhook for update)
    update webhook_queues as q set until = ${until} from locked where q.webhook = locked.webhook returning q.webhook`
  return rows.map(({ webhook }) => webhook)
}

/** Returns those that were released; whoever adds deliveries at the moment may have locked others. Two statements: the
 *  second must see what was committed before the first one locked. */
export async function releaseQueues(db: Tx, holder: string, webhooks: readonly string[]): Promise<string[]> {
  const rows = await db<{ webhook: string }>`select webhook from webhook_queues
    where webhook = any(${webhooks}) and holder = ${holder} order by webhook for update skip locked`
  const locked = rows.map(({ webhook }) => webhook)
  await db`update webhook_queues as q set holder = null, until = null,
      due = (select min(d.due) from webhook_deliveries as d where d.webhook = q.webhook and d.due is not null)
    where q.webhook = any(${locked})`
  return locked
}

/** When the next delivery of an endpoint is due to which no other process sends. */
export async function nextDue(db: Sql, holder: string): Promise<string | null> {
  const [row] = await db<{ due: string | null }>`select due from webhook_queues
    where due is not null and (holder is null or holder = ${holder}) order by due limit 1`
  return row?.due ?? null
}

/** `attempts` were made before; after one, its outcome may be missing. */
export type DueDelivery = { id: string; webhook: string; attempts: number }

export async function selectDue(
  db: Sql,
  webhooks: readonly string[],
  now: string,
  each: number,
): Promise<DueDelivery[]> {
  return db<DueDelivery>`select d.id, d.webhook, d.attempts from unnest(${webhooks}::text[]) as w (id)
    cross join lateral (select id, webhook, attempts from webhook_deliveries
      where webhook = w.id and due <= ${now} order by due, id limit ${each}) as d`
}

/** Ends attempts whose process died before it knew their outcome. Deliveries without another attempt have failed. */
export async function closeInterrupted(db: Tx, deliveries: readonly string[], now: string): Promise<void> {
  await db`with lost as (select id, started from webhook_deliveries
      where id = any(${deliveries}::uuid[]) and started is not null and due <= ${now} order by id for update),
    closed as (update webhook_deliveries as d set started = null,
        due = case when d.attempts < d.attempts_max then ${now}::timestamptz end,
        outcome = case when d.attempts >= d.attempts_max then 'failed' end
      from lost where d.id = lost.id returning d.id, d.webhook, d.event, d.attempts, d.outcome, lost.started),
    logged as (insert into webhook_attempts (delivery, attempt, webhook, subject, created, status, error, duration_ms)
      select c.id, c.attempts, c.webhook, e.subject, c.started, coalesce(c.outcome, 'retrying'),
        'It was interrupted; whether it arrived is not known.', 0
      from closed as c join webhook_events as e on e.id = c.event)
    insert into webhook_days as days (webhook, day, deliveries, failures)
    select webhook, ${now}::date, count(*), count(*) from closed join webhooks as w on w.id = webhook
    where outcome is not null group by webhook order by webhook
    on conflict (webhook, day) do update
      set deliveries = days.deliveries + excluded.deliveries, failures = days.failures + excluded.failures`
}

/** An attempt that has been recorded and is to be sent. */
export type Started = {
  delivery: string
  webhook: string
  org: string
  attempt: number
  attemptsMax: number
  subject: string
  body: string
  url: string
  status: 'active' | 'disabled'
  secret: Uint8Array
  former: Uint8Array | null
  formerUntil: string | null
}

/** Records the next attempts of these deliveries, unless another process holds their endpoints by now. They are due again
 *  at `lost`, in case that this process dies. The holder is read by a subquery: a join would compare each delivery with each
 *  endpoint. */
export async function startAttempts(
  db: Tx,
  holder: string,
  deliveries: readonly string[],
  now: string,
  lost: string,
): Promise<Started[]> {
  return db<Started>`with begun as (
      update webhook_deliveries as d set attempts = d.attempts + 1, due = ${lost}, started = ${now}
      where d.id = any(${deliveries}::uuid[]) and d.due <= ${now} and d.started is null
        and (select q.holder from webhook_queues as q where q.webhook = d.webhook) = ${holder}
      returning d.id, d.webhook, d.event, d.attempts, d.attempts_max)
    select b.id as delivery, b.webhook, b.attempts as attempt, b.attempts_max as "attemptsMax", e.subject, e.body,
      w.org, w.url, w.status, w.secret, w.former, w.former_until as "formerUntil"
    from begun as b join webhook_events as e on e.id = b.event join webhooks as w on w.id = b.webhook`
}

export type Ended = {
  delivery: string
  attempt: number
  subject: string
  status: 'ok' | 'retrying' | 'failed'
  httpStatus: number | null
  error: string | null
  response: string
  durationMs: number
  /** Of the next attempt; null if there is none. */
  due: string | null
}

/** Nothing is changed by an attempt that was closed meanwhile. Returns the endpoints, and whether one succeeded. Deliveries are
 *  found by their ids first: in a table that was never analyzed, a join would compare all of them with all outcomes. */
export async function endAttempts(
  db: Tx,
  ended: readonly Ended[],
  now: string,
): Promise<{ webhook: string; isOk: boolean }[]> {
  const column = <K extends keyof Ended>(name: K) => ended.map(one => one[name])
  return db<{ webhook: string; isOk: boolean }>`with given as (
      select g.*, d.place, d.started from unnest(${column('delivery')}::uuid[], ${column('attempt')}::int[],
        ${column('subject')}::text[], ${column('status')}::text[], ${column('httpStatus')}::int[], ${column('error')}::text[],
        ${column('response')}::text[], ${column('durationMs')}::int[], ${column('due')}::timestamptz[])
        as g (delivery, attempt, subject, status, http_status, error, response, duration_ms, due)
      cross join lateral (select ctid as place, started from webhook_deliveries
        where id = g.delivery and attempts = g.attempt and started is not null offset 0) as d),
    moved as (
      update webhook_deliveries as d set due = g.due, started = null,
        outcome = case when g.status = 'retrying' then null else g.status end
      from given as g where d.ctid = g.place and d.started is not null
      returning d.webhook, d.outcome, g.*),
    logged as (
      insert into webhook_attempts
        (delivery, attempt, webhook, subject, created, status, http_status, error, response, duration_ms)
      select delivery, attempt, webhook, subject, started, status, http_status, error, response, duration_ms from moved),
    counted as (
      insert into webhook_days as days (webhook, day, deliveries, failures)
      select webhook, ${now}::date, count(*), count(*) filter (where outcome = 'failed')
      from moved join webhooks as w on w.id = webhook where outcome is not null group by webhook order by webhook
      on conflict (webhook, day) do update set deliveries = days.deliveries + excluded.deliveries,
        failures = days.failures + excluded.failures)
    select webhook, bool_or(status = 'ok') as "isOk" from moved group by webhook order by webhook`
}

export async function clearFailing(db: Tx, webhooks: readonly string[]): Promise<void> {
  await db`with locked as (select webhook from webhook_queues
      where webhook = any(${webhooks}) and failing_since is not null order by webhook for update)
    update webhook_queues as q set failing_since = null, is_told = false from locked where q.webhook = locked.webhook`
}

export type Failing = { webhook: string; org: string; url: string; since: string }

/** Returns those that have failed since `before` or longer, of which nobody was told. */
export async function setFailing(db: Tx, webhooks: readonly string[], now: string, before: string): Promise<Failing[]> {
  return db<Failing>`with locked as (select webhook from webhook_queues where webhook = any(${webhooks})
      and (failing_since is null or (failing_since <= ${before} and not is_told)) order by webhook for update),
    failing as (update webhook_queues as q set failing_since = coalesce(q.failing_since, ${now}),
        is_told = q.failing_since is not null
      from locked where q.webhook = locked.webhook returning q.webhook, q.org, q.failing_since, q.is_told)
    select f.webhook, f.org, w.url, f.failing_since as since from failing as f join webhooks as w on w.id = f.webhook
    where f.is_told`
}
