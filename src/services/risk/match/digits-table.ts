// Finds the longest member that is a prefix of a card number.
import { codeFrom, digitsText, keyCodeFrom, PREFIX_MAX } from './digits.ts'
import { orderBy } from './order.ts'

export type DigitsData = {
  codes: Uint32Array<ArrayBuffer>
  /** The codes in ascending order, so shorter prefixes first, and the member of each. */
  sorted: Uint32Array<ArrayBuffer>
  order: Uint32Array<ArrayBuffer>
  /** The first position in `sorted` of the prefixes of each length; there are none of length 0. */
  lengths: Uint32Array<ArrayBuffer>
}

export function buildDigits(members: readonly string[]): DigitsData {
  const codes = Uint32Array.from(members, member => {
    const code = codeFrom(member, 1)
    if (code < 0) throw new Error(`Not a card prefix: ${member}`)
    return code
  })
  const order = orderBy(codes.length, index => codes[index]!)
  const sorted = order.map(index => codes[index]!)
  const lengths = new Uint32Array(PREFIX_MAX + 2)
  for (const { length } of members) lengths[length + 1]!++
  for (let length = 1; length < lengths.length; length++) lengths[length]! += lengths[length - 1]!
  return { codes, sorted, order, lengths }
}

export function openDigits({ sorted, order, lengths }: DigitsData): (key: string) => number {
  const position = (code: number, from: number, to: number): number => {
    let low = from
    let high = to
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sorted[middle]! < code) low = middle + 1
      else high = middle
    }
    return low < to && sorted[low] === code ? low : -1
  }
  return key => {
    let code = keyCodeFrom(key)
    if (code < 0) return -2
    let length = 0
    for (let power = 10; power <= code; power *= 10) length++
    for (; length > 0; length--, code = Math.floor(code / 10)) {
      const found = position(code, lengths[length]!, lengths[length + 1]!)
      if (found >= 0) return order[found]!
    }
    return -1
  }
}

export const digitsOf = ({ codes }: DigitsData, index: number): string => digitsText(codes[index]!)
