// All SQL on projects.
import type { Sql } from '../../engines/engines.ts'
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

/** Answers null when the organisation has that slug already. */
export async function insertProject(
  db: Sql,
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

export async function updateProject(
  db: Sql,
  org: OrgId,
  slug: string,
  name: string,
  at: string,
): Promise<Project | null> {
  const [project] = await db<Project>`update projects set name = ${name}, updated = ${at}
    where org = ${org} and slug = ${slug} returning slug, name, created, updated`
  return project ?? null
}

export async function deleteProject(db: Sql, org: OrgId, slug: string): Promise<boolean> {
  const rows = await db<Project>`delete from projects where org = ${org} and slug = ${slug} returning slug`
  return rows.length > 0
}
