// The SQL of the warehouse.
import type { ErrorRow, EventRow, Sql, Tx } from '../engines.ts'

/** As one JSON text: arrays of texts, in which every quote is escaped, cost three times as much here. */
export async function insertEvents(db: Tx, rows: readonly EventRow[]): Promise<void> {
  const texts = rows.map(({ properties, ...row }) => `${JSON.stringify(row).slice(0, -1)},"properties":${properties}}`)
  await db`insert into events (received, timestamp, clamped, org, project, workspace, id, wire, event, distinct_id,
      anonymous_id, session_id, revenue, currency, fingerprint, properties)
    select * from json_to_recordset(${`[${texts.join()}]`}::text::json)
      as event (received timestamptz, timestamp timestamptz, "isClamped" boolean, org text, project text, workspace text,
        id text, wire text, event text, "distinctId" text, "anonymousId" text, "sessionId" text, revenue float8,
        currency text, fingerprint text, properties jsonb)`
}

export async function selectErrors(db: Sql, org: string, limit: number): Promise<ErrorRow[]> {
  return db<ErrorRow>`select id, event, timestamp, project, distinct_id as "distinctId", session_id as "sessionId",
      fingerprint, properties
    from events where org = ${org} and fingerprint is not null
    order by timestamp desc, received desc, id limit ${limit}`
}

export async function selectErrorsOfWorkspace(
  db: Sql,
  org: string,
  workspace: string,
  limit: number,
): Promise<ErrorRow[]> {
  return db<ErrorRow>`select id, event, timestamp, project, distinct_id as "distinctId", session_id as "sessionId",
      fingerprint, properties
    from events where org = ${org} and workspace = ${workspace} and fingerprint is not null
    order by timestamp desc, received desc, id limit ${limit}`
}

/** How many were deleted. */
export async function deleteEvents(db: Tx, org: string, before: string, limit: number): Promise<number> {
  const rows = await db`with old as (
      select tableoid, ctid from events where org = ${org} and received < ${before} limit ${limit})
    delete from events using old where events.tableoid = old.tableoid and events.ctid = old.ctid
    returning 1`
  return rows.length
}
