// Verifies webhooks with Web Crypto, according to the Standard Webhooks specification or by the header
// `X-Webhook-Signature`.
import { StoaError } from './errors.ts'

/** Why a webhook must not be trusted. */
export class WebhookVerificationError extends StoaError {
  override name = 'WebhookVerificationError'
}

export type WebhookRequest = {
  /** The raw body. Parsing and serialising it again would change it. */
  payload: string | Uint8Array | ArrayBuffer
  /** The headers of the request, as `Headers` or as Node's object with names in lower case. */
  headers: { get(name: string): string | null } | Record<string, string | string[] | undefined>
  /** The secret of the webhook, `whsec_…`. */
  secret: string
  /** How many seconds the webhook's time may differ from now; defaults to 300. */
  toleranceS?: number | undefined
}

/** Returns the parsed payload if the webhook was recently signed with the secret; otherwise throws a
 *  WebhookVerificationError. Remember its `webhook-id` or `x-webhook-delivery` to recognise duplicates. */
export async function verifyWebhook<Payload = unknown>(webhook: WebhookRequest): Promise<Payload> {
  const { headers, secret, toleranceS = 300 } = webhook
  if (!Number.isFinite(toleranceS) || toleranceS < 0) throw new TypeError('`toleranceS` must be a number, 0 or more.')
  if (typeof secret !== 'string' || secret === '') throw new TypeError('`secret` must be a string, and not empty.')
  if (typeof headers !== 'object' || headers === null) throw new TypeError('`headers` must be those of the request.')
  const body = bytesOf(webhook.payload)
  const read = isOnlyX(headers) ? xSignature : standardSignature
  const { key, timestampS, prefix, given } = read(headers, secret)
  const ageS = Date.now() / 1000 - timestampS
  if (ageS > toleranceS) throw new WebhookVerificationError(`The webhook is older than ${toleranceS} seconds.`)
  if (ageS < -toleranceS) throw new WebhookVerificationError(`The webhook's time is in the future: the clocks differ.`)
  const expected = await hmac(key, [utf8(prefix), body])
  if (!given.some(one => isEqual(one, expected))) {
    throw new WebhookVerificationError('No signature matches: the secret is wrong, or the payload was changed.')
  }
  try {
    return JSON.parse(new TextDecoder().decode(body)) as Payload
  } catch (cause) {
    throw new WebhookVerificationError('The payload is not JSON.', { cause })
  }
}

type Signature = {
  key: Uint8Array<ArrayBuffer>
  timestampS: number
  /** The signed text that precedes the body. */
  prefix: string
  /** Several secrets while one is being replaced; null for one that cannot be decoded. */
  given: (Uint8Array | null)[]
}

/** `v1,<base64> v1,<base64>`, under the bytes that the secret encodes. */
function standardSignature(headers: WebhookRequest['headers'], secret: string): Signature {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name =>
    headerIn(headers, name),
  ) as [string, string, string]
  const timestampS = secondsOf(timestamp, 'webhook-timestamp')
  const given = signatures.split(' ').filter(one => one.startsWith('v1,'))
  if (given.length === 0) throw new WebhookVerificationError('The header `webhook-signature` has no signature `v1,…`.')
  const decoded = given.map(one => base64Bytes(one.slice(3)))
  return { key: secretBytes(secret), timestampS, prefix: `${id}.${timestamp}.`, given: decoded }
}

/** `t=<seconds>,v1=<hex>,v1=<hex>`, under the whole text of the secret. */
function xSignature(headers: WebhookRequest['headers'], secret: string): Signature {
  const parts = headerIn(headers, 'x-webhook-signature').split(',')
  const valuesOf = (name: string) => parts.filter(one => one.startsWith(name)).map(one => one.slice(name.length))
  const times = valuesOf('t=')
  const timestamp = times.length === 1 ? (times[0] as string) : ''
  const timestampS = secondsOf(timestamp, 'x-webhook-signature')
  const given = valuesOf('v1=')
  if (given.length === 0)
    throw new WebhookVerificationError('The header `x-webhook-signature` has no signature `v1=…`.')
  return { key: utf8(secret), timestampS, prefix: `${timestamp}.`, given: given.map(hexBytes) }
}

const isOnlyX = (headers: WebhookRequest['headers']) =>
  (valueIn(headers, 'webhook-signature') ?? null) === null && (valueIn(headers, 'x-webhook-signature') ?? null) !== null

const valueIn = (headers: WebhookRequest['headers'], name: string): unknown =>
  typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]

function headerIn(headers: WebhookRequest['headers'], name: string): string {
  const value = valueIn(headers, name)
  if (typeof value !== 'string' || value === '') {
    throw new WebhookVerificationError(`The header \`${name}\` is missing, or was sent more than once.`)
  }
  return value
}

function secondsOf(timestamp: string, header: string): number {
  if (/^\d{1,15}$/.test(timestamp)) return Number(timestamp)
  throw new WebhookVerificationError(`The header \`${header}\` has no time in seconds.`)
}

function bytesOf(payload: unknown): Uint8Array {
  if (typeof payload === 'string') return utf8(payload)
  if (ArrayBuffer.isView(payload)) return new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength)
  if (payload instanceof ArrayBuffer) return new Uint8Array(payload)
  throw new TypeError('`payload` must be the body as it arrived: a string, a Uint8Array or an ArrayBuffer.')
}

const utf8 = (text: string) => new TextEncoder().encode(text)

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = base64Bytes(secret.replace(/^whsec_/, ''))
  if (bytes && bytes.length > 0) return bytes
  throw new WebhookVerificationError('The secret is not `whsec_` and base64.')
}

/** Null if the text is not base64. */
function base64Bytes(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return null // The caller reports the error.
  }
}

/** Null if the text is not hexadecimal. */
function hexBytes(text: string): Uint8Array | null {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) return null
  return Uint8Array.from(text.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
}

async function hmac(secret: Uint8Array<ArrayBuffer>, parts: Uint8Array[]): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  const message = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    message.set(part, at)
    at += part.length
  }
  return new Uint8Array(await crypto.subtle.sign(algorithm, key, message))
}

/** Takes the same time wherever the first difference is, so that a signature cannot be guessed byte by byte. */
function isEqual(given: Uint8Array | null, expected: Uint8Array): boolean {
  if (given?.length !== expected.length) return false
  return expected.reduce((differences, byte, at) => differences | (byte ^ (given[at] as number)), 0) === 0
}
