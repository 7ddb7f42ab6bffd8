// Adding jobs to a queue.

import type { Clock, Random, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../caller.ts'
import type { NewJob, Queue, QueueDeclaration } from '../queue.ts'
import { newUuid } from '../uuid.ts'
import type { Emits } from '../write.ts'
import * as store from './store.ts'

/** The channel that queue workers listen on. */
export const QUEUES_CHANNEL = 'queues'

/** For code outside of a worker: it holds no keys, and the queue has no limits. */
export const NOT_HELD = { me: null, waitingMax: 2 ** 31 - 1, isOrdered: false }

export type JobRow = store.JobRow & { org: OrgId }

type Declared = Pick<QueueDeclaration<unknown, unknown, unknown, unknown, Emits>, 'priorities' | 'pausesMs'>

/** A key's jobs keep their order, to the microsecond. */
export function jobRows(
  { clock, random }: { clock: Clock; random: Random },
  { priorities = 1, pausesMs }: Declared,
  jobs: readonly NewJob<unknown>[],
): JobRow[] {
  const now = clock.now()
  const left = new Map<string, number>()
  for (const { key } of jobs) left.set(key, (left.get(key) ?? 0) + 1)
  const dueOf = openDues()
  return jobs.map(({ id, key, org, payload, due = now, priority = 0, attemptsMax = pausesMs.length + 1, expires }) => {
    const after = (left.get(key) as number) - 1
    left.set(key, after)
    return {
      id: id ?? newUuid(random, now),
      key,
      org,
      rank: priorities - priority,
      due: dueOf(due, after),
      attemptsMax,
      expires: expires?.toISOString() ?? null,
      payload: JSON.stringify(payload),
    }
  })
}

/** The time that many microseconds earlier. Most jobs that are added together have the same time. */
function openDues(): (due: Date, byUs: number) => string {
  let [last, lastUs, text]: [Date | null, number, string] = [null, 0, '']
  return (due, byUs) => {
    if (due !== last || byUs !== lastUs) [last, lastUs, text] = [due, byUs, earlier(due, byUs)]
    return text
  }
}

function earlier(due: Date, byUs: number): string {
  if (byUs === 0) return due.toISOString()
  const ms = new Date(due.getTime() - Math.ceil(byUs / 1_000)).toISOString()
  return `${ms.slice(0, -1)}${String((1_000 - (byUs % 1_000)) % 1_000).padStart(3, '0')}Z`
}

/** The number of jobs by key, and when the first is due. */
export function countsOf(rows: readonly JobRow[]): store.KeyCount[] {
  const counts = new Map<string, store.KeyCount>()
  for (const { key, org, due } of rows) {
    const count = counts.get(key)
    if (!count) counts.set(key, { key, org, count: 1, due })
    else {
      count.count++
      if (due < count.due) count.due = due
    }
  }
  return [...counts.values()]
}

type Adding = { rows: JobRow[]; finish: (rows: readonly JobRow[]) => Promise<unknown> }
const addings = new WeakMap<Tx, Map<string, Adding>>()

/** Inserts jobs. `finish` counts them by key when the transaction ends: for all jobs of a queue together, and one queue
 *  after the other. Otherwise transactions that add to the same keys in a different order would wait for each other. */
export async function insertRows(
  db: Tx,
  queue: string,
  rows: readonly JobRow[],
  finish: Adding['finish'],
): Promise<void> {
  const own = addings.get(db) ?? new Map<string, Adding>()
  // Before anything is awaited: callers may add jobs without waiting.
  if (own.size === 0) db.beforeCommit(() => finishAdded(db))
  const adding = own.get(queue) ?? { rows: [], finish }
  for (const row of rows) adding.rows.push(row)
  own.set(queue, adding)
  addings.set(db, own)
  await store.insertJobs(db, queue, rows)
}

/** Counts the jobs added by the transaction so far. */
export async function finishAdded(db: Tx): Promise<void> {
  const all = [...(addings.get(db) ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1))
  addings.delete(db)
  for (const [, { rows, finish }] of all) await finish(rows)
}

/** For code without the host's `queues`, such as the identity pages. The queue has no limits. */
export async function addJobs<P>(
  { db, ...by }: { db: Tx; clock: Clock; random: Random },
  queue: Queue<P>,
  jobs: readonly NewJob<P>[],
): Promise<void> {
  const rows = jobRows(by, queue as never as Declared, jobs)
  await insertRows(db, queue.id, rows, async all => {
    await store.addToKeys(db, queue.id, countsOf(all), NOT_HELD)
    await store.notifyWorkers(db, QUEUES_CHANNEL)
  })
}
