// The warehouse: rows of events in, and named queries about them out.
import type { Database, Sql, Tx } from '../db/types.ts'

/** What is known of an event from its properties. */
export const FACTS = ['path', 'source', 'campaign', 'country', 'device', 'browser', 'system', 'release'] as const
export type Fact = (typeof FACTS)[number]

/** An accepted event, as it is stored. */
export type EventRow = Record<Fact, string | null> & {
  /** When it arrived, and when it happened by the server's clock. */
  received: string
  timestamp: string
  /** Whether the client's time was too far from ours and was replaced. */
  isClamped: boolean
  org: string
  project: string | null
  workspace: string | null
  id: string
  wire: string
  event: string
  distinctId: string | null
  anonymousId: string | null
  sessionId: string | null
  revenue: number | null
  currency: string | null
  /** Who it counts as, unless that id was joined to another one. */
  visitor: string
  /** From this event on, the events of visitor `id` count as those of `to`. */
  join: { id: string; to: string } | null
  /** Only for errors: those with the same fingerprint are the same error. */
  fingerprint: string | null
  /** A JSON object. */
  properties: string
}

/** A row that a former version stored, before events were counted. */
export type StoredRow = Omit<EventRow, Fact | 'visitor' | 'join'>

/** A path in an error's properties, such as `exception/stack`, and how many characters of a text are read there:
 *  normally, and if the properties are omitted. */
export type ErrorPath = { path: string; charactersMax: number; charactersMaxIfOmitted: number }

/** Errors of one workspace or of the whole organisation, with one fingerprint or with any. */
export type ErrorsOf = { org: string; workspace: string | null; fingerprint: string | null }

export type ErrorRow = Pick<EventRow, 'id' | 'event' | 'timestamp' | 'project' | 'distinctId' | 'sessionId'> & {
  fingerprint: string
  /** JSON text; null if omitted, because those of all rows together would be too long. */
  properties: string | null
  propertiesBytes: number
  /** The values at the given paths, and the last frames of `$exception_list`. Texts that are longer than requested have
   *  one extra character; objects and lists are empty. Both are null if the properties are short enough to be parsed. */
  excerpt: Record<string, unknown> | null
  frames: unknown[] | null
}

export type ListedEvent = Omit<
  EventRow,
  Fact | 'isClamped' | 'org' | 'visitor' | 'join' | 'fingerprint' | 'properties'
> & {
  /** JSON text; null if omitted, because those of all rows together would be too long. */
  properties: string | null
  propertiesBytes: number
}

/** Whose events are read: of the whole organisation, of some of its projects, or of one workspace. */
export type Of = { org: string; scopes: readonly string[] }

export type Operator = 'is' | 'not' | 'contains' | 'starts' | 'in' | 'gt' | 'lt' | 'set'

/** `of` is a fact, `event`, or `properties.` with a name. */
export type Condition = { of: string; operator: Operator; values: readonly string[] }

/** The events from one time to another, both of whole quarters of an hour, that meet all the conditions. */
export type Chosen = Of & { fromMs: number; toMs: number; where: readonly Condition[] }

/** Above 10,000, a number of distinct visitors is an estimate. */
export type Distinct = { count: number; isExact: boolean }

export type Totals = {
  visitors: Distinct
  sessions: number
  bounces: number
  /** The duration of all sessions together. */
  ms: number
  pageviews: number
  events: number
}

/** The totals from one of the times to the next one. */
export type Point = Totals & { atMs: number }

/** What a model call used; `spend` is in cents. */
export type Usage = { atMs: number; project: string | null; tokens: number; spend: number }

export type UsageTotals = { requests: number; tokens: number; spend: number }

/** `revenue` is by currency, '' if an event has none. Model calls are not known of events that meet conditions. */
export type Figures = Totals & { revenue: Record<string, number>; usage: UsageTotals | null }

/** Errors with the same fingerprint: how many of the chosen ones there are, and since when there are any. */
export type ErrorGroup = {
  fingerprint: string
  count: number
  people: Distinct
  first: string
  last: string
  releases: string[]
  /** The newest of them; null if it was deleted. */
  example: Pick<EventRow, 'id' | 'event' | 'properties'> | null
  /** How many there are from each of the given times to the next one. */
  counts: number[]
}

/** An event as it was counted, in the order of the time at which it happened. */
export type RawEvent = Omit<EventRow, 'org' | 'join' | 'isClamped'> & { arrival: number; session: string }
export type RawPosition = { timestamp: string; arrival: number }

export type TopValue = { value: string; visitors: Distinct; events: number; first: string; last: string }

/** The values with the most visitors, and all visitors of the chosen events, also of those that have no value. */
export type Top = { values: TopValue[]; all: Distinct }

/** The times at which points begin, and the end of the last one. `days` is their zone if they are days or longer. */
export type Times = { startsMs: readonly number[]; days: string | null; isMonths: boolean }
/** A field, and a series for each of these values of it. */
export type Breakdown = { by: string; values: readonly string[] }
export type PageAt = { offset: number; limit: number }

/** Queries about what was appended. `by` is a fact, `event`, or `properties.` with a name. */
export interface Lenses {
  /** When the first event happened; null if there is none. */
  first(db: Database, of: Of): Promise<string | null>
  figures(db: Database, chosen: Chosen): Promise<Figures>
  /** By value; '' is everything. Sessions are counted only if they are asked for, because events have to be read for that. */
  series(
    db: Database,
    chosen: Chosen,
    times: Times,
    asked: { breakdown: Breakdown | null; hasSessions: boolean },
  ): Promise<ReadonlyMap<string, Point[]>>
  top(db: Database, chosen: Chosen, by: string, limit: number): Promise<Top>
  /** The names of events, the most frequent first. */
  events(db: Database, chosen: Chosen, page: PageAt): Promise<TopValue[]>
  /** The errors that happened last first. `startsMs` divides the time. */
  errors(db: Database, chosen: Chosen, startsMs: readonly number[], page: PageAt): Promise<ErrorGroup[]>
  /** Newest first, from those before `last`. */
  rows(db: Database, chosen: Chosen, last: RawPosition | null, limit: number): Promise<RawEvent[]>
}

/** Stores and reads events. */
export interface Warehouse {
  readonly driver: string
  lenses: Lenses
  /** Adds up what was appended, in transactions of bounded size, by days of each organisation's zone. To be called every few
   *  seconds: until then, queries add it up themselves. */
  addUp(
    db: Sql,
    write: <T>(work: (db: Tx) => Promise<T>) => Promise<T>,
    zoneOf: (org: string) => Promise<string>,
    now: Date,
    signal: AbortSignal,
  ): Promise<void>
  /** Counts the rows that a former version stored, in transactions of bounded size, until none are left. `describe` says what is
   *  known of a row from its properties. */
  countStored(
    db: Sql,
    write: <T>(work: (db: Tx) => Promise<T>) => Promise<T>,
    describe: (row: StoredRow) => EventRow,
    signal: AbortSignal,
  ): Promise<void>
  /** How many of them are left; at most `limit`. */
  uncounted(db: Sql, org: string, limit: number): Promise<number>
  /** Adds events in the order of their arrival, and what they count as. Those that it has are skipped. */
  append(db: Tx, rows: readonly EventRow[]): Promise<void>
  appendUsage(db: Tx, org: string, used: readonly Usage[]): Promise<void>
  /** Newest first. `paths` are read from long properties. */
  newestErrors(db: Sql, of: ErrorsOf, limit: number, paths: readonly ErrorPath[]): Promise<ErrorRow[]>
  /** Events of an organisation in the order of their arrival, the newest first, from those that arrived before `last`. */
  newestEvents(db: Sql, org: string, last: { received: string; id: string }, limit: number): Promise<ListedEvent[]>
  /** Deletes up to that many events that arrived before that time; returns how many. */
  deleteBefore(db: Tx, org: string, before: string, limit: number): Promise<number>
  /** The same of sessions whose last event arrived before that time. */
  deleteSessions(db: Tx, org: string, before: string, limit: number): Promise<number>
  /** Creates partitions for the coming months. To be called every hour. */
  maintain(db: Sql, write: <T>(work: (db: Tx) => Promise<T>) => Promise<T>, now: Date): Promise<void>
}
