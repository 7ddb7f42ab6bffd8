// The schema of the data of events with the subjects `event.>`: what clients have sent, under our names.
import { hash } from 'node:crypto'
import { Type } from 'typebox'
import { string, timestamp } from '../../kit/fields.ts'

const text = (description: string, example: string) => Type.Optional(string(description, example))

export const EventData = Type.Object(
  {
    event: string('The name of the event, as it was sent', '$pageview'),
    timestamp: timestamp('When it happened, corrected for the clock of the client'),
    distinctId: text('Who did it', 'user-1'),
    anonymousId: text('The id of the visitor before the person was identified', '0192c1f0'),
    sessionId: text('The session of the visitor', '0192c1f1'),
    messageId: text("The SDK's own id of the event", '0192c1f2'),
    revenue: Type.Optional(Type.Number({ description: 'The amount that was paid', examples: [12.5] })),
    currency: text('The currency of the revenue, as in ISO 4217', 'EUR'),
    workspace: text('The workspace whose token wrote it', 'wsp_4vJ9mWcX2bQeT7yLrK0sZp1n'),
    properties: Type.Record(Type.String(), Type.Unknown(), { description: 'Everything else about the event' }),
  },
  { title: 'EventData', description: 'An event of a client' },
)

/** `event.` and the name: lower case, without `$`, and `_` for what a token cannot contain. Names with non-ASCII letters
 *  get a hash, which keeps them distinct. */
export function subjectOf(event: string): string {
  if (!NOT_ASCII.test(event)) return `event.${tokenOf(event).slice(0, NAME_MAX) || '_'}`
  const name = event.normalize('NFC').toLowerCase()
  return `event.${tokenOf(name).slice(0, NAME_MAX - HASH_MAX - 1)}_${hash('sha256', name).slice(0, HASH_MAX)}`
}

const tokenOf = (name: string) =>
  name
    .slice(0, NAME_MAX * 2)
    .replaceAll('$', '')
    .toLowerCase()
    .replace(/[^a-z0-9_]/g, '_')

const NOT_ASCII = /[^\0-\x7f]/
const HASH_MAX = 8

const NAME_MAX = 48
