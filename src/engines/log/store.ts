// The SQL of the log.
import { columnsOf } from '../db/columns.ts'
import {
  fragment,
  INGESTED,
  type LanePosition,
  type LogPosition,
  type Sql,
  type Subjects,
  type Tx,
} from '../engines.ts'
import { expressionOf } from './subjects.ts'

/** Positions as columns for `unnest`. */
const columns = (readers: readonly LanePosition[]) =>
  [readers.map(({ lane }) => lane), readers.map(one => one.position)] as const

/** `envelope` and `ingested` are JSON. */
export type NewEvent = { lane: number; tenant: string; subject: string; envelope: string; ingested: string | null }

/** The transaction gets its own number before those of its events: a process that finds an event number missing then
 *  finds the transaction among the running ones. */
export async function appendEvents(db: Tx, events: readonly NewEvent[]): Promise<void> {
  const { separator, of } = columnsOf({
    lane: events.map(event => event.lane),
    tenant: events.map(event => event.tenant),
    subject: events.map(event => event.subject),
    envelope: events.map(event => event.envelope),
    ingested: events.map(event => event.ingested),
  })
  await db`insert into bus_log (lane, position, tenant, subject, envelope, ingested)
    select lane::smallint, case when pg_current_xact_id() is not null then nextval('bus_lane_' || lane) end,
      tenant, subject, envelope, ingested from rows from (
      string_to_table(${of.lane}, ${separator}, ''), string_to_table(${of.tenant}, ${separator}, ''),
      string_to_table(${of.subject}, ${separator}, ''), string_to_table(${of.envelope}, ${separator}, ''),
      string_to_table(${of.ingested}, ${separator}, '')
    ) as sent (lane, tenant, subject, envelope, ingested)`
}

export async function notifyReaders(db: Tx, channel: string, payload: string): Promise<void> {
  await db`select pg_notify(${channel}, ${payload})`
}

/** Waits until running transactions have appended their events; no other appends until this one ends. */
export async function selectHead(db: Tx, lanes: number): Promise<LogPosition[]> {
  await db`lock table bus_log in share mode`
  const rows = await db<{
    position: string
  }>`select coalesce(pg_sequence_last_value('bus_lane_' || lane), 0)::text as position
    from generate_series(0, ${lanes - 1}::int) as lane order by lane`
  return rows.map(({ position }) => position)
}

/** `oldest`: all transactions with lower numbers have ended. */
export type LogRow = {
  position: number
  tenant: string
  subject: string
  envelope: string | null
  ingested: string | null
  oldest: number
}

/** Higher than the numbers of all transactions that have one. The upper end of a snapshot would not be: it belongs to
 *  the last ended transaction, and others may run above it. */
export async function selectNext(db: Sql): Promise<number> {
  const [row] = await db<{ next: number }>`select pg_current_xact_id()::text::bigint as next`
  return row?.next as number
}

/** The next events of a lane, with the envelopes of those that are wanted. */
export async function selectEvents(
  db: Sql,
  lane: number,
  after: LogPosition,
  subjects: Subjects,
  limit: number,
): Promise<LogRow[]> {
  const isWanted =
    subjects === INGESTED ? fragment`ingested is not null` : fragment`subject ~ ${expressionOf(subjects)}`
  return db<LogRow>`select position, tenant, subject, case when ${isWanted} then envelope end as envelope, ingested,
      pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest
    from bus_log where lane = ${lane} and position > ${after}::bigint order by position limit ${limit}`
}

/** For each position, when the first event after it was written; null if there is none. */
export async function selectUnread(db: Sql, readers: readonly LanePosition[]): Promise<(string | null)[]> {
  const [lanes, positions] = columns(readers)
  const rows = await db<{ at: string | null }>`select (
      select l.at from bus_log as l where l.lane = p.lane and l.position > p.position
      order by l.position limit 1) as at
    from unnest(${lanes}::smallint[], ${positions}::bigint[]) with ordinality
      as p (lane, position, number)
    order by number`
  return rows.map(({ at }) => at)
}

/** Whether one of these readers has not reached every event of that time. */
export async function isUnread(db: Sql, readers: readonly LanePosition[], from: string, to: string): Promise<boolean> {
  const [lanes, positions] = columns(readers)
  const [row] = await db<{ is: boolean }>`select exists (
    select from unnest(${lanes}::smallint[], ${positions}::bigint[]) as p (lane, position)
      cross join lateral (
        select from bus_log as l where l.lane = p.lane and l.position > p.position
          and l.at >= ${from} and l.at < ${to} limit 1) as unread) as is`
  return row?.is === true
}

/** Deletes up to `count` old events that these readers have passed from each lane of the default partition; returns how
 *  many. Oldest first, which the index finds without reading the others. */
export async function deleteOther(
  db: Tx,
  readers: readonly LanePosition[],
  before: string,
  count: number,
): Promise<number> {
  const [lanes, positions] = columns(readers)
  const rows = await db`with passed as (
      select lane, min(position) as position
      from unnest(${lanes}::smallint[], ${positions}::bigint[]) as p (lane, position) group by lane),
    old as (select o.ctid from passed as p cross join lateral (
      select l.ctid, l.at from bus_log_other as l where l.lane = p.lane and l.position <= p.position
      order by l.position limit ${count}) as o where o.at < ${before})
    delete from bus_log_other where ctid = any(array(select ctid from old)) returning 1`
  return rows.length
}

/** The first and last positions of a lane; 1 and 0 for an empty one. */
export async function selectEnds(db: Sql, lane: number): Promise<{ first: number; last: number }> {
  const [row] = await db<{ first: number; last: number }>`select
    coalesce(min(position), 1) as first, coalesce(max(position), 0) as last from bus_log where lane = ${lane}`
  return row ?? { first: 1, last: 0 }
}

/** An organisation's events among these positions, which the index finds. */
export async function deleteEntries(
  db: Tx,
  lane: number,
  tenant: string,
  { from, to }: { from: number; to: number },
): Promise<number> {
  const rows = await db`delete from bus_log
    where lane = ${lane} and position >= ${from} and position < ${to} and tenant = ${tenant} returning 1`
  return rows.length
}

/** The log's size on the disk. */
export async function selectBytes(db: Sql): Promise<number> {
  const [row] = await db<{
    bytes: number
  }>`select sum(pg_total_relation_size(inhrelid))::bigint as bytes from pg_inherits
    where inhparent = 'bus_log'::regclass`
  return row?.bytes ?? 0
}
