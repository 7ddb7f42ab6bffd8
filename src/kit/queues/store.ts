// All SQL for queues. Rows of queue_keys are locked after all others, in the byte order of queues and keys.

import type { Sql, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../caller.ts'
import { rowsAs } from '../sql.ts'

export async function notifyWorkers(db: Tx, channel: string): Promise<void> {
  await db`select pg_notify(${channel}, '')`
}

export type KeyCount = { key: string; org: OrgId; count: number; due: string }
const keyCounts = rowsAs<KeyCount>('g', { key: 'text', org: 'text', count: 'int', due: 'timestamptz' })

export type AddedTo = { key: string; org: OrgId; waiting: number; holder: string | null }

/** Marks keys as having work. Returns the keys with more than that many waiting jobs, and those held by other processes
 *  or by none. This process must notify itself of its own keys after the commit: writing and reading that for each job
 *  would cost more than the job. In an ordered queue the first job determines when its key is due. */
export async function addToKeys(
  db: Tx,
  queue: string,
  keys: readonly KeyCount[],
  { me, waitingMax, isOrdered }: { me: string | null; waitingMax: number; isOrdered: boolean },
): Promise<AddedTo[]> {
  return db<AddedTo>`with added as (insert into queue_keys as k (queue, key, org, waiting, due)
      select ${queue}, g.* from ${keyCounts(keys)}
      order by g.key collate "C"
      on conflict (key, queue) do update set waiting = k.waiting + excluded.waiting,
        due = case when k.holder = ${me} or (${isOrdered} and k.waiting > 0 and k.due is not null) then k.due
          else least(k.due, excluded.due) end
      returning key, org, waiting, holder)
    select * from added where waiting > ${waitingMax} or holder is distinct from ${me}`
}

export async function countWaiting(db: Sql, queue: string, orgs: readonly string[]): Promise<Map<string, number>> {
  const rows = await db<{ org: OrgId; count: number }>`select org, sum(waiting)::int as count from queue_keys
    where queue = ${queue} and org = any(${orgs}) group by org`
  return new Map(rows.map(({ org, count }) => [org, count]))
}

export type JobRow = {
  id: string
  key: string
  rank: number
  due: string
  attemptsMax: number
  expires: string | null
  payload: string
}

const newJobs = rowsAs<JobRow>('j', {
  ...{ id: 'uuid', key: 'text', rank: 'smallint', due: 'timestamptz', attemptsMax: 'smallint' },
  ...{ payload: 'text', expires: 'timestamptz' },
})

export async function insertJobs(db: Tx, queue: string, jobs: readonly JobRow[]): Promise<void> {
  await db`insert into queue_jobs (queue, id, key, rank, due, attempts_max, payload, expires)
    select ${queue}, * from ${newJobs(jobs)}`
}

export async function isWaiting(db: Sql, queue: string, key: string, id: string): Promise<boolean> {
  return (await db`select from queue_jobs where id = ${id} and queue = ${queue} and key = ${key}`).length > 0
}

/** Renews the lease of a process, by the database's clock. Returns whether it had none or had lost it. */
export async function renewHolder(db: Tx, holder: string, leaseMs: number): Promise<boolean> {
  const [row] = await db<{ isNew: boolean }>`insert into queue_holders as h (holder, until)
    values (${holder}, clock_timestamp() + ${leaseMs}::int * interval '1 millisecond')
    on conflict (holder) do update set until = excluded.until returning h.xmax = '0'::xid as "isNew"`
  return row?.isNew === true
}

/** Other processes whose lease expired, or that have none and still hold keys; all others if this process is the only
 *  one. */
export async function selectDead(db: Sql, holder: string, isAlone: boolean): Promise<string[]> {
  const rows = await db<{ holder: string }>`select holder from queue_holders
      where holder <> ${holder} and (${isAlone} or until < clock_timestamp())
    union select distinct holder from queue_keys as k where holder is not null and holder <> ${holder}
      and not exists (select from queue_holders as h where h.holder = k.holder)`
  return rows.map(one => one.holder)
}

/** Frees the keys of these processes, unless one of them has renewed its lease meanwhile. */
export async function freeKeys(db: Tx, dead: readonly string[], isAlone: boolean, now: string): Promise<void> {
  await db`delete from queue_holders where holder = any(${dead}) and (${isAlone} or until < clock_timestamp())`
  const alive = await db<{ holder: string }>`select holder from queue_holders where holder = any(${dead})`
  const gone = dead.filter(one => !alive.some(({ holder }) => holder === one))
  await releaseAllOf(db, gone, now)
}

/** Frees all keys still held under these names. */
export async function releaseAllOf(db: Tx, holders: readonly string[], now: string): Promise<void> {
  await db`select from queue_keys where holder = any(${holders}) order by queue collate "C", key collate "C" for update`
  await db`update queue_keys set holder = null, due = ${now} where holder = any(${holders})`
}

export type ClaimedKey = {
  queue: string
  key: string
  org: OrgId
  concurrency: number | null
  rateCount: number | null
  rateMs: number | null
}

/** Keys with work that no other process holds. Until they are released, they are due only when jobs are added. Selected
 *  by `ctid`: a join would read all keys; a key that is being changed is claimed later. Some organisations can be
 *  excluded. */
export async function claimKeys(
  db: Tx,
  holder: string,
  queues: readonly string[],
  now: string,
  count: number,
  without: readonly string[],
): Promise<ClaimedKey[]> {
  return db<ClaimedKey>`with due as (select ctid as place from queue_keys
      where due <= ${now} and not is_paused and (holder is null or holder = ${holder}) and queue = any(${queues})
        and not org = any(${without})
      order by due limit ${count} for update skip locked)
    update queue_keys set holder = ${holder}, due = null where ctid = any(array(select place from due))
    returning queue, key, org, concurrency, rate_count as "rateCount", rate_ms as "rateMs"`
}

export type HeldKey = { queue: string; key: string }
const heldKeys = rowsAs<HeldKey>('g', { queue: 'text', key: 'text' }, 'number')

/** The keys that the process still holds. The comparison is written so that the index of holders is not used: it would
 *  read all keys of the process for each of them. */
export async function selectHeldKeys(db: Sql, holder: string, given: readonly HeldKey[]): Promise<HeldKey[]> {
  return db<HeldKey>`select k.queue, k.key from ${heldKeys(given)}
    cross join lateral (select queue, key from queue_keys
      where queue = g.queue and key = g.key and holder is not distinct from ${holder} offset 0) as k`
}

type ReleasedKey = HeldKey & { ranks: number; notBefore: string }
const releasedKeys = rowsAs<ReleasedKey & { place: string }>('g', {
  place: 'tid',
  ranks: 'int',
  notBefore: 'timestamptz',
})

/** Returns the released keys; transactions that are adding jobs may have locked others. Two statements: the second must
 *  see what was committed before the first one locked. Keys without jobs and own limits are deleted. Selected by `ctid`:
 *  a join planned for few keys would compare all with all. */
export async function releaseKeys(db: Tx, holder: string, given: readonly ReleasedKey[]): Promise<HeldKey[]> {
  const rows = await db<
    HeldKey & { number: number; place: string }
  >`select g.number, k.queue, k.key, k.ctid::text as place
    from ${heldKeys(given)}
    cross join lateral (select queue, key, ctid from queue_keys
      where queue = g.queue and key = g.key and holder is not distinct from ${holder} for update skip locked) as k`
  if (rows.length === 0) return rows
  const places = rows.map(({ number, place }) => ({ ...(given[number - 1] as ReleasedKey), place }))
  await db`with g as (select * from ${releasedKeys(places)}),
    forgotten as (delete from queue_keys as k using g where k.ctid = g.place and k.waiting = 0
      and not k.is_paused and k.concurrency is null and k.rate_count is null)
    update queue_keys as k set holder = null, due = (
      select greatest(g.not_before, min(first.due)) from generate_series(0, g.ranks) as r (rank)
      cross join lateral (select j.due from queue_jobs as j
        where j.queue = k.queue and j.key = k.key and j.rank = r.rank order by j.due limit 1) as first
      having count(*) > 0)
    from g where k.ctid = g.place and (k.waiting > 0 or k.is_paused or k.concurrency is not null
      or k.rate_count is not null)`
  return rows
}

export type BegunJob = HeldKey & { id: string; attempts: number; attemptsMax: number; payload: string }
/** `started`: its attempt runs, or was interrupted. */
export type DueJob = BegunJob & { started: string | null }

/** `number` is the position of its key in the request, from 1. `later`: when it is due, if not yet. */
export type FoundJob = { number: number; id: string; started: string | null; later: string | null }

type WantedKey = HeldKey & { ranks: number; each: number }
const wantedKeys = rowsAs<WantedKey>('w', { queue: 'text', key: 'text', ranks: 'int', each: 'int' }, 'number')

/** The jobs of held keys that are not paused: retried ones first, then by priority; and the next one that is due later. */
export async function selectDueJobs(
  db: Sql,
  holder: string,
  keys: readonly WantedKey[],
  now: string,
): Promise<FoundJob[]> {
  return db<FoundJob>`select w.number, d.id, d.started, d.later
    from ${wantedKeys(keys)}
    cross join lateral (select holder, is_paused from queue_keys where queue = w.queue and key = w.key offset 0) as k
    cross join generate_series(0, w.ranks) as r (rank)
    cross join lateral (
      (select id, due, started, null::timestamptz as later from queue_jobs
        where queue = w.queue and key = w.key and rank = r.rank and due <= ${now} and until is null
          and (expires is null or expires > ${now})
        order by due limit w.each)
      union all
      (select id, due, null, due from queue_jobs
        where queue = w.queue and key = w.key and rank = r.rank and due > ${now} and until is null
        order by due limit 1)) as d
    where k.holder = ${holder} and not k.is_paused
    order by w.number, r.rank, d.due`
}

export async function selectJobs(db: Sql, ids: readonly string[]): Promise<DueJob[]> {
  return db<DueJob>`select id, queue, key, attempts, attempts_max as "attemptsMax", started, payload from queue_jobs
    where id = any(${ids}::uuid[])`
}

/** Records the next attempts of these jobs, unless another process holds their keys by now. The holder is read by a
 *  subquery: a join would compare each job with each key. */
export async function startAttempts(db: Tx, holder: string, ids: readonly string[], now: string): Promise<BegunJob[]> {
  return db<BegunJob>`update queue_jobs as j set attempts = j.attempts + 1, started = ${now}
    where j.id = any(${ids}::uuid[]) and j.started is null and (
      select k.holder = ${holder} and not k.is_paused from queue_keys as k where k.queue = j.queue and k.key = j.key)
    returning j.id, j.queue, j.key, j.attempts, j.attempts_max as "attemptsMax", j.payload`
}

/** The next state of an attempt's job. `due` is null if the job is over. `keepsPlace`: it stays before later jobs.
 *  `isMade`: whether the attempt counts. */
export type AttemptEnd = { id: string; attempt: number; due: string | null; keepsPlace: boolean; isMade: boolean }

const attemptEnds = rowsAs<AttemptEnd>('g', {
  ...{ id: 'uuid', attempt: 'int', due: 'timestamptz', keepsPlace: 'boolean', isMade: 'boolean' },
})

/** An attempt that is no longer the last one changes nothing. Returns the ids of jobs whose attempt this ended, and
 *  whether they are over: a cancelled job gets no further attempt. Jobs are found by id first: in a table that was never
 *  analyzed, a join would compare all jobs with all ends. */
export async function endAttempts(db: Tx, ends: readonly AttemptEnd[]): Promise<Map<string, { isOver: boolean }>> {
  const rows = await db<{
    id: string
    isOver: boolean
  }>`with given as (select g.id, g.attempt, g.keeps_place, g.is_made, j.place, j.queue, j.key,
        case when g.is_made and j.attempts >= j.attempts_max then null else g.due end as due
      from ${attemptEnds(ends)}
      cross join lateral (select ctid as place, queue, key, attempts, attempts_max from queue_jobs
        where id = g.id and attempts = g.attempt and started is not null offset 0) as j),
    over as (delete from queue_jobs as j using given as g where j.ctid = g.place and g.due is null and j.started is not null
      returning g.id, g.queue, g.key),
    going as (update queue_jobs as j set started = null, lease = null, until = null,
        due = case when g.keeps_place then j.due else g.due end,
        rank = case when g.keeps_place or not g.is_made then j.rank else 0 end,
        attempts = case when g.is_made then j.attempts else j.attempts - 1 end
      from given as g where j.ctid = g.place and g.due is not null and j.started is not null returning g.id),
    counted as (select queue, key, count(*)::int as count from over group by queue, key),
    locked as (select k.queue, k.key, c.count from counted as c join queue_keys as k on k.queue = c.queue and k.key = c.key
      order by k.queue collate "C", k.key collate "C" for update of k),
    subtracted as (update queue_keys as k set waiting = k.waiting - l.count from locked as l
      where k.queue = l.queue and k.key = l.key)
    select id, true as "isOver" from over union all select id, false from going`
  return new Map(rows.map(({ id, isOver }) => [id, { isOver }]))
}

type Over = DueJob & { org: OrgId }

/** Jobs that are over without another attempt: expired ones, and those whose external worker did not end the last one. */
export async function takeExpired(db: Tx, now: string, count: number): Promise<Over[]> {
  const rows = await db<{ id: string }>`(select id from queue_jobs
      where expires <= ${now} and (started is null or until < clock_timestamp()) order by expires limit ${count})
    union
    (select id from queue_jobs where until < clock_timestamp() and attempts >= attempts_max order by until limit ${count})`
  return takeOver(
    db,
    rows.map(({ id }) => id),
  )
}

/** Up to `count` jobs of a queue that were due before that time and have not started. */
export async function takeOld(db: Tx, queue: string, ranks: number, before: string, count: number): Promise<Over[]> {
  const rows = await db<{
    id: string
  }>`select d.id from queue_keys as k cross join generate_series(0, ${ranks}::int) as r (rank)
    cross join lateral (select id from queue_jobs where queue = k.queue and key = k.key and rank = r.rank and due < ${before}
      and started is null order by due limit ${count}) as d
    where k.queue = ${queue} and k.waiting > 0 limit ${count}`
  return takeOver(
    db,
    rows.map(({ id }) => id),
  )
}

/** The given jobs that still have not started. */
export async function takeOver(db: Tx, ids: readonly string[]): Promise<Over[]> {
  if (ids.length === 0) return []
  return db<Over>`with over as (delete from queue_jobs where id = any(${ids}::uuid[])
      and (started is null or until < clock_timestamp()) returning *),
    counted as (select queue, key, count(*)::int as count from over group by queue, key),
    locked as (select k.queue, k.key, k.org, c.count from counted as c join queue_keys as k on k.queue = c.queue and k.key = c.key
      order by k.queue collate "C", k.key collate "C" for update of k),
    subtracted as (update queue_keys as k set waiting = k.waiting - l.count from locked as l
      where k.queue = l.queue and k.key = l.key)
    select o.id, o.queue, o.key, l.org, o.attempts, o.attempts_max as "attemptsMax", o.started, o.payload
    from over as o join locked as l on l.queue = o.queue and l.key = o.key`
}

/** Returns the jobs that have not started. The others get no further attempt. */
export async function cancelJobs(
  db: Tx,
  queue: string,
  ids: readonly string[],
): Promise<{ id: string; key: string; payload: string }[]> {
  await db`update queue_jobs set attempts_max = attempts
    where queue = ${queue} and id = any(${ids}::uuid[]) and started is not null`
  return db<{ id: string; key: string; payload: string }>`with over as (delete from queue_jobs
      where queue = ${queue} and id = any(${ids}::uuid[]) and started is null returning id, key, payload),
    counted as (select key, count(*)::int as count from over group by key),
    locked as (select k.key, c.count from counted as c join queue_keys as k on k.queue = ${queue} and k.key = c.key
      order by k.key collate "C" for update of k),
    subtracted as (update queue_keys as k set waiting = k.waiting - l.count from locked as l
      where k.queue = ${queue} and k.key = l.key)
    select id, key, payload from over`
}

/** Deletes up to `count` jobs of a deleted key; returns how many. The key's row is deleted with the last one. */
export async function deleteJobs(db: Tx, queue: string, key: string, count: number): Promise<number> {
  const rows = await db`delete from queue_jobs where id in (
    select id from queue_jobs where queue = ${queue} and key = ${key} limit ${count}) returning 1`
  if (rows.length < count) await db`delete from queue_keys where queue = ${queue} and key = ${key}`
  return rows.length
}

export type KeySettings = {
  concurrency: number | null
  rateCount: number | null
  rateMs: number | null
}

/** Makes the key due, so that the process working on it reads the new limits. */
export async function upsertKey(
  db: Tx,
  queue: string,
  key: string,
  org: OrgId,
  set: KeySettings,
  now: string,
): Promise<void> {
  await db`insert into queue_keys as k (queue, key, org, concurrency, rate_count, rate_ms)
    values (${queue}, ${key}, ${org}, ${set.concurrency}, ${set.rateCount}, ${set.rateMs})
    on conflict (key, queue) do update set concurrency = excluded.concurrency, rate_count = excluded.rate_count,
      rate_ms = excluded.rate_ms, due = least(k.due, ${now}::timestamptz)`
}

/** A key that is no longer paused is due immediately. */
export async function pauseKey(
  db: Tx,
  queue: string,
  key: string,
  org: OrgId,
  isPaused: boolean,
  now: string,
): Promise<void> {
  await db`insert into queue_keys as k (queue, key, org, is_paused) values (${queue}, ${key}, ${org}, ${isPaused})
    on conflict (key, queue) do update set is_paused = excluded.is_paused,
      due = case when excluded.is_paused then k.due else ${now}::timestamptz end`
}

export type QueueState = {
  queue: string
  waiting: number
  keys: number
  held: number
  paused: number
  due: string | null
}

export async function selectQueues(db: Sql): Promise<QueueState[]> {
  return db<QueueState>`select queue, sum(waiting)::bigint as waiting, count(*) as keys, count(holder) as held,
      count(*) filter (where is_paused) as paused, min(due) filter (where not is_paused) as due
    from queue_keys group by queue order by queue`
}
