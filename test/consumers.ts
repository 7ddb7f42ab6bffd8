// Consumers of the log for tests. An effect of a consumer is a row that it writes in the transaction of the events.
import assert from 'node:assert/strict'
import { after, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { manualClock } from '../src/engines/clock/clock.ts'
import { openPostgres } from '../src/engines/db/postgres.ts'
import type { Database, Envelope, Log, Tx } from '../src/engines/engines.ts'
import { openLog } from '../src/engines/log/log.ts'
import { systemRandom } from '../src/engines/random/random.ts'
import { startConsumers } from '../src/host/consumers/consumers.ts'
import type { Handler, Limits } from '../src/host/consumers/lane.ts'
import { selectDeadLetters } from '../src/kit/host/consumers.store.ts'
import { type DatabaseAt, testDatabase } from './database.ts'
import { eventually } from './eventually.ts'

export let db: Database
let at: DatabaseAt
export const clock = manualClock()

/** Each test file calls it first: files share a process and this module, and the database is dropped after each. */
export async function openWorld(): Promise<void> {
  const opened = await testDatabase({ dbConnections: 10 })
  db = opened.db
  at = opened.at
  after(opened.drop)
  await db.script(`create table effects (at bigint generated always as identity, consumer text, tenant text, data int)`)
}

/** Waits until the check passes. */
export async function until(check: () => void | Promise<void>): Promise<void> {
  const failure = async () => {
    try {
      await check()
      return null
    } catch (error) {
      return String(error)
    }
  }
  await eventually(failure, found => found === null)
}

let count = 0
export const unique = (name: string) => `${name}${++count}`

export const envelope = (tenant: string, type: string, data: unknown): Envelope => {
  const id = unique('evt_')
  return {
    specversion: '1.0',
    id,
    source: 'https://stoa.example',
    type,
    time: '2026-11-15T09:00:00.000Z',
    tenant,
    data,
  }
}

type Effect = { tenant: string; data: number }

/** As a process has it. */
type Running = { log: Log; db: Database; consume(handlers: readonly Handler[]): Promise<void>; stop(): Promise<void> }

/** Fails the test at a warning, unless the test takes them. */
export async function openOne(
  t: TestContext,
  { warnings, told = [], ...more }: { warnings?: string[]; told?: Record<string, unknown>[] } & Partial<Limits> = {},
): Promise<Running> {
  const own = openPostgres({ at, connectionsMax: 5, queueMax: 100 })
  const seen = warnings ?? []
  const warn = (error: unknown, what: string, fields: Record<string, unknown>) => {
    // All consumers of the tests before this one are not.
    if (what.endsWith('is not declared any more')) told.push(fields)
    else seen.push(`${what}: ${error}`)
  }
  const log = openLog({ db: own, random: systemRandom, warn })
  let stopConsumers = async () => {}
  const stop = async () => {
    await stopConsumers()
    await log.close()
  }
  t.after(async () => {
    await stop()
    await own.close()
    if (!warnings) assert.deepEqual(seen, [])
  })
  const limits = { budgetMs: 500, lateMs: 1_000, pollMs: 20, ...more }
  const consume = async (handlers: readonly Handler[]) => {
    stopConsumers = await startConsumers({ db: own, log, clock, limits, warn }, handlers)
  }
  return { log, db: own, consume, stop }
}

export const publish = ({ log }: { log: Log }, tenant: string, subject: string, ...data: unknown[]) =>
  db.transaction(tx =>
    log.append(
      tx,
      data.map(one => envelope(tenant, subject, one)),
    ),
  )
export const effectsOf = (name: string) =>
  db<Effect>`select tenant, data from effects where consumer = ${name} order by at`
export const effectOf = (name: string) => async (tx: Tx, events: readonly Envelope[]) => {
  for (const { tenant, data } of events) {
    await tx`insert into effects (consumer, tenant, data) values (${name}, ${tenant}, ${data as number})`
  }
  return undefined
}
export const consumer = (name: string, more: Partial<Handler> = {}): Handler => ({
  id: name,
  formerIds: [],
  subjects: [`${name}.>`],
  batchMax: 10,
  handle: effectOf(name),
  ...more,
})
export const numbers = (length: number, from = 0) => Array.from({ length }, (_, n) => from + n)
export const dataOf = (effects: Effect[], tenant: string) =>
  effects.filter(one => one.tenant === tenant).map(({ data }) => data)
/** Waits for so many effects, and a little for more of them. */
export const effectsAfter = async (name: string, expected: number) => {
  await until(async () => assert.equal((await effectsOf(name)).length, expected))
  await wait(50)
  return effectsOf(name)
}

export const deadLettersOf = async (name: string) =>
  (await selectDeadLetters(db, Number.MAX_SAFE_INTEGER, 100)).filter(one => one.consumer === name)
