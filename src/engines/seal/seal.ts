// Encrypts secrets that must be read back, such as an app's. Each text is encrypted with AES-256-GCM under its own key,
// which is encrypted under the organisation's key, which is derived from the root key. Both are bound to organisation and
// name, so that a sealed text copied to another organisation or name does not open.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto'
import type { Random, Seal } from '../engines.ts'

export const ROOT_KEY_BYTES = 32
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 1
/** Identifies the root key under which a text was sealed. */
const ROOT_ID_BYTES = 4
const HEAD_BYTES = 1 + ROOT_ID_BYTES
const WRAPPED_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES

export function openSeal(root: Uint8Array, random: Random): Seal {
  if (root.length !== ROOT_KEY_BYTES) throw new Error(`a root key must have ${ROOT_KEY_BYTES} bytes`)
  const head = Buffer.concat([
    Buffer.from([VERSION]),
    createHash('sha256').update('stoa root key id').update(root).digest().subarray(0, ROOT_ID_BYTES),
  ])
  const keyOf = (org: string) => Buffer.from(hkdfSync('sha256', root, 'stoa seal 1', `organisation ${org}`, KEY_BYTES))

  function encrypt(key: Uint8Array, plain: Uint8Array, aad: Uint8Array): Buffer {
    const nonce = random.bytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad)
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }

  return {
    seal: (org, name, text) => {
      const aad = aadOf(head, org, name)
      const textKey = random.bytes(KEY_BYTES)
      return Buffer.concat([head, encrypt(keyOf(org), textKey, aad), encrypt(textKey, Buffer.from(text, 'utf8'), aad)])
    },
    mac: (org, name, text) => {
      const key = Buffer.from(hkdfSync('sha256', root, 'stoa mac 1', `organisation ${org}`, KEY_BYTES))
      return createHmac('sha256', key)
        .update(aadOf(head, org, name))
        .update('\0')
        .update(text)
        .digest()
    },
    unseal: (org, name, sealed) => {
      const bytes = Buffer.from(sealed)
      if (!bytes.subarray(0, HEAD_BYTES).equals(head)) throw new Error('sealed under another root key')
      const aad = aadOf(head, org, name)
      const body = bytes.subarray(HEAD_BYTES)
      const textKey = decrypt(keyOf(org), body.subarray(0, WRAPPED_BYTES), aad)
      return decrypt(textKey, body.subarray(WRAPPED_BYTES), aad).toString('utf8')
    },
  }
}

/** Throws if anything was changed. */
function decrypt(key: Uint8Array, sealed: Buffer, aad: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(aad).setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
}

/** The length prefix distinguishes `a`, `bc` from `ab`, `c`. */
const aadOf = (head: Buffer, org: string, name: string) =>
  Buffer.concat([head, Buffer.from(`${Buffer.byteLength(org)} ${org} ${name}`, 'utf8')])
