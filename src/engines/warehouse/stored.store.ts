// The SQL of counting rows that a former version stored. They have no visitor.
import { columnsOf } from '../db/columns.ts'
import { fragment, type Sql, type Tx } from '../engines.ts'
import type { PlacedRow } from './append.store.ts'
import type { StoredRow } from './types.ts'

export async function selectUncountedOrgs(db: Sql, after: string, limit: number): Promise<string[]> {
  const rows = await db<{ org: string }>`with recursive found as (
      (select org from events where visitor is null and org > ${after} order by org limit 1)
      union all
      select (select e.org from events as e where e.visitor is null and e.org > found.org order by e.org limit 1) from found
      where found.org is not null)
    select org from found where org is not null limit ${limit}`
  return rows.map(({ org }) => org)
}

/** At most `limit`, so that it takes no longer the more there are. */
export async function countUncounted(db: Sql, org: string, limit: number): Promise<number> {
  const [row] = await db<{ count: number }>`select count(*) as count from (
    select from events where org = ${org} and visitor is null limit ${limit}) as uncounted`
  return row?.count ?? 0
}

/** In the order in which they arrived. */
export function selectUncounted(db: Tx, org: string, limit: number): Promise<StoredRow[]> {
  return db<StoredRow>`select received, timestamp, clamped as "isClamped", org, project, workspace, id, wire, event,
      distinct_id as "distinctId", anonymous_id as "anonymousId", session_id as "sessionId", revenue, currency, fingerprint,
      properties::text
    from events where org = ${org} and visitor is null order by received, id limit ${limit}`
}

export async function updateRows(db: Tx, org: string, rows: readonly PlacedRow[]): Promise<void> {
  const { separator, of } = columnsOf({
    arrival: rows.map(row => row.arrival),
    received: rows.map(row => row.received),
    id: rows.map(row => row.id),
    visitor: rows.map(row => row.visitor),
    session: rows.map(row => row.session),
    path: rows.map(row => row.path),
    source: rows.map(row => row.source),
    campaign: rows.map(row => row.campaign),
    country: rows.map(row => row.country),
    device: rows.map(row => row.device),
    browser: rows.map(row => row.browser),
    system: rows.map(row => row.system),
    release: rows.map(row => row.release),
  })
  const split = (text: string) => fragment`string_to_table(${text}, ${separator}, '')`
  await db`update events as e set arrival = sent.arrival::bigint, visitor = sent.visitor, session = sent.session::uuid, path = sent.path,
      source = sent.source, campaign = sent.campaign, country = sent.country, device = sent.device, browser = sent.browser,
      system = sent.system, release = sent.release
    from (select * from rows from (${split(of.arrival)}, ${split(of.received)}, ${split(of.id)},
      ${split(of.visitor)}, ${split(of.session)}, ${split(of.path)}, ${split(of.source)}, ${split(of.campaign)},
      ${split(of.country)}, ${split(of.device)}, ${split(of.browser)}, ${split(of.system)}, ${split(of.release)}
    ) as columns (arrival, received, id, visitor, session, path, source, campaign, country, device, browser, system, release)) as sent
    where e.org = ${org} and e.received = sent.received::timestamptz and e.id = sent.id`
}
