// The SQL of the lenses that show single events: raw ones, and what is known of errors with the same fingerprint.
import { fragment, type Sql } from '../engines.ts'
import { chosenIn } from './rows.store.ts'
import type { Chosen, ErrorGroup, Of, RawEvent, RawPosition } from './types.ts'

export type KnownGroup = Pick<ErrorGroup, 'first' | 'last' | 'releases' | 'example'>
type GroupRow = Omit<KnownGroup, 'example' | 'releases'> & {
  fingerprint: string
  /** JSON, a list for each scope. */
  releases: string
  id: string | null
  event: string | null
  properties: string | null
}

/** Longer properties are read without the stack. */
const PROPERTIES_BYTES_MAX = 16 * 1024

/** In scopes together. The example is one that happened last. */
export async function selectErrorGroups(
  db: Sql,
  { org, scopes }: Of,
  fingerprints: readonly string[],
): Promise<Map<string, KnownGroup>> {
  const rows = await db<GroupRow>`select g.*, e.id, e.event,
      case when octet_length(e.properties::text) <= ${PROPERTIES_BYTES_MAX} then e.properties::text else jsonb_build_object(
        '$exception_list', jsonb_build_array((e.properties -> '$exception_list' -> 0) - 'stacktrace'))::text end as properties
    from (
      select fingerprint, min(first) as first, max(last) as last, (array_agg(example order by last desc))[1] as example,
        (array_agg(example_received order by last desc))[1] as received,
        json_agg(releases)::text as releases
      from event_errors where org = ${org} and scope = any(${scopes}) and fingerprint = any(${fingerprints}) group by fingerprint
    ) as g left join lateral (
      select id, event, properties from events where org = ${org} and received = g.received and timestamp = g.last and id = g.example
      offset 0) as e on true`
  return new Map(
    rows.map(({ fingerprint, first, last, releases, id, event, properties }) => {
      const example = id === null || event === null || properties === null ? null : { id, event, properties }
      const names = new Set((JSON.parse(releases) as string[][]).flat())
      return [fingerprint, { first, last, releases: [...names].sort(), example }]
    }),
  )
}

/** Newest first. */
export function selectRows(db: Sql, chosen: Chosen, last: RawPosition | null, limit: number): Promise<RawEvent[]> {
  const before =
    last === null ? fragment`` : fragment`and (timestamp, arrival) < (${last.timestamp}, ${last.arrival}::bigint)`
  return db<RawEvent>`select arrival, received, timestamp, project, workspace, id, wire, event, distinct_id as "distinctId",
      anonymous_id as "anonymousId", session_id as "sessionId", revenue, currency, fingerprint, visitor, session::text,
      path, source, campaign, country, device, browser, system, release, properties::text
    from events where ${chosenIn(chosen)} ${before} order by timestamp desc, arrival desc limit ${limit}`
}
