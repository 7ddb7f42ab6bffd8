// All SQL on organisations.
import type { Fragment, Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { fragment, oneRow } from '../../../kit/sql.ts'

/** Whether there is no organisation yet. Locks the table, so that only one process can find it empty. */
export async function lockWhileEmpty(db: Tx): Promise<boolean> {
  await db`lock table orgs in share row exclusive mode`
  const rows = await db<{ slug: string }>`select slug from orgs limit 1`
  return rows.length === 0
}

/** `deleted` is when it was deleted: nobody has access since, and its rows are being deleted. */
export type Org = { slug: string; name: string; created: string; updated: string; deleted: string | null }

const columns = fragment`slug, name, created, updated, deleted`

/** Whether an organisation has not been deleted; `slug` is a column. */
export const isLiveOrg = (slug: Fragment): Fragment =>
  fragment`exists (select from orgs as o where o.slug = ${slug} and o.deleted is null)`

/** Those whose slug begins with the prefix, which may be empty. No character of a slug comes after `~`. */
export function selectOrgs(db: Sql, prefix: string, after: string, count: number): Promise<Org[]> {
  return db<Org>`select ${columns} from orgs
    where slug collate "C" > ${after} and slug collate "C" >= ${prefix} and slug collate "C" < ${`${prefix}~`}
    order by slug collate "C" limit ${count}`
}

/** Includes deleted organisations that still have rows. */
export function selectOrg(db: Sql, org: OrgId): Promise<Org | null> {
  return oneRow(db<Org>`select ${columns} from orgs where slug = ${org}`)
}

export function selectLiveOrg(db: Sql, org: OrgId): Promise<Org | null> {
  return oneRow(db<Org>`select ${columns} from orgs where slug = ${org} and deleted is null`)
}

/** Returns null if the slug is or was in use. Former slugs are read after the insert, which waits for a running deletion. */
export async function insertOrganisation(db: Tx, org: OrgId, name: string, at: string): Promise<Org | null> {
  const [row] = await db<Org>`insert into orgs (slug, name, created, updated) values (${org}, ${name}, ${at}, ${at})
    on conflict do nothing returning ${columns}`
  const isFormer = (await db`select from former_orgs where slug = ${org}`).length > 0
  if (row && isFormer) await db`delete from orgs where slug = ${org}`
  return row && !isFormer ? row : null
}

/** The name that people see; the slug if there is no such organisation. */
export async function selectOrgName(db: Sql, org: OrgId): Promise<string> {
  const [row] = await db<{ name: string }>`select name from orgs where slug = ${org}`
  return row?.name ?? org
}

export function updateOrg(db: Tx, org: OrgId, name: string, at: string): Promise<Org | null> {
  return oneRow(db<Org>`update orgs set name = ${name}, updated = ${at} where slug = ${org}
    returning ${columns}`)
}

/** Ends all access to it and notifies every process. The slug is not reused. */
export async function markDeleted(db: Tx, org: OrgId, channel: string, at: string): Promise<boolean> {
  const rows = await db`update orgs set deleted = ${at} where slug = ${org} and deleted is null returning slug`
  if (rows.length === 0) return false
  await db`insert into former_orgs (slug, deleted) values (${org}, ${at})`
  await db`select pg_notify(${channel}, ${org})`
  return true
}

/** When it was deleted; null if it was not. */
export async function selectDeletion(db: Sql, org: OrgId): Promise<string | null> {
  const [row] = await db<{ deleted: string }>`select deleted from former_orgs where slug = ${org}`
  return row?.deleted ?? null
}

/** Deleted organisations that still have rows. */
export async function selectDeletedOrgs(db: Sql): Promise<OrgId[]> {
  const rows = await db<{ slug: OrgId }>`select slug from orgs where deleted is not null order by slug`
  return rows.map(({ slug }) => slug)
}

/** To be called when all its rows are gone. */
export async function deleteOrg(db: Tx, org: OrgId): Promise<void> {
  await db`delete from orgs where slug = ${org} and deleted is not null`
}
