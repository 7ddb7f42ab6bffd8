// The SQL of appending events.
import { columnsOf } from '../db/columns.ts'
import { fragment, type Tx } from '../engines.ts'
import { type Delta, scopesOf } from './counts.ts'
import { JOINS_MAX, type Join } from './joins.ts'
import { GAP_MS, type Session, type Span } from './sessions.ts'
import type { EventRow } from './types.ts'

const isoOf = (ms: number) => new Date(ms).toISOString()

/** Rows of an organisation are counted one transaction after the other: each reads the sessions that the one before it wrote. */
export async function lockCounting(db: Tx, org: string): Promise<void> {
  await db`select pg_advisory_xact_lock(hashtext('event rows'), hashtext(${org}))`
}

/** The ids of those that are there already. Each is looked up, because a join could read all events of the organisation; and by
 *  its timestamp too, because a plan that is made for an empty table may use the index of timestamps. */
export async function selectExisting(db: Tx, org: string, rows: readonly EventRow[]): Promise<string[]> {
  const [received, ids] = [rows.map(row => row.received), rows.map(({ id }) => id)]
  const times = rows.map(({ timestamp }) => timestamp)
  const found = await db<{
    id: string
  }>`select e.id from unnest(${received}::timestamptz[], ${times}::timestamptz[], ${ids}::text[]) as sent (received, at, id)
    cross join lateral (select id from events where org = ${org} and received = sent.received and timestamp = sent.at
      and events.id = sent.id offset 0) as e`
  return found.map(({ id }) => id)
}

/** The first joins of these ids. */
export async function selectJoins(db: Tx, org: string, ids: readonly string[]): Promise<Join[]> {
  const rows = await db<{ id: string; at: string; to: string }>`select j.id, j.at, j.joined_to as "to"
    from unnest(${ids}::text[]) as sent (id) cross join lateral (
      select id, at, joined_to from event_joins where org = ${org} and event_joins.id = sent.id
      order by at limit ${JOINS_MAX}) as j`
  return rows.map(({ id, at, to }) => ({ id, to, atMs: Date.parse(at) }))
}

/** Those of the ids that others were joined to. */
export async function selectJoinTargets(db: Tx, org: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db<{ id: string }>`select sent.id from unnest(${ids}::text[]) as sent (id) cross join lateral (
      select from event_joins where org = ${org} and joined_to = sent.id and length(joined_to) > 0 limit 1) as joined`
  return rows.map(({ id }) => id)
}

export async function insertJoins(db: Tx, org: string, joins: readonly Join[]): Promise<void> {
  if (joins.length === 0) return
  await db`insert into event_joins (org, id, at, joined_to)
    select ${org}, id, at, joined_to from unnest(${joins.map(({ id }) => id)}::text[],
      ${joins.map(({ atMs }) => isoOf(atMs))}::timestamptz[], ${joins.map(({ to }) => to)}::text[]) as j (id, at, joined_to)`
}

type SessionRow = Omit<Session, 'firstMs' | 'lastMs' | 'seenMs'> & { first: string; last: string; seen: string }

/** The named sessions, and those of the spans' holders that events in them may continue. */
export async function selectSessions(
  db: Tx,
  org: string,
  named: readonly string[],
  spans: readonly Span[],
): Promise<Session[]> {
  const [holders, from, to] = [
    spans.map(one => one.holder),
    spans.map(one => isoOf(one.fromMs)),
    spans.map(one => isoOf(one.toMs + GAP_MS)),
  ]
  const rows = await db<SessionRow>`select id::text, holder, project, workspace, first, last, pageviews, seen
      from event_sessions where org = ${org} and id = any(${named}::uuid[])
    union all
    select s.* from unnest(${holders}::text[], ${from}::timestamptz[], ${to}::timestamptz[]) as span (holder, from_, to_)
    cross join lateral (
      (select id::text, holder, project, workspace, first, last, pageviews, seen from event_sessions
        where org = ${org} and event_sessions.holder = span.holder and first <= from_ order by first desc limit 1)
      union all
      (select id::text, holder, project, workspace, first, last, pageviews, seen from event_sessions
        where org = ${org} and event_sessions.holder = span.holder and first > from_ and first <= to_)) as s`
  return [...new Map(rows.map(row => [row.id, row])).values()].map(({ first, last, seen, ...row }) => ({
    ...row,
    firstMs: Date.parse(first),
    lastMs: Date.parse(last),
    seenMs: Date.parse(seen),
  }))
}

export async function upsertSessions(db: Tx, org: string, sessions: readonly Session[]): Promise<void> {
  const { separator, of } = columnsOf({
    id: sessions.map(({ id }) => id),
    project: sessions.map(({ project }) => project),
    workspace: sessions.map(({ workspace }) => workspace),
    holder: sessions.map(({ holder }) => holder),
    first: sessions.map(({ firstMs }) => isoOf(firstMs)),
    last: sessions.map(({ lastMs }) => isoOf(lastMs)),
    pageviews: sessions.map(({ pageviews }) => pageviews),
    seen: sessions.map(({ seenMs }) => isoOf(seenMs)),
  })
  await db`insert into event_sessions (org, id, project, workspace, holder, first, last, pageviews, seen)
    select ${org}, id::uuid, project, workspace, holder, first::timestamptz, last::timestamptz, pageviews::int, seen::timestamptz
    from rows from (
      string_to_table(${of.id}, ${separator}, ''), string_to_table(${of.project}, ${separator}, ''),
      string_to_table(${of.workspace}, ${separator}, ''), string_to_table(${of.holder}, ${separator}, ''),
      string_to_table(${of.first}, ${separator}, ''), string_to_table(${of.last}, ${separator}, ''),
      string_to_table(${of.pageviews}, ${separator}, ''), string_to_table(${of.seen}, ${separator}, '')
    ) as sent (id, project, workspace, holder, first, last, pageviews, seen)
    on conflict (org, id) do update set first = excluded.first, last = excluded.last, pageviews = excluded.pageviews,
      seen = excluded.seen`
}

export async function insertDeltas(db: Tx, org: string, deltas: readonly Delta[]): Promise<void> {
  const { separator, of } = columnsOf({
    scope: deltas.map(({ scope }) => scope),
    dimension: deltas.map(({ dimension }) => dimension),
    at: deltas.map(({ at }) => at),
    value: deltas.map(({ value }) => value),
    numbers: deltas.map(one => `{${[one.events, one.pageviews, one.sessions, one.bounces, one.ms].join()}}`),
    amounts: deltas.map(({ amount }) => `{${amount.replaceAll('+', ',')}}`),
    first: deltas.map(({ first }) => first),
    last: deltas.map(({ last }) => last),
    visitors: deltas.map(({ visitors }) => visitors.toString('hex')),
  })
  await db`insert into event_deltas (org, scope, dimension, at, value, events, pageviews, sessions, bounces, ms, amount,
      first, last, visitors)
    select ${org}, coalesce(scope, ''), dimension::smallint, at::timestamptz, coalesce(value, ''), n[1], n[2], n[3], n[4], n[5],
      (select sum(one) from unnest(amounts::numeric[]) as one), first::timestamptz, last::timestamptz, decode(visitors, 'hex')
    from rows from (
      string_to_table(${of.scope}, ${separator}, ''), string_to_table(${of.dimension}, ${separator}, ''),
      string_to_table(${of.at}, ${separator}, ''), string_to_table(${of.value}, ${separator}, ''),
      string_to_table(${of.numbers}, ${separator}, ''), string_to_table(${of.amounts}, ${separator}, ''),
      string_to_table(${of.first}, ${separator}, ''), string_to_table(${of.last}, ${separator}, ''),
      string_to_table(${of.visitors}, ${separator}, '')
    ) as sent (scope, dimension, at, value, numbers, amounts, first, last, visitors)
    cross join lateral (select numbers::bigint[] as n offset 0) as parsed`
}

const RELEASES_MAX = 20

/** Errors with the same fingerprint, one row of each scope. */
export async function upsertErrors(db: Tx, org: string, rows: readonly EventRow[]): Promise<void> {
  const errors = rows.flatMap(row =>
    row.fingerprint === null
      ? []
      : scopesOf(row).map(scope => ({ ...row, scope, fingerprint: row.fingerprint as string })),
  )
  if (errors.length === 0) return
  const [scopes, fingerprints] = [errors.map(({ scope }) => scope), errors.map(({ fingerprint }) => fingerprint)]
  const [times, received] = [errors.map(({ timestamp }) => timestamp), errors.map(one => one.received)]
  const [ids, releases] = [errors.map(({ id }) => id), errors.map(({ release }) => release)]
  await db`insert into event_errors as e (org, scope, fingerprint, first, last, example, example_received, releases)
    select ${org}, scope, fingerprint, min(at), max(at), (array_agg(id order by at desc))[1],
      (array_agg(received order by at desc))[1], 
      coalesce((array_agg(distinct release) filter (where release is not null))[1:${RELEASES_MAX}::int], '{}')
    from unnest(${scopes}::text[], ${fingerprints}::text[], ${times}::timestamptz[], ${received}::timestamptz[],
      ${ids}::text[], ${releases}::text[]) as sent (scope, fingerprint, at, received, id, release)
    group by scope, fingerprint order by scope, fingerprint
    on conflict (org, scope, fingerprint) do update set first = least(e.first, excluded.first),
      last = greatest(e.last, excluded.last),
      example = case when excluded.last >= e.last then excluded.example else e.example end,
      example_received = case when excluded.last >= e.last then excluded.example_received else e.example_received end,
      releases = (select coalesce(array_agg(release order by release), '{}') from (
        select distinct release from unnest(e.releases || excluded.releases) as release limit ${RELEASES_MAX}) as kept)`
}

/** A row with the visitor and the session that it counts for, and its number. */
export type PlacedRow = EventRow & { session: string; arrival: number }

/** Numbers so many events of the organisation. Returns the last number. */
export async function takeArrivals(db: Tx, org: string, count: number): Promise<number> {
  const [row] = await db<{ last: number }>`insert into event_arrivals as a (org, last) values (${org}, ${count}::int +
      case when exists (select from events where org = ${org}) then nextval('events_arrival') else 0 end)
    on conflict (org) do update set last = a.last + ${count}::int returning last`
  return (row as { last: number }).last
}

export async function insertEventRows(db: Tx, rows: readonly PlacedRow[]): Promise<void> {
  const { separator, of } = columnsOf({
    arrival: rows.map(row => row.arrival),
    received: rows.map(row => row.received),
    timestamp: rows.map(row => row.timestamp),
    clamped: rows.map(row => row.isClamped),
    org: rows.map(row => row.org),
    project: rows.map(row => row.project),
    workspace: rows.map(row => row.workspace),
    id: rows.map(row => row.id),
    wire: rows.map(row => row.wire),
    event: rows.map(row => row.event),
    distinctId: rows.map(row => row.distinctId),
    anonymousId: rows.map(row => row.anonymousId),
    sessionId: rows.map(row => row.sessionId),
    revenue: rows.map(row => row.revenue),
    currency: rows.map(row => row.currency),
    fingerprint: rows.map(row => row.fingerprint),
    properties: rows.map(row => row.properties),
    visitor: rows.map(row => row.visitor),
    session: rows.map(row => row.session),
    path: rows.map(row => row.path),
    source: rows.map(row => row.source),
    campaign: rows.map(row => row.campaign),
    country: rows.map(row => row.country),
    device: rows.map(row => row.device),
    browser: rows.map(row => row.browser),
    system: rows.map(row => row.system),
    release: rows.map(row => row.release),
  })
  const split = (text: string) => fragment`string_to_table(${text}, ${separator}, '')`
  await db`insert into events (arrival, received, timestamp, clamped, org, project, workspace, id, wire, event, distinct_id,
      anonymous_id, session_id, revenue, currency, fingerprint, properties, visitor, session, path, source, campaign,
      country, device, browser, system, release)
    select arrival::bigint, received::timestamptz, timestamp::timestamptz, clamped::boolean, org, project, workspace,
      id, wire, event, distinct_id, anonymous_id, session_id, revenue::float8, currency, fingerprint, properties::jsonb, visitor,
      session::uuid, path, source, campaign, country, device, browser, system, release
    from rows from (${split(of.arrival)}, ${split(of.received)}, ${split(of.timestamp)}, ${split(of.clamped)}, ${split(of.org)},
      ${split(of.project)}, ${split(of.workspace)}, ${split(of.id)}, ${split(of.wire)}, ${split(of.event)},
      ${split(of.distinctId)}, ${split(of.anonymousId)}, ${split(of.sessionId)}, ${split(of.revenue)}, ${split(of.currency)},
      ${split(of.fingerprint)}, ${split(of.properties)}, ${split(of.visitor)}, ${split(of.session)}, ${split(of.path)},
      ${split(of.source)}, ${split(of.campaign)}, ${split(of.country)}, ${split(of.device)}, ${split(of.browser)},
      ${split(of.system)}, ${split(of.release)}
    ) as sent (arrival, received, timestamp, clamped, org, project, workspace, id, wire, event, distinct_id, anonymous_id, session_id,
      revenue, currency, fingerprint, properties, visitor, session, path, source, campaign, country, device, browser,
      system, release)`
}
