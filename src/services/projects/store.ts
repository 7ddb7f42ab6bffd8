// All SQL on projects and the hosts attached to them.
import type { Sql, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { anyRow, fragment, oneRow } from '../../kit/sql.ts'

export type Project = { slug: string; name: string; created: string; updated: string }

export function selectProjects(db: Sql, org: OrgId, after: string, count: number): Promise<Project[]> {
  return db<Project>`select slug, name, created, updated from projects
    where org = ${org} and slug > ${after} order by slug limit ${count}`
}

export function selectProject(db: Sql, org: OrgId, slug: string): Promise<Project | null> {
  return oneRow(db<Project>`select slug, name, created, updated from projects
    where org = ${org} and slug = ${slug}`)
}

/** Returns whether there is such a project. Until the transaction ends, the project is locked: it cannot be deleted,
 *  and no other transaction attaches a host to it. */
export function lockProject(db: Tx, org: OrgId, slug: string): Promise<boolean> {
  return anyRow(db`select from projects where org = ${org} and slug = ${slug} for no key update`)
}

/** Returns null when the organisation already has that slug. */
export function insertProject(db: Tx, org: OrgId, slug: string, name: string, at: string): Promise<Project | null> {
  return oneRow(db<Project>`insert into projects (org, slug, name, created, updated)
    values (${org}, ${slug}, ${name}, ${at}, ${at})
    on conflict do nothing returning slug, name, created, updated`)
}

export async function updateProject(db: Tx, org: OrgId, slug: string, name: string, at: string): Promise<Project> {
  const [project] = await db<Project>`update projects set name = ${name}, updated = ${at}
    where org = ${org} and slug = ${slug} returning slug, name, created, updated`
  return project as Project
}

/** Returns the deleted project. */
export function deleteProject(db: Tx, org: OrgId, slug: string): Promise<Project | null> {
  return oneRow(db<Project>`delete from projects where org = ${org} and slug = ${slug}
    returning slug, name, created, updated`)
}

export type Domain = {
  org: OrgId
  project: string
  host: string
  token: string
  created: string
  verified: string | null
  /** When the record of a verified host was last looked up, after it was verified. */
  checked: string | null
  /** How many daily checks in a row did not find the record. */
  missed: number
}

const DOMAIN = fragment`org, project, host, token, created, verified, checked, missed`

export function selectDomains(db: Sql, org: OrgId, project: string, after: string, count: number): Promise<Domain[]> {
  return db<Domain>`select ${DOMAIN} from domains
    where org = ${org} and project = ${project} and host > ${after} order by host limit ${count}`
}

export function selectDomain(db: Sql, org: OrgId, project: string, host: string): Promise<Domain | null> {
  return oneRow(db<Domain>`select ${DOMAIN} from domains
    where org = ${org} and project = ${project} and host = ${host}`)
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
    returning ${DOMAIN}`
  return domain as Domain
}

type DomainKey = Pick<Domain, 'org' | 'project' | 'host'>

/** Changes whether a host is verified; `verified` is the time, or null. Every process is notified. Returns false if it was
 *  deleted. */
export function updateVerified(db: Tx, { org, project, host }: DomainKey, verified: string | null) {
  return anyRow(db`update domains set verified = ${verified}, checked = null, missed = 0, lost = null
    where org = ${org} and project = ${project} and host = ${host} returning host`)
}

/** Makes a host pending whose owners must be notified. Every process is notified. Returns false if it was deleted. */
export function updateLost(db: Tx, { org, project, host }: DomainKey, at: string): Promise<boolean> {
  return anyRow(db`update domains set verified = null, checked = null, missed = 0, lost = ${at}
    where org = ${org} and project = ${project} and host = ${host} returning host`)
}

/** Makes all hosts of an organisation pending. Every process is notified. */
export async function endClaimsOf(db: Tx, org: OrgId): Promise<void> {
  await db`update domains set verified = null, checked = null, missed = 0, lost = null
    where org = ${org} and (verified is not null or lost is not null)`
}

/** Stores the result of looking up the record of a host that stays verified. */
export async function updateChecked(db: Tx, { org, project, host }: DomainKey, at: string, missed: number) {
  await db`update domains set checked = ${at}, missed = ${missed}
    where org = ${org} and project = ${project} and host = ${host}`
}

export async function deleteDomain(db: Tx, { org, project, host }: DomainKey): Promise<void> {
  await db`delete from domains where org = ${org} and project = ${project} and host = ${host}`
}

/** The verified claim of any organisation on a host. */
export function selectHolder(db: Sql, host: string): Promise<Domain | null> {
  return oneRow(db<Domain>`select ${DOMAIN} from domains
    where host = ${host} and verified is not null`)
}

/** Verified hosts of all organisations whose record was last looked up at or before `before`, oldest first. */
export function selectUnchecked(db: Sql, before: string, count: number): Promise<Domain[]> {
  return db<Domain>`select ${DOMAIN} from domains
    where verified is not null and coalesce(checked, verified) <= ${before}
    order by coalesce(checked, verified) limit ${count}`
}

/** A host that is no longer verified. `isElsewhere`: another project has verified it since. */
export type LostHost = DomainKey & { lost: string; isElsewhere: boolean }

/** Hosts of all organisations whose owners are not notified yet, the oldest loss first. */
export function selectLost(db: Sql, count: number): Promise<LostHost[]> {
  return db<LostHost>`select org, project, host, lost,
      exists (select from domains as holder where holder.host = domains.host and holder.verified is not null)
        as "isElsewhere"
    from domains where lost is not null order by lost limit ${count}`
}

/** Records that the owners were notified of this loss, not of a later one. */
export async function updateTold(db: Tx, { org, project, host, lost }: LostHost): Promise<void> {
  await db`update domains set lost = null
    where org = ${org} and project = ${project} and host = ${host} and lost = ${lost}`
}
