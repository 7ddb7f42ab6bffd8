// PostgreSQL through the `postgres` driver: queries, transactions and error handling.
import type postgres from 'postgres'
import { type Database, EngineUnavailable, type QueryValue, type Session, type Tx } from '../engines.ts'
import { type AtEnd, EACH_ALONE, openAtEnd } from './at-end.ts'
import { sendAtOnce } from './at-once.ts'
import type { RunningCall } from './calls.ts'
import { endsWithin, type Location, openDriver, WAIT_MS } from './driver.ts'
import { isConnectionLost, isDiskFull, translate } from './errors.ts'
import { send } from './fragments.ts'
import { backendOf, openPools, type PoolOptions } from './pool.ts'
import { PARAMETERS, type Profile } from './profiles.ts'
import { runSession } from './session.ts'

export type PostgresOptions = PoolOptions & {
  at: Location
  /** Server settings of each connection that replace ours. */
  parameters?: Record<string, string | number>
  /** The free space of the data's disk, if it is a disk of this machine. */
  freeBytes?: () => Promise<number>
}

/** Four segments of the write-ahead log. A server that cannot create its next one stops. */
const FREE_BYTES_MIN = 4 * 16 * 1024 * 1024
/** The queue's user for the host's own work. */
const HOST = 'the host'
/** Handles are small and cheap to recreate. */
const HANDLES_MAX = 10_000

export function openPostgres(options: PostgresOptions): Database {
  const { waitMs = WAIT_MS, freeBytes = async () => Number.POSITIVE_INFINITY } = options
  const pools = openPools(options, (handlers, profile) =>
    openDriver(options.at, handlers, { ...PARAMETERS[profile], ...options.parameters }, waitMs),
  )
  const { query, transaction, isFull } = openStatements(pools)

  const shared = {
    driver: 'url' in options.at ? 'PostgreSQL' : 'embedded PostgreSQL',
    listen: (channel: string, onNotify: (payload: string) => void, onConnect: () => void) =>
      pools.listener.listen({ channel, onNotify, onConnect }),
    isListening: pools.listener.isListening,
    waitForNotifications: pools.listener.waitForNotifications,
    ping: async () => {
      const answer = query(HEALTH, false, sql => sql`select 1`)
      if (!(await endsWithin(answer, waitMs))) throw new EngineUnavailable('db', 'down')
      await answer
      if (isFull() || (await freeBytes()) < FREE_BYTES_MIN) throw new EngineUnavailable('db', 'full')
    },
    session: <T>(work: (session: Session) => Promise<T>) =>
      runSession(options.at, 'stoa migrating', waitMs, work).catch(error => translate(error, NOT_COMMITTING)),
    close: pools.close,
  }

  function handle(as: User): Database {
    const write = <Row extends object>(strings: TemplateStringsArray, ...values: QueryValue[]) =>
      query<Row[]>(as, true, sql => send(sql, strings, values))
    const script = (text: string) => query<void>(as, true, sql => sql.unsafe(text).simple())
    const own = Object.assign(
      <Row extends object>(strings: TemplateStringsArray, ...values: QueryValue[]) =>
        query<Row[]>(as, false, sql => send(sql, strings, values)),
      {
        ...shared,
        load: pools[as.profile].load,
        transaction: <T>(work: (tx: Tx) => Promise<T>) => transaction(as, work),
        atOnce: (work: (tx: Tx) => Promise<unknown>) => sendAtOnce(write, work),
        autocommit: Object.assign(write, { ...EACH_ALONE, script }),
        script,
        for: (user: string) => handleFor({ ...as, user }),
      },
    )
    // Getters, because these handles have both properties themselves.
    return Object.defineProperties(own, {
      background: { enumerable: true, get: () => handleFor({ ...as, profile: 'background' }) },
      analytics: { enumerable: true, get: () => handleFor({ ...as, profile: 'analytics' }) },
    }) as Database
  }

  const handles = new Map<string, Database>()
  function handleFor(as: User): Database {
    const name = `${as.profile} ${as.user}`
    const known = handles.get(name)
    if (known) return known
    if (handles.size >= HANDLES_MAX) handles.clear()
    const fresh = handle(as)
    handles.set(name, fresh)
    return fresh
  }
  return handle({ profile: 'requests', user: HOST })
}

/** The user of a call, and its kind of work. */
type User = { profile: Profile; user: string }

const HEALTH: User = { profile: 'requests', user: 'health checks' }

/** Queries and transactions, and whether they found the disk full. */
function openStatements(pools: ReturnType<typeof openPools>) {
  /** Set when a statement fails for lack of disk space, until a write succeeds. */
  let isFull = false
  const run = <T>(as: User, call: RunningCall, start: (sql: postgres.Sql) => PromiseLike<T>): Promise<T> =>
    pools[as.profile].run(as.user, call, start).catch(error => {
      isFull ||= isDiskFull(error)
      return translate(error, call)
    })

  function query<T>(as: User, isWrite: boolean, make: (sql: postgres.Sql) => PromiseLike<unknown>): Promise<T> {
    // A write outside of a transaction commits by itself as soon as it is sent.
    const isBegun = () => backendOf(call.statement) !== null
    const call: RunningCall = { isCommitting: isWrite, isGivenUp: false, statement: null, isBegun }
    const answer = run(as, call, sql => {
      call.statement = make(sql)
      return call.statement as PromiseLike<T>
    })
    return isFull ? answer.then(noteWrite) : answer
  }
  const noteWrite = <T>(result: T): T => {
    if (hasWritten(result)) isFull = false
    return result
  }

  function transaction<T>(as: User, work: (tx: Tx) => Promise<T>): Promise<T> {
    let hasBegun = false
    const state = newTransaction(() => hasBegun)
    const atEnd = openAtEnd()
    return run(as, state, sql => {
      const whole = sql.begin(async tx => {
        hasBegun = true
        requireWanted(state)
        const value = await unlessLost(state, workUntilOver(state, atEnd.of(work(transactionSql(tx, state, atEnd)))))
        requireWanted(state)
        state.isCommitting = true // The driver sends COMMIT next.
        return value
      }) as Promise<T>
      // The caller awaits this promise; after it gave up, a rejection must not go unhandled.
      whole.catch(() => {
        state.isLost = true
      })
      return whole
    }).then(value => {
      if (state.hasWritten) isFull = false
      atEnd.committed()
      return value
    })
  }
  return { query, transaction, isFull: () => isFull }
}

const NOT_COMMITTING = { isCommitting: false }

/** PostgreSQL 15: older versions lack some of the SQL in use. */
const VERSION_MIN = 150_000

export async function requireVersion(db: Database): Promise<void> {
  try {
    const [row] = await db<{ number: number; text: string }>`select
      current_setting('server_version_num')::int as number, current_setting('server_version') as text`
    if (row && row.number < VERSION_MIN)
      throw new Error(`DATABASE_URL: PostgreSQL ${row.text} is too old; 15 or newer is required`)
  } catch (error) {
    if ((error as Error).message.startsWith('DATABASE_URL')) throw error
    const { code = '', message } = ((error as Error).cause ?? {}) as { code?: string; message?: string }
    throw new Error(`DATABASE_URL: ${code} ${message ?? 'the server does not answer'}`.replace('  ', ' '))
  }
}

/** `isOver`: its work has ended. Anything left running must not send further statements: they would come after ROLLBACK
 *  or COMMIT, and each would commit by itself. */
type Transaction = RunningCall & { isLost: boolean; isOver: boolean; hasWritten: boolean }

const workUntilOver = <T>(state: Transaction, work: Promise<T>): Promise<T> =>
  work.finally(() => {
    state.isOver = true
  })

const newTransaction = (isBegun: () => boolean): Transaction => ({
  isCommitting: false,
  isGivenUp: false,
  isLost: false,
  isOver: false,
  hasWritten: false,
  statement: null,
  isBegun,
})

/** After the caller has received a failure, the transaction must not be committed. */
function requireWanted(state: Transaction): void {
  if (state.isGivenUp) throw new EngineUnavailable('db', 'down')
}

const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE'])

/** Whether a statement changed rows, according to its result. */
function hasWritten(result: unknown): boolean {
  const { command = '', count = 0 } = result as { command?: string; count?: number }
  return WRITES.has(command) && count > 0
}

/** Statements in a transaction already have a connection, so they do not queue. */
function transactionSql(tx: postgres.TransactionSql, state: Transaction, { own }: AtEnd): Tx {
  const run = async <T>(statement: () => PromiseLike<unknown>): Promise<T> => {
    if (state.isLost || state.isOver) return never()
    requireWanted(state)
    const pending = statement()
    state.statement = pending
    const result = await unlessLost(state, pending as PromiseLike<T>, isConnectionLost)
    state.hasWritten ||= hasWritten(result)
    return result
  }
  return Object.assign(
    <Row extends object>(strings: TemplateStringsArray, ...values: QueryValue[]) =>
      run<Row[]>(() => send(tx, strings, values)),
    {
      ...own,
      script: async (text: string) => void (await run(() => tx.unsafe(text).simple())),
    },
  )
}

/** Resolves to the outcome, or never if the connection was lost. The driver rejects a transaction whose connection is
 *  lost, but its work goes on, and the next statement, ROLLBACK or COMMIT on that connection would end the process. So
 *  the work is suspended for good. */
function unlessLost<T>(state: Transaction, outcome: PromiseLike<T>, isLoss = (_error: unknown) => false): Promise<T> {
  return Promise.resolve(outcome).then(
    value => (state.isLost ? never<T>() : value),
    error => {
      if (state.isLost || isLoss(error)) return never<T>()
      throw error
    },
  )
}

/** A new promise each time: a shared one would keep all its reactions in memory. */
const never = <T>() => new Promise<T>(() => {})
