// From the bytes of a request to a JSON value. SDKs announce their encodings wrongly or not at all, so the bytes decide:
// gzip by its magic bytes, JSON by its first character, then a form, then base64.
import { gunzipSync } from 'node:zlib'
import { type Hints, UnreadableBody } from './wire.ts'

/** The size limits of a body as sent and decompressed: JSON events seldom compress to less than a tenth. The SDKs of
 *  Segment and RudderStack send up to 480 KiB with default settings; those of PostHog and Amplitude send smaller bodies
 *  after a 413. */
export const BODY_BYTES_MAX = { own: 64 * 1024, ofVendor: 512 * 1024 }
export const DECODED_BYTES_MAX = { own: 1024 * 1024, ofVendor: 2 * 1024 * 1024 }
/** Small bodies may be decoded up to this size; larger ones only in proportion to what was sent, because bodies are decoded
 *  before the key is checked. Events seldom compress to less than a twentieth. */
const DECODED_BYTES_FREE = 64 * 1024
const RATIO_MAX = 32

/** Parsing and storing many small values is slow: a hundred thousand take some 50 ms. A compressed body may have only some
 *  values for each byte that was sent, otherwise 1 KB could cost that much. A list of events that differ only in an id and a
 *  time has four if each has a hundred fields. */
const VALUES_MAX = 100_000
const VALUES_FREE = 10_000
const VALUES_PER_BYTE = 6

const UTF8 = new TextDecoder('utf-8', { fatal: true })
const JSON_START = /^[\t\n\r ]*[[{]/
/** Also the alphabet for URLs. A `+` that a form turned into a space is a `+` again before this. */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}[\t\n\r ]*$/

const DATA = '&data='

const EXPECTED =
  'Send one event, a list of events, or an object with the list `batch` or `events`, as JSON in UTF-8; gzip, base64 and form bodies with `data` are read too.'

export function decodeBody(bytes: Buffer, hints: Hints): unknown {
  if (hints.query.get('compression') === 'lz64') throw lz64()
  const max = hints.path === null ? DECODED_BYTES_MAX.own : DECODED_BYTES_MAX.ofVendor
  const sentBytes = hints.sentBytes ?? bytes.length
  const { content, isOpened } = inflate(bytes, hints.isOpened ?? false, max)
  const text = textOf(content)
  // mixpanel sends single events with GET and the event in the query.
  const sent = text === '' ? (hints.query.get('data') ?? '') : text
  if (sent === '') throw malformed('The body is empty.')
  // The size of a body, or of the query.
  const valuesMax = valuesMaxOf(text === '' ? sent.length : sentBytes)
  if (JSON_START.test(sent)) return parse(sent, valuesMax)
  const data = text === '' ? sent : formData(text, hints)
  if (JSON_START.test(data)) return parse(data, valuesMax)
  return parse(fromBase64(data, isOpened, max), valuesMax)
}

/** Decompresses gzip once: no legitimate sender compresses twice. */
function inflate(bytes: Buffer, isOpened: boolean, max: number): { content: Buffer; isOpened: boolean } {
  if (bytes.length > max) throw tooLarge(max)
  if (isOpened || bytes[0] !== 0x1f || bytes[1] !== 0x8b) return { content: bytes, isOpened }
  try {
    const most = Math.max(DECODED_BYTES_FREE, bytes.length * RATIO_MAX)
    return { content: gunzipSync(bytes, { maxOutputLength: Math.min(most, max) }), isOpened: true }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(max)
    throw malformed('The body begins like gzip but cannot be decompressed.')
  }
}

function textOf(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw malformed('The body is not valid UTF-8.')
  }
}

/** The value of `data` in a form. Its content type is announced only if the sender could set one; a beacon cannot. */
function formData(text: string, hints: Hints): string {
  const isForm = hints.contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') ?? false
  if (!isForm && !text.startsWith('data=')) return text
  const form = `&${text}`
  if (form.includes('&compression=lz64')) throw lz64()
  const start = form.indexOf(DATA)
  // RudderStack's SDK announces a form and sends something else.
  if (start === -1) return text
  const end = form.indexOf('&', start + 1)
  const value = form.slice(start + DATA.length, end === -1 ? undefined : end)
  try {
    return decodeURIComponent(value.replaceAll('+', ' '))
  } catch {
    throw malformed('The form field `data` is not percent-encoded UTF-8.')
  }
}

function fromBase64(text: string, isOpened: boolean, max: number): string {
  const joined = text.trim().replaceAll(' ', '+')
  if (!BASE64.test(joined)) throw malformed('The body is not valid JSON.')
  return textOf(inflate(Buffer.from(joined, 'base64'), isOpened, max).content)
}

/** Each value but the first has one of them before it, outside of texts. */
const [COMMA, COLON] = [0x2c, 0x3a]

const valuesMaxOf = (sentBytes: number) => Math.min(VALUES_MAX, Math.max(VALUES_FREE, sentBytes * VALUES_PER_BYTE))

function hasTooManyValues(text: string, valuesMax: number): boolean {
  if (text.length <= valuesMax) return false
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code === COMMA || code === COLON) && ++count > valuesMax) return true
  }
  return false
}

function parse(text: string, valuesMax: number): unknown {
  if (hasTooManyValues(text, valuesMax)) throw tooManyValues(valuesMax)
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('The body is not valid JSON.')
  }
}

const malformed = (problem: string) => new UnreadableBody('malformed', `${problem} ${EXPECTED}`)

const tooLarge = (max: number) =>
  new UnreadableBody(
    'too_large',
    `The decoded body is larger than ${max} bytes, or more than ${RATIO_MAX} times as large as it was sent. Send fewer events at once.`,
  )

const tooManyValues = (valuesMax: number) =>
  new UnreadableBody(
    'too_large',
    `The body has more than ${valuesMax} values${valuesMax < VALUES_MAX ? ', too many for its compressed size' : ''}. Send fewer events at once.`,
  )

const lz64 = () =>
  new UnreadableBody(
    'malformed',
    'The compression lz64 is not supported. Update the SDK, or configure gzip or no compression.',
  )
