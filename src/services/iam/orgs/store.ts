// All SQL on organisations.
import type { Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'

/** Whether there is no organisation yet. Locks the table, so that only one process can find it empty. */
export async function lockWhileEmpty(db: Tx): Promise<boolean> {
  await db`lock table orgs in share row exclusive mode`
  const rows = await db<{ slug: string }>`select slug from orgs limit 1`
  return rows.length === 0
}

export type Org = { slug: string; name: string; created: string; updated: string }

export function selectOrgs(db: Sql, after: string, count: number): Promise<Org[]> {
  return db<Org>`select slug, name, created, updated from orgs
    where slug collate "C" > ${after} order by slug collate "C" limit ${count}`
}

export async function selectOrg(db: Sql, org: OrgId): Promise<Org | null> {
  const [row] = await db<Org>`select slug, name, created, updated from orgs where slug = ${org}`
  return row ?? null
}

/** Returns null if the slug is in use, or was. That is read after the insert, which waits for a deletion that runs. */
export async function insertOrganisation(db: Tx, org: OrgId, name: string, at: string): Promise<Org | null> {
  const [row] = await db<Org>`insert into orgs (slug, name, created, updated) values (${org}, ${name}, ${at}, ${at})
    on conflict do nothing returning slug, name, created, updated`
  const isFormer = (await db`select from former_orgs where slug = ${org}`).length > 0
  if (row && isFormer) await db`delete from orgs where slug = ${org}`
  return row && !isFormer ? row : null
}

export async function updateOrg(db: Tx, org: OrgId, name: string, at: string): Promise<Org | null> {
  const [row] = await db<Org>`update orgs set name = ${name}, updated = ${at} where slug = ${org}
    returning slug, name, created, updated`
  return row ?? null
}

/** The slug is not used again. */
export async function deleteOrg(db: Tx, org: OrgId, at: string): Promise<boolean> {
  const rows = await db`delete from orgs where slug = ${org} returning slug`
  if (rows.length === 0) return false
  await db`insert into former_orgs (slug, deleted) values (${org}, ${at})`
  return true
}
