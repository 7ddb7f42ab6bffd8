// Fields that several operations and events share.
import { Type } from 'typebox'

/** Fractions are exact to a millionth. */
export const Cents = (what: string, example = 1250) =>
  Type.Number({ description: `${what}, in cents`, examples: [example] })

export const TransactionId = Type.String({
  description: 'The id of the transfer in the journal',
  examples: ['txn_4vJ9mWcX2bQeT7yLrK0sZp1n'],
})
