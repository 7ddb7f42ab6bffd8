// Fields that several operations and events share.
import { Type } from 'typebox'
import { string } from '../../kit/fields.ts'

/** Fractions are exact to a millionth. */
export const Cents = (what: string, example = 1250) =>
  Type.Number({ description: `${what}, in cents`, examples: [example] })

export const TransactionId = string('The id of the transfer in the journal', 'txn_4vJ9mWcX2bQeT7yLrK0sZp1n')

export const Currency = string('The currency of the cents: its ISO 4217 code, a setting of this service', 'USD')

/** Formats whole millionths of a cent as cents with up to six decimal places, without a division, which would round. */
export function centsText(units: number): string {
  const digits = String(Math.abs(units)).padStart(7, '0')
  const places = digits.slice(-6).match(/^\d{0,5}[1-9]/)?.[0]
  return `${units < 0 ? '-' : ''}${digits.slice(0, -6)}${places === undefined ? '' : `.${places}`}`
}
