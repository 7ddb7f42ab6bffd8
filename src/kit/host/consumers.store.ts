// All SQL for consumers: their positions, waiting events and dead letters.
import type { LanePosition, LogEntry, LogPosition, Sql, Tx } from '../../engines/engines.ts'
import { rowsAs } from '../sql.ts'

/** Locks until the end of the transaction; returns false if another process has the lock. The transaction's statements
 *  get a time limit. */
export async function tryLock(db: Tx, consumer: string, what: string | number, statementMs: number): Promise<boolean> {
  const [row] = await db<{ isLocked: boolean }>`select
    pg_try_advisory_xact_lock(hashtext(${`consumer ${consumer}`}), hashtext(${String(what)})) as "isLocked",
    set_config('statement_timeout', ${String(statementMs)}, true)`
  return row?.isLocked === true
}

/** Prevents other processes from starting consumers until the end of the transaction. */
export async function lockPositions(db: Tx): Promise<void> {
  await db`lock table consumer_positions in exclusive mode`
}

export type ConsumerPosition = LanePosition & { consumer: string }

export async function selectPositions(db: Sql): Promise<ConsumerPosition[]> {
  return db<ConsumerPosition>`select consumer, lane, position from consumer_positions order by consumer, lane`
}

export async function selectPosition(db: Sql, consumer: string, lane: number): Promise<LogPosition> {
  const [row] = await db<{ position: LogPosition }>`select position from consumer_positions
    where consumer = ${consumer} and lane = ${lane}`
  if (!row) throw new Error(`the consumer ${consumer} has no position`)
  return row.position
}

/** One position per lane, in order. */
export async function insertPositions(db: Tx, consumer: string, positions: readonly LogPosition[]): Promise<void> {
  await db`insert into consumer_positions (consumer, lane, position)
    select ${consumer}, number - 1, position from unnest(${positions}::text[]) with ordinality as p (position, number)`
}

export async function updatePosition(db: Tx, consumer: string, lane: number, position: LogPosition): Promise<void> {
  await db`update consumer_positions set position = ${position} where consumer = ${consumer} and lane = ${lane}`
}

/** Moves a consumer's rows from a former id. */
export async function renameConsumer(db: Tx, from: string, to: string): Promise<void> {
  await db`insert into consumer_held (consumer, tenant, size, tries, due, error)
    select ${to}, tenant, size, tries, due, error from consumer_held where consumer = ${from}`
  await db`update consumer_waiting set consumer = ${to} where consumer = ${from}`
  await db`delete from consumer_held where consumer = ${from}`
  await db`update consumer_positions set consumer = ${to} where consumer = ${from}`
  await db`update dead_letters set consumer = ${to} where consumer = ${from}`
}

/** The given organisations whose events wait. They stay held until the end of the transaction. */
export async function lockHeld(db: Tx, consumer: string, tenants: readonly string[]): Promise<Set<string>> {
  const rows = await db<{ tenant: string }>`select tenant from consumer_held
    where consumer = ${consumer} and tenant = any(${tenants}) for key share`
  return new Set(rows.map(({ tenant }) => tenant))
}

/** `size`: how many of its events to try next. `tries`: how often the first of them failed by itself. */
export type Held = { tenant: string; size: number; tries: number }
export type NewHeld = Held & { due: string; error: string }

export async function insertHeld(
  db: Tx,
  consumer: string,
  { tenant, size, tries, due, error }: NewHeld,
): Promise<void> {
  await db`insert into consumer_held (consumer, tenant, size, tries, due, error)
    values (${consumer}, ${tenant}, ${size}, ${tries}, ${due}, ${error}) on conflict do nothing`
}

export async function updateHeld(
  db: Tx,
  consumer: string,
  { tenant, size, tries, due, error }: NewHeld,
): Promise<void> {
  await db`update consumer_held set size = ${size}, tries = ${tries}, due = ${due}, error = ${error}
    where consumer = ${consumer} and tenant = ${tenant}`
}

const entries = rowsAs<LogEntry>('e', { tenant: 'text', subject: 'text', envelope: 'text', ingested: 'text' }, 'number')

export async function insertWaiting(db: Tx, consumer: string, events: readonly LogEntry[]): Promise<void> {
  await db`insert into consumer_waiting (consumer, tenant, subject, envelope, ingested)
    select ${consumer}, tenant, subject, envelope, ingested from ${entries(events)} order by number`
}

/** The due organisations, oldest first. */
export async function selectDueTenants(db: Sql, consumer: string, now: string, limit: number): Promise<Held[]> {
  return db<Held>`select tenant, size, tries from consumer_held
    where consumer = ${consumer} and due <= ${now} order by due limit ${limit}`
}

/** Null if the organisation is no longer due. */
export async function selectHeldTenants(db: Sql, consumer: string, tenant: string, now: string): Promise<Held | null> {
  const [row] = await db<Held>`select tenant, size, tries from consumer_held
    where consumer = ${consumer} and tenant = ${tenant} and due <= ${now}`
  return row ?? null
}

export async function selectDueConsumers(db: Sql, consumers: readonly string[], now: string): Promise<string[]> {
  const rows = await db<{ consumer: string }>`select distinct consumer from consumer_held
    where consumer = any(${consumers}) and due <= ${now}`
  return rows.map(({ consumer }) => consumer)
}

export type WaitingEvent = LogEntry & { place: number }

export async function selectWaiting(db: Sql, consumer: string, tenant: string, limit: number): Promise<WaitingEvent[]> {
  return db<WaitingEvent>`select place, tenant, subject, envelope, ingested from consumer_waiting
    where consumer = ${consumer} and tenant = ${tenant} order by place limit ${limit}`
}

/** Deletes exactly these: a retried dead letter may have been put before them meanwhile. */
export async function deleteWaiting(
  db: Tx,
  consumer: string,
  tenant: string,
  events: readonly WaitingEvent[],
): Promise<void> {
  await db`delete from consumer_waiting where consumer = ${consumer} and tenant = ${tenant}
    and place = any(${events.map(({ place }) => place)}::bigint[])`
}

/** Raises a violated reference if an event was added at the same moment. */
export async function deleteHeldIfEmpty(db: Tx, consumer: string, tenant: string): Promise<void> {
  await db`delete from consumer_held as h where consumer = ${consumer} and tenant = ${tenant}
    and not exists (select from consumer_waiting as w where w.consumer = h.consumer and w.tenant = h.tenant)`
}

export async function insertDeadLetter(
  db: Tx,
  consumer: string,
  { tenant, subject, envelope, ingested }: LogEntry,
  error: string,
  at: string,
): Promise<void> {
  await db`insert into dead_letters (consumer, tenant, subject, envelope, ingested, error, at)
    values (${consumer}, ${tenant}, ${subject}, ${envelope}, ${ingested}, ${error}, ${at})`
}

/** A position before every waiting event, keeping the order of dead letters among each other. */
const FIRST_PLACE = -(2 ** 52)

/** Makes a dead letter wait again, before later events of its organisation. */
export async function requeueDeadLetter(db: Tx, id: number, now: string): Promise<boolean> {
  const rows = await db`with letter as (delete from dead_letters where id = ${id} returning *),
    held as (
      insert into consumer_held (consumer, tenant, size, due, error) select consumer, tenant, 1, ${now}, error from letter
      on conflict (consumer, tenant) do update set due = excluded.due, size = 1, tries = 0 returning consumer, tenant)
    insert into consumer_waiting (consumer, tenant, place, subject, envelope, ingested)
    select consumer, tenant, ${FIRST_PLACE}::bigint + letter.id, subject, envelope, ingested
    from letter join held using (consumer, tenant)
    returning 1`
  return rows.length > 0
}

export type DeadLetter = { id: number; consumer: string; at: string; error: string; envelope: string }

/** Newest first, before that id. */
export async function selectDeadLetters(db: Sql, before: number, limit: number): Promise<DeadLetter[]> {
  return db<DeadLetter>`select id, consumer, at, error, envelope from dead_letters
    where id < ${before} order by id desc limit ${limit}`
}

export type Backlog = { consumer: string; waiting: number; deadLetters: number }

export async function selectBacklogs(db: Sql): Promise<Backlog[]> {
  return db<Backlog>`select consumer,
      (select count(*) from consumer_waiting as w where w.consumer = c.consumer) as waiting,
      (select count(*) from dead_letters as d where d.consumer = c.consumer) as "deadLetters"
    from (select distinct consumer from consumer_positions) as c order by consumer`
}
