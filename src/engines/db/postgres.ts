// PostgreSQL through the `postgres` driver: a pool with a bounded queue, transactions, LISTEN.
import postgres from 'postgres'
import { type Database, EngineUnavailable, type SqlValue, type Tx } from '../engines.ts'
import { openLimiter, type Waits } from './limiter.ts'
import { type NotifyHandlers, openListening } from './notifications.ts'

export type PostgresOptions = {
  /** Where: a URL, or the socket directory and database of the embedded server. */
  at: { url: string } | { socketDirectory: string; database: string; user: string }
  connectionsMax: number
  /** How many callers may wait for a connection; the next one is refused at once instead of joining a growing queue. */
  queueMax: number
  /** How often it is looked whether LISTEN still hears; shortened by tests. */
  beatMs?: number
}

/** A query that ran this long is worth more to stop than to finish: its caller has given up. */
const STATEMENT_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_S = 5

const WAITS: Waits = { connectionMs: 5_000, answerMs: STATEMENT_TIMEOUT_MS + 5_000 }
/** Whether the server answers is asked by those who cannot wait. */
const PING_WAITS: Waits = { connectionMs: 2_000, answerMs: 2_000 }

export function openPostgres(options: PostgresOptions): Database {
  const sql = connect(options)
  const listening = openListening(handlers => connect({ ...options, connectionsMax: 1 }, handlers), options.beatMs)
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
        if (state.givenUp) throw new Error('begun after its caller had left')
        return whileThere(state, work(inside(tx, state))).then(value => {
          if (state.givenUp) throw new Error('its caller was told that it failed')
          return value
        })
      }) as Promise<T>
      // Whoever waits is told; when nobody does any more, nobody has to be.
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
      listen: (channel: string, onNotify: (payload: string) => void, onConnect: () => void) =>
        listening.listen({ channel, onNotify, onConnect }),
      waitForNotifications: listening.waitForNotifications,
      ping: async () => void (await run(sql`select 1`, PING_WAITS)),
      close: async () => {
        await listening.close()
        await sql.end({ timeout: 5 })
      },
    },
  )
}

/** Below 15 some of the SQL in use does not exist. */
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

/** It holds its connection already, so nothing is counted again. */
function inside(tx: postgres.TransactionSql, state: Connection): Tx {
  const run = <T>(statement: () => PromiseLike<T>): Promise<T> =>
    state.isLost ? suspended() : whileThere(state, statement(), isGone)
  return Object.assign(
    <Row extends object>(strings: TemplateStringsArray, ...values: SqlValue[]) =>
      run(() => tx<Row[]>(strings, ...(values as string[])) as unknown as PromiseLike<Row[]>),
    {
      isTransaction: true as const,
      script: async (text: string) => void (await run(() => tx.unsafe(text).simple())),
    },
  )
}

/** The outcome, while the connection is there. The driver tells whoever waits for the transaction that it is lost, but goes on
 *  with the work in it, and its next statement, ROLLBACK or COMMIT on that connection ends the process. So the work gets no
 *  further from then on. */
function whileThere<T>(state: Connection, outcome: PromiseLike<T>, tellsLoss = (_error: unknown) => false): Promise<T> {
  return Promise.resolve(outcome).then(
    value => (state.isLost ? suspended<T>() : value),
    error => {
      if (state.isLost || tellsLoss(error)) return suspended<T>()
      throw error
    },
  )
}

/** Comes never; a new one each time, so that nothing is kept by it. */
const suspended = <T>() => new Promise<T>(() => {})

function connect({ at, connectionsMax }: PostgresOptions, handlers?: NotifyHandlers): postgres.Sql {
  const settings: postgres.Options<Record<string, postgres.PostgresType>> = {
    max: connectionsMax,
    connect_timeout: CONNECT_TIMEOUT_S,
    // A lost server is tried again at once and then ever more slowly, up to two seconds.
    backoff: attempt => Math.min(2, 0.05 * 2 ** attempt),
    onnotice: () => {},
    ...(handlers && { ...handlers, max_lifetime: null }),
    connection: {
      application_name: handlers ? 'stoa listening' : 'stoa',
      TimeZone: 'UTC',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
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
  ...['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'],
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ENOTFOUND', 'EHOSTUNREACH', 'EACCES'],
])

/** Statements that were stopped, or refer to what was deleted meanwhile, and a server short of something: the same call
 *  may pass in a moment, or is told then what is missing. */
const BUSY = /^(57014|55P03|23503|53...)$/
/** Serialisation failures and deadlocks: run again, the same transaction passes. */
const CONFLICT = /^(40001|40P01)$/

/** Whether the connection is gone, or about to be: FATAL is PostgreSQL's word for ending it, whatever the reason. */
function isGone(error: unknown): boolean {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown }
  return severity === 'FATAL' || DOWN.has(String(code))
}

/** Tells "the server is not there" from everything else, which passes as the driver threw it. */
function translate(error: unknown): never {
  const { code } = (error ?? {}) as { code?: unknown }
  if (error instanceof EngineUnavailable || typeof code !== 'string') throw error
  if (isGone(error)) throw new EngineUnavailable('db', 'down', error)
  if (CONFLICT.test(code)) throw new EngineUnavailable('db', 'conflict', error)
  throw BUSY.test(code) ? new EngineUnavailable('db', 'busy', error) : error
}
