// An event of ingest as the log has it, in an envelope with what the warehouse needs beside it, and the row that the warehouse
// makes of it.
import type { Envelope, EventRow } from '../../engines/engines.ts'
import { withoutNulls } from '../../kit/fields.ts'

/** What the log has beside the envelope. */
export type Ingested = Pick<EventRow, 'wire' | 'received' | 'isClamped' | 'fingerprint'>

type Known = Pick<EventRow, 'distinctId' | 'anonymousId' | 'sessionId' | 'revenue' | 'currency' | 'workspace'>
type Data = { event: string; timestamp: string; properties: object } & Known & { messageId: string | null }

/** The `data` of its envelope: without what it does not have, the properties last. */
export const ingestedData = ({ properties, ...data }: Data) => ({ ...withoutNulls(data), properties })

/** `text` is an `Ingested` as JSON. */
export function rowOf({ id, tenant: org, project, data }: Envelope, text: string): EventRow {
  const { event, timestamp, properties, ...sent } = data as Pick<Data, 'event' | 'timestamp' | 'properties'> &
    Partial<Known>
  const { distinctId = null, anonymousId = null, sessionId = null } = sent
  const { revenue = null, currency = null, workspace = null } = sent
  return {
    ...(JSON.parse(text) as Ingested),
    ...{ id, org, project: project ?? null, workspace, event, timestamp },
    ...{ distinctId, anonymousId, sessionId, revenue, currency },
    properties: JSON.stringify(properties),
  }
}
