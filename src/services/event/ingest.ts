// Operations that receive events: /v1/event, and the paths that SDKs append to their host, below /v1/event/{vendor}.
import { repliesIn, reply } from '../../kit/answer.ts'
import { Fault } from '../../kit/fault.ts'
import { string } from '../../kit/fields.ts'
import { EventReceipt, SentEvents } from './documented.ts'
import { readSent, type Sent } from './reading.ts'
import { faultForSender, receiveEvents } from './receive.ts'
import { operation } from './state.ts'
import { BODY_BYTES_MAX, DECODED_BYTES_MAX } from './wires/decode.ts'
import { EVENTS_MAX } from './wires/wire.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

const ingest = {
  access: 'ingest',
  project: 'chosen',
  passUnknown: true,
  body: readSent,
  output: repliesIn('application/json'),
  faultBody: faultForSender,
  audit: 'none',
} as const

const ingested = {
  bodyExample: { event: '$pageview', distinctId: 'user-1', properties: { $current_url: 'https://shop.example.com/' } },
  bodyLimit: BODY_BYTES_MAX.own,
  decodedLimit: DECODED_BYTES_MAX.own,
  encodings: ['gzip', 'deflate', 'br', 'zstd'],
} as const

const FAULTS = [
  'malformed_request',
  'unroutable_events',
  'too_many_events',
  'insufficient_capability',
  'ingest_rate',
  'body_too_large',
] as const

export const ingestEvents = operation({
  ...ingest,
  ...ingested,
  route: 'POST /v1/event',
  documented: { body: SentEvents, answer: EventReceipt },
  summary: 'Stores events and publishes them on the bus',
  description: `The body is one event \`{"event":"…","properties":{…}}\`, a list of events, or an object with a list \`batch\` or \`events\`; at most ${EVENTS_MAX} events. Bodies of the SDKs of PostHog, Segment, RudderStack, Amplitude and Mixpanel are accepted too. The answer is a receipt: \`accepted\` and \`dropped\` add up to the number of events sent, \`errors\` lists which were dropped and why, and \`warnings\` which were stored otherwise than sent, such as with a corrected time. An event whose own id was accepted in the last 7 days counts as accepted and is not stored again. With \`DNT: 1\` or \`Sec-GPC: 1\` nothing is stored.`,
  faults: FAULTS,
  run: (context, { body }) => receiveEvents(context, body),
})

const Vendor = string('The vendor of the SDK', 'amplitude')
const Rest = string('The path that the SDK appends', 'batch')

/** Too many events are `body_too_large` here: several SDKs then send fewer at once, and lose them after a 400. */
const VENDOR_FAULTS = [...FAULTS.filter(code => code !== 'too_many_events'), 'not_found'] as const

const ofVendor = {
  ...ingest,
  ...ingested,
  bodyLimit: BODY_BYTES_MAX.ofVendor,
  decodedLimit: DECODED_BYTES_MAX.ofVendor,
  faults: VENDOR_FAULTS,
} as const

export const ingestOfVendor = operation({
  ...ofVendor,
  route: 'POST /v1/event/{vendor}',
  summary: 'Receives events from a vendor SDK that appends no path to its host',
  description: 'Like `POST /v1/event`, with answers that this SDK understands.',
  input: { vendor: Vendor },
  run: (context, { body }) => answerAt(context, body),
})

export const ingestAtVendorPath = operation({
  ...ofVendor,
  route: 'POST /v1/event/{vendor}/{rest...}',
  summary: 'Receives events from a vendor SDK, at the paths that it appends to its host',
  description:
    'Like `POST /v1/event`, with answers that this SDK understands. Requests for feature flags are answered with an empty list.',
  input: { vendor: Vendor, rest: Rest },
  run: (context, { body }) => answerAt(context, body),
})

export const readVendorPath = operation({
  ...ingest,
  route: 'GET /v1/event/{vendor}/{rest...}',
  summary: 'Answers the GET requests of a vendor SDK',
  description:
    "Feature flags, surveys and recordings are answered as empty. Mixpanel's SDK for Node sends single events with GET; they are stored as with `POST /v1/event`.",
  input: { vendor: Vendor, rest: Rest },
  faults: VENDOR_FAULTS,
  run: (context, { body }) => answerAt(context, body),
})

function answerAt(context: Parameters<typeof receiveEvents>[0], sent: Sent) {
  const { alias, path } = sent
  if (!alias) throw new Fault('not_found', { message: `No SDK sends events to ${path.slice(0, 200)}.` })
  if (alias.does === 'ingest') return receiveEvents(context, sent)
  const { contentType, body: text } = alias.answer
  return reply(200, { 'content-type': contentType === 'application/json' ? JSON_TYPE : contentType }, text)
}
