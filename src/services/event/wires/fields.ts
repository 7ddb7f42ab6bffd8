// Extracts the known fields from what a client sent, and keeps the others as properties: nothing is lost or
// duplicated. Names that would change an object's prototype stay ordinary names.
import { timeOf } from './time.ts'
import type { Envelope, Fields, Notice, ReadEvent, ReadItem, WireName } from './wire.ts'

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Where SDKs put their key: in the object around the events, or in the event itself. */
export const KEY_NAMES = ['api_key', 'writeKey', '$token', 'token'] as const
/** When the request was sent. Some SDKs repeat it in each event. */
export const SENT_AT_NAMES = ['sent_at', 'sentAt', 'client_upload_time'] as const

/** The spelling of our keys. A text that begins so does not stay in the properties of an event. */
const KEY = /^[ps]k[-_]/
export const looksLikeKey = (value: unknown): value is string => typeof value === 'string' && KEY.test(value)

/** Sets a field even if it is named `__proto__`, which an assignment would turn into a prototype. */
export function put(target: Fields, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

/** A text that is not empty, or a number, which some clients use as ids. */
export function idOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null
}

const AMOUNT = /^-?\d{1,15}(?:\.\d{1,9})?$/

export function amountOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'string' && AMOUNT.test(value) ? Number(value) : null
}

/** As many digits as a text may have: sums of more would not be exact, and could become infinite. */
const REVENUE_MAX = 1e15
function revenueOf(value: unknown): number | null {
  const amount = amountOf(value)
  return amount !== null && Math.abs(amount) < REVENUE_MAX ? amount : null
}

/** A code of ISO 4217, in whatever case. */
const CURRENCY = /^[A-Za-z]{3}$/
const currencyOf = (value: unknown) => (typeof value === 'string' && CURRENCY.test(value) ? value.toUpperCase() : null)
/** Also the former ones. A code that is too new for this list is stored all the same. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** An object whose fields are being read. What is left belongs to the properties. `notices` say which values of known
 *  fields could not be read; the sources of one event share them. */
export type Source = { fields: Fields; taken: string[]; ignored: ReadonlySet<string>; notices: Notice[] }

const NONE: ReadonlySet<string> = new Set()

/** Fields of an item that belong to the request, with those that a wire reads otherwise. */
export const requestNames = (...names: string[]): ReadonlySet<string> =>
  new Set([...KEY_NAMES, ...SENT_AT_NAMES, ...names])

export const sourceOf = (fields: Fields, ignored: ReadonlySet<string> = NONE, notices: Notice[] = []): Source => ({
  fields,
  taken: [],
  ignored,
  notices,
})

/** What is known of an item before it is read: its fields beside the properties, and these. */
type Opened = { outer: Source; inner: Source; notices: Notice[] }

/** Null if the properties are not an object. */
export function open(item: Fields, properties: unknown, outside: ReadonlySet<string>, inside = NONE): Opened | null {
  const sent = properties ?? {}
  if (!isFields(sent)) return null
  const notices: Notice[] = []
  return { outer: sourceOf(item, outside, notices), inner: sourceOf(sent, inside, notices), notices }
}

/** The notice about a value that cannot be read. */
type InvalidReason = Exclude<Notice['reason'], 'field_unknown'>

/** Takes the first of the names with a usable value, and the same value or null under the other names. An unusable or
 *  different one is left. */
function take<T>(
  source: Source,
  names: readonly string[],
  read: (value: unknown) => T | null,
  invalid: InvalidReason | null,
): T | null {
  let found: T | null = null
  for (const name of names) {
    if (!Object.hasOwn(source.fields, name) || source.taken.includes(name)) continue
    const sent = source.fields[name]
    const value = sent === null ? null : read(sent)
    if (value === null && (sent ?? null) !== null) notice(source, invalid, sent)
    const isUsable = value !== null && (found === null || value === found)
    if (!isUsable && sent !== null) continue
    found ??= value
    source.taken.push(name)
  }
  return found
}

/** Each reason once per event. SDKs send an empty text for ids and amounts that they do not know. */
function notice({ notices }: Source, reason: InvalidReason | null, sent: unknown): void {
  if (reason === null || (sent === '' && reason !== 'timestamp_invalid')) return
  if (!notices.some(one => one.reason === reason)) notices.push({ reason })
}

export const takeId = (source: Source, ...names: string[]) => take(source, names, idOf, 'id_invalid')
export const takeTime = (source: Source, ...names: string[]) => take(source, names, timeOf, 'timestamp_invalid')
/** How many milliseconds before the request the event happened. */
export const takeOffset = (source: Source, name: string) => take(source, [name], amountOf, 'timestamp_invalid')
export const takeRevenue = (source: Source, ...names: string[]) => take(source, names, revenueOf, 'revenue_invalid')
export const takeObject = (source: Source, ...names: string[]) => take(source, names, objectOf, null)

export function takeCurrency(source: Source, ...names: string[]): string | null {
  const currency = take(source, names, currencyOf, 'currency_invalid')
  if (currency !== null && !CURRENCIES.has(currency)) notice(source, 'currency_invalid', currency)
  return currency
}

const objectOf = (value: unknown) => (isFields(value) ? value : null)

/** A copy of what was not taken, without our keys. */
export function restOf({ fields, taken, ignored }: Source): Fields {
  const rest: Fields = {}
  for (const name of Object.keys(fields)) {
    if (ignored.has(name) || taken.includes(name)) continue
    const value = fields[name]
    if (looksLikeKey(value) && (KEY_NAMES as readonly string[]).includes(name)) continue
    put(rest, name, value)
  }
  return rest
}

/** Adds fields to properties. Of two different values for one name both stay: objects are joined, and other values of
 *  `more` go below `$extra`. */
export function add(properties: Fields, more: Fields): void {
  const extra: Fields = {}
  for (const name of Object.keys(more)) {
    const value = more[name]
    const present = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (present === undefined) put(properties, name, value)
    else if (present === value) continue
    else if (isFields(present) && isFields(value)) put(properties, name, { ...value, ...present })
    else put(extra, name, value)
  }
  if (Object.keys(extra).length > 0) properties[freeName(properties, '$extra')] = extra
}

function freeName(properties: Fields, name: string): string {
  let free = name
  for (let at = 2; Object.hasOwn(properties, free); at++) free = `${name}_${at}`
  return free
}

/** Adds a field if there is something in it. */
export function addFilled(properties: Fields, name: string, value: unknown): void {
  if (!isEmpty(value)) add(properties, { [name]: value })
}

/** The fields that have something in them. SDKs send null and empty objects for what is not known. */
export function filled(fields: Fields): Fields {
  const result: Fields = {}
  for (const name of Object.keys(fields)) if (!isEmpty(fields[name])) put(result, name, fields[name])
  return result
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (isFields(value) && Object.keys(value).length === 0)

/** Completes an event. An event without a name is dropped, because it could not be queried. */
export function completeEvent(
  wire: WireName,
  name: unknown,
  known: Partial<Omit<ReadEvent, 'wire' | 'event' | 'properties' | 'notices'>>,
  properties: Fields,
  notices: readonly Notice[],
): ReadItem {
  if (typeof name !== 'string' || name === '') return { drop: 'event_name_missing' }
  return {
    wire,
    event: name,
    distinctId: known.distinctId ?? null,
    anonymousId: known.anonymousId ?? null,
    sessionId: known.sessionId ?? null,
    messageId: known.messageId ?? null,
    timestamp: known.timestamp ?? null,
    properties,
    revenue: known.revenue ?? null,
    currency: known.currency ?? null,
    subject: known.subject ?? null,
    ...(notices.length > 0 && { notices }),
  }
}

export const hints = (envelope: Envelope, wire: WireName) => envelope.hint?.wire === wire
