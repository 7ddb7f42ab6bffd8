// The SQL of the bus.
import { columnsOf } from '../db/columns.ts'
import type { Sql, Tx } from '../engines.ts'

/** A place in a lane: the event with this transaction and position. */
export type Place = { xid: string; position: number }
export type LoggedEvent = Place & { tenant: string; subject: string; envelope: string }
export type LogRow = Place & { tenant: string; subject: string; envelope: string | null }

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

/** A consumer that is new gets the events from now on. */
export async function insertPositions(db: Tx, consumers: readonly string[], lanes: number): Promise<void> {
  await db`insert into bus_positions (consumer, lane, xid, position)
    select consumer, lane, pg_snapshot_xmin(pg_current_snapshot()), 0
    from unnest(${consumers}::text[]) as consumer, generate_series(0, ${lanes - 1}::int) as lane
    on conflict do nothing`
}

/** Whether another server wrote the log, as after a restore from a dump: on this one, no transaction with these numbers has
 *  begun yet. */
export async function isOfAnotherServer(db: Sql, lanes: number): Promise<boolean> {
  const [row] = await db<{ is: boolean }>`select
    exists (select from bus_positions where xid > pg_snapshot_xmax(pg_current_snapshot()))
    or exists (
      select from generate_series(0, ${lanes - 1}::int) as own (lane), lateral (
        select xid from bus_log as l where l.lane = own.lane order by l.xid desc, l.position desc limit 1) as last
      where last.xid >= pg_snapshot_xmax(pg_current_snapshot())) as is`
  return row?.is === true
}

/** Nobody reads or writes the log until the end of the transaction. */
export async function lockLog(db: Tx): Promise<void> {
  await db`lock table bus_log, bus_positions, bus_waiting in access exclusive mode`
}

/** Publishes again, in their order, what one of these consumers has not read, and nothing else stays in the log. What
 *  waits comes before all of it. */
export async function republishUnread(db: Tx, consumers: readonly string[]): Promise<void> {
  await db`create temporary table bus_unread on commit drop as
    select lane, tenant, subject, envelope, xid, position from bus_log as l where exists (
      select from bus_positions as p where p.consumer = any(${consumers}) and p.lane = l.lane
        and (l.xid, l.position) > (p.xid, p.position))`
  await db`truncate bus_log`
  await db`insert into bus_log (lane, tenant, subject, envelope)
    select lane, tenant, subject, envelope from bus_unread order by bus_unread.xid, position`
  await db`update bus_positions set xid = pg_snapshot_xmin(pg_current_snapshot()), position = 0`
  await db`update bus_waiting set xid = '1'::xid8 where xid <> '0'::xid8`
}

/** Until the end of the transaction, or not at all if another process has the lock. A row lock would give the transaction
 *  a number, and all readers of the bus would wait for its end. */
export async function tryLock(db: Tx, consumer: string, what: string | number): Promise<boolean> {
  const [row] = await db<{ isLocked: boolean }>`select pg_try_advisory_xact_lock(
    hashtext(${`bus ${consumer}`}), hashtext(${String(what)})) as "isLocked"`
  return row?.isLocked === true
}

export async function selectPosition(db: Sql, consumer: string, lane: number): Promise<Place> {
  const [row] = await db<Place>`select xid::text as xid, position from bus_positions
    where consumer = ${consumer} and lane = ${lane}`
  if (!row) throw new Error(`the consumer ${consumer} has no position`)
  return row
}

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

export async function updatePosition(db: Tx, consumer: string, lane: number, place: Place): Promise<void> {
  await db`update bus_positions set xid = ${place.xid}::xid8, position = ${place.position}
    where consumer = ${consumer} and lane = ${lane}`
}

/** Waits until nobody reads for this consumer. */
export async function lockLanes(db: Tx, consumer: string, lanes: number): Promise<void> {
  await db`select pg_advisory_xact_lock(hashtext(${`bus ${consumer}`}), hashtext(lane::text))
    from generate_series(0, ${lanes - 1}::int) as lane`
}

/** Every position is set to just before the first event that was written then or later. */
export async function resetPositions(db: Tx, consumer: string, since: string): Promise<void> {
  await db`update bus_positions as p set xid = coalesce(first.xid, p.xid), position = coalesce(first.position - 1, p.position)
    from bus_positions as own left join lateral (
      select l.xid, l.position from bus_log as l where l.lane = own.lane and l.at >= ${since}
      order by l.xid, l.position limit 1
    ) as first on true
    where own.consumer = ${consumer} and p.consumer = own.consumer and p.lane = own.lane`
}

/** The lanes of these consumers that have events to read, or will have when an older transaction has ended. */
export async function selectBehind(
  db: Sql,
  consumers: readonly string[],
): Promise<{ consumer: string; lane: number }[]> {
  return db<{ consumer: string; lane: number }>`select consumer, lane from bus_positions as p
    where consumer = any(${consumers}) and exists (
      select from bus_log as l where l.lane = p.lane and (l.xid, l.position) > (p.xid, p.position))`
}

/** Those of the organisations whose events wait. They stay held until the end of the transaction. */
export async function lockHeld(db: Tx, consumer: string, tenants: readonly string[]): Promise<Set<string>> {
  const rows = await db<{ tenant: string }>`select tenant from bus_held
    where consumer = ${consumer} and tenant = any(${tenants}) for key share`
  return new Set(rows.map(({ tenant }) => tenant))
}

export async function insertHeld(db: Tx, consumer: string, tenant: string, due: string, error: string): Promise<void> {
  await db`insert into bus_held (consumer, tenant, due, error) values (${consumer}, ${tenant}, ${due}, ${error})
    on conflict do nothing`
}

export async function insertWaiting(db: Tx, consumer: string, events: readonly LoggedEvent[]): Promise<void> {
  await db`insert into bus_waiting (consumer, tenant, xid, position, subject, envelope)
    select ${consumer}, * from unnest(
      ${events.map(one => one.tenant)}::text[], ${events.map(one => one.xid)}::xid8[],
      ${events.map(one => one.position)}::bigint[], ${events.map(one => one.subject)}::text[],
      ${events.map(one => one.envelope)}::text[])`
}

export type Held = { tenant: string; isOneByOne: boolean; tries: number }

/** The organisations that are due, the first one first. */
export async function selectDue(db: Sql, consumer: string, now: string, limit: number): Promise<string[]> {
  const rows = await db<{ tenant: string }>`select tenant from bus_held
    where consumer = ${consumer} and due <= ${now} order by due limit ${limit}`
  return rows.map(({ tenant }) => tenant)
}

/** Null if the organisation is not due any more. */
export async function selectHeld(db: Sql, consumer: string, tenant: string, now: string): Promise<Held | null> {
  const [row] = await db<Held>`select tenant, one_by_one as "isOneByOne", tries from bus_held
    where consumer = ${consumer} and tenant = ${tenant} and due <= ${now}`
  return row ?? null
}

export async function selectDueConsumers(db: Sql, consumers: readonly string[], now: string): Promise<string[]> {
  const rows = await db<{ consumer: string }>`select distinct consumer from bus_held
    where consumer = any(${consumers}) and due <= ${now}`
  return rows.map(({ consumer }) => consumer)
}

export async function selectWaiting(db: Sql, consumer: string, tenant: string, limit: number): Promise<LoggedEvent[]> {
  return db<LoggedEvent>`select xid::text as xid, position, tenant, subject, envelope from bus_waiting
    where consumer = ${consumer} and tenant = ${tenant}
    order by bus_waiting.xid, position limit ${limit}`
}

/** These and no others: one that was set aside may have come before them meanwhile. */
export async function deleteWaiting(db: Tx, consumer: string, tenant: string, places: readonly Place[]): Promise<void> {
  await db`delete from bus_waiting where consumer = ${consumer} and tenant = ${tenant}
    and (xid, position) in (select * from unnest(
      ${places.map(one => one.xid)}::xid8[], ${places.map(one => one.position)}::bigint[]))`
}

/** Raises a violated reference if an event was added at the same moment. */
export async function deleteHeldIfEmpty(db: Tx, consumer: string, tenant: string): Promise<void> {
  await db`delete from bus_held as h where consumer = ${consumer} and tenant = ${tenant}
    and not exists (select from bus_waiting as w where w.consumer = h.consumer and w.tenant = h.tenant)`
}

export async function updateHeld(
  db: Tx,
  consumer: string,
  held: Held & { due: string; error: string | null },
): Promise<void> {
  await db`update bus_held set one_by_one = ${held.isOneByOne}, tries = ${held.tries}, due = ${held.due},
      error = coalesce(${held.error}, error)
    where consumer = ${consumer} and tenant = ${held.tenant}`
}

export async function insertSetAside(
  db: Tx,
  consumer: string,
  event: LoggedEvent,
  error: string,
  at: string,
): Promise<void> {
  await db`insert into bus_set_aside (consumer, tenant, subject, envelope, error, at)
    values (${consumer}, ${event.tenant}, ${event.subject}, ${event.envelope}, ${error}, ${at})`
}

/** An event that is set aside waits again, before those of its organisation that came later. */
export async function moveToWaiting(db: Tx, id: number, now: string): Promise<boolean> {
  const [row] = await db<{ tenant: string }>`with event as (delete from bus_set_aside where id = ${id} returning *),
    held as (
      insert into bus_held (consumer, tenant, due, error) select consumer, tenant, ${now}, error from event
      on conflict (consumer, tenant) do update set due = excluded.due, tries = 0 returning consumer, tenant)
    insert into bus_waiting (consumer, tenant, xid, position, subject, envelope)
    select consumer, tenant, '0'::xid8, event.id, subject, envelope from event join held using (consumer, tenant)
    returning tenant`
  return row !== undefined
}

export type SetAsideRow = { id: number; consumer: string; at: string; error: string; envelope: string }

export async function selectSetAside(db: Sql, before: number, limit: number): Promise<SetAsideRow[]> {
  return db<SetAsideRow>`select id, consumer, at, error, envelope from bus_set_aside
    where id < ${before} order by id desc limit ${limit}`
}

export type StateRow = { name: string; oldest: string | null; waiting: number; setAside: number }

export async function selectStates(db: Sql, consumers: readonly string[]): Promise<StateRow[]> {
  return db<StateRow>`select name,
      (select min(first.at) from bus_positions as p, lateral (
        select l.at from bus_log as l where l.lane = p.lane and (l.xid, l.position) > (p.xid, p.position)
        order by l.xid, l.position limit 1) as first
        where p.consumer = name) as oldest,
      (select count(*) from bus_waiting as w where w.consumer = name) as waiting,
      (select count(*) from bus_set_aside as s where s.consumer = name) as "setAside"
    from unnest(${consumers}::text[]) as name order by name`
}

/** How many events of that time the one of these consumers that is furthest behind has not reached. */
export async function countUnread(db: Sql, consumers: readonly string[], from: string, to: string): Promise<number> {
  const [row] = await db<{ count: number }>`select coalesce(max(unread.count), 0) as count from (
    select count(*) as count from bus_log as l join bus_positions as p on p.lane = l.lane
    where p.consumer = any(${consumers}) and l.at >= ${from} and l.at < ${to}
      and (l.xid, l.position) > (p.xid, p.position)
    group by p.consumer) as unread`
  return row?.count ?? 0
}

/** Those in no part that every consumer has passed, or that are older than `expired`. */
export async function deleteOther(db: Tx, before: string, expired: string): Promise<void> {
  await db`delete from bus_log_other as l where at < ${expired} or (at < ${before} and not exists (
    select from bus_positions as p where p.lane = l.lane and (l.xid, l.position) > (p.xid, p.position)))`
}

export async function deleteOldSetAside(db: Tx, before: string): Promise<void> {
  await db`delete from bus_set_aside where at < ${before}`
}
