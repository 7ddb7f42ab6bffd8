// What a wire is: one format in which clients send events. A reader turns each item of a request into an event in our
// names; only its shape is checked here. Limits, credentials, deduplication and clock correction come later.

export type WireName = 'native' | 'posthog' | 'segment' | 'amplitude' | 'mixpanel'

/** The kinds of message of Segment's specification, which RudderStack and Jitsu send too. */
export type MessageType = 'track' | 'page' | 'screen' | 'identify' | 'group' | 'alias'

/** What the path says: whose SDK sends there, how many events it may send at once and, where the path names it, the kind of
 *  message. */
export type AliasHint = { wire: WireName; type: MessageType | null; eventsMax: number }

export type Hints = {
  contentType: string | null
  query: URLSearchParams
  /** What the path says, from the alias table. */
  path: AliasHint | null
  /** Whether the body was compressed as announced, and is decompressed already. */
  isOpened?: boolean
  /** The size of the body before that; by default its size. */
  sentBytes?: number
}

/** One event as it was sent, in our names. Only its shape is checked. */
export type ReadEvent = {
  wire: WireName
  /** `$pageview`, `$screen`, `$identify`, `$groupidentify` and `$create_alias` on every wire; others as sent. */
  event: string
  distinctId: string | null
  anonymousId: string | null
  sessionId: string | null
  /** The SDK's own id of the event, for deduplication. */
  messageId: string | null
  /** Milliseconds since 1970 by the client's clock; null if it sent none, or none that can be read. */
  timestamp: number | null
  /** Everything else that was sent about the event. What stands in the fields above is not repeated here. */
  properties: Fields
  revenue: number | null
  currency: string | null
  /** Of native events only: the subject to publish under, instead of `event.<name>`. */
  subject: string | null
  /** What the sender should know about how the event was read; absent if there is nothing. */
  notices?: readonly Notice[]
}

/** A known field whose value cannot be read, which stays among the properties, or a field that looks like a misspelt one. */
export type Notice =
  | { reason: 'timestamp_invalid' | 'revenue_invalid' | 'currency_invalid' | 'id_invalid' }
  | { reason: 'field_unknown'; field: string; known: string }

export type DropReason =
  | 'event_not_an_object'
  | 'event_missing'
  | 'event_name_missing'
  | 'properties_not_an_object'
  | 'timestamp_invalid'
  | 'subject_invalid'
  | 'not_allowed_for_token'

export type ReadItem = ReadEvent | { drop: DropReason }

/** Events per request at `/v1/event`. Further ones are counted, not read: that happens before the credential is known. */
export const EVENTS_MAX = 50

export type ReadBody = {
  /** The first of those that were sent, at most `max`. */
  items: ReadItem[]
  /** How many a request may have at this path. */
  max: number
  /** How many were sent. */
  count: number
  /** The first credential in a place of the body where an SDK puts it. */
  key: string | null
  /** When the client says that it sent the request, in milliseconds by its clock. */
  sentAt: number | null
  /** The wire whose receipt is answered. */
  wire: WireName
}

export type Fields = Record<string, unknown>

/** The context of an item. */
export type Envelope = {
  /** The fields of the object that has the list; none for a single event or a bare list. */
  fields: Fields
  hint: AliasHint | null
  sentAt: number | null
}

export type Wire = {
  name: WireName
  recognises(item: Fields, envelope: Envelope): boolean
  read(item: Fields, envelope: Envelope): ReadItem
}

/** A body that cannot be read. The text tells the sender what to do. */
export class UnreadableBody extends Error {
  readonly reason: 'malformed' | 'too_large'

  constructor(reason: 'malformed' | 'too_large', text: string) {
    super(text)
    this.name = 'UnreadableBody'
    this.reason = reason
  }
}
