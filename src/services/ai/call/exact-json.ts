// Reads JSON so that numbers that a double cannot represent are written back unchanged, such as ids in tool arguments.
import type { JsonObject } from '../translations/translation.ts'

/** Of ECMAScript 2026, which the types of the language do not have yet. */
type Exact = {
  parse(text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): object
}
const { parse, rawJSON } = JSON as unknown as Exact

/** Other numbers are shorter or have no exponent, so a double represents them. */
const MAY_BE_LONG = /[\d.]{16}|\d[eE]/

/** `json` is what was read from `bytes`. In the result, such numbers are objects that `JSON.stringify` writes unchanged; they
 *  cannot be read as numbers. */
export function exactJson(json: JsonObject, bytes: Buffer): JsonObject {
  const text = bytes.toString('utf8')
  if (!MAY_BE_LONG.test(text)) return json
  return parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isHeld(source, value) ? rawJSON(source) : value,
  ) as JsonObject
}

/** Whether the double is exactly the written number. */
const isHeld = (source: string, value: number): boolean => decimalOf(source) === decimalOf(String(value))

/** The same text for the same number, in whatever way it is written. */
function decimalOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return '0'
  // No pattern, which would take quadratic time for many zeros before another digit.
  let end = digits.length
  while (digits[end - 1] === '0') end--
  const kept = digits.slice(0, end)
  return `${mantissa.startsWith('-') ? '-' : ''}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`
}
