// A service declares each of its tables once, in `tables.ts`. The deletion of old rows, the bounds per organisation, the
// purge of deleted organisations, the sizes shown to superadmins and tests are derived from that.
import type { Engines, Fragment, Removal, Sql, Tx } from '../engines/engines.ts'
import type { OrgId } from './caller.ts'
import { count, type Setting, setting } from './setting.ts'

/** How long rows are kept. Several rules for one table apply independently. */
export type Retention<State = never> = {
  column: string
  /** `id` is a UUID of version 7, which contains the time; defaults to `time`. */
  type?: 'time' | 'day' | 'id'
  /** Counted from the column's time; 0 if that is the time of expiry. */
  keptMs: number | ((state: State) => number)
  /** Only of these rows. */
  where?: Fragment
  /** `blocks` reads the whole table in small steps: for a large table without an index on the column. */
  by?: 'index' | 'blocks'
}

/** Retention chosen by an organisation; null keeps rows forever. `chosen` reads the organisations that chose one, by
 *  slug. */
export type OrgRetention = {
  chosen: (db: Sql, after: string, limit: number) => Promise<readonly { org: OrgId; days: number | null }[]>
}

/** The maximum number of rows of an organisation. Further ones are answered with 409. */
export type Bound = {
  /** The setting with the maximum, and its default. */
  setting: string
  fallback: number
  /** The line of documentation. */
  doc: string
  /** The plural name of the rows, and what to do if there are too many. */
  what: string
  remedy: string
  /** Which rows count at that time; defaults to all. */
  where?: (now: string) => Fragment
  /** For a table that is too large to count: the number of rows, which is maintained separately. */
  counted?: (db: Sql, org: OrgId) => Promise<number>
}

/** Rows of another table that contain the organisation, in the column `org` or another one: `columns` are those of this
 *  table, `keys` those of the other one. */
export type Through = { table: string; columns: readonly string[]; keys: readonly string[]; org?: string }

export type Removing = Omit<Engines, 'db'> & Removal

/** Deletes an organisation's rows, all or those before a time, in transactions of bounded size. Returns how many. */
export type Remove = (removing: Removing, org: OrgId, before: string | null) => Promise<number>

/** Called in the transaction that marks the organisation as deleted. */
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
  /** The service deletes the rows of a deleted organisation itself, and the purge waits for it: other work must be done
   *  with them first. */
  isDrained: boolean
  /** What happens to a project's rows when it is deleted: they are deleted too, or the reason why they are kept. Null if
   *  rows have no project. */
  ofProject: 'deleted' | { kept: string } | null
  retention: readonly Retention[]
  bound: Bound | null
  orgRetention: OrgRetention | null
  /** Deletes the rows if they belong to an engine. */
  remove: Remove | null
  /** When the organisation is deleted, immediately releases what its rows reserve, so that others can use it. */
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
  /** Replaces the bound's remedy. */
  remedy?: string
  /** How many rows will be added; defaults to 0: they were already added. */
  adding?: number
  /** Only these rows count. */
  among?: Fragment
}

/** The bounds with this host's maxima. */
export type Bounds = {
  /** Raises a conflict if an organisation has more rows than allowed. Call it after adding a row, in the same
   *  transaction; other transactions then wait before adding one. */
  require(db: Tx, table: Table, org: OrgId, room?: Room): Promise<void>
}
