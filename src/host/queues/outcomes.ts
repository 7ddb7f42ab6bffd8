// Writes the outcomes of attempts, many in one transaction. They wait while the database cannot be reached; if the process
// ends then, their attempts count as interrupted.
import { type Database, EngineUnavailable } from '../../engines/engines.ts'
import type { Groups } from '../../kit/groups.ts'
import { openInsistentGroups } from '../../kit/insistent-groups.ts'
import type { Ended } from '../../kit/queue.ts'
import * as store from '../../kit/queues/store.ts'
import { type DeclaredQueue, endJobs, type JobsOptions } from './jobs.ts'

/** This many outcomes are written immediately, without waiting for more. */
const ENOUGH = 128

/** `ended` is null for an attempt that was not made. */
export type AttemptOutcome = { org: string; queue: DeclaredQueue; end: store.AttemptEnd; ended: Ended | null }

/** A job that was cancelled while it ran gets no further attempt. */
const withOutcome = (ended: Ended, isOver: boolean): Ended =>
  isOver && ended.status === 'retrying' ? { ...ended, status: 'failed' } : ended

export type OutcomesOptions = Omit<JobsOptions, 'queues' | 'tell'> & { db: Database; warn: (error: unknown) => void }

export function openOutcomes(by: OutcomesOptions): Groups<AttemptOutcome> {
  const { db, clock, warn } = by

  async function write(group: readonly AttemptOutcome[]): Promise<void> {
    await db.transaction(async tx => {
      const ids = await store.endAttempts(
        tx,
        group.map(({ end }) => end),
      )
      const counted = group.filter(({ end, ended }) => ended !== null && ids.has(end.id))
      for (const [queue, own] of Map.groupBy(counted, one => one.queue)) {
        const ends = own.map(({ ended, end }) => withOutcome(ended as Ended, ids.get(end.id)?.isOver === true))
        await endJobs(by, tx, queue, ends)
      }
    })
  }

  return openInsistentGroups<AttemptOutcome>({
    ...{ clock, warn, enough: () => ENOUGH },
    write: async group => {
      try {
        await write(group)
      } catch (error) {
        // An outcome that its service cannot write would be retried forever, so the job ends without it.
        const [only] = group
        if (group.length === 1 && only && !(error instanceof EngineUnavailable)) {
          await db.transaction(tx => store.endAttempts(tx, [{ ...only.end, due: null }]))
        }
        throw error
      }
    },
    refused: ({ queue, end }, cause) =>
      new Error(`${queue.id}: the outcome of the job ${end.id} was refused`, { cause }),
  })
}
