// GET /v1/billing/balance.
import { Type } from 'typebox'
import { centsOf } from '../../kit/meter.ts'
import { Cents, Currency } from './fields.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

export const getBalance = operation({
  route: 'GET /v1/billing/balance',
  summary: 'Reads what the organisation has, and what is held for calls that run',
  description:
    'The balance is what was credited less what was used. It may be below zero, unless this service is paid in advance.',
  access: 'bearer',
  showsUsage: true,
  output: Type.Object(
    {
      currency: Currency,
      balance: Cents('What was credited less what was used'),
      holds: Cents('What is held for calls that run', 3),
      available: Cents('The balance less the holds', 1247),
    },
    { title: 'Balance', description: 'The money of an organisation' },
  ),
  run: async ({ db, caller: { org }, state: { currency } }) => {
    const { amount, held } = await store.selectBalance(db, org)
    return { currency, balance: centsOf(amount), holds: centsOf(held), available: centsOf(amount - held) }
  },
})
