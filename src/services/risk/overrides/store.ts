// All SQL on what organisations say about members of sets. Every query takes the organisation.
import type { Sql } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'

export type Verdict = 'allow' | 'deny'
export type Override = { key: string; verdict: Verdict; note: string | null; by: string; at: string }

/** In byte order, those after the key that is given. */
export function selectOverrides(db: Sql, org: OrgId, set: string, after: string, count: number): Promise<Override[]> {
  return db<Override>`select key, verdict, note, by, at from risk_overrides
    where org = ${org} and set_name = ${set} and key > ${after} order by key limit ${count}`
}

export type Spoken = { set: string; key: string; verdict: Verdict; note: string | null }

/** Everything the organisation says. */
export function selectSpoken(db: Sql, org: OrgId): Promise<Spoken[]> {
  return db<Spoken>`select set_name as set, key, verdict, note from risk_overrides where org = ${org}`
}

export async function countOverrides(db: Sql, org: OrgId, set: string): Promise<number> {
  const [row] = await db<{ count: number }>`select count(*) from risk_overrides
    where org = ${org} and set_name = ${set}`
  return row?.count ?? 0
}

/** Until the transaction ends, nobody else of the organisation writes. */
export async function lockOverrides(db: Sql, org: OrgId): Promise<void> {
  await db`select from orgs where slug = ${org} for no key update`
}

export type Entry = { key: string; verdict: Verdict; note: string | null }

/** Writes entries whose keys are distinct. */
export async function upsertOverrides(
  db: Sql,
  org: OrgId,
  set: string,
  entries: readonly Entry[],
  { by, at }: { by: string; at: string },
): Promise<void> {
  await db`insert into risk_overrides (org, set_name, key, verdict, note, by, at)
    select ${org}, ${set}, key, verdict, note, ${by}, ${at}
    from unnest(${entries.map(({ key }) => key)}::text[], ${entries.map(({ verdict }) => verdict)}::text[],
      ${entries.map(({ note }) => note)}::text[]) as entry (key, verdict, note)
    on conflict (org, set_name, key) do update
      set verdict = excluded.verdict, note = excluded.note, by = excluded.by, at = excluded.at`
}

export async function deleteOverride(db: Sql, org: OrgId, set: string, key: string): Promise<boolean> {
  const rows = await db`delete from risk_overrides where org = ${org} and set_name = ${set} and key = ${key}
    returning key`
  return rows.length > 0
}
