// Fills every declared table with rows of an organisation, from the columns and constraints of the database.
import { createHash } from 'node:crypto'
import type { Table } from '../src/kit/table.ts'
import { lowestUuid } from '../src/kit/uuid.ts'
import type { TestHost } from './host.ts'
import { allTables } from './removal.ts'

/** Values required by check constraints. */
const DEMANDED: Record<string, unknown> = {
  'apps.type': 'public',
  'apps.brand': 'default',
  'customer_codes.purpose': 'sign_in',
  'event_zones.zone': 'UTC',
  'events.visitor': 'visitor',
  'invites.role': 'member',
  'keys.type': 'secret',
  'members.role': 'member',
  'oidc.model': 'Grant',
  'oidc.brand': 'default',
  'risk_overrides.verdict': 'deny',
  'webhook_attempts.status': 'ok',
  'webhooks.status': 'disabled',
}
/** Rows that an organisation already has, gets later, or a trigger creates. */
const UNFILLED = ['orgs', 'former_orgs', 'bus_log', 'customer_counts']

/** Nothing of it is old, although a test advances the clock. */
const HOUR_MS = 60 * 60_000

type Column = { name: string; type: string; isNeeded: boolean }
type Reference = { columns: string[]; table: string; keys: string[] }
export type Row = Record<string, unknown>

export type Filled = {
  /** Adds a row of the organisation. `values` replace those that are chosen. */
  add(table: string, values?: Row): Promise<Row>
}

/** Adds a row to each table, or to those; all texts that are free to choose have `mark` in them. */
export async function fillTables(host: TestHost, org: string, mark: string, only?: readonly string[]): Promise<Filled> {
  const rows = new Map<string, Row>([['orgs', { slug: org }]])
  const references = await referencesOf(host)
  let made = 0

  async function add(name: string, values: Row = {}): Promise<Row> {
    const table = allTables.find(one => one.name === name) as Table
    const given: Row = { ...(table.org === null ? {} : { [table.org]: org }) }
    const parents = [
      ...(references.get(name) ?? []),
      ...table.through.map(one => ({ ...one, columns: [...one.columns], keys: [...one.keys] })),
    ]
    for (const { columns, table: parent, keys } of parents) {
      const row = rows.get(parent)
      if (row) for (const [at, column] of columns.entries()) given[column] ??= row[keys[at] as string]
    }
    const chosen: Row = {}
    for (const { name: column, type, isNeeded } of await columnsOf(host, name)) {
      const demanded = DEMANDED[`${name}.${column}`]
      if (column in values) chosen[column] = values[column]
      else if (column in given) chosen[column] = given[column]
      else if (demanded !== undefined) chosen[column] = demanded
      else if (isNeeded)
        chosen[column] = madeFor(type, `${mark}${++made}`, new Date(host.clock.now().getTime() + HOUR_MS))
    }
    await insert(host, name, chosen).catch((cause: Error) => {
      const advice = 'a value that a check demands goes to DEMANDED in test/fill.ts'
      throw new Error(`${name} could not be filled: ${cause.message}; ${advice}`, { cause })
    })
    return chosen
  }

  for (const { name, shared } of parentsFirst(references)) {
    if (only && !only.includes(name)) continue
    if (name === 'users' || (shared === null && !UNFILLED.includes(name))) rows.set(name, await add(name))
  }
  return { add }
}

function madeFor(type: string, text: string, now: Date): unknown {
  if (type === 'bytea') return createHash('sha256').update(text).digest()
  if (type === 'uuid')
    return lowestUuid(now).slice(0, -12) + createHash('sha256').update(text).digest('hex').slice(0, 12)
  if (type.startsWith('timestamp')) return now.toISOString()
  if (type === 'date') return now.toISOString().slice(0, 10)
  if (type === 'jsonb') return {}
  if (type === 'boolean') return false
  if (type.endsWith('[]')) return []
  return /int|numeric/.test(type) ? 1 : text
}

function insert(host: TestHost, table: string, row: Row): Promise<unknown> {
  const names = Object.keys(row)
  const strings = names.map((_, at) => (at === 0 ? `insert into ${table} (${names.join(', ')}) values (` : ', '))
  const query = Object.assign([...strings, ')'], { raw: [] }) as never
  return host.db.autocommit(query, ...(Object.values(row) as never[]))
}

const known = new Map<string, Column[]>()

async function columnsOf(host: TestHost, table: string): Promise<Column[]> {
  const columns =
    known.get(table) ??
    (await host.db<Column>`select attname as name, format_type(atttypid, atttypmod) as type,
        attnotnull and not atthasdef and attidentity = '' as "isNeeded"
      from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`)
  known.set(table, columns)
  return columns
}

async function referencesOf(host: TestHost): Promise<Map<string, Reference[]>> {
  const rows = await host.db<Reference & { from: string }>`select conrelid::regclass::text as from,
      confrelid::regclass::text as table,
      (select array_agg(attname::text order by at) from unnest(conkey) with ordinality as k (n, at)
        join pg_attribute on attrelid = conrelid and attnum = n) as columns,
      (select array_agg(attname::text order by at) from unnest(confkey) with ordinality as k (n, at)
        join pg_attribute on attrelid = confrelid and attnum = n) as keys
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`
  return Map.groupBy(rows, ({ from }) => from)
}

/** By references, and by what tables are declared to belong to. */
function parentsFirst(references: ReadonlyMap<string, readonly Reference[]>): Table[] {
  const sorted: Table[] = []
  const visit = (table: Table) => {
    if (sorted.includes(table)) return
    const parents = [...(references.get(table.name) ?? []), ...table.through].map(one => one.table)
    for (const parent of allTables) if (parent !== table && parents.includes(parent.name)) visit(parent)
    if (!sorted.includes(table)) sorted.push(table)
  }
  for (const table of allTables) visit(table)
  return sorted
}

/** The rows of an organisation in a table, each as one text, in order. */
export async function rowsOf(host: TestHost, { name, org: column, through }: Table, org: string): Promise<string[]> {
  const conditions = [
    ...(column === null ? [] : [`t.${column} = '${org}'`]),
    ...through.map(
      ({ table, columns, keys, org: owner = 'org' }) =>
        `(${columns.map(one => `t.${one}`).join(', ')}) in (select ${keys.join(', ')} from ${table} where ${owner} = '${org}')`,
    ),
  ]
  const text = `select t::text as row from ${name} as t where ${conditions.join(' or ')} order by 1`
  const query = Object.assign([text], { raw: [] }) as never
  return (await host.db<{ row: string }>(query)).map(({ row }) => row)
}
