// The SQL of the log.
import { columnsOf } from '../db/columns.ts'
import type { LanePosition, LogPosition, Sql, Tx } from '../engines.ts'

/** A place in a lane: the event with this transaction and position. As text: `xid:position`. */
type Place = { xid: string; position: number }

export const positionOf = ({ xid, position }: Place): LogPosition => `${xid}:${position}`

export function placeFrom(text: LogPosition): Place {
  const [xid, position] = text.split(':') as [string, string]
  return { xid, position: Number(position) }
}

/** Places as columns for `unnest`. */
function columns(places: readonly LanePosition[]) {
  const parsed = places.map(({ position }) => placeFrom(position))
  return {
    lanes: places.map(({ lane }) => lane),
    xids: parsed.map(({ xid }) => xid),
    positions: parsed.map(({ position }) => position),
  }
}

/** `envelope` is JSON. */
export type NewEvent = { lane: number; tenant: string; subject: string; envelope: string }

export async function insertEvents(db: Tx, events: readonly NewEvent[]): Promise<void> {
  const { separator, of } = columnsOf({
    lane: events.map(event => event.lane),
    tenant: events.map(event => event.tenant),
    subject: events.map(event => event.subject),
    envelope: events.map(event => event.envelope),
  })
  await db`insert into bus_log (lane, tenant, subject, envelope)
    select lane::smallint, tenant, subject, envelope from rows from (
      string_to_table(${of.lane}, ${separator}, ''), string_to_table(${of.tenant}, ${separator}, ''),
      string_to_table(${of.subject}, ${separator}, ''), string_to_table(${of.envelope}, ${separator}, '')
    ) as sent (lane, tenant, subject, envelope)`
}

/** `lanes` is a number whose bits are the lanes. */
export async function notifyReaders(db: Tx, channel: string, lanes: number): Promise<void> {
  await db`select pg_notify(${channel}, ${String(lanes)})`
}

export async function selectHead(db: Sql): Promise<LogPosition> {
  const [row] = await db<{ xid: string }>`select pg_snapshot_xmin(pg_current_snapshot())::text as xid`
  return positionOf({ xid: row?.xid as string, position: 0 })
}

/** Whether another server wrote the log, as after a restore from a dump: on this one, no transaction with these numbers has
 *  begun yet. */
export async function isOfAnotherServer(db: Sql, places: readonly LanePosition[]): Promise<boolean> {
  const { lanes, xids } = columns(places)
  const [row] = await db<{ is: boolean }>`select
    exists (select from unnest(${xids}::xid8[]) as p (xid) where xid > pg_snapshot_xmax(pg_current_snapshot()))
    or exists (
      select from unnest(${[...new Set(lanes)]}::smallint[]) as own (lane), lateral (
        select xid from bus_log as l where l.lane = own.lane order by l.xid desc, l.position desc limit 1) as last
      where last.xid >= pg_snapshot_xmax(pg_current_snapshot())) as is`
  return row?.is === true
}

/** Nobody reads or writes the log until the end of the transaction. */
export async function lockLog(db: Tx): Promise<void> {
  await db`lock table bus_log in access exclusive mode`
}

/** Appends again, in their order, what one of these readers has not read, and nothing else stays in the log. Returns the
 *  position before all of it. */
export async function republishUnread(db: Tx, places: readonly LanePosition[]): Promise<LogPosition> {
  const { lanes, xids, positions } = columns(places)
  await db`create temporary table bus_unread on commit drop as
    select lane, tenant, subject, envelope, xid, position from bus_log as l where exists (
      select from unnest(${lanes}::smallint[], ${xids}::xid8[], ${positions}::bigint[]) as p (lane, xid, position)
      where p.lane = l.lane and (l.xid, l.position) > (p.xid, p.position))`
  await db`truncate bus_log`
  await db`insert into bus_log (lane, tenant, subject, envelope)
    select lane, tenant, subject, envelope from bus_unread order by bus_unread.xid, position`
  return selectHead(db)
}

export type LogRow = Place & { tenant: string; subject: string; envelope: string | null }

/** The next events of a lane, with the envelopes of those that the expression matches. */
export async function selectEvents(
  db: Sql,
  lane: number,
  after: Place,
  expression: string,
  limit: number,
): Promise<LogRow[]> {
  return db<LogRow>`select xid::text as xid, position, tenant, subject,
      case when subject ~ ${expression} then envelope end as envelope
    from bus_log
    where lane = ${lane} and (xid, position) > (${after.xid}::xid8, ${after.position})
      and xid < pg_snapshot_xmin(pg_current_snapshot())
    order by bus_log.xid, position limit ${limit}`
}

/** Whether there are events that can be read only when an older transaction has ended. */
export async function hasLaterEvents(db: Sql, lane: number, after: Place): Promise<boolean> {
  const [row] = await db<{ has: boolean }>`select exists (
    select from bus_log where lane = ${lane} and (xid, position) > (${after.xid}::xid8, ${after.position})) as has`
  return row?.has === true
}

/** For each place, when the first event after it was written; null if there is none. */
export async function selectUnread(db: Sql, places: readonly LanePosition[]): Promise<(string | null)[]> {
  const { lanes, xids, positions } = columns(places)
  const rows = await db<{ at: string | null }>`select (
      select l.at from bus_log as l where l.lane = p.lane and (l.xid, l.position) > (p.xid, p.position)
      order by l.xid, l.position limit 1) as at
    from unnest(${lanes}::smallint[], ${xids}::xid8[], ${positions}::bigint[]) with ordinality
      as p (lane, xid, position, number)
    order by number`
  return rows.map(({ at }) => at)
}

/** Whether one of these readers has not reached some event of that time. */
export async function isUnread(db: Sql, places: readonly LanePosition[], from: string, to: string): Promise<boolean> {
  const { lanes, xids, positions } = columns(places)
  const [row] = await db<{ is: boolean }>`select exists (
    select from unnest(${lanes}::smallint[], ${xids}::xid8[], ${positions}::bigint[]) as p (lane, xid, position)
      cross join lateral (
        select from bus_log as l where l.lane = p.lane and (l.xid, l.position) > (p.xid, p.position)
          and l.at >= ${from} and l.at < ${to} limit 1) as unread) as is`
  return row?.is === true
}

/** Deletes from the default part what is older and what these readers have passed, at most so many of each lane; returns
 *  how many. The oldest first, which the index finds without reading the others. */
export async function deleteOther(
  db: Tx,
  places: readonly LanePosition[],
  before: string,
  count: number,
): Promise<number> {
  const { lanes, xids, positions } = columns(places)
  const rows = await db`with passed as (
      select distinct on (lane) lane, xid, position
      from unnest(${lanes}::smallint[], ${xids}::xid8[], ${positions}::bigint[]) as p (lane, xid, position)
      order by lane, p.xid, position),
    old as (select o.ctid from passed as p cross join lateral (
      select l.ctid, l.at from bus_log_other as l where l.lane = p.lane and (l.xid, l.position) <= (p.xid, p.position)
      order by l.xid, l.position limit ${count}) as o where o.at < ${before})
    delete from bus_log_other where ctid = any(array(select ctid from old)) returning 1`
  return rows.length
}

/** The space of the log on the disk. */
export async function selectBytes(db: Sql): Promise<number> {
  const [row] = await db<{
    bytes: number
  }>`select sum(pg_total_relation_size(inhrelid))::bigint as bytes from pg_inherits
    where inhparent = 'bus_log'::regclass`
  return row?.bytes ?? 0
}
