// The outside world as narrow types. Services and the host know these types only; `open.ts` alone knows who stands
// behind them. An engine is added here when the first service needs it.
import type { Readable } from 'node:stream'

export type Engines = { db: Database; http: Http; dns: Dns; mail: Mail; clock: Clock; random: Random; seal: Seal }

/** Time. Tests move it by hand. */
export interface Clock {
  now(): Date
  /** Milliseconds since some moment: never goes back, whatever is done to the clock on the wall. */
  elapsedMs(): number
  /** Answers after so long, or at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Unpredictable values. Everything secret comes from `bytes` or `token`. */
export interface Random {
  bytes(count: number): Buffer
  /** Letters and digits, each drawn evenly from 62: 43 of them carry 256 bits. */
  token(length: number): string
}

export type SqlValue = string | number | boolean | null | Uint8Array | readonly (string | number | boolean | null)[]

/** A query as a tagged template: every `${value}` travels as a parameter, never as text. Times come and go as RFC 3339
 *  strings, 64-bit integers as numbers. */
export type Sql = <Row extends object>(strings: TemplateStringsArray, ...values: SqlValue[]) => Promise<Row[]>

/** A transaction. Whatever writes takes one, so that a write outside of any does not compile. */
export interface Tx extends Sql {
  readonly isTransaction: true
  /** Runs several statements without parameters. For migrations alone. */
  script(text: string): Promise<void>
}

/** PostgreSQL. Calling it runs one query, for reading. */
export interface Database extends Sql {
  /** Commits when the work resolves, and rolls back when it throws. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** For writes of one statement, which is a transaction by itself. */
  readonly autocommit: Tx
  script(text: string): Promise<void>
  /** Calls `onNotify` for each message on the channel, and `onConnect` each time listening (re)starts: what was sent
   *  in between is lost, so whoever caches must drop everything then. */
  listen(channel: string, onNotify: (payload: string) => void, onConnect: () => void): Promise<void>
  /** Resolves when every notification sent before, by whomever, has been handled here. */
  waitForNotifications(): Promise<void>
  /** Answers when the server does. */
  ping(): Promise<void>
  /** Work under way, and work waiting for a connection. */
  load(): { running: number; waiting: number }
  close(): Promise<void>
}

export type HttpRequest = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  url: string
  headers?: Record<string, string>
  body?: Uint8Array | string
  /** For the whole call, body included. With `stream` it bounds the wait for the head and each gap in the body. */
  timeoutMs: number
  stream?: boolean
  /** A body longer than this fails instead of being cut. */
  bodyBytesMax: number
  /** How many redirects to follow; none unless said. Each hop is https and passes the address guard. */
  redirects?: number
  /** `public` (unless said) dials public addresses only. `configured` is for URLs from the settings. */
  reach?: 'public' | 'configured'
  signal?: AbortSignal
}

export type HttpResponse = { status: number; headers: Record<string, string | string[]>; url: string; body: Readable }

/** Outgoing HTTP. */
export interface Http {
  send(request: HttpRequest): Promise<HttpResponse>
  close(): Promise<void>
}

/** The domain name system. */
export interface Dns {
  /** The TXT records of a name, none where there is no such name; null when nobody could tell. */
  txt(name: string): Promise<string[] | null>
}

/** Outgoing mail. */
export interface Mail {
  /** Answers when the mail is out of our hands; raises `EngineUnavailable` when nobody takes it. */
  send(mail: { to: string; subject: string; text: string }): Promise<void>
}

/** Encryption at rest, for secrets that must be read back. What was sealed for one organisation under one name opens for
 *  these alone. */
export interface Seal {
  seal(org: string, name: string, text: string): Uint8Array
  unseal(org: string, name: string, sealed: Uint8Array): string
}

/** Engines by the names that faults and logs call them; the bus and the warehouse come with events. */
export type EngineName = keyof Engines | 'bus' | 'warehouse'

/** An engine cannot serve now: `busy` means its queue is full, `down` that it cannot be reached, `conflict` that a
 *  transaction lost a race and would pass if it were run again. Nothing was done, unless the connection broke while a
 *  statement was under way. */
export class EngineUnavailable extends Error {
  readonly engine: EngineName
  readonly state: 'busy' | 'down' | 'conflict'
  constructor(engine: EngineName, state: 'busy' | 'down' | 'conflict', cause?: unknown) {
    super(`${engine} is ${state}`, { cause })
    this.engine = engine
    this.state = state
  }
}

/** Why an outgoing call failed, in words that may be shown to the person who named the URL. */
export class HttpFailure extends Error {
  readonly reason: 'address' | 'timeout' | 'size' | 'redirect' | 'network'
  constructor(reason: HttpFailure['reason'], says: string, cause?: unknown) {
    super(says, { cause })
    this.reason = reason
  }
}
