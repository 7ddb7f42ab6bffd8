// The events about money.
import { event } from '../../kit/events.ts'
import { string } from '../../kit/fields.ts'
import { Cents, TransactionId } from './fields.ts'

const spendAlert = event('billing.alert.spend_reached', "The organisation's spending in a month reached a threshold", {
  month: string('The UTC calendar month', '2026-11'),
  threshold: Cents('The threshold'),
  spent: Cents('The spending in this month so far'),
})

const balanceAlert = event('billing.alert.balance_reached', "The balance fell below the organisation's threshold", {
  threshold: Cents('The threshold'),
  balance: Cents('The balance'),
})

export const alertEvents = { ...spendAlert, ...balanceAlert }

export const creditAdded = event('billing.credit.added', 'Credit was added to the organisation, or taken back', {
  transactionId: TransactionId,
  amount: Cents('The amount; negative if it was taken back'),
  reason: string('The reason', 'Invoice 2026-114 paid'),
})
