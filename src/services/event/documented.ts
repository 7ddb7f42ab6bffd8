// What the documentation shows of the bodies of `POST /v1/event`. Bodies are not checked against it: the formats of SDKs are
// read too, and an invalid event does not refuse the others.
import { Type } from 'typebox'
import { integer, string } from '../../kit/fields.ts'
import { EVENTS_MAX } from './wires/wire.ts'

const Event = Type.Object(
  {
    event: string('The name, at most 200 characters', '$pageview', { maxLength: 200 }),
    properties: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Anything else about the event: at most 64 KiB as JSON, 32 levels, 5,000 values',
        examples: [{ $current_url: 'https://shop.example.com/' }],
      }),
    ),
    distinctId: Type.Optional(string('The user', 'user-1', { maxLength: 200 })),
    anonymousId: Type.Optional(
      string('The visitor before the user is known; a page visitor without an id gets one for a day', 'visitor-1', {
        maxLength: 200,
      }),
    ),
    sessionId: Type.Optional(string('The session of the visitor', 'session-1', { maxLength: 200 })),
    messageId: Type.Optional(
      string('Your own id for the event: a duplicate within 7 days is not stored again', 'order-4711-completed', {
        maxLength: 200,
      }),
    ),
    timestamp: Type.Optional(
      Type.Union([Type.String(), Type.Number()], {
        description: 'When it happened: a date, or seconds or milliseconds since 1970; default now',
        examples: ['2026-11-15T09:30:00.000Z'],
      }),
    ),
    revenue: Type.Optional(
      Type.Union([Type.Number(), Type.String()], {
        description: 'The amount paid: a number, also as text',
        examples: [12.5],
      }),
    ),
    currency: Type.Optional(string('The currency of `revenue`: a code of ISO 4217', 'EUR')),
    subject: Type.Optional(
      string('With a secret key: the subject to publish under instead of `event.<name>`', 'commerce.order.created'),
    ),
  },
  {
    title: 'Event',
    description: 'One event. Other fields become properties',
    additionalProperties: true,
    examples: [{ event: '$pageview', distinctId: 'user-1' }],
  },
)

export const SentEvents = Type.Union(
  [Event, Type.Array(Event, { maxItems: EVENTS_MAX, description: `At most ${EVENTS_MAX} events` })],
  { description: 'One event, or a list of events' },
)

const index = integer('Which event of the request, from 0', 0)

export const EventReceipt = Type.Object(
  {
    accepted: integer('How many events are stored, duplicates included', 1),
    dropped: integer('How many events are not stored', 0),
    errors: Type.Optional(
      Type.Array(Type.Object({ index, reason: string('Why it was dropped', 'event_name_missing') }), {
        description: 'The dropped events',
      }),
    ),
    warnings: Type.Optional(
      Type.Array(
        Type.Object({
          index,
          reason: string('What is different', 'field_unknown'),
          field: Type.Optional(string('The field that looks misspelt', 'distinctid')),
          known: Type.Optional(string('The field that is probably meant', 'distinctId')),
        }),
        { description: 'Events that were stored otherwise than sent, and fields that look misspelt' },
      ),
    ),
    reason: Type.Optional(string('Why nothing was stored although nothing is wrong', 'privacy')),
  },
  { title: 'EventReceipt', description: 'What became of the events of a request' },
)
