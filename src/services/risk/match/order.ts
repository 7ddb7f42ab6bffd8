// Sorts indexes by one or more 32-bit keys with a radix sort, in linear time.

/** The indexes 0 to count - 1, ordered by the first key, ties by the next, and so on. */
export function orderBy(count: number, ...keys: ((index: number) => number)[]): Uint32Array<ArrayBuffer> {
  let order = new Uint32Array(count)
  for (let index = 0; index < count; index++) order[index] = index
  let spare = new Uint32Array(count)
  const values = new Uint32Array(count)
  for (const key of keys.reverse()) {
    for (let index = 0; index < count; index++) values[index] = key(index)
    for (let shift = 0; shift < 32; shift += 8) {
      if (!sortByByte(values, shift, order, spare)) continue
      const sorted = spare
      spare = order
      order = sorted
    }
  }
  return order
}

/** One stable pass over one byte of the values; false if all values are equal in it and `to` is left as it is. */
function sortByByte(values: Uint32Array, shift: number, from: Uint32Array, to: Uint32Array): boolean {
  const offsets = new Uint32Array(257)
  for (let index = 0; index < values.length; index++) offsets[((values[index]! >>> shift) & 255) + 1]!++
  if (offsets.includes(values.length)) return false
  for (let byte = 0; byte < 256; byte++) offsets[byte + 1]! += offsets[byte]!
  for (const index of from) to[offsets[(values[index]! >>> shift) & 255]!++] = index
  return true
}
