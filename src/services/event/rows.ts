// An event of ingest as the log has it, in an envelope with what the warehouse needs beside it, and the row that the warehouse
// makes of it.
import type { Envelope, EventRow, StoredRow } from '../../engines/engines.ts'
import { withoutNulls } from '../../kit/fields.ts'
import { eventFacts } from './facts.ts'

export const ID_CHARACTERS_MAX = 200

/** Who an event counts as that has no id, if a former version stored it. */
export const UNKNOWN_VISITOR = 'unknown'

/** What the log has beside the envelope. `visitor` is there for events without an id. */
export type Ingested = Pick<EventRow, 'wire' | 'received' | 'isClamped' | 'fingerprint'> & { visitor?: string }

type Known = Pick<EventRow, 'distinctId' | 'anonymousId' | 'sessionId' | 'revenue' | 'currency' | 'workspace'>
type Data = { event: string; timestamp: string; properties: object } & Known & { messageId: string | null }

/** The `data` of its envelope: without what it does not have, the properties last. */
export const ingestedData = ({ properties, ...data }: Data) => ({ ...withoutNulls(data), properties })

/** `text` is an `Ingested` as JSON. */
export function rowOf({ id, tenant: org, project, data }: Envelope, text: string): EventRow {
  const { event, timestamp, properties, ...sent } = data as Pick<Data, 'event' | 'timestamp' | 'properties'> &
    Partial<Known>
  const { visitor, ...ingested } = JSON.parse(text) as Ingested
  const { distinctId = null, anonymousId = null, sessionId = null } = sent
  const { revenue = null, currency = null, workspace = null } = sent
  return {
    ...ingested,
    ...{ id, org, project: project ?? null, workspace, event, timestamp },
    ...{ distinctId, anonymousId, sessionId, revenue, currency },
    ...describedBy({ event, distinctId, anonymousId }, properties, visitor),
    properties: JSON.stringify(properties),
  }
}

/** A row that a former version stored, with what is known of it. */
export const describedRow = (row: StoredRow): EventRow => ({
  ...row,
  ...describedBy(row, JSON.parse(row.properties) as object),
})

/** `visitor` is who it counts as if it has no id. */
function describedBy(
  { event, distinctId, anonymousId }: Pick<EventRow, 'event' | 'distinctId' | 'anonymousId'>,
  properties: object,
  visitor = UNKNOWN_VISITOR,
) {
  return {
    ...eventFacts(properties as Record<string, unknown>, event === '$pageview'),
    visitor: distinctId ?? anonymousId ?? visitor,
    join: joinOf(event, distinctId, event === '$create_alias' ? aliasIn(properties) : anonymousId),
  }
}

const JOINING = ['$identify', '$create_alias']

const joinOf = (event: string, to: string | null, id: string | null) =>
  JOINING.includes(event) && to !== null && id !== null && id !== to ? { id, to } : null

const aliasIn = (properties: object) => {
  const { alias } = properties as { alias?: unknown }
  return typeof alias === 'string' && alias !== '' && alias.length <= ID_CHARACTERS_MAX ? alias : null
}
