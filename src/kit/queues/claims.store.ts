// The SQL for jobs claimed by external workers.

import type { Tx } from '../../engines/engines.ts'
import type { OrgId } from '../caller.ts'
import type { DueJob, JobRow } from './store.ts'

/** An external worker's claim, until its lease ends. */
export type Claim = { lease: string; leaseMs: number; now: string }

/** Records the only attempt of a job that its caller runs itself. */
export async function insertStarted(db: Tx, queue: string, job: JobRow, claim: Claim): Promise<void> {
  await db`insert into queue_jobs (queue, id, key, rank, due, attempts, attempts_max, started, lease, until, payload)
    values (${queue}, ${job.id}, ${job.key}, ${job.rank}, ${job.due}, 1, 1, ${claim.now}, ${claim.lease},
      clock_timestamp() + ${claim.leaseMs}::int * interval '1 millisecond', ${job.payload})`
}

/** Claims jobs for an external worker, until its lease ends. */
export async function claimJobs(
  db: Tx,
  queue: string,
  ranks: number,
  keys: readonly string[],
  claim: Claim & { max: number },
): Promise<(DueJob & { org: OrgId })[]> {
  const { lease, leaseMs, now, max } = claim
  return db<DueJob & { org: OrgId }>`with next as (select d.id, w.org from generate_series(0, ${ranks}::int) as r (rank)
      cross join (select key, org from queue_keys where queue = ${queue} and key = any(${keys}) and not is_paused) as w
      cross join lateral (select id from queue_jobs
        where queue = ${queue} and key = w.key and rank = r.rank and due <= ${now} and attempts < attempts_max
          and (started is null or until < clock_timestamp()) and (expires is null or expires > ${now})
        order by due limit ${max} for update skip locked) as d
      order by r.rank limit ${max})
    update queue_jobs as j set attempts = j.attempts + 1, started = ${now}, lease = ${lease},
      until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
    from next where j.id = next.id
    returning j.id, j.queue, j.key, next.org, j.attempts, j.attempts_max as "attemptsMax", j.started, j.payload`
}

/** False if the worker no longer has the job. Locks it until the transaction ends. */
export async function extendLease(db: Tx, id: string, lease: string, leaseMs: number): Promise<boolean> {
  const rows = await db`update queue_jobs set until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
    where id = ${id} and lease = ${lease} and until > clock_timestamp() returning 1`
  return rows.length > 0
}
