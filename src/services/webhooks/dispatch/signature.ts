// The headers of a delivery. The signature is made in two formats: that of Stripe, under the whole text of the secret, and
// that of Standard Webhooks, under the bytes that it encodes.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

/** A secret as the keys of both formats. */
export type SigningKeys = { plain: KeyObject; standard: KeyObject }

/** Key objects, because a key of bytes costs seven times as much at each signature in Node 24. */
export const signingKeys = (secret: string): SigningKeys => ({
  plain: createSecretKey(secret, 'utf8'),
  standard: createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')),
})

export type Signed = { delivery: string; subject: string; body: Uint8Array; at: Date }

/** With two secrets, each signature is made twice, and receivers accept either. */
export function signedHeaders(keys: readonly SigningKeys[], { delivery, subject, body, at }: Signed) {
  const seconds = Math.floor(at.getTime() / 1000)
  const plain = keys.map(({ plain: key }) => `v1=${hmac(key, `${seconds}.`, body, 'hex')}`)
  const standard = keys.map(({ standard: key }) => `v1,${hmac(key, `${delivery}.${seconds}.`, body, 'base64')}`)
  return {
    'content-type': 'application/json',
    'user-agent': 'Stoa-Webhooks',
    'x-webhook-signature': [`t=${seconds}`, ...plain].join(','),
    'x-webhook-event': subject,
    'x-webhook-delivery': delivery,
    'webhook-id': delivery,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.join(' '),
  }
}

const hmac = (key: KeyObject, begin: string, body: Uint8Array, encoding: 'hex' | 'base64') =>
  createHmac('sha256', key).update(begin).update(body).digest(encoding)
