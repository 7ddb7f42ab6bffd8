// How many distinct visitors: exact up to 10,000, and a HyperLogLog above, which needs 8 KiB for any number of them.
//
// As bytes, a set is `0` and the hashes of its visitors, or `1` and the registers (a sketch). Sets of different times are merged.
import { hash } from 'node:crypto'

export const EXACT_MAX = 10_000
/** The relative error that an estimate hardly ever exceeds: 3.5 standard deviations of 1.15 %. */
export const SKETCH_ERROR = 0.04

const HASH_BYTES = 8
const INDEX_BITS = 13
const REGISTERS = 2 ** INDEX_BITS
/** The bits of a hash that are not used as the index of its register. */
const REST_BITS = 64 - INDEX_BITS
const [EXACT, SKETCH] = [0, 1]

export type Distinct = { count: number; isExact: boolean }

export const visitorHash = (visitor: string): Buffer => hash('sha256', visitor, 'buffer').subarray(0, HASH_BYTES)

/** A set as bytes, from hashes that are distinct. */
export const setOf = (hashes: readonly Buffer[]): Buffer => Buffer.concat([Buffer.of(EXACT), ...hashes])

const NO_REGISTERS = new Uint8Array(0)

function registersOf(hashes: ReturnType<typeof openHashes>): Uint8Array {
  const registers = new Uint8Array(REGISTERS)
  hashes.each((high, low) => raise(registers, high, low))
  return registers
}

/** A set to which others are added. */
export function openSet() {
  let exact: ReturnType<typeof openHashes> | null = openHashes()
  /** Most sets stay exact, and need none. */
  let registers: Uint8Array = NO_REGISTERS

  function estimate(): void {
    if (exact === null) return
    registers = registersOf(exact)
    exact = null
  }

  function addHash(high: number, low: number): void {
    if (exact === null) raise(registers, high, low)
    else if (exact.add(high, low) > EXACT_MAX) estimate()
  }

  function addSketch(sketch: Uint8Array): void {
    estimate()
    for (let at = 0; at < REGISTERS; at++) {
      const rank = sketch[at] as number
      if (rank > (registers[at] as number)) registers[at] = rank
    }
  }

  return {
    add: (bytes: Buffer): void => {
      if (bytes[0] === SKETCH) addSketch(bytes.subarray(1))
      else
        for (let at = 1; at < bytes.length; at += HASH_BYTES)
          addHash(bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4))
    },
    distinct: (): Distinct => {
      if (exact) return { count: exact.size(), isExact: true }
      return { count: Math.round(estimateOf(registers)), isExact: false }
    },
    /** The same as a sketch, although it may be exact. */
    sketch: (): Buffer => Buffer.concat([Buffer.of(SKETCH), exact === null ? registers : registersOf(exact)]),
    bytes: (): Buffer => {
      if (exact === null) return Buffer.concat([Buffer.of(SKETCH), registers])
      const bytes = Buffer.alloc(1 + exact.size() * HASH_BYTES, EXACT)
      let at = 1
      exact.each((high, low) => {
        bytes.writeUInt32BE(high, at)
        bytes.writeUInt32BE(low, at + 4)
        at += HASH_BYTES
      })
      return bytes
    },
  }
}

export function distinctIn(sets: readonly Buffer[]): Distinct {
  const all = openSet()
  for (const one of sets) all.add(one)
  return all.distinct()
}

/** A larger set is read faster as a sketch. */
export const SKETCHED_MIN = REGISTERS / HASH_BYTES

/** How many visitors a set of hashes has. */
export const hashesIn = (bytes: Buffer): number => (bytes.length - 1) / HASH_BYTES

/** The rank of a hash is the position of the first 1 among its remaining bits. */
function raise(registers: Uint8Array, high: number, low: number): void {
  const index = high >>> (32 - INDEX_BITS)
  const first = (high << INDEX_BITS) | (low >>> (32 - INDEX_BITS))
  const zeros = first === 0 ? 32 + Math.min(Math.clz32(low << INDEX_BITS), REST_BITS - 32) : Math.clz32(first)
  if (zeros + 1 > (registers[index] as number)) registers[index] = zeros + 1
}

/** The estimator of O. Ertl (2017), which has no bias for any number, unlike the original one. */
function estimateOf(registers: Uint8Array): number {
  const counts = new Float64Array(REST_BITS + 2)
  for (const rank of registers) counts[rank] = (counts[rank] as number) + 1
  let z = REGISTERS * tau(1 - (counts[REST_BITS + 1] as number) / REGISTERS)
  for (let rank = REST_BITS; rank >= 1; rank--) z = 0.5 * (z + (counts[rank] as number))
  z += REGISTERS * sigma((counts[0] as number) / REGISTERS)
  return REGISTERS ** 2 / (2 * Math.LN2 * z)
}

function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY
  let [x, y, z, before] = [share, 1, share, -1]
  while (z !== before) {
    x *= x
    before = z
    z += x * y
    y += y
  }
  return z
}

function tau(share: number): number {
  if (share === 0 || share === 1) return 0
  let [x, y, z, before] = [share, 1, 1 - share, -1]
  while (z !== before) {
    x = Math.sqrt(x)
    before = z
    y *= 0.5
    z -= (1 - x) ** 2 * y
  }
  return z / 3
}

/** A hash table with open addressing: a Set of numbers takes ten times as long. It grows, because most sets are small. */
function openHashes() {
  let slots = new Uint32Array(2 * 64)
  let size = 0
  /** An empty slot is 0, so the hash 0 is kept apart. */
  let hasZero = false

  function insert(into: Uint32Array, high: number, low: number): boolean {
    const mask = into.length / 2 - 1
    for (let at = (low ^ high) & mask; ; at = (at + 1) & mask) {
      const [one, rest] = [into[2 * at] as number, into[2 * at + 1] as number]
      if (one === high && rest === low) return false
      if (one !== 0 || rest !== 0) continue
      into[2 * at] = high
      into[2 * at + 1] = low
      return true
    }
  }

  function each(tell: (high: number, low: number) => void): void {
    if (hasZero) tell(0, 0)
    for (let at = 0; at < slots.length; at += 2) {
      const [high, low] = [slots[at] as number, slots[at + 1] as number]
      if (high !== 0 || low !== 0) tell(high, low)
    }
  }

  function grow(): void {
    const larger = new Uint32Array(slots.length * 2)
    each((high, low) => (high === 0 && low === 0 ? undefined : insert(larger, high, low)))
    slots = larger
  }

  return {
    /** Returns how many there are then. */
    add: (high: number, low: number): number => {
      if (high === 0 && low === 0) {
        if (!hasZero) size++
        hasZero = true
      } else if (insert(slots, high, low)) {
        size++
        if (size * 4 > slots.length) grow()
      }
      return size
    },
    each,
    size: () => size,
  }
}
