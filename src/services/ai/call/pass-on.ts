// Passes the stream of a provider on to the client, as it is or translated, and reads the usage in it.
import type { ProviderWire } from '../providers/provider.ts'
import type { About, JsonObject, ServerEvent, Translation } from '../translations/translation.ts'
import { cutNullUsage, isNullUsage, USAGE } from './null-usage.ts'
import type { Produced } from './produced.ts'
import type { Route } from './route.ts'
import { cleanError, tellsError, withoutKey, withoutSecrets, writtenIn } from './secrets.ts'
import { eventsIn, eventText, openEventReader } from './server-events.ts'
import { jsonIn } from './texts.ts'

/** The bytes to send for the bytes that have arrived; null for nothing. `isWhole` is for the end of a stream without
 *  the event that completes it. */
export type Passing = { next(chunk: Buffer): Buffer | null; end(): Buffer | null; isWhole(): boolean }

/** `request` is the body of the client. A function for each chunk and not a generator: of those, each chunk would await
 *  several. */
export function passOn(route: Route, request: JsonObject, about: About, produced: Produced): Passing {
  const events = openEventReader()
  const { pass, end, isFinished } = route.translation
    ? translator(route.translation, request, about, produced)
    : passer(produced, route.wire, request)
  const { apiKey } = route.offer.at
  const keys = writtenIn(apiKey)
  let isCut = false
  const passed = (bytes: Buffer | null) => {
    if (bytes === null) return null
    const clean = mayTellError(bytes) ? withoutSecret(bytes, apiKey, produced) : bytes
    // Some errors do not look like errors.
    return pass(keys.some(key => clean.includes(key)) ? Buffer.from(withoutKey(clean.toString(), apiKey)) : clean)
  }
  return {
    next: chunk => passed(events.add(chunk)),
    end: () => {
      const rest = eventsIn(events.rest() ?? Buffer.alloc(0))
      const whole = rest.filter(isWholeEvent)
      isCut = whole.length < rest.length
      return joined(passed(unlessEmpty(Buffer.from(whole.map(eventText).join('')))), end())
    },
    // A translation reports an incomplete stream itself.
    isWhole: () => route.translation !== null || (isFinished() && !isCut),
  }
}

/** Some providers do not end their last event with an empty line. One that breaks off is left out. */
const isWholeEvent = ({ event, data }: ServerEvent): boolean =>
  event === 'error' || data.trim() === '[DONE]' || jsonIn(data) !== null

const LAST: Record<ProviderWire, readonly string[]> = {
  chat: ['[DONE]'],
  messages: ['message_stop'],
  responses: ['response.completed', 'response.incomplete', 'response.failed'],
  embeddings: [],
}

/** Whether these bytes contain the event that completes a stream. Model output may contain the same words. */
export const isLast = (wire: ProviderWire, bytes: Buffer): boolean =>
  LAST[wire].some(word => bytes.includes(word)) &&
  eventsIn(bytes).some(event => LAST[wire].includes(nameOf(wire, event)))

function nameOf(wire: ProviderWire, { event, data }: ServerEvent): string {
  if (wire === 'chat') return data.trim()
  return event ?? String((jsonIn(data) as { type?: unknown } | null)?.type)
}

const ERROR = Buffer.from('error')
const EVENT = /event: ?$/
const QUOTE = 34

/** Whether it is a name, a whole text, or the name of an event. A quote inside of a text is escaped. */
function mayTellError(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(ERROR); at !== -1; at = bytes.indexOf(ERROR, at + ERROR.length)) {
    const before = bytes[at - 1]
    if (before === QUOTE && bytes[at + ERROR.length] === QUOTE) return true
    if (before !== QUOTE && EVENT.test(bytes.toString('latin1', Math.max(0, at - 7), at))) return true
  }
  return false
}

/** Records an error that the events report. Some providers repeat the rejected key in it. */
function withoutSecret(bytes: Buffer, apiKey: string | null, produced: Produced): Buffer {
  const events = eventsIn(bytes)
  const clean = events.map(event => cleanEvent(event, apiKey))
  if (clean.every(one => one === null)) return bytes
  produced.fail()
  if (clean.every((data, at) => data === null || data === events[at]?.data)) return bytes
  return Buffer.from(events.map((event, at) => eventText({ ...event, data: clean[at] ?? event.data })).join(''))
}

/** The data of an error without secrets; null if the event reports none. */
function cleanEvent({ event, data }: ServerEvent, apiKey: string | null): string | null {
  const json = jsonIn(data)
  if (event !== 'error' && !tellsError(json)) return null
  if (json === null) return withoutSecrets(data, apiKey)
  const clean = cleanError(json, apiKey)
  return clean === json ? data : JSON.stringify(clean)
}

const asksForUsage = ({ stream_options: options }: JsonObject): boolean =>
  (options as JsonObject | null | undefined)?.include_usage === true

const joined = (one: Buffer | null, other: Buffer | null): Buffer | null =>
  one && other ? Buffer.concat([one, other]) : (one ?? other)

const unlessEmpty = (bytes: Buffer): Buffer | null => (bytes.length > 0 ? bytes : null)

/** `pass` gets complete events. */
type Passer = { pass(bytes: Buffer): Buffer | null; end(): Buffer | null; isFinished(): boolean }

/** Bytes without usage pass unread. */
function passer(produced: Produced, wire: ProviderWire, request: JsonObject): Passer {
  const hidesUsage = wire === 'chat' && !asksForUsage(request)
  let hasReason = false
  return {
    pass: bytes => {
      produced.add(bytes)
      hasReason ||= wire === 'chat' && hasFinishReason(bytes)
      const at = bytes.indexOf(USAGE)
      if (at === -1) return bytes
      if (hidesUsage) return cutNullUsage(bytes, at) ?? unlessEmpty(withoutUsage(bytes, produced))
      if (isNullUsage(bytes, at)) return bytes
      for (const { data } of eventsIn(bytes)) if (data.includes('"usage"')) produced.report(jsonIn(data))
      return bytes
    },
    end: () => null,
    // Some providers of chat send no `[DONE]`.
    isFinished: () => hasReason,
  }
}

const FINISH_REASON = Buffer.from('"finish_reason"')
const REASON = /^: ?"[^"]/

/** A quote inside of a text is escaped, so that this is always the name of a field. */
function hasFinishReason(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(FINISH_REASON); at !== -1; at = bytes.indexOf(FINISH_REASON, at + 1)) {
    const after = at + FINISH_REASON.length
    if (REASON.test(bytes.toString('latin1', after, after + 4))) return true
  }
  return false
}

/** The same events for a client that did not ask for the usage. A quote inside of a text is escaped, so that `"usage"`
 *  is always the name of a field. */
function withoutUsage(bytes: Buffer, produced: Produced): Buffer {
  const shown = eventsIn(bytes).flatMap(event => {
    if (!event.data.includes('"usage"')) return eventText(event)
    const json = jsonIn(event.data) as JsonObject | null
    if (json?.usage === null) return eventText({ ...event, data: event.data.replace(/,"usage": ?null/, '') })
    produced.report(json)
    if (json === null || json.usage === undefined) return eventText(event)
    if (Array.isArray(json.choices) && json.choices.length === 0) return []
    const { usage: _, ...rest } = json
    return eventText({ ...event, data: JSON.stringify(rest) })
  })
  return Buffer.from(shown.join(''))
}

function translator(translation: Translation, request: JsonObject, about: About, produced: Produced): Passer {
  const stream = translation.stream(request, about)
  const textOf = (events: readonly ServerEvent[]) => unlessEmpty(Buffer.from(events.map(eventText).join('')))
  return {
    pass: bytes => {
      produced.add(bytes)
      const events = eventsIn(bytes)
      for (const { data } of events) if (data.includes('"usage"')) produced.report(jsonIn(data))
      return textOf(events.flatMap(stream.next))
    },
    end: () => textOf(stream.end()),
    isFinished: () => true,
  }
}
