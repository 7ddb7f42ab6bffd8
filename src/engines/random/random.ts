import { createHash, randomFillSync } from 'node:crypto'
import type { Random } from '../engines.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** The largest multiple of 62 in a byte: bytes from here on are skipped, so that all characters are equally likely. */
const UNBIASED_MAX = 248
/** The bytes fetched per call to the kernel's generator; each is used once. */
const POOL_BYTES = 4096

export const systemRandom: Random = fromSource(into => randomFillSync(into))

/** The same sequence for the same seed, for reproducible tests. Never for secrets. */
export function seededRandom(seed: string): Random {
  let counter = 0
  return fromSource(into => {
    for (let at = 0; at < into.length; at += 32) {
      createHash('sha256').update(`${seed}/${counter++}`).digest().copy(into, at)
    }
  })
}

function fromSource(fill: (into: Buffer) => unknown): Random {
  const pool = Buffer.alloc(POOL_BYTES)
  let at = POOL_BYTES
  const next = () => {
    if (at === POOL_BYTES) {
      fill(pool)
      at = 0
    }
    const byte = pool[at]!
    pool[at++] = 0
    return byte
  }
  return {
    bytes: count => {
      const out = Buffer.alloc(count)
      for (let i = 0; i < count; i++) out[i] = next()
      return out
    },
    token: length => {
      let text = ''
      while (text.length < length) {
        const byte = next()
        if (byte < UNBIASED_MAX) text += ALPHABET[byte % 62]
      }
      return text
    },
  }
}
