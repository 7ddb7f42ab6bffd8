// Lets the warehouse catch up with the log, in hosts of tests that run no background work.
import { setTimeout as wait } from 'node:timers/promises'
import { readLane } from '../src/host/consumers/lane.ts'
import { appendRows } from '../src/services/event/consumers.ts'
import type { TestHost } from './host.ts'

const LIMITS = { budgetMs: 20_000, lateMs: 30_000, pollMs: 1_000, backoffMs: 0, backoffMaxMs: 0 }

/** Appends what was sent to ingest until now. */
export async function catchUp({ db, engines, clock }: Pick<TestHost, 'db' | 'engines' | 'clock'>): Promise<void> {
  const { log, warehouse } = engines
  const failures: unknown[] = []
  const options = { db, log, clock, limits: LIMITS, signal: AbortSignal.timeout(60_000) }
  const failed = (_: string, __: string, error: unknown) => void failures.push(error)
  const context = { db, clock, random: engines.random, state: { warehouse } }
  const handler = {
    ...appendRows,
    handle: (tx: unknown, ...[events, ingested]: [never, never]) =>
      appendRows.run({ ...context, db: tx } as never, events, ingested),
  }
  for (let lane = 0; lane < log.lanes; lane++) {
    for (;;) {
      const { rest } = await readLane({ ...options, failed }, handler, lane)
      if (rest === 'none') break
      if (rest !== 'now') await wait(5) // A transaction is still running, or another process reads.
    }
  }
  if (failures.length > 0) throw failures[0]
}
