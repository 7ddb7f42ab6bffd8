// All SQL on what organisations say about members of sets. Every query takes the organisation.
import type { Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import type { Verdict } from '../thread/overrides.ts'

export type Override = { key: string; verdict: Verdict; note: string | null; by: string; at: string }

/** In byte order, those after the key that is given. */
export function selectOverrides(db: Sql, org: OrgId, set: string, after: string, count: number): Promise<Override[]> {
  return db<Override>`select key, verdict, note, by, at from risk_overrides
    where org = ${org} and set_name = ${set} and key > ${after} order by key limit ${count}`
}

/** One entry as it is written and looked up. */
export type OverrideEntry = { key: string; verdict: Verdict; note: string | null }

/** A page is rows of key, verdict and note as JSON. */
export type SmallOrgRow = { isMany: boolean; set: string | null; page: string | null }

/** What the organisation says, a row for each set; or, if that is more than `few` entries, one row that says so. */
export function selectSmallOrg(db: Sql, org: OrgId, entriesMax: number): Promise<SmallOrgRow[]> {
  return db<SmallOrgRow>`with size as (
      select count(*) > ${entriesMax}::int as many from (select from risk_overrides where org = ${org} limit ${entriesMax + 1}) as first
    ) select many as "isMany", set_name as set, page from size left join lateral (
      select set_name, json_agg(json_build_array(key, verdict, note) order by key)::text as page
      from risk_overrides where org = ${org} and not many group by set_name
    ) as own on true`
}

/** How many entries the organisation has over each set. */
export function selectCounts(db: Sql, org: OrgId): Promise<{ set: string; count: number }[]> {
  return db<{ set: string; count: number }>`select set_name as set, count(*) from risk_overrides
    where org = ${org} group by set_name`
}

const PAGE = 1_000

/** Everything the organisation says about a set. It comes in pages, as text: a row for each entry would take the loop that
 *  serves requests many times as long to read. */
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

/** Writes entries whose keys are distinct. */
export async function upsertOverrides(
  db: Tx,
  org: OrgId,
  set: string,
  entries: readonly OverrideEntry[],
  { by, at }: { by: string; at: string },
): Promise<void> {
  await db`insert into risk_overrides (org, set_name, key, verdict, note, by, at)
    select ${org}, ${set}, key, verdict, note, ${by}, ${at}
    from unnest(${entries.map(({ key }) => key)}::text[], ${entries.map(({ verdict }) => verdict)}::text[],
      ${entries.map(({ note }) => note)}::text[]) as entry (key, verdict, note)
    on conflict (org, set_name, key) do update
      set verdict = excluded.verdict, note = excluded.note, by = excluded.by, at = excluded.at`
}

export async function deleteOverride(db: Tx, org: OrgId, set: string, key: string): Promise<boolean> {
  const rows = await db`delete from risk_overrides where org = ${org} and set_name = ${set} and key = ${key}
    returning key`
  return rows.length > 0
}
