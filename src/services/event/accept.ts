// Decides about one event: what is stored and published, or why it is dropped.
import { hash } from 'node:crypto'
import type { Envelope } from '../../engines/engines.ts'
import type { Principal } from '../../kit/caller.ts'
import { isStorable } from '../../kit/storable.ts'
import { exceptionOf, fingerprintOf, isError, subjectOf } from '../o11y/public.ts'
import { poisonIn } from './poison.ts'
import type { Reason } from './reasons.ts'
import { ID_CHARACTERS_MAX, type Ingested, ingestedData } from './rows.ts'
import { scrubbed } from './scrub.ts'
import type { EventSettings } from './settings.ts'
import type { EventId } from './store.ts'
import { requireSubject } from './subjects.ts'
import { type Arrived, correctedTime } from './times.ts'
import { reduce } from './wires/reduced.ts'
import type { ReadItem } from './wires/wire.ts'

const NAME_CHARACTERS_MAX = 200
/** The same as the limit of a whole body as sent. */
const PROPERTIES_CHARACTERS_MAX = 64 * 1024

/** `characters` is the length of its properties as JSON; `dedupe` is null if the SDK sent no id. */
export type Accepted = {
  envelope: Envelope
  ingested: Ingested
  characters: number
  dedupe: EventId | null
}

/** The facts about the request that apply to all its events. */
export type Arrival = Arrived & {
  caller: Principal
  settings: EventSettings
  /** The client's address, which is stored only if the organisation wants that. */
  address: string
  /** The generated id of a visitor without an id. */
  visitor: string | null
  source: string
  newId: () => string
}

export function acceptEvent(item: ReadItem, arrival: Arrival): Accepted | { drop: Reason } {
  const { caller, settings } = arrival
  if ('drop' in item) return item
  const read = caller.workspace === null ? item : reduce(item)
  if ('drop' in read) return read
  const reason = textFault(read.event, [read.distinctId, read.anonymousId, read.sessionId, read.messageId])
  if (reason) return { drop: reason }
  const poison = poisonIn(read.properties)
  if (poison) return { drop: poison }
  const subject = read.subject === null ? subjectOf(read.event) : requireSubject(read.subject, caller)
  if (typeof subject !== 'string') return subject

  const withAddress = settings.storeAddresses && read.properties.$ip === undefined
  const sent = withAddress ? { ...read.properties, $ip: arrival.address } : read.properties
  const properties = scrubbed(sent, settings)
  const text = JSON.stringify(properties)
  if (text.length > PROPERTIES_CHARACTERS_MAX) return { drop: 'too_large' }
  const isTrusted = caller.user !== null
  const { timestamp, isClamped } = correctedTime(read.timestamp, arrival, isTrusted)
  const { org, project, workspace } = caller
  const { wire, event, anonymousId, sessionId, messageId, revenue, currency } = read
  const isNobody = read.distinctId === null && anonymousId === null
  // A server is not the one whom its events are about, but they count as those of somebody.
  const distinctId = isNobody && !isTrusted ? arrival.visitor : read.distinctId
  const visitor = isNobody && arrival.visitor !== null ? { visitor: arrival.visitor } : {}
  const id = arrival.newId()
  const fingerprint = isError(event) ? fingerprintOf(properties, exceptionOf(properties)) : null
  const known = { distinctId, anonymousId, sessionId, messageId, revenue, currency, workspace }
  return {
    ingested: { wire, received: arrival.received, isClamped, fingerprint, ...visitor },
    characters: text.length,
    envelope: {
      specversion: '1.0',
      id,
      source: arrival.source,
      type: subject,
      time: timestamp,
      tenant: org,
      ...(project && { project }),
      data: ingestedData({ event, timestamp, ...known, properties }),
    },
    dedupe: messageId === null ? null : { org, id: dedupeId(messageId, caller) },
  }
}

function textFault(name: string, ids: readonly (string | null)[]): Reason | null {
  if (name.length > NAME_CHARACTERS_MAX) return 'event_name_too_long'
  if (!isStorable(name)) return 'text_not_storable'
  for (const id of ids) {
    if (id === null) continue
    if (id.length > ID_CHARACTERS_MAX) return 'id_too_long'
    if (!isStorable(id)) return 'text_not_storable'
  }
  return null
}

/** Otherwise the holder of a publishable key could send the id of a server's event before the server does, so that the
 *  server's event would be ignored. */
function dedupeId(messageId: string, { user, workspace }: Principal): string {
  const writer = user !== null ? 'trusted' : (workspace ?? 'publishable')
  const hex = hash('sha256', `${writer}\n${messageId}`)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}
