// The events about money.
import { event } from '../../kit/events.ts'
import { string } from '../../kit/fields.ts'
import { Cents, TransactionId } from './fields.ts'

const spendAlert = event(
  'billing.alert.spend_reached',
  'The spending of a month reached a threshold of the organisation',
  {
    month: string('The UTC calendar month', '2026-11'),
    threshold: Cents('The threshold'),
    spent: Cents('What was spent in this month so far'),
  },
)

const balanceAlert = event(
  'billing.alert.balance_reached',
  'The balance fell below the threshold of the organisation',
  {
    threshold: Cents('The threshold'),
    balance: Cents('The balance'),
  },
)

export const alertEvents = { ...spendAlert, ...balanceAlert }

export const creditAdded = event('billing.credit.added', 'The organisation was credited', {
  transactionId: TransactionId,
  amount: Cents('The amount; negative if it was taken back'),
  reason: string('Why', 'Invoice 2026-114 paid'),
})
