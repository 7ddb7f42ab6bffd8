// A host with its own queues: each job calls a function of the test, and every end is recorded.
import { after } from 'node:test'
import { type Database, EngineUnavailable } from '../src/engines/engines.ts'
import type { OrgId } from '../src/kit/caller.ts'
import type { Attempted, Ended, Job, NewJob, Queue, QueueDeclaration } from '../src/kit/queue.ts'
import { service, serviceKit } from '../src/kit/service.ts'
import { eventually } from './eventually.ts'
import { startHost, type TestOptions } from './host.ts'

export type Payload = { n: number }
export type End = Ended<Payload, string>
type Declared = Partial<QueueDeclaration<undefined, Payload, undefined, string, Record<never, never>>>

export const OK: Attempted<string> = { isOk: true, result: 'done' }
export const FAILED: Attempted<string> = { isOk: false, result: 'no' }

/** A queue whose attempts are made by `act`. Its ends are rows of the table `ends`, in the transaction that ends them. */
export function newQueue(id: string, declared: Declared = {}) {
  const calls: Job<Payload>[] = []
  const acting = { act: async (_job: Job<Payload>): Promise<Attempted<string> | undefined> => OK, calls }
  const queue = serviceKit<undefined>().queue<Payload, undefined, string>({
    ...{ id, limits: () => ({ concurrency: 4, rate: null }), pausesMs: [1_000, 5_000], deadlineMs: 5_000 },
    run: async (_context, job) => {
      calls.push(job)
      return acting.act(job)
    },
    end: async ({ db }, ended) => {
      for (const { job, status, reason, error, result } of ended) {
        await db`insert into ends (queue, key, n, attempt, status, reason, error, result)
          values (${id}, ${job.key}, ${job.payload.n}, ${job.attempt}, ${status}, ${reason}, ${error}, ${result})`
      }
    },
    ...declared,
  })
  return Object.assign(acting, { queue })
}

export type Row = {
  key: string
  n: number
  attempt: number
  status: string
  reason: string | null
  error: string | null
}

export type QueueProcess = Awaited<ReturnType<typeof startQueues>>

/** Real time, so that what is due later comes by itself. */
export async function startQueues(queues: readonly Queue[], options: TestOptions = {}) {
  const connection = { isLost: false }
  const host = await startHost({
    services: [service({ name: 'specimen', what: 'For tests', queues })],
    wrapDb: db => losable(db, connection),
    ...{ runsBackground: true, now: 'real', ...options },
  })
  await host.db.script(`create table if not exists ends (at bigint generated always as identity, queue text, key text, n int,
    attempt int, status text, reason text, error text, result text)`)
  const ticking = setInterval(() => host.clock.advance(0), 10)
  after(() => clearInterval(ticking))
  const add = (queue: Queue<Payload>, jobs: readonly (Omit<Partial<NewJob<Payload>>, 'org'> & { org?: string })[]) =>
    host.db.transaction(tx =>
      host.jobs.add(
        tx,
        queue,
        jobs.map(({ org = 'home', key = 'a', payload = { n: 1 }, ...more }) => {
          return { ...more, key, payload, org: org as OrgId }
        }),
      ),
    )
  const endsOf = ({ id }: { id: string }) =>
    host.db<Row>`select key, n, attempt, status, reason, error from ends where queue = ${id} order by at`
  const endedOf = (queue: { id: string }, count: number) =>
    eventually(
      () => endsOf(queue),
      rows => rows.filter(({ status }) => status !== 'retrying').length >= count,
    )
  const waitingIn = async ({ id }: { id: string }) =>
    (await host.db<{ count: number }>`select count(*) from queue_jobs where queue = ${id}`)[0]?.count
  /** From then on, nothing from this process reaches its database, as if it had been killed, until the connection is
   *  restored. */
  const lose = (isLost: boolean) => {
    connection.isLost = isLost
  }
  return { host, add, endsOf, endedOf, waitingIn, lose }
}

/** Fails all database calls while the connection is lost. */
export function losable(db: Database, connection: { isLost: boolean }): Database {
  const call = async (run: () => Promise<unknown>) => {
    if (connection.isLost) throw new EngineUnavailable('db', 'down')
    return run()
  }
  return new Proxy(db, {
    apply: (of, _self, given: Parameters<Database>) => call(() => of(...given)),
    get: (of, name) => {
      const value = Reflect.get(of, name)
      if (name === 'for') return (user: string) => losable(value(user), connection)
      if (name === 'background' || name === 'analytics') return losable(value, connection)
      if (name === 'transaction' || name === 'atOnce') return (...given: unknown[]) => call(() => value(...given))
      return name === 'autocommit'
        ? new Proxy(value, { apply: (run, _self, given) => call(() => run(...given)) })
        : value
    },
  })
}

export const jobs = (length: number, from = 0, more: object = {}) =>
  Array.from({ length }, (_, at) => ({ payload: { n: from + at }, ...more }))
