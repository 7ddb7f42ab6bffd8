// PostgreSQL through the `postgres` driver: queries, transactions, and the meaning of errors.
import type postgres from 'postgres'
import { type Database, EngineUnavailable, type Session, type SqlValue, type Tx } from '../engines.ts'
import { parameters } from './arrays.ts'
import { sendAtOnce } from './at-once.ts'
import type { RunningCall } from './calls.ts'
import { type Location, openDriver } from './driver.ts'
import { isConnectionLost, translate } from './errors.ts'
import { backendOf, openPool, type PoolOptions } from './pool.ts'
import { runSession } from './session.ts'

export type PostgresOptions = PoolOptions & {
  at: Location
  /** Settings of the server for each connection, instead of ours. */
  parameters?: Record<string, string | number>
}

/** Health checks need an answer soon. */
const PING_MS = 2_000
/** The user of the queue for what the host does for itself. */
const HOST = 'the host'
/** Handles are small and cheap to make again. */
const HANDLES_MAX = 10_000

export function openPostgres(options: PostgresOptions): Database {
  const pool = openPool(options, handlers => openDriver(options.at, handlers, options.parameters, options.waitMs))
  const run = <T>(user: string, call: RunningCall, start: (sql: postgres.Sql) => PromiseLike<T>): Promise<T> =>
    pool.run(user, call, start).catch(error => translate(error, call))

  function query<T>(user: string, isWrite: boolean, make: (sql: postgres.Sql) => PromiseLike<unknown>): Promise<T> {
    // A write outside of a transaction commits by itself as soon as it is sent.
    const isBegun = () => backendOf(call.statement) !== null
    const call: RunningCall = { isCommitting: isWrite, isGivenUp: false, statement: null, isBegun }
    return run(user, call, sql => {
      call.statement = make(sql)
      return call.statement as PromiseLike<T>
    })
  }

  function transaction<T>(user: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    let hasBegun = false
    const state = newTransaction(() => hasBegun)
    const afterCommit: (() => void)[] = []
    return run(user, state, sql => {
      const whole = sql.begin(async tx => {
        hasBegun = true
        requireWanted(state)
        const value = await unlessLost(state, workUntilOver(state, work(transactionSql(tx, state, afterCommit))))
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
      for (const done of afterCommit) done()
      return value
    })
  }

  const shared = {
    load: pool.load,
    listen: (channel: string, onNotify: (payload: string) => void, onConnect: () => void) =>
      pool.listen({ channel, onNotify, onConnect }),
    waitForNotifications: pool.waitForNotifications,
    ping: () => inTime(query(HEALTH, false, sql => sql`select 1`)),
    session: <T>(work: (session: Session) => Promise<T>) =>
      runSession(options.at, work).catch(error => translate(error, NOT_COMMITTING)),
    close: pool.close,
  }

  function handle(user: string): Database {
    const write = <Row extends object>(strings: TemplateStringsArray, ...values: SqlValue[]) =>
      query<Row[]>(user, true, sql => sql(strings, ...parameters(values)))
    const script = (text: string) => query<void>(user, true, sql => sql.unsafe(text).simple())
    return Object.assign(
      <Row extends object>(strings: TemplateStringsArray, ...values: SqlValue[]) =>
        query<Row[]>(user, false, sql => sql(strings, ...parameters(values))),
      {
        ...shared,
        transaction: <T>(work: (tx: Tx) => Promise<T>) => transaction(user, work),
        atOnce: (work: (tx: Tx) => Promise<unknown>) => sendAtOnce(write, work),
        autocommit: Object.assign(write, { isTransaction: true as const, afterCommit: callNow, script }),
        script,
        for: handleFor,
      },
    )
  }

  const handles = new Map<string, Database>()
  function handleFor(user: string): Database {
    const known = handles.get(user)
    if (known) return known
    if (handles.size >= HANDLES_MAX) handles.clear()
    const fresh = handle(user)
    handles.set(user, fresh)
    return fresh
  }
  return handle(HOST)
}

const HEALTH = 'health checks'

async function inTime(answer: Promise<unknown>): Promise<void> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new EngineUnavailable('db', 'down')), PING_MS).unref()
  })
  await Promise.race([answer, late])
}

const NOT_COMMITTING = { isCommitting: false }

/** PostgreSQL 15: older versions lack some of the SQL in use. */
const VERSION_MIN = 150_000

export async function requireVersion(db: Database): Promise<void> {
  try {
    const [row] = await db<{ number: number; text: string }>`select
      current_setting('server_version_num')::int as number, current_setting('server_version') as text`
    if (row && row.number < VERSION_MIN)
      throw new Error(`DATABASE_URL: PostgreSQL ${row.text} is too old; 15 is needed`)
  } catch (error) {
    if ((error as Error).message.startsWith('DATABASE_URL')) throw error
    const { code = '', message } = ((error as Error).cause ?? {}) as { code?: string; message?: string }
    throw new Error(`DATABASE_URL: ${code} ${message ?? 'the server does not answer'}`.replace('  ', ' '))
  }
}

/** Where every statement commits by itself. */
const callNow = (done: () => void) => done()

/** `isOver`: its work has ended. What the work left running must not send statements any more: they would come after
 *  ROLLBACK or COMMIT, and each would commit by itself. */
type Transaction = RunningCall & { isLost: boolean; isOver: boolean }

const workUntilOver = <T>(state: Transaction, work: Promise<T>): Promise<T> =>
  work.finally(() => {
    state.isOver = true
  })

const newTransaction = (isBegun: () => boolean): Transaction => ({
  isCommitting: false,
  isGivenUp: false,
  isLost: false,
  isOver: false,
  statement: null,
  isBegun,
})

/** After the caller has received a failure, the transaction must not be committed. */
function requireWanted(state: Transaction): void {
  if (state.isGivenUp) throw new EngineUnavailable('db', 'down')
}

/** Statements in a transaction already have a connection, so they do not queue. */
function transactionSql(tx: postgres.TransactionSql, state: Transaction, afterCommit: (() => void)[]): Tx {
  const run = async <T>(statement: () => PromiseLike<unknown>): Promise<T> => {
    if (state.isLost || state.isOver) return never()
    requireWanted(state)
    const pending = statement()
    state.statement = pending
    return unlessLost(state, pending as PromiseLike<T>, isConnectionLost)
  }
  return Object.assign(
    <Row extends object>(strings: TemplateStringsArray, ...values: SqlValue[]) =>
      run<Row[]>(() => tx(strings, ...parameters(values))),
    {
      isTransaction: true as const,
      afterCommit: (done: () => void) => void afterCommit.push(done),
      script: async (text: string) => void (await run(() => tx.unsafe(text).simple())),
    },
  )
}

/** Resolves to the outcome, or never once the connection is lost. The driver rejects a transaction whose connection is
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
