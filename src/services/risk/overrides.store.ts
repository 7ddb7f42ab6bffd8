// All SQL on overrides. Every query is limited to one organisation.
import type { Sql, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { oneRow, rowsAs } from '../../kit/sql.ts'
import type { Verdict } from './thread/overrides.ts'

export type Override = { key: string; verdict: Verdict; note: string | null; by: string; at: string }

/** The overrides after the given key, in byte order. */
export function selectOverrides(db: Sql, org: OrgId, set: string, after: string, count: number): Promise<Override[]> {
  return db<Override>`select key, verdict, note, by, at from risk_overrides
    where org = ${org} and set_name = ${set} and key > ${after} order by key limit ${count}`
}

/** One override as it is written and looked up. */
export type OverrideEntry = { key: string; verdict: Verdict; note: string | null }

/** A page is a JSON array of [key, verdict, note]. */
export type SmallOrgRow = { isMany: boolean; set: string | null; page: string | null }

/** All overrides of the organisation, one row per set; if there are more than `entriesMax`, one row with `isMany`. */
export function selectSmallOrg(db: Sql, org: OrgId, entriesMax: number): Promise<SmallOrgRow[]> {
  return db<SmallOrgRow>`with size as (
      select count(*) > ${entriesMax}::int as many from (select from risk_overrides where org = ${org} limit ${entriesMax + 1}) as first
    ) select many as "isMany", set_name as set, page from size left join lateral (
      select set_name, json_agg(json_build_array(key, verdict, note) order by key)::text as page
      from risk_overrides where org = ${org} and not many group by set_name
    ) as own on true`
}

/** The number of overrides of the organisation, by set. */
export function selectCounts(db: Sql, org: OrgId): Promise<{ set: string; count: number }[]> {
  return db<{ set: string; count: number }>`select set_name as set, count(*) from risk_overrides
    where org = ${org} group by set_name`
}

const PAGE = 1_000

/** All overrides of the organisation on a set, as pages of JSON text: reading one row per override would block the
 *  event loop many times as long. */
export async function selectPages(db: Sql, org: OrgId, set: string): Promise<string[]> {
  const rows = await db<{ page: string }>`with numbered as (
      select key, verdict, note, (row_number() over (order by key) - 1) / ${PAGE}::int as n
      from risk_overrides where org = ${org} and set_name = ${set}
    ) select json_agg(json_build_array(key, verdict, note) order by key)::text as page
    from numbered group by n order by n`
  return rows.map(({ page }) => page)
}

export async function countOverrides(db: Sql, org: OrgId, set: string): Promise<number> {
  const [row] = await db<{ count: number }>`select count(*) from risk_overrides
    where org = ${org} and set_name = ${set}`
  return row?.count ?? 0
}

const given = rowsAs<OverrideEntry>('entry', { key: 'text', verdict: 'text', note: 'text' })

/** The keys of the entries must be distinct. */
export async function upsertOverrides(
  db: Tx,
  org: OrgId,
  set: string,
  entries: readonly OverrideEntry[],
  { by, at }: { by: string; at: string },
): Promise<void> {
  await db`insert into risk_overrides (org, set_name, key, verdict, note, by, at)
    select ${org}, ${set}, key, verdict, note, ${by}, ${at}
    from ${given(entries)}
    on conflict (org, set_name, key) do update
      set verdict = excluded.verdict, note = excluded.note, by = excluded.by, at = excluded.at`
}

type KeyVerdict = Pick<OverrideEntry, 'key' | 'verdict'>

/** The overrides on these keys. */
export function selectVerdicts(db: Sql, org: OrgId, set: string, keys: readonly string[]): Promise<KeyVerdict[]> {
  return db<KeyVerdict>`select key, verdict from risk_overrides
    where org = ${org} and set_name = ${set} and key = any(${keys})`
}

/** Returns the deleted override. */
export function deleteOverride(db: Tx, org: OrgId, set: string, key: string): Promise<KeyVerdict | null> {
  return oneRow(db<KeyVerdict>`delete from risk_overrides
    where org = ${org} and set_name = ${set} and key = ${key} returning key, verdict`)
}
