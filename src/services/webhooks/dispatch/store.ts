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

/** Its events are deleted by the schedule. */
export async function insertDeletedOrg(db: Tx, org: string): Promise<void> {
  await db`insert into webhook_deleted_orgs (org) values (${org}) on conflict do nothing`
}

export type NewEvent = { id: string; org: string; subject: string; body: string }

export async function insertEvents(db: Tx, events: readonly NewEvent[]): Promise<void> {
  const column = (name: keyof NewEvent) => events.map(one => one[name])
  await db`insert into webhook_events (id, org, subject, body)
    select * from unnest(${column('id')}::uuid[], ${column('org')}::text[], ${column('subject')}::text[],
      ${column('body')}::text[])`
}

export type NewDelivery = { id: string; webhook: string; event: string; resendOf: string | null }

/** Until the transaction ends, none of them is deleted. Returns those that there are. */
export async function lockEndpoints(db: Tx, webhooks: readonly string[]): Promise<Set<string>> {
  const rows = await db<{ id: string }>`select id from webhooks where id = any(${webhooks}) order by id for key share`
  return new Set(rows.map(({ id }) => id))
}

/** Their endpoints must be locked. */
export async function insertDeliveries(
  db: Tx,
  deliveries: readonly NewDelivery[],
  attemptsMax: number,
  due: string,
): Promise<void> {
  const column = (name: keyof NewDelivery) => deliveries.map(one => one[name])
  await db`insert into webhook_pending (id, webhook, event, resend_of, attempts_max, due)
    select d.id, d.webhook, d.event, d.resend_of, ${attemptsMax}, ${due}::timestamptz
    from unnest(${column('id')}::uuid[], ${column('webhook')}::text[], ${column('event')}::uuid[],
      ${column('resendOf')}::uuid[]) as d (id, webhook, event, resend_of)`
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
 *  second must see what was committed before the first one locked. Attempts that run are those of a process that died:
 *  their deliveries are due again when they are taken for lost, `lostMs` after their start. */
export async function releaseQueues(
  db: Tx,
  holder: string,
  webhooks: readonly string[],
  now: string,
  lostMs: number,
): Promise<string[]> {
  const rows = await db<{ webhook: string }>`select webhook from webhook_queues
    where webhook = any(${webhooks}) and holder = ${holder} order by webhook for update skip locked`
  const locked = rows.map(({ webhook }) => webhook)
  await db`update webhook_queues as q set holder = null, until = null, due = least(
      (select due from webhook_pending where webhook = q.webhook and started is null order by due limit 1),
      (select min(started) from webhook_pending where webhook = q.webhook and due <= ${now} and started is not null)
        + ${lostMs}::int * interval '1 millisecond')
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

/** Attempts that began before `lost` are lost. */
export async function selectDue(
  db: Sql,
  webhooks: readonly string[],
  now: string,
  lost: string,
  each: number,
): Promise<DueDelivery[]> {
  return db<DueDelivery>`select d.id, d.webhook, d.attempts from unnest(${webhooks}::text[]) as w (id)
    cross join lateral (select id, webhook, attempts from webhook_pending
      where webhook = w.id and due <= ${now} and (started is null or started <= ${lost})
      order by due, id limit ${each}) as d`
}

/** Ends attempts whose process died before it knew their outcome. Deliveries without another attempt have failed. */
export async function closeInterrupted(
  db: Tx,
  deliveries: readonly string[],
  now: string,
  lost: string,
): Promise<void> {
  await db`with lost as (select p.*, e.subject from webhook_pending as p join webhook_events as e on e.id = p.event
      where p.id = any(${deliveries}::uuid[]) and p.started <= ${lost} order by p.id for update of p),
    ended as (delete from webhook_pending as p using lost where p.id = lost.id and lost.attempts >= lost.attempts_max
      returning lost.webhook),
    going as (update webhook_pending as p set started = null, due = ${now}
      from lost where p.id = lost.id and lost.attempts < lost.attempts_max),
    logged as (insert into webhook_attempts
        (delivery, attempt, webhook, event, subject, created, status, error, duration_ms, resend_of, is_resendable)
      select id, attempts, webhook, event, subject, started, case when attempts < attempts_max then 'retrying' else 'failed' end,
        'It was interrupted; whether it arrived is not known.', 0, resend_of, attempts >= attempts_max and attempts_max > 1
      from lost)
    insert into webhook_days as days (webhook, day, deliveries, failures)
    select webhook, ${now}::date, count(*), count(*) from ended join webhooks as w on w.id = webhook
    group by webhook order by webhook
    on conflict (webhook, day) do update
      set deliveries = days.deliveries + excluded.deliveries, failures = days.failures + excluded.failures`
}

/** An attempt that has been recorded. */
export type Begun = { delivery: string; webhook: string; event: string; attempt: number; attemptsMax: number }

/** Records the next attempts of these deliveries, unless another process holds their endpoints by now. The holder is read by
 *  a subquery: a join would compare each delivery with each endpoint. */
export async function startAttempts(
  db: Tx,
  holder: string,
  deliveries: readonly string[],
  now: string,
): Promise<Begun[]> {
  return db<Begun>`update webhook_pending as p set attempts = p.attempts + 1, started = ${now}
    where p.id = any(${deliveries}::uuid[]) and p.due <= ${now} and p.started is null
      and (select q.holder from webhook_queues as q where q.webhook = p.webhook) = ${holder}
    returning p.id as delivery, p.webhook, p.event, p.attempts as attempt, p.attempts_max as "attemptsMax"`
}

/** Where an attempt is sent, and what signs it. */
export type Target = {
  webhook: string
  org: string
  url: string
  status: 'active' | 'disabled'
  secret: Uint8Array
  former: Uint8Array | null
  formerUntil: string | null
}

export async function selectTargets(db: Sql, webhooks: readonly string[]): Promise<Target[]> {
  return db<Target>`select id as webhook, org, url, status, secret, former, former_until as "formerUntil"
    from webhooks where id = any(${webhooks})`
}

export type Sent = { event: string; subject: string; body: string }

export async function selectSent(db: Sql, events: readonly string[]): Promise<Sent[]> {
  return db<Sent>`select id as event, subject, body from webhook_events where id = any(${events}::uuid[])`
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
      select g.*, p.place, p.webhook, p.event, p.started, p.resend_of, p.attempts_max from unnest(
        ${column('delivery')}::uuid[], ${column('attempt')}::int[], ${column('subject')}::text[], ${column('status')}::text[],
        ${column('httpStatus')}::int[], ${column('error')}::text[], ${column('response')}::text[],
        ${column('durationMs')}::int[], ${column('due')}::timestamptz[])
        as g (delivery, attempt, subject, status, http_status, error, response, duration_ms, due)
      cross join lateral (select ctid as place, * from webhook_pending
        where id = g.delivery and attempts = g.attempt and started is not null offset 0) as p),
    over as (delete from webhook_pending as p using given as g
      where p.ctid = g.place and g.status <> 'retrying' and p.started is not null returning g.*),
    going as (update webhook_pending as p set due = g.due, started = null from given as g
      where p.ctid = g.place and g.status = 'retrying' and p.started is not null returning g.*),
    ended as (select * from over union all select * from going),
    logged as (insert into webhook_attempts (delivery, attempt, webhook, event, subject, created, status, http_status, error,
        response, duration_ms, resend_of, is_resendable)
      select delivery, attempt, webhook, event, subject, started, status, http_status, error, response, duration_ms, resend_of,
        status = 'failed' and attempts_max > 1
      from ended),
    counted as (
      insert into webhook_days as days (webhook, day, deliveries, failures)
      select webhook, ${now}::date, count(*), count(*) filter (where over.status = 'failed')
      from over join webhooks as w on w.id = webhook group by webhook order by webhook
      on conflict (webhook, day) do update set deliveries = days.deliveries + excluded.deliveries,
        failures = days.failures + excluded.failures)
    select webhook, bool_or(status = 'ok') as "isOk" from ended group by webhook order by webhook`
}

export type Failing = { webhook: string; org: string; url: string; since: string }

/** Of endpoints, and whether an attempt succeeded. Returns those that have failed since `before` or longer, of which nobody was
 *  told. One statement for both kinds: the rows are locked in one order, as by all others. */
export async function setFailing(
  db: Tx,
  endpoints: readonly { webhook: string; isOk: boolean }[],
  now: string,
  before: string,
): Promise<Failing[]> {
  return db<Failing>`with given as (select * from unnest(${endpoints.map(({ webhook }) => webhook)}::text[],
        ${endpoints.map(({ isOk }) => isOk)}::boolean[]) as g (webhook, is_ok)),
    locked as (select q.webhook, g.is_ok from given as g join webhook_queues as q on q.webhook = g.webhook
      where case when g.is_ok then q.failing_since is not null
        else q.failing_since is null or (q.failing_since <= ${before} and not q.is_told) end
      order by q.webhook for update of q),
    changed as (update webhook_queues as q
      set failing_since = case when l.is_ok then null else coalesce(q.failing_since, ${now}) end,
        is_told = not l.is_ok and q.failing_since is not null
      from locked as l where q.webhook = l.webhook returning q.webhook, q.org, q.failing_since, q.is_told)
    select c.webhook, c.org, w.url, c.failing_since as since from changed as c join webhooks as w on w.id = c.webhook
    where c.is_told`
}
