// The table org_settings.
import type { Sql, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../caller.ts'

export const CHANNEL = 'org_settings'

/** The fields set by the organisation, and their length as text. */
export async function selectChosen(
  db: Sql,
  service: string,
  org: OrgId,
): Promise<{ chosen: object; bytes: number } | null> {
  const [row] = await db<{ chosen: object; bytes: number }>`select chosen, octet_length(chosen::text) as bytes
    from org_settings where org = ${org} and service = ${service}`
  return row ?? null
}

/** Organisations that changed settings, in the order of their slugs. */
export async function selectChosenOrgs(
  db: Sql,
  service: string,
  after: string,
  limit: number,
): Promise<{ org: OrgId; chosen: object }[]> {
  return db<{ org: OrgId; chosen: object }>`select org, chosen from org_settings
    where service = ${service} and org > ${after} order by org limit ${limit}`
}

/** Omitted fields are preserved, including those that only another version knows. */
export async function mergeChosen(db: Tx, service: string, org: OrgId, chosen: object): Promise<void> {
  await db`insert into org_settings as s (org, service, chosen)
    values (${org}, ${service}, ${JSON.stringify(chosen)}::text::jsonb)
    on conflict (org, service) do update set chosen = s.chosen || excluded.chosen`
  await db`select pg_notify(${CHANNEL}, ${`${service} ${org}`})`
}
