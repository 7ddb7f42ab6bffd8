// What a call may cost at most, roughly: held when it starts. It need not be exact, but it must be cheap to compute.
import type { Offer } from '../models/offer.ts'
import { costOf } from '../price.ts'
import type { JsonObject } from '../translations/translation.ts'
import { NO_USAGE } from '../wires/usage.ts'

/** A token is seldom shorter, and hardly ever longer than the wire's own quotes and names. */
const BYTES_PER_TOKEN = 4
const OUTPUT_DEFAULT = 1_024
const OUTPUT_MAX = 200_000
const LIMITS = ['max_completion_tokens', 'max_tokens', 'max_output_tokens']

export function estimateOf({ price, kind }: Offer, json: JsonObject, bytes: number): number {
  if (price === null) return 0
  const limits = LIMITS.map(name => json[name]).filter(value => typeof value === 'number')
  const limit = limits.length > 0 ? Math.max(...limits) : OUTPUT_DEFAULT
  const choices = typeof json.n === 'number' && json.n > 1 ? json.n : 1
  const output = Math.min(Math.max(Math.round(limit * choices), 0) || 0, OUTPUT_MAX)
  const input = Math.ceil(bytes / BYTES_PER_TOKEN)
  return Number(costOf({ ...NO_USAGE, input, output: kind === 'embedding' ? 0 : output }, price))
}
