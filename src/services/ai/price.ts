// What a call costs, in micro-cents: millionths of a cent. A price is in cents per million tokens, so one token costs as
// many micro-cents as the price says cents.
import type { Price } from './providers/provider.ts'
import type { Usage } from './wires/usage.ts'

const MICRO = 1_000_000

/** Exact, also for prices with fractions, and rounded up once. Throws a `RangeError` for a price or a count that is
 *  negative or no number. */
export function costOf(usage: Usage, price: Price): bigint {
  const { input, output, cachedInput, cacheWrite, reasoning, images } = usage
  for (const count of Object.values(usage)) requireCount(count)
  const parts: [count: number, price: number][] = [
    // An upstream may report more cached tokens than input tokens, and more reasoning than output.
    [Math.max(0, input - cachedInput - cacheWrite), price.input],
    [cachedInput, price.cachedInput ?? price.input],
    [cacheWrite, price.cacheWrite ?? price.input],
    [Math.max(0, output - reasoning), price.output],
    [reasoning, price.reasoning ?? price.output],
    [images * MICRO, price.image ?? 0],
  ]
  const terms = parts.map(([count, cents]) => ({ count: BigInt(count), ...decimalOf(cents) }))
  const places = Math.max(...terms.map(term => term.places))
  const scale = 10n ** BigInt(places)
  const sum = terms.reduce((total, term) => total + term.count * term.digits * 10n ** BigInt(places - term.places), 0n)
  return (sum + scale - 1n) / scale
}

function requireCount(count: number): void {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`${count} is not a number of tokens or images`)
}

/** The decimal number that a person wrote: 1.25 is 125 with two places. */
function decimalOf(price: number): { digits: bigint; places: number } {
  if (!Number.isFinite(price) || price < 0) throw new RangeError(`${price} is not a price`)
  const [mantissa = '', exponent = '0'] = String(price).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = BigInt(whole + fraction)
  const places = fraction.length - Number(exponent)
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places }
}
