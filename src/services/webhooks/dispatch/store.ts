// All SQL on deliveries that are sent.
import type { Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { rowsAs } from '../../../kit/sql.ts'

export async function selectActiveEndpoints(db: Sql, org: OrgId): Promise<{ id: string; events: string[] }[]> {
  return db<{ id: string; events: string[] }>`select id, events from webhooks where org = ${org} and status = 'active'
    order by id`
}

/** It changes with every change of an active endpoint. */
export async function selectVersion(db: Sql, org: OrgId): Promise<string> {
  const [row] = await db<{
    version: string
  }>`select coalesce(md5(string_agg(id || ' ' || xmin, ',' order by id)), '') as version
    from webhooks where org = ${org} and status = 'active'`
  return row?.version ?? ''
}

export type NewEvent = { id: string; org: OrgId; subject: string; body: string }

const newEvents = rowsAs<NewEvent>('e', { id: 'uuid', org: 'text', subject: 'text', body: 'text' })

export async function insertWebhookEvents(db: Tx, events: readonly NewEvent[]): Promise<void> {
  await db`insert into webhook_events (id, org, subject, body) select * from ${newEvents(events)}`
}

/** How often deliveries of an endpoint are tried again. */
export type Retry = 'standard' | 'long'

/** Until the transaction ends, none of them is deleted. Returns those that there are. */
export async function lockEndpoints(db: Tx, webhooks: readonly string[]): Promise<Map<string, Retry>> {
  const rows = await db<{ id: string; retry: Retry }>`select id, retry from webhooks where id = any(${webhooks})
    order by id for key share`
  return new Map(rows.map(({ id, retry }) => [id, retry]))
}

/** Where an attempt is sent, and what signs it. */
export type Target = {
  webhook: string
  org: OrgId
  url: string
  status: 'active' | 'disabled'
  secret: Uint8Array
  former: Uint8Array | null
  formerUntil: string | null
}

export async function selectTargets(db: Sql, webhooks: readonly string[]): Promise<Map<string, Target>> {
  const rows = await db<Target>`select id as webhook, org, url, status, secret, former, former_until as "formerUntil"
    from webhooks where id = any(${webhooks})`
  return new Map(rows.map(one => [one.webhook, one]))
}

export type Sent = { subject: string; body: Uint8Array }

export async function selectSent(db: Sql, events: readonly string[]): Promise<Map<string, Sent>> {
  const rows = await db<{ event: string; subject: string; body: string }>`select id as event, subject, body
    from webhook_events where id = any(${events}::uuid[])`
  return new Map(rows.map(({ event, subject, body }) => [event, { subject, body: Buffer.from(body) }]))
}

export type NewAttempt = {
  delivery: string
  attempt: number
  webhook: string
  event: string
  /** Null for that of the event. */
  subject: string | null
  status: 'ok' | 'retrying' | 'failed'
  httpStatus: number | null
  error: string | null
  response: string
  durationMs: number
  resendOf: string | null
  isResendable: boolean
  created: string
}

const newAttempts = rowsAs<NewAttempt>('g', {
  ...{ delivery: 'uuid', attempt: 'int', webhook: 'text', event: 'uuid', subject: 'text', created: 'timestamptz' },
  ...{ status: 'text', httpStatus: 'int', error: 'text', response: 'text', durationMs: 'int', resendOf: 'uuid' },
  isResendable: 'boolean',
})

/** Adds to the log, and counts deliveries that have ended. Endpoints are locked, so that those that are deleted at the moment
 *  count nothing, and the others stay until the end. */
export async function insertAttempts(db: Tx, attempts: readonly NewAttempt[], now: string): Promise<void> {
  const webhooks = [...new Set(attempts.map(({ webhook }) => webhook))]
  await db`with given as (select * from ${newAttempts(attempts)}),
    kept as (select id from webhooks where id = any(${webhooks}) order by id for key share),
    counted as (insert into webhook_days as days (webhook, day, deliveries, failures)
      select webhook, ${now}::date, count(*), count(*) filter (where g.status = 'failed')
      from given as g join kept as w on w.id = webhook where g.status <> 'retrying' group by webhook order by webhook
      on conflict (webhook, day) do update set deliveries = days.deliveries + excluded.deliveries,
        failures = days.failures + excluded.failures),
    ended as (select event, count(*)::int as count from given
      where resend_of is not null and given.status <> 'retrying' group by event),
    locked as (select e.id, n.count from ended as n join webhook_events as e on e.id = n.event
      order by e.id for no key update of e),
    resent as (update webhook_events as e set resends = e.resends - l.count from locked as l where e.id = l.id)
    insert into webhook_attempts (delivery, attempt, webhook, event, subject, created, status, http_status, error, response,
      duration_ms, resend_of, is_resendable)
    select delivery, attempt, webhook, event,
      coalesce(subject, (select e.subject from webhook_events as e where e.id = given.event), ''),
      created, status, http_status, error, response, duration_ms, resend_of, is_resendable
    from given`
}

export type Failing = { webhook: string; org: OrgId; url: string; since: string }

/** Returns the endpoints that have failed since `before` or longer, of which nobody was told. */
export async function setFailing(
  db: Tx,
  ok: readonly string[],
  failed: readonly string[],
  now: string,
  before: string,
): Promise<Failing[]> {
  return db<Failing>`with healed as (delete from webhook_failures where webhook = any(${ok})),
    kept as (select id from webhooks where id = any(${failed}) order by id for key share),
    failing as (insert into webhook_failures as f (webhook, since)
      select id, ${now} from kept order by id
      on conflict (webhook) do update set is_told = true where f.since <= ${before} and not f.is_told
      returning f.webhook, f.since, f.is_told)
    select f.webhook, w.org, w.url, f.since from failing as f join webhooks as w on w.id = f.webhook where f.is_told`
}
