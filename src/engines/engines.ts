// Interfaces to the outside world. Services and the host use only these types; `open.ts` chooses the implementations.
// An engine is added here when the first service needs it.
import type { Database, Sql, Tx } from './db/types.ts'
import type { Warehouse } from './warehouse/types.ts'

export type Engines = {
  db: Database
  log: Log
  warehouse: Warehouse
  http: Http
  dns: Dns
  mail: Mail
  clock: Clock
  random: Random
  seal: Seal
  passwords: Passwords
}

export interface Clock {
  now(): Date
  /** Monotonic milliseconds, unaffected by changes of the system clock. */
  elapsedMs(): number
  /** Resolves after `ms`, or immediately when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Unpredictable values. All secrets come from here. */
export interface Random {
  bytes(count: number): Buffer
  /** Letters and digits, drawn uniformly from 62 characters: 43 of them have 256 bits. */
  token(length: number): string
}

/** An event of the log: CloudEvents 1.0 plus the organisation it belongs to. */
export type Envelope = {
  specversion: '1.0'
  id: string
  source: string
  /** The subject: dot-separated tokens such as `project.domain.verified`. */
  type: string
  time: string
  /** The organisation's slug. */
  tenant: string
  project?: string
  data: unknown
}

/** A reader's position in a lane. Only the log can interpret and compare it. */
export type LogPosition = string
export type LanePosition = { lane: number; position: LogPosition }

/** `envelope` is JSON. */
export type LogEntry = {
  tenant: string
  subject: string
  envelope: string
  /** What ingest recorded of an event beside its envelope, as JSON; null for all other events. */
  ingested: string | null
}

/** Selects the events that were sent to ingest, whatever their subjects. */
export const INGESTED = 'ingested'
export type Subjects = readonly string[] | typeof INGESTED

/** The result of a read. `position` is that of the last entry, whatever its subject. `rest`: whether more entries can be
 *  read `now`, or `later`, when a transaction has ended that appends before them. */
export type LogRead = { entries: LogEntry[]; position: LogPosition; rest: 'now' | 'later' | 'none' }

export type TrimOptions = {
  db: Sql
  write: <T>(work: (db: Tx) => Promise<T>) => Promise<T>
  now: Date
  signal: AbortSignal
  /** The readers' positions. Entries that a declared reader has not read are never deleted. */
  declared: readonly LanePosition[]
  undeclared: readonly LanePosition[]
}

export * from './db/types.ts'
export { isLocalhost } from './http/guard.ts'
export { matches } from './log/subjects.ts'
export { isZone, startOf, type Unit } from './warehouse/calendar.ts'
export { scopeOfProject, scopeOfWorkspace } from './warehouse/counts.ts'
export { SKETCH_ERROR } from './warehouse/distinct.ts'
export * from './warehouse/types.ts'

/** All events, in lanes: an organisation's events are in one lane, in the same order for all readers, who store their
 *  own positions. */
/** The dependencies of deletions in many small transactions. */
export type Removal = {
  db: Sql
  signal: AbortSignal
  write: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
}

export interface Log {
  readonly driver: string
  /** Lanes are numbered from 0. */
  readonly lanes: number
  /** Adds events in the transaction of the change they describe. Their texts must not contain NUL. `ingested` has an
   *  element for each of the events, if they were sent to ingest. */
  append(db: Tx, envelopes: readonly Envelope[], ingested?: readonly string[]): Promise<void>
  /** The next entries of a lane; for other subjects than these only the position. In patterns, `*` matches one token and
   *  `>` all remaining ones. */
  read(db: Sql, lane: number, after: LogPosition, subjects: Subjects, limit: number): Promise<LogRead>
  /** The positions before all future entries, by lane. Appends wait until the transaction ends. */
  head(db: Tx): Promise<LogPosition[]>
  /** For each position, when the first entry after it was appended; null if there is none. */
  unread(db: Sql, positions: readonly LanePosition[]): Promise<(string | null)[]>
  /** Called soon after any process appended entries to lanes; calls are merged and may be lost. Includes the subjects if
   *  this process appended them. */
  watch(onAppend: (lanes: readonly number[], subjects: readonly string[] | null) => void): Promise<void>
  /** Creates partitions for the coming days and deletes entries that all readers have passed. To be called every hour. */
  trim(options: TrimOptions): Promise<void>
  /** Deletes an organisation's entries, in transactions of bounded size. Returns how many. */
  remove(removal: Removal, tenant: string): Promise<number>
  /** Its size on the disk. */
  bytes(db: Sql): Promise<number>
  close(): Promise<void>
}

export type HttpRequest = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  url: string
  headers?: Record<string, string>
  body?: Uint8Array | string
  /** The time limit of the whole call, body included; with `stream`, of the response head and of each gap in the body,
   *  for which `gapMs` may set another one. */
  timeoutMs: number
  gapMs?: number
  stream?: boolean
  /** A longer response body fails; it is not truncated. */
  bodyBytesMax: number
  /** How many redirects to follow; default none. Each hop must be https and pass the address guard. */
  redirects?: number
  /** `public` (default) connects to public addresses only. `configured` is for URLs from the settings. */
  reach?: 'public' | 'configured'
  signal?: AbortSignal
  /** Called when the request is sent on a connection. */
  onSent?: () => void
}

/** For one reader. If the body is not read to its end, call `destroy`. */
export type HttpBody = AsyncIterable<Buffer> & { destroy(): void }
export type HttpResponse = { status: number; headers: Record<string, string | string[]>; url: string; body: HttpBody }

export interface Http {
  send(request: HttpRequest): Promise<HttpResponse>
  /** Whether `public` calls to this URL are possible: false if its address, or one that its name currently resolves to,
   *  is not public; null if the name has no address or could not be resolved in time. */
  isPublic(url: string): Promise<boolean | null>
  close(): Promise<void>
}

export interface Dns {
  /** The TXT records of a name, empty if the name does not exist; null if no name server answered. */
  txt(name: string): Promise<string[] | null>
}

/** `fromName` replaces the configured sender's display name; the address stays the same. */
export type OutgoingMail = { to: string; subject: string; text: string; html?: string; fromName?: string }

export interface Mail {
  readonly driver: string
  /** Resolves when the mail is delivered to the server or file; raises `EngineUnavailable` if that fails. */
  send(mail: OutgoingMail): Promise<void>
  /** Rejects within seconds if the server would not accept mail. */
  ping(): Promise<void>
  /** The mail that was written to files; null if there is a server. */
  readonly kept: KeptMails | null
}

/** Without the subject, which may have a code for signing in. The id begins with the time, so that ids are in the order of
 *  the mails. */
export type KeptMail = { id: string; at: string; to: string }

export interface KeptMails {
  /** Newest first, from before that id; an empty one comes after all. */
  list(before: string, count: number): Promise<KeptMail[]>
  /** `text` is cut at 64 KiB. Null if there is none with that id, which may be any text. */
  read(id: string): Promise<(KeptMail & { from: string; subject: string; text: string }) | null>
}

/** Encrypts secrets that must be read back. A sealed text opens only for the same organisation and name. */
export interface Seal {
  seal(org: string, name: string, text: string): Uint8Array
  unseal(org: string, name: string, sealed: Uint8Array): string
  /** A MAC: equal texts give equal results, which are useless without the root key. */
  mac(org: string, name: string, text: string): Uint8Array
}

/** An organisation or a client address; or a client among those that share an organisation's turn. */
export type PasswordUser = string | { org: string; client: string }

/** Password hashing: argon2id of the NFKC form, because keyboards compose the same characters differently; hashes of
 *  other systems can be verified too. Slow on purpose, so call it before a transaction begins. Calls wait in a queue
 *  that serves users in turn; aborted calls leave it. */
export interface Passwords {
  hash(user: PasswordUser, password: string, signal?: AbortSignal): Promise<string>
  verify(user: PasswordUser, digest: string, password: string, signal?: AbortSignal): Promise<boolean>
  /** The same, but a wrong password is answered at a full second after the call: verifying hashes of other systems takes
   *  a different time, which would reveal whether the account exists. Once it is known to be wrong, an aborted signal
   *  changes nothing. */
  verifyEvenly(user: PasswordUser, digest: string, password: string, signal?: AbortSignal): Promise<boolean>
  /** Whether `hash` would use the same parameters now. Other hashes can be verified too, and should be replaced when the
   *  password is known. */
  isCurrent(digest: string): boolean
  /** Converts a hash from another system to the stored form. */
  adopt(foreign: ForeignHash): Adopted
  /** A stored hash as `adopt` reads it. */
  exported(digest: string): string
}

/** A password hash from another system: a text that names its format (`$2b$…`, `$argon2id$…`), or base64 with the fields
 *  that its algorithm requires. */
export type ForeignHash = {
  hash: string
  algorithm?: 'bcrypt' | 'argon2' | 'pbkdf2' | 'pbkdf2-sha256' | 'pbkdf2-sha512' | 'firebase-scrypt'
  salt?: string
  iterations?: number
  /** For argon2; the memory is in KiB. */
  memory?: number
  parallelism?: number
  type?: 'id' | 'i' | 'd'
  version?: '1.0' | '1.3'
  firebase?: FirebaseParameters | undefined
}

/** The parameters shared by all hashes of a Firebase project. */
export type FirebaseParameters = { signerKey: string; saltSeparator: string; rounds: number; memCost: number }

/** The digest to store, or what is wrong with the hash. */
export type Adopted = { digest: string } | { problem: string }

/** Engine names in faults and logs. */
export type EngineName = keyof Engines

/** An engine is unavailable. `busy`: its queue is full. `slow`: the work was cancelled after its time limit. `down`: it cannot be reached. `full`: its disk is full.
 *  `conflict`: a transaction lost a race and would succeed if retried. In these cases nothing was done. `unknown`: the
 *  connection was lost after the last statement was sent, which may have taken effect. */
export class EngineUnavailable extends Error {
  readonly engine: EngineName
  readonly state: 'busy' | 'slow' | 'down' | 'full' | 'conflict' | 'unknown'
  constructor(engine: EngineName, state: EngineUnavailable['state'], cause?: unknown) {
    super(`${engine} is ${state}`, { cause })
    this.engine = engine
    this.state = state
  }
}

/** A statement contradicts other rows, usually because they changed since they were read. `reference`: a referenced row
 *  does not exist. `unique`: the row already exists. */
export class ConstraintViolated extends Error {
  readonly kind: 'reference' | 'unique'
  constructor(kind: ConstraintViolated['kind'], cause: unknown) {
    super(`a ${kind} constraint is violated`, { cause })
    this.kind = kind
  }
}

/** Why an outgoing call failed. The message may be shown to the person who entered the URL. */
export class HttpFailure extends Error {
  readonly reason: 'address' | 'timeout' | 'size' | 'redirect' | 'network'
  constructor(reason: HttpFailure['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}
