// What a call costs, in micro-cents: millionths of a cent. A price is in cents per million tokens, so one token costs as
// many micro-cents as the price says cents.
import type { Price } from './providers/provider.ts'
import type { Usage } from './wires/usage.ts'

const MICRO = 1_000_000

/** Exact, also for prices with fractions, and rounded up once. Throws a `RangeError` for a price or a count that is
 *  negative or no number. */
export function costOf(usage: Usage, price: Price): bigint {
  const { input, output, cachedInput, cacheWrite, cacheWriteHour, reasoning, images } = usage
  for (const name in usage) requireCount(usage[name as keyof Usage])
  const rates = ratesOf(price)
  // An upstream may report more cached tokens than input tokens, and more reasoning than output.
  const sum =
    times(Math.max(0, input - cachedInput - cacheWrite), rates.input) +
    times(cachedInput, rates.cachedInput) +
    times(Math.max(0, cacheWrite - cacheWriteHour), rates.cacheWrite) +
    times(cacheWriteHour, rates.cacheWriteHour) +
    times(Math.max(0, output - reasoning), rates.output) +
    times(reasoning, rates.reasoning) +
    times(images * MICRO, rates.image)
  return (sum + rates.scale - 1n) / rates.scale
}

/** Most calls have no cached input, no reasoning and no images. */
const times = (count: number, rate: bigint): bigint => (count === 0 ? 0n : BigInt(count) * rate)

/** Whole numbers, `scale` times the prices. */
type Rates = Record<keyof Price | 'scale', bigint>

/** Of each price once: the models keep theirs. */
const known = new WeakMap<Price, Rates>()

function ratesOf(price: Price): Rates {
  const found = known.get(price)
  if (found) return found
  const { input, output, cachedInput = input, cacheWrite = input, reasoning = output, image = 0 } = price
  const { cacheWriteHour = cacheWrite } = price
  const cents = { input, output, cachedInput, cacheWrite, cacheWriteHour, reasoning, image }
  const decimals = Object.entries(cents).map(([name, price]) => ({ name, ...decimalOf(price) }))
  const most = Math.max(...decimals.map(({ places }) => places))
  const rates = decimals.map(({ name, digits, places }) => [name, digits * 10n ** BigInt(most - places)])
  const derived = { ...Object.fromEntries(rates), scale: 10n ** BigInt(most) } as Rates
  known.set(price, derived)
  return derived
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
