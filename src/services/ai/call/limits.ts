// How much of an answer a client asks for: the limit of its tokens, and the number of its choices.

import { invalidField } from '../../../kit/check.ts'
import type { ProviderWire } from '../providers/provider.ts'
import type { JsonObject } from '../translations/translation.ts'
import { plain } from './fields.ts'

/** The names of the output limits. */
const LIMITS: Record<ProviderWire, readonly string[]> = {
  chat: ['max_completion_tokens', 'max_tokens'],
  responses: ['max_output_tokens'],
  messages: ['max_tokens'],
  embeddings: [],
}
/** Their names at other servers, and minimum numbers of tokens, which some servers put above the limit. */
const OTHER_LIMITS = new Set(
  [
    ...['n_predict', 'max_new_tokens', 'max_length', 'num_predict', 'max_tokens_to_sample', 'min_tokens'],
    ...Object.values(LIMITS).flat(),
  ].map(plain),
)
/** An upper bound for the length of a limit's name. */
const NAME_LENGTH_MAX = 64
/** More than any model writes; the cost of so many tokens can still be computed exactly. */
const LIMIT_MAX = 100_000_000
const CHOICES_MAX = 128

/** Raises 400 for limits that providers interpret differently. Prepaid calls may only use limits for which the cost is
 *  held. */
export function requireLimits(json: JsonObject, wire: ProviderWire, isPrepaid: boolean): void {
  if (wire === 'embeddings') return
  requireCount(json, ['n', 'best_of'], CHOICES_MAX)
  const [first, second] = LIMITS[wire].filter(name => isGiven(json, name))
  if (first !== undefined && second !== undefined && json[first] !== json[second]) {
    throw invalidField(second, `must not differ from \`${first}\`; send one of them`)
  }
  if (!isPrepaid) return
  requireCount(json, LIMITS[wire], LIMIT_MAX)
  const other = Object.keys(json).find(name => isOther(name, wire) && isGiven(json, name))
  if (other !== undefined) {
    throw invalidField(other, `is not supported: limit the output with \`${LIMITS[wire].at(-1)}\``)
  }
}

const isOther = (name: string, wire: ProviderWire) =>
  name.length <= NAME_LENGTH_MAX && !LIMITS[wire].includes(name) && OTHER_LIMITS.has(plain(name))

const isGiven = (json: JsonObject, name: string): boolean => (json[name] ?? null) !== null

/** Raises 400 unless each that is given is a whole number from 1. */
export function requireCount(json: JsonObject, names: readonly string[], most: number): void {
  const wrong = names.find(name => isGiven(json, name) && !isCount(json[name], most))
  if (wrong !== undefined) throw invalidField(wrong, `must be a whole number from 1 to ${most}`)
}

const isCount = (value: unknown, most: number) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most

/** Null if there is none. */
export function limitIn(json: JsonObject, wire: ProviderWire): number | null {
  const name = LIMITS[wire].find(name => isGiven(json, name))
  const limit = name === undefined ? null : json[name]
  return typeof limit === 'number' && limit > 0 ? limit : null
}

/** The name under which the host sets the limit. */
export const limitName = (wire: ProviderWire): string => LIMITS[wire].at(-1) as string

export const choicesIn = ({ n, best_of: best }: JsonObject): number =>
  Math.max(1, ...[n, best].filter(one => typeof one === 'number'))
