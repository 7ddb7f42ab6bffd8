// Seals what must be read back later, such as the secret of an app: AES-256-GCM with a key of its own, which is itself
// sealed under a key of the organisation, which is derived from the root key. Both seals are bound to organisation and
// name, so that a sealed text put in another's place does not open.
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import type { Random, Seal } from '../engines.ts'

export const ROOT_KEY_BYTES = 32
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 1
/** Tells under which root key a text was sealed. */
const ROOT_ID_BYTES = 4
const HEAD_BYTES = 1 + ROOT_ID_BYTES
const WRAPPED_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES

export function openSeal(root: Uint8Array, random: Random): Seal {
  if (root.length !== ROOT_KEY_BYTES) throw new Error(`a root key has ${ROOT_KEY_BYTES} bytes`)
  const head = Buffer.concat([
    Buffer.from([VERSION]),
    createHash('sha256').update('stoa root key id').update(root).digest().subarray(0, ROOT_ID_BYTES),
  ])
  const keyOf = (org: string) => Buffer.from(hkdfSync('sha256', root, 'stoa seal 1', `organisation ${org}`, KEY_BYTES))

  function close(key: Uint8Array, plain: Uint8Array, bound: Uint8Array): Buffer {
    const nonce = random.bytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bound)
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }

  return {
    seal: (org, name, text) => {
      const bound = boundTo(head, org, name)
      const own = random.bytes(KEY_BYTES)
      return Buffer.concat([head, close(keyOf(org), own, bound), close(own, Buffer.from(text, 'utf8'), bound)])
    },
    unseal: (org, name, sealed) => {
      const bytes = Buffer.from(sealed)
      if (!bytes.subarray(0, HEAD_BYTES).equals(head)) throw new Error('sealed under another root key')
      const bound = boundTo(head, org, name)
      const body = bytes.subarray(HEAD_BYTES)
      const own = open(keyOf(org), body.subarray(0, WRAPPED_BYTES), bound)
      return open(own, body.subarray(WRAPPED_BYTES), bound).toString('utf8')
    },
  }
}

/** Throws when anything is not as it was. */
function open(key: Uint8Array, sealed: Buffer, bound: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(bound).setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
}

/** The length in front keeps `a` and `bc` apart from `ab` and `c`. */
const boundTo = (head: Buffer, org: string, name: string) =>
  Buffer.concat([head, Buffer.from(`${Buffer.byteLength(org)} ${org} ${name}`, 'utf8')])
