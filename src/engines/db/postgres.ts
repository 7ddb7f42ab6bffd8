// PostgreSQL through the `postgres` driver: a pool with a bounded queue, transactions, LISTEN.
import postgres from 'postgres'
import { type Database, EngineUnavailable, type SqlValue } from '../engines.ts'

export type PostgresOptions = {
  /** Where: a URL, or the socket directory and database of the embedded server. */
  at: { url: string } | { socketDirectory: string; database: string; user: string }
  connectionsMax: number
  /** How many callers may wait for a connection; the next one is refused at once instead of joining a growing queue. */
  queueMax: number
}

/** A query that ran this long is worth more to stop than to finish: its caller has given up. */
const STATEMENT_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_S = 5

export function openPostgres(options: PostgresOptions): Database {
  const sql = connect(options)
  const limit = options.connectionsMax + options.queueMax
  let admitted = 0

  async function admit<T>(work: () => PromiseLike<T>): Promise<T> {
    if (admitted >= limit) throw new EngineUnavailable('db', 'busy')
    admitted++
    try {
      return await work()
    } catch (error) {
      throw translated(error)
    } finally {
      admitted--
    }
  }

  return Object.assign(
    <Row extends object>(strings: TemplateStringsArray, ...values: SqlValue[]) =>
      admit(() => sql<Row[]>(strings, ...(values as string[])) as PromiseLike<Row[]>),
    {
      transaction: <T>(work: (db: Database) => Promise<T>) =>
        admit(() => sql.begin(tx => work(inside(tx))) as Promise<T>),
      script: (text: string) => admit(async () => void (await sql.unsafe(text).simple())),
      listen: async (channel: string, heard: (payload: string) => void, connected: () => void) => {
        await sql.listen(channel, heard, connected)
      },
      ping: () => admit(async () => void (await sql`select 1`)),
      load: () => ({
        running: Math.min(admitted, options.connectionsMax),
        waiting: Math.max(0, admitted - options.connectionsMax),
      }),
      close: () => sql.end({ timeout: 5 }),
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
    const { code, message } = ((error as Error).cause ?? error) as { code?: string; message: string }
    throw new Error(message.startsWith('DATABASE_URL') ? message : `DATABASE_URL: ${code ?? ''} ${message}`)
  }
}

/** The database as seen from inside a transaction: it holds its connection already, so nothing is counted again. */
function inside(tx: postgres.TransactionSql): Database {
  const refuse = (what: string) => () => {
    throw new Error(`${what} makes no sense inside a transaction`)
  }
  return Object.assign(
    <Row extends object>(strings: TemplateStringsArray, ...values: SqlValue[]) =>
      tx<Row[]>(strings, ...(values as string[])) as unknown as Promise<Row[]>,
    {
      transaction: <T>(work: (db: Database) => Promise<T>) =>
        tx.savepoint(nested => work(inside(nested))) as Promise<T>,
      script: async (text: string) => void (await tx.unsafe(text).simple()),
      listen: refuse('LISTEN'),
      ping: refuse('ping()'),
      load: refuse('load()'),
      close: refuse('close()'),
    },
  )
}

function connect({ at, connectionsMax }: PostgresOptions): postgres.Sql {
  const settings: postgres.Options<Record<string, postgres.PostgresType>> = {
    max: connectionsMax,
    connect_timeout: CONNECT_TIMEOUT_S,
    // A lost server is tried again at once and then ever more slowly, up to two seconds.
    backoff: attempt => Math.min(2, 0.05 * 2 ** attempt),
    onnotice: () => {},
    connection: {
      application_name: 'stoa',
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

/** Tells "the server is not there" from everything else, which passes as the driver threw it. FATAL is PostgreSQL's
 *  word for ending the connection, whatever the reason. */
function translated(error: unknown): unknown {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown }
  const down = severity === 'FATAL' || (typeof code === 'string' && DOWN.has(code))
  return down ? new EngineUnavailable('db', 'down', error) : error
}
