// The SQL of the warehouse.
import {
  type ErrorPath,
  type ErrorRow,
  type ErrorsOf,
  fragment,
  type ListedEvent,
  type Sql,
  type Tx,
} from '../engines.ts'

/** The size limit of the properties of all errors in an answer; the largest errors' properties are omitted first.
 *  Ordinary errors fit, 10 KiB for each of 200, and so do the ten largest that can be stored. */
const PROPERTIES_BYTES_MAX = 2 * 1024 * 1024
/** Properties up to this size are parsed by the process, which costs less than looking up every path. For 200 rows, that
 *  is 0.8 MiB. */
const PARSED_BYTES_MAX = 4 * 1024
/** The innermost frames of a stack trace, and characters of a text in a frame. */
const FRAMES_MAX = 50
const FRAME_CHARACTERS_MAX = 2_000
/** For an error whose properties are omitted: what ordinary frames need. 200 times the bytes are 0.4 MiB. */
const FRAMES_MAX_IF_OMITTED = 15
const FRAMES_BYTES_MAX_IF_OMITTED = 2 * 1024
const FRAME_CHARACTERS_MAX_IF_OMITTED = 200

/** Until the last step, rows have a reference to their properties, not a copy. `properties || '{}'` is the same value,
 *  decompressed: otherwise every look-up would decompress it again. */
export async function selectErrors(
  db: Sql,
  { org, workspace, fingerprint }: ErrorsOf,
  limit: number,
  paths: readonly ErrorPath[],
): Promise<ErrorRow[]> {
  const ofWorkspace = workspace === null ? fragment`` : fragment`and workspace = ${workspace}`
  const alike = fingerprint === null ? fragment`` : fragment`and fingerprint = ${fingerprint}`
  const names = paths.map(({ path }) => path)
  const characters = paths.map(({ charactersMax }) => charactersMax)
  const charactersIfOmitted = paths.map(({ charactersMaxIfOmitted }) => charactersMaxIfOmitted)
  return db<ErrorRow>`with newest as materialized (
      select id, event, timestamp, received, project, distinct_id, session_id, fingerprint, properties
      from events where org = ${org} ${ofWorkspace} and fingerprint is not null ${alike}
      order by timestamp desc, received desc, id limit ${limit}
    ), sized as materialized (
      select *, octet_length(properties::text) as bytes from newest
    ), chosen as (
      select *, sum(bytes) over (order by bytes, id) <= ${PROPERTIES_BYTES_MAX} as is_kept from sized
    )
    select id, event, timestamp, project, distinct_id as "distinctId", session_id as "sessionId", fingerprint,
      case when is_kept then properties::text end as properties, bytes as "propertiesBytes", excerpt, frames
    from chosen left join lateral (
      select
        (select coalesce(jsonb_object_agg(path, case jsonb_typeof(value)
            when 'string' then to_jsonb(left(value #>> '{}', case when is_kept then most else most_if_omitted end + 1))
            when 'object' then '{}' when 'array' then '[]' else value end), '{}')
          from unnest(${names}::text[], ${characters}::int[], ${charactersIfOmitted}::int[])
            as wanted (path, most, most_if_omitted)
          cross join lateral (select whole #> string_to_array(path, '/') as value offset 0) as found
          where value is not null) as excerpt,
        (select jsonb_agg(frame order by at) from (
          select at, frame, sum(octet_length(frame::text)) over (order by at desc) as total
          from generate_series(case when is_kept then ${-FRAMES_MAX}::int else ${-FRAMES_MAX_IF_OMITTED}::int end, -1) as at
          cross join lateral (select whole #> '{$exception_list,0,stacktrace,frames}' -> at as sent offset 0) as one
          cross join lateral (select coalesce(jsonb_object_agg(key, case jsonb_typeof(value)
              when 'string' then to_jsonb(left(value #>> '{}',
                case when is_kept then ${FRAME_CHARACTERS_MAX}::int else ${FRAME_CHARACTERS_MAX_IF_OMITTED}::int end))
              else value end), '{}') as frame
            from unnest('{function,filename,abs_path,lineno,colno,in_app}'::text[]) as key
            cross join lateral (select sent -> key as value offset 0) as found
            where jsonb_typeof(value) in ('string', 'number', 'boolean')) as short
          where jsonb_typeof(sent) = 'object') as measured
          where is_kept or total <= ${FRAMES_BYTES_MAX_IF_OMITTED}) as frames
      from (select properties || '{}' as whole where not is_kept or bytes > ${PARSED_BYTES_MAX} offset 0) as long
    ) as read on true
    order by timestamp desc, received desc, id`
}

/** The same for a list of events, whose properties the process parses. */
const LISTED_BYTES_MAX = 512 * 1024

export function selectArrived(
  db: Sql,
  org: string,
  last: { received: string; id: string },
  limit: number,
): Promise<ListedEvent[]> {
  return db<ListedEvent>`with newest as materialized (
      select received, timestamp, project, workspace, id, wire, event, distinct_id, anonymous_id, session_id, revenue,
        currency, properties, octet_length(properties::text) as bytes
      from events where org = ${org} and (received, id) < (${last.received}, ${last.id})
      order by received desc, id desc limit ${limit}
    )
    select received, timestamp, project, workspace, id, wire, event, distinct_id as "distinctId",
      anonymous_id as "anonymousId", session_id as "sessionId", revenue, currency,
      case when sum(bytes) over (order by bytes, id) <= ${LISTED_BYTES_MAX} then properties::text end as properties,
      bytes as "propertiesBytes"
    from newest order by received desc, id desc`
}

/** Returns how many were deleted. Oldest first, which the index finds without reading the others. */
export async function deleteEvents(db: Tx, org: string, before: string, limit: number): Promise<number> {
  const rows = await db`with old as (
      select tableoid, ctid from events where org = ${org} and received < ${before}
      order by received limit ${limit})
    delete from events using old where events.tableoid = old.tableoid and events.ctid = old.ctid
    returning 1`
  return rows.length
}

/** Those whose last event arrived before that time. */
export async function deleteSessions(db: Tx, org: string, before: string, limit: number): Promise<number> {
  const rows = await db`with old as (
      select id from event_sessions where org = ${org} and seen < ${before} and pageviews >= 0 order by seen limit ${limit})
    delete from event_sessions using old where org = ${org} and event_sessions.id = old.id returning 1`
  return rows.length
}
