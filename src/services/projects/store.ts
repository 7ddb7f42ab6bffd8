// All SQL on projects and the hosts attached to them.
import type { Sql, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'

export type Project = { slug: string; name: string; created: string; updated: string }

export function selectProjects(db: Sql, org: OrgId, after: string, count: number): Promise<Project[]> {
  return db<Project>`select slug, name, created, updated from projects
    where org = ${org} and slug > ${after} order by slug limit ${count}`
}

export async function selectProject(db: Sql, org: OrgId, slug: string): Promise<Project | null> {
  const [project] = await db<Project>`select slug, name, created, updated from projects
    where org = ${org} and slug = ${slug}`
  return project ?? null
}

/** Returns whether there is such a project. Until the transaction ends, the project is locked: it cannot be deleted,
 *  and no other transaction attaches a host to it. */
export async function lockProject(db: Tx, org: OrgId, slug: string): Promise<boolean> {
  const rows = await db`select from projects where org = ${org} and slug = ${slug} for no key update`
  return rows.length > 0
}

/** Returns null when the organisation already has that slug. */
export async function insertProject(
  db: Tx,
  org: OrgId,
  slug: string,
  name: string,
  at: string,
): Promise<Project | null> {
  const [project] = await db<Project>`insert into projects (org, slug, name, created, updated)
    values (${org}, ${slug}, ${name}, ${at}, ${at})
    on conflict do nothing returning slug, name, created, updated`
  return project ?? null
}

/** The number of projects, but at most `max`. */
export async function countProjects(db: Sql, org: OrgId, max: number): Promise<number> {
  const [row] = await db<{ count: number }>`select count(*) from (
    select from projects where org = ${org} limit ${max}) as counted`
  return row?.count ?? 0
}

export async function updateProject(
  db: Tx,
  org: OrgId,
  slug: string,
  name: string,
  at: string,
): Promise<Project | null> {
  const [project] = await db<Project>`update projects set name = ${name}, updated = ${at}
    where org = ${org} and slug = ${slug} returning slug, name, created, updated`
  return project ?? null
}

export async function deleteProject(db: Tx, org: OrgId, slug: string): Promise<boolean> {
  const rows = await db<Project>`delete from projects where org = ${org} and slug = ${slug} returning slug`
  return rows.length > 0
}

export type Domain = { host: string; token: string; created: string; verified: string | null }

export function selectDomains(db: Sql, org: OrgId, project: string, after: string, count: number): Promise<Domain[]> {
  return db<Domain>`select host, token, created, verified from domains
    where org = ${org} and project = ${project} and host > ${after} order by host limit ${count}`
}

export async function selectDomain(db: Sql, org: OrgId, project: string, host: string): Promise<Domain | null> {
  const [domain] = await db<Domain>`select host, token, created, verified from domains
    where org = ${org} and project = ${project} and host = ${host}`
  return domain ?? null
}

export async function insertDomain(
  db: Tx,
  org: OrgId,
  project: string,
  host: string,
  token: string,
  at: string,
): Promise<Domain> {
  const [domain] = await db<Domain>`insert into domains (org, project, host, token, created)
    values (${org}, ${project}, ${host}, ${token}, ${at})
    returning host, token, created, verified`
  return domain as Domain
}

/** The number of domains of all projects, but at most `max`. */
export async function countDomains(db: Sql, org: OrgId, max: number): Promise<number> {
  const [row] = await db<{ count: number }>`select count(*) from (
    select from domains where org = ${org} limit ${max}) as counted`
  return row?.count ?? 0
}

export async function updateVerified(
  db: Tx,
  org: OrgId,
  project: string,
  host: string,
  verified: string | null,
): Promise<boolean> {
  const rows = await db`update domains set verified = ${verified}
    where org = ${org} and project = ${project} and host = ${host} returning host`
  return rows.length > 0
}

export async function deleteDomain(db: Tx, org: OrgId, project: string, host: string): Promise<void> {
  await db`delete from domains where org = ${org} and project = ${project} and host = ${host}`
}

/** The project, of any organisation, for which a host is verified. */
export async function selectOwner(db: Sql, host: string): Promise<{ org: OrgId; project: string } | null> {
  const [owner] = await db<{ org: OrgId; project: string }>`select org, project from domains
    where host = ${host} and verified is not null`
  return owner ?? null
}
