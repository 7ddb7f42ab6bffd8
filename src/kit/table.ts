// A service declares each of its tables once, in `tables.ts`. From that come the deletion of old rows, the bounds of an
// organisation, the purge of a deleted one, the sizes that superadmins see, and tests of all of it.
import type { Engines, Fragment, Removal, Sql, Tx } from '../engines/engines.ts'
import type { OrgId } from './caller.ts'
import { count, type Setting, setting } from './setting.ts'

/** How long rows are kept. Several of one table apply independently. */
export type Retention<State = never> = {
  column: string
  /** `id` is a UUID of version 7, which has the time; default `time`. */
  type?: 'time' | 'day' | 'id'
  /** After the time of the column; 0 if that is when they end. */
  keptMs: number | ((state: State) => number)
  /** Only of these rows. */
  where?: Fragment
  /** `blocks` reads the whole table in small steps: for a large table without an index on the column. */
  by?: 'index' | 'blocks'
}

/** How long rows of an organisation are kept by its own choice; null is for ever. `chosen` reads who has chosen, by slug. */
export type OrgRetention = {
  chosen: (db: Sql, after: string, limit: number) => Promise<readonly { org: OrgId; days: number | null }[]>
}

/** How many rows an organisation may have. One more is answered with 409. */
export type Bound = {
  /** The setting with the number, and its default. */
  setting: string
  fallback: number
  /** The line of documentation. */
  doc: string
  /** What they are called, in the plural, and what to do if there are too many. */
  what: string
  remedy: string
  /** Which rows count, at that time; default all. */
  where?: (now: string) => Fragment
  /** Of a table that is too large to count: how many there are, as it is kept beside. */
  counted?: (db: Sql, org: OrgId) => Promise<number>
}

/** Rows of another table, which have the organisation in the column `org`, or in one of another name: `columns` are those of
 *  this table, `keys` those of the other one. */
export type Through = { table: string; columns: readonly string[]; keys: readonly string[]; org?: string }

export type Removing = Omit<Engines, 'db'> & Removal

/** Deletes rows of an organisation, of all times or before that one, in transactions of a bounded size. Returns how many. */
export type Remove = (removing: Removing, org: OrgId, before: string | null) => Promise<number>

/** In the transaction that marks the organisation as deleted. */
export type Release = (db: Tx, org: OrgId) => Promise<void>

export type Table = {
  kind: 'table'
  name: string
  /** The column with the organisation of a row. */
  org: string | null
  through: readonly Through[]
  /** Why its rows belong to no organisation. */
  shared: string | null
  /** Why its rows stay when their organisation is deleted. */
  kept: string | null
  /** The rows of a deleted organisation go by themselves, and are waited for: something else must be done with them first. */
  isDrained: boolean
  /** What becomes of rows with a project when it is deleted: they are deleted with it, or why they are kept. Null if they have
   *  none. */
  ofProject: 'deleted' | { kept: string } | null
  retention: readonly Retention[]
  bound: Bound | null
  orgRetention: OrgRetention | null
  /** If the rows are those of an engine. */
  remove: Remove | null
  /** Ends at once, when the organisation is deleted, what its rows keep from others. */
  release: Release | null
}

type Belongs =
  | { org: string; through?: readonly Through[]; shared?: never }
  | { org?: never; through: readonly Through[]; shared?: never }
  | { org?: never; through?: never; shared: string }

export type TableDeclaration<State> = Belongs & {
  name: string
  kept?: string
  isDrained?: boolean
  ofProject?: Table['ofProject']
  retention?: readonly Retention<State>[]
  orgRetention?: OrgRetention
  bound?: Bound
  remove?: Remove
  release?: Release
}

export function table<State = never>(declared: TableDeclaration<State>): Table {
  const { name, org = null, through = [], shared = null, kept = null, isDrained = false } = declared
  const { ofProject = null, bound = null, orgRetention = null, remove = null, release = null } = declared
  const retention = (declared.retention ?? []) as readonly Retention[]
  const rules = { kept, isDrained, ofProject, retention, orgRetention, bound, remove, release }
  return { kind: 'table', name, org, through, shared, ...rules }
}

/** The settings of the bounds. */
export const boundSettings = (tables: readonly Table[]): Record<string, Setting<number>> =>
  Object.fromEntries(
    tables.flatMap(({ bound }) =>
      bound
        ? [
            [
              bound.setting,
              setting(bound.doc, String(bound.fallback), count, 'Further ones are answered with 409'),
            ] as const,
          ]
        : [],
    ),
  )

export type Room = {
  /** Instead of the one of the bound. */
  remedy?: string
  /** How many are about to be added; default 0: they were. */
  adding?: number
  /** Only these rows count. */
  among?: Fragment
}

/** The bounds with the numbers of this host. */
export type Bounds = {
  /** Raises a conflict if an organisation has more rows than it may have. To be called after one was added, in the same
   *  transaction, in which others then wait to add one. */
  require(db: Tx, table: Table, org: OrgId, room?: Room): Promise<void>
}
