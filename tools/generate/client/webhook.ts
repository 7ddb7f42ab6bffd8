// Verifies webhooks by the Standard Webhooks specification, with Web Crypto.
import { StoaError } from './errors.ts'

/** Why a webhook is not to be trusted. */
export class WebhookVerificationError extends StoaError {
  override name = 'WebhookVerificationError'
}

export type WebhookRequest = {
  /** The body as it arrived. Parsing and serialising it again would change it. */
  payload: string | Uint8Array
  /** The headers of the request, as `Headers` or as Node's object with names in lower case. */
  headers: { get(name: string): string | null } | Record<string, string | string[] | undefined>
  /** The secret of the webhook, `whsec_…`. */
  secret: string
  /** How many seconds the time of the webhook may differ from now; 300 if omitted. */
  toleranceS?: number | undefined
}

/** Returns the parsed payload if the webhook was signed with the secret, recently; else throws a
 *  WebhookVerificationError. Remember its `webhook-id` to recognise one that is delivered twice. */
export async function verifyWebhook<Payload = unknown>(webhook: WebhookRequest): Promise<Payload> {
  const { payload, headers, secret, toleranceS = 300 } = webhook
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name =>
    headerIn(headers, name),
  ) as [string, string, string]
  const ageS = Date.now() / 1000 - (/^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN)
  if (Number.isNaN(ageS)) throw new WebhookVerificationError('The header `webhook-timestamp` is no time in seconds.')
  if (ageS > toleranceS) throw new WebhookVerificationError(`The webhook is older than ${toleranceS} seconds.`)
  if (ageS < -toleranceS) throw new WebhookVerificationError(`The webhook is from the future: the clocks disagree.`)
  const body = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload
  const expected = await hmac(secretBytes(secret), [new TextEncoder().encode(`${id}.${timestamp}.`), body])
  const given = signatures.split(' ').filter(one => one.startsWith('v1,'))
  if (given.length === 0) throw new WebhookVerificationError('The header `webhook-signature` has no signature `v1,…`.')
  if (!given.some(one => isEqual(base64Bytes(one.slice(3)), expected))) {
    throw new WebhookVerificationError('No signature fits: the secret is another one, or the payload was changed.')
  }
  try {
    return JSON.parse(new TextDecoder().decode(body)) as Payload
  } catch (cause) {
    throw new WebhookVerificationError('The payload is no JSON.', { cause })
  }
}

function headerIn(headers: WebhookRequest['headers'], name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]
  if (typeof value !== 'string' || value === '') {
    throw new WebhookVerificationError(`The header \`${name}\` is missing, or was sent more than once.`)
  }
  return value
}

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
    return null // The caller says what is wrong.
  }
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

/** Takes the same time wherever the first difference is, so that nobody can find a signature byte by byte. */
function isEqual(given: Uint8Array | null, expected: Uint8Array): boolean {
  if (given?.length !== expected.length) return false
  return expected.reduce((differences, byte, at) => differences | (byte ^ (given[at] as number)), 0) === 0
}
