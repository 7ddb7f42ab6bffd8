// The database, and queries as tagged templates.

export type SqlValue = string | number | boolean | null | Uint8Array | readonly (string | number | boolean | null)[]

/** A part of a query. Its text becomes a part of the query's text, its values parameters. */
export class Fragment {
  readonly strings: readonly string[]
  readonly values: readonly QueryValue[]
  constructor(strings: readonly string[], values: readonly QueryValue[]) {
    this.strings = strings
    this.values = values
  }
}

export type QueryValue = SqlValue | Fragment

/** A part of a query, such as columns or a condition: ``fragment`org = ${org}` ``. */
export const fragment = (strings: TemplateStringsArray, ...values: QueryValue[]): Fragment =>
  new Fragment(strings, values)

/** A query as a tagged template: every `${value}` is sent as a parameter, unless it is a fragment. Times are RFC 3339 strings,
 *  64-bit integers are numbers. */
export type Sql = <Row extends object>(strings: TemplateStringsArray, ...values: QueryValue[]) => Promise<Row[]>

/** A transaction. Functions that write require one, so that a write outside of a transaction does not compile. */
export interface Tx extends Sql {
  readonly isTransaction: true
  /** Calls `work` when the rest of the transaction is done, all such calls together. For rows that many transactions
   *  change: they are locked briefly, and in one order. */
  beforeCommit(work: () => Promise<unknown>): void
  /** Calls `done` when the transaction has been committed. */
  afterCommit(done: () => void): void
  /** Runs several statements without parameters. For migrations only. */
  script(text: string): Promise<void>
}

/** A dedicated connection without time limits. Its statements run one after the other. */
export interface Session extends Tx {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** PostgreSQL. Calling it runs one read query. */
export interface Database extends Sql {
  /** What implements it, for operators; as in other engines. */
  readonly driver: string
  /** The same database for the calls of one organisation, or of one client address if no organisation is known. Each has
   *  its own queue; they are served in turn, and none gets more than is left for the others. */
  for(user: string): Database
  /** The same for consumers, queues and schedules. It has its own connections and queues, so that it and requests do not
   *  delay each other. */
  readonly background: Database
  /** The same for reads over many rows, with its own connections and queues. Its statements are planned for their
   *  values, may scan whole tables, and cannot write. */
  readonly analytics: Database
  /** Commits when the work resolves, rolls back when it throws. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** For writes of a single statement. */
  readonly autocommit: Tx
  /** Sends all writes of the work as one statement: one round trip instead of several. They must not read what the
   *  others write, and return no rows. */
  atOnce(work: (tx: Tx) => Promise<unknown>): Promise<void>
  script(text: string): Promise<void>
  /** Runs long work outside of the pool and its queue. For migrations only. */
  session<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** Calls `onNotify` for each message on the channel, and `onConnect` each time listening (re)starts: messages may have
   *  been missed, so caches must be cleared. */
  listen(channel: string, onNotify: (payload: string) => void, onConnect: () => void): Promise<void>
  /** False while the listening connection is lost. Code that relies on notifications must then query the database. */
  isListening(): boolean
  /** Resolves when all notifications sent before this call, by any process, have been handled here, or listening is lost. */
  waitForNotifications(): Promise<void>
  /** Rejects if the server does not answer or its disk is full. */
  ping(): Promise<void>
  /** The load of requests, background work or analytics. `waiting` counts work that waits for a connection. */
  load(): { running: number; waiting: number }
  close(): Promise<void>
}
