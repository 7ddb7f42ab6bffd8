// Finds values that must not be stored: text that PostgreSQL cannot hold, names that would change a prototype, and values
// that are too deep, too long or too many. One walk finds them, in linear time.
import { isStorable } from '../../kit/storable.ts'

export type PoisonReason =
  | 'text_not_storable'
  | 'number_out_of_range'
  | 'name_not_allowed'
  | 'name_too_long'
  | 'nested_too_deeply'
  | 'too_many_values'

const DEPTH_MAX = 32
const NAME_CHARACTERS_MAX = 256
const VALUES_MAX = 5_000
/** PostgreSQL writes numbers out, 1e308 with 309 digits. Longer ones count as several values. */
const DIGITS_PER_VALUE = 16

/** The first reason not to store the value; null if there is none. */
export function poisonIn(value: unknown): PoisonReason | null {
  return find(value, 0, { left: VALUES_MAX })
}

function find(value: unknown, depth: number, values: { left: number }): PoisonReason | null {
  if (typeof value === 'string') return isStorable(value) ? null : 'text_not_storable'
  if (typeof value === 'number') return numberFault(value, values)
  if (typeof value !== 'object' || value === null) return null
  if (depth > DEPTH_MAX) return 'nested_too_deeply'
  const names = Object.keys(value)
  values.left -= names.length
  if (values.left < 0) return 'too_many_values'
  for (const name of names) {
    const inner = (value as Record<string, unknown>)[name]
    const found = nameFault(name, inner) ?? find(inner, depth + 1, values)
    if (found) return found
  }
  return null
}

function numberFault(value: number, values: { left: number }): PoisonReason | null {
  if (!Number.isFinite(value)) return 'number_out_of_range'
  if (value !== 0) values.left -= Math.floor(Math.abs(Math.log10(Math.abs(value))) / DIGITS_PER_VALUE)
  return values.left < 0 ? 'too_many_values' : null
}

function nameFault(name: string, value: unknown): PoisonReason | null {
  if (name === '__proto__' || (name === 'constructor' && typeof value === 'object')) return 'name_not_allowed'
  if (name.length > NAME_CHARACTERS_MAX) return 'name_too_long'
  return isStorable(name) ? null : 'text_not_storable'
}
