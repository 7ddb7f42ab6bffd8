// A hash table of texts with open addressing. A slot stores the number of a text and, in the remaining bits, a part of
// its hash, so that most other texts are skipped without a comparison. A hit is always compared with the text itself.
// Hashes run from the last character to the first: one pass over a host name yields the hash of each parent domain.
import { packTexts, type Texts } from './texts.ts'

export type TextHash = Texts & {
  slots: Uint32Array<ArrayBuffer>
  /** Start value of each hash. It comes from a secret salt, so that a source cannot craft colliding texts. */
  seed: number
}

export const EMPTY_SLOT = 0

/** Adds the next character to the left to a hash. */
export function mix(hash: number, code: number): number {
  const product = Math.imul(hash ^ code, 0x9e3779b1)
  return product ^ (product >>> 15)
}

function hashOf(bytes: Uint8Array, from: number, to: number, seed: number): number {
  let hash = seed
  for (let at = to - 1; at >= from; at--) hash = mix(hash, bytes[at]!)
  return hash
}

/** The bits of a slot for the number of a text, which starts at one. */
const numberMask = (count: number) => 2 ** (32 - Math.clz32(count)) - 1

export function buildTextHash(texts: readonly string[], salt: number): TextHash {
  const { bytes, offsets } = packTexts(texts)
  const seed = mix(mix(salt | 0, 1), 2)
  // Between a third and two thirds of the slots are occupied.
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(texts.length * 1.5 + 1)))
  const numberBits = numberMask(texts.length)
  for (let index = 0; index < texts.length; index++) {
    const hash = hashOf(bytes, offsets[index]!, offsets[index + 1]!, seed)
    let slot = hash & (slots.length - 1)
    while (slots[slot] !== EMPTY_SLOT) slot = (slot + 1) & (slots.length - 1)
    slots[slot] = (hash & ~numberBits) | (index + 1)
  }
  return { bytes, offsets, slots, seed }
}

/** Returns the index of the text that equals `key.slice(from)`, given its hash, or -1. A character of `key` is one
 *  byte. */
export type Probe = (hash: number, key: string, from: number) => number

export function openProbe({ bytes, offsets, slots }: TextHash): Probe {
  const numberBits = numberMask(offsets.length - 1)
  const last = slots.length - 1

  function isTextAt(index: number, key: string, from: number): boolean {
    const start = offsets[index]!
    if (offsets[index + 1]! - start !== key.length - from) return false
    for (let at = from; at < key.length; at++) if (bytes[start + at - from] !== key.charCodeAt(at)) return false
    return true
  }

  return (hash, key, from) => {
    for (let at = hash & last; ; at = (at + 1) & last) {
      const slot = slots[at]!
      if (slot === EMPTY_SLOT) return -1
      if (((slot ^ hash) & ~numberBits) === 0 && isTextAt((slot & numberBits) - 1, key, from))
        return (slot & numberBits) - 1
    }
  }
}

/** Finds the index of a text, or -1. */
export function openTextLookup(data: TextHash): (text: string) => number {
  const probe = openProbe(data)
  return text => {
    let hash = data.seed
    let codes = 0
    for (let at = text.length - 1; at >= 0; at--) {
      const code = text.charCodeAt(at)
      hash = mix(hash, code)
      codes |= code
    }
    if (codes < 128) return probe(hash, text, 0)
    const bytes = Buffer.from(text)
    return probe(hashOf(bytes, 0, bytes.length, data.seed), bytes.toString('latin1'), 0)
  }
}
