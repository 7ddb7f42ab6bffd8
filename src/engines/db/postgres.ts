// PostgreSQL through the `postgres` driver: a pool with a bounded queue, transactions, LISTEN.
import postgres from 'postgres'
import { type Database, EngineUnavailable, type Session, type SqlValue, type Tx } from '../engines.ts'
import { openLimiter, type Waits } from './limiter.ts'
import { type NotifyHandlers, openListener } from './notifications.ts'
import { runSession, SESSION_SETTINGS } from './session.ts'

export type PostgresOptions = {
  at: { url: string } | { socketDirectory: string; database: string; user: string }
  connectionsMax: number
  /** How many callers may wait for a connection; further ones are refused at once. */
  queueMax: number
  /** How often the LISTEN connection is checked; tests shorten it. */
  heartbeatMs?: number
}

/** After this time the caller has given up, so that the query need not finish. */
const STATEMENT_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_S = 5

const WAITS: Waits = { connectionMs: 5_000, answerMs: STATEMENT_TIMEOUT_MS + 5_000 }
/** Health checks need an answer soon. */
const PING_WAITS: Waits = { connectionMs: 2_000, answerMs: 2_000 }

export function openPostgres(options: PostgresOptions): Database {
  const sql = connect(options)
  const listener = openListener(handlers => connect({ ...options, connectionsMax: 1 }, handlers), options.heartbeatMs)
  const { acquire, load } = openLimiter(options.connectionsMax, options.queueMax)

  async function run<T>(query: { cancel(): void }, waits: Waits): Promise<T> {
    const pending = query as unknown as PromiseLike<T> & { state?: unknown }
    const begun = () => Boolean(pending.state)
    return acquire({ start: () => pending, begun, giveUp: () => query.cancel() }, waits).catch(translate)
  }

  async function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const state = { begun: false, givenUp: false, isLost: false }
    const start = () => {
      const whole = sql.begin(tx => {
        state.begun = true
        if (state.givenUp) throw new Error('began after its caller had given up')
        return unlessLost(state, work(transactionSql(tx, state))).then(value => {
          if (state.givenUp) throw new Error('its caller had already received a failure')
          return value
        })
      }) as Promise<T>
      // The caller awaits this promise; after it gave up, a rejection must not go unhandled.
      whole.catch(() => {
        state.isLost = true
      })
      return whole
    }
    const giveUp = () => {
      state.givenUp = true
    }
    return acquire({ start, begun: () => state.begun, giveUp }, WAITS).catch(translate)
  }

  const query = <Row extends object>(strings: TemplateStringsArray, ...values: SqlValue[]) =>
    run<Row[]>(sql(strings, ...(values as string[])), WAITS)
  const script = (text: string) => run<void>(sql.unsafe(text).simple(), WAITS)
  return Object.assign(
    <Row extends object>(strings: TemplateStringsArray, ...values: SqlValue[]) => query<Row>(strings, ...values),
    {
      transaction,
      autocommit: Object.assign(query, { isTransaction: true as const, script }),
      load,
      script,
      session: <T>(work: (session: Session) => Promise<T>) =>
        runSession(onclose => connectSession(options, onclose), work).catch(translate),
      listen: (channel: string, onNotify: (payload: string) => void, onConnect: () => void) =>
        listener.listen({ channel, onNotify, onConnect }),
      waitForNotifications: listener.waitForNotifications,
      ping: async () => void (await run(sql`select 1`, PING_WAITS)),
      close: async () => {
        await listener.close()
        await sql.end({ timeout: 5 })
      },
    },
  )
}

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

type Connection = { isLost: boolean }

/** Statements in a transaction already have a connection, so the limiter does not count them. */
function transactionSql(tx: postgres.TransactionSql, state: Connection): Tx {
  const run = <T>(statement: () => PromiseLike<T>): Promise<T> =>
    state.isLost ? never() : unlessLost(state, statement(), isConnectionLost)
  return Object.assign(
    <Row extends object>(strings: TemplateStringsArray, ...values: SqlValue[]) =>
      run(() => tx<Row[]>(strings, ...(values as string[])) as unknown as PromiseLike<Row[]>),
    {
      isTransaction: true as const,
      script: async (text: string) => void (await run(() => tx.unsafe(text).simple())),
    },
  )
}

/** Resolves to the outcome, or never once the connection is lost. The driver rejects a transaction whose connection is
 *  lost, but its work goes on, and the next statement, ROLLBACK or COMMIT on that connection would end the process. So
 *  the work is suspended for good. */
function unlessLost<T>(state: Connection, outcome: PromiseLike<T>, isLoss = (_error: unknown) => false): Promise<T> {
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

const connectSession = (options: PostgresOptions, onclose: () => void) =>
  connect({ ...options, connectionsMax: 1 }, { onclose, onnotify: () => {} }, SESSION_SETTINGS)

function connect(
  { at, connectionsMax }: PostgresOptions,
  handlers?: NotifyHandlers,
  overrides?: Partial<typeof SESSION_SETTINGS>,
): postgres.Sql {
  const settings: postgres.Options<Record<string, postgres.PostgresType>> = {
    max: connectionsMax,
    connect_timeout: CONNECT_TIMEOUT_S,
    // The first retry is immediate; the delay then doubles up to two seconds.
    backoff: attempt => Math.min(2, 0.05 * 2 ** attempt),
    onnotice: () => {},
    ...(handlers && { ...handlers, max_lifetime: null }),
    connection: {
      application_name: handlers ? 'stoa listening' : 'stoa',
      TimeZone: 'UTC',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      ...overrides,
    },
    types: {
      time: { to: 1184, from: [1184], serialize: (v: string) => v, parse: (v: string) => new Date(v).toISOString() },
      integer64: { to: 20, from: [20], serialize: String, parse: Number },
    },
  }
  if ('url' in at) return postgres(at.url, settings) as postgres.Sql
  return postgres({ ...settings, host: at.socketDirectory, database: at.database, user: at.user }) as postgres.Sql
}

const DOWN = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EACCES',
])

/** Cancelled statements, lock timeouts, references to rows deleted meanwhile, and a server short of resources: a retry
 *  may succeed, or then reports what is missing. */
const BUSY = /^(57014|55P03|23503|53...)$/
/** Serialisation failures and deadlocks: a retry of the transaction succeeds. */
const CONFLICT = /^(40001|40P01)$/

/** Whether the connection is lost or about to be: with FATAL, PostgreSQL ends it. */
function isConnectionLost(error: unknown): boolean {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown }
  return severity === 'FATAL' || DOWN.has(String(code))
}

/** Converts errors of availability to `EngineUnavailable`; rethrows all others unchanged. */
function translate(error: unknown): never {
  const { code } = (error ?? {}) as { code?: unknown }
  if (error instanceof EngineUnavailable || typeof code !== 'string') throw error
  if (isConnectionLost(error)) throw new EngineUnavailable('db', 'down', error)
  if (CONFLICT.test(code)) throw new EngineUnavailable('db', 'conflict', error)
  throw BUSY.test(code) ? new EngineUnavailable('db', 'busy', error) : error
}
