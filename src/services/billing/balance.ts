// GET /v1/billing/balance.
import { Type } from 'typebox'
import { centsOf } from '../../kit/meter.ts'
import { Cents, Currency } from './fields.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

export const getBalance = operation({
  route: 'GET /v1/billing/balance',
  summary: "Returns the organisation's balance, and what is held for running calls",
  description: 'The balance is the credits less the usage. It can be negative, unless this service is prepaid.',
  access: 'bearer',
  showsUsage: true,
  output: Type.Object(
    {
      currency: Currency,
      balance: Cents('The credits less the usage'),
      holds: Cents('What is held for running calls', 3),
      available: Cents('The balance less the holds', 1247),
    },
    { title: 'Balance', description: 'The money of an organisation' },
  ),
  run: async ({ db, caller: { org }, state: { currency } }) => {
    const { amount, held } = await store.selectBalance(db, org)
    return { currency, balance: centsOf(amount), holds: centsOf(held), available: centsOf(amount - held) }
  },
})
