// The SQL of the warehouse.
import { columnsOf } from '../db/columns.ts'
import type { ErrorRow, EventRow, Sql, Tx } from '../engines.ts'

export async function insertEvents(db: Tx, rows: readonly EventRow[]): Promise<void> {
  const { separator, of } = columnsOf({
    received: rows.map(row => row.received),
    timestamp: rows.map(row => row.timestamp),
    clamped: rows.map(row => row.isClamped),
    org: rows.map(row => row.org),
    project: rows.map(row => row.project),
    workspace: rows.map(row => row.workspace),
    id: rows.map(row => row.id),
    wire: rows.map(row => row.wire),
    event: rows.map(row => row.event),
    distinctId: rows.map(row => row.distinctId),
    anonymousId: rows.map(row => row.anonymousId),
    sessionId: rows.map(row => row.sessionId),
    revenue: rows.map(row => row.revenue),
    currency: rows.map(row => row.currency),
    fingerprint: rows.map(row => row.fingerprint),
    properties: rows.map(row => row.properties),
  })
  await db`insert into events (received, timestamp, clamped, org, project, workspace, id, wire, event, distinct_id,
      anonymous_id, session_id, revenue, currency, fingerprint, properties)
    select received::timestamptz, timestamp::timestamptz, clamped::boolean, org, project, workspace, id, wire, event,
      distinct_id, anonymous_id, session_id, revenue::float8, currency, fingerprint, properties::jsonb
    from rows from (
      string_to_table(${of.received}, ${separator}, ''), string_to_table(${of.timestamp}, ${separator}, ''),
      string_to_table(${of.clamped}, ${separator}, ''), string_to_table(${of.org}, ${separator}, ''),
      string_to_table(${of.project}, ${separator}, ''), string_to_table(${of.workspace}, ${separator}, ''),
      string_to_table(${of.id}, ${separator}, ''), string_to_table(${of.wire}, ${separator}, ''),
      string_to_table(${of.event}, ${separator}, ''), string_to_table(${of.distinctId}, ${separator}, ''),
      string_to_table(${of.anonymousId}, ${separator}, ''), string_to_table(${of.sessionId}, ${separator}, ''),
      string_to_table(${of.revenue}, ${separator}, ''), string_to_table(${of.currency}, ${separator}, ''),
      string_to_table(${of.fingerprint}, ${separator}, ''), string_to_table(${of.properties}, ${separator}, '')
    ) as sent (received, timestamp, clamped, org, project, workspace, id, wire, event, distinct_id, anonymous_id,
      session_id, revenue, currency, fingerprint, properties)`
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

/** How many were deleted. The oldest first, which the index finds without reading the others. */
export async function deleteEvents(db: Tx, org: string, before: string, limit: number): Promise<number> {
  const rows = await db`with old as (
      select tableoid, ctid from events where org = ${org} and received < ${before}
      order by received limit ${limit})
    delete from events using old where events.tableoid = old.tableoid and events.ctid = old.ctid
    returning 1`
  return rows.length
}
