// Operations under /v1/billing/credits.
import { Type } from 'typebox'
import type { OrgId } from '../../kit/caller.ts'
import { invalidField } from '../../kit/check.ts'
import { Fault } from '../../kit/fault.ts'
import { displayName, integer, slug, string, timestamp } from '../../kit/fields.ts'
import { centsOf, UNITS_PER_CENT } from '../../kit/meter.ts'
import { listing, pageByTime, paging, shownAs } from '../../kit/page.ts'
import { findOrganisation } from '../iam/public.ts'
import { creditAdded } from './events.ts'
import { Cents, Currency, TransactionId } from './fields.ts'
import { writeTransfers } from './journal.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

/** The journal can hold a hundred thousand times as much. */
const CENTS_MAX = 100_000_000

const Credit = Type.Object(
  {
    transactionId: TransactionId,
    amount: Cents('The amount; negative if it was taken back'),
    currency: Currency,
    reason: string('The reason', 'Invoice 2026-114 paid'),
    created: timestamp('When it was credited'),
  },
  { title: 'Credit', description: 'Credit that the operator gave to an organisation' },
)

export const addCredit = operation({
  route: 'POST /v1/billing/credits',
  summary: 'Adds credit to an organisation, or takes it back',
  description: 'A negative amount takes credit back, and can make the balance negative.',
  access: 'superadmin',
  input: {
    org: slug('The organisation'),
    amount: integer(`The amount in cents, a whole number up to ${CENTS_MAX}; negative to take credit back`, 5000, {
      minimum: -CENTS_MAX,
      maximum: CENTS_MAX,
    }),
    reason: displayName('The reason, shown to the organisation'),
  },
  output: Credit,
  status: 201,
  audit: 'billing.credit.add',
  emits: creditAdded,
  faults: ['not_found'],
  run: ({ write, clock, random, state: { currency } }, { org, amount, reason }) =>
    write(async ({ db, record, emit }) => {
      if (amount === 0) throw invalidField('amount', 'must not be 0')
      const tenant = org as OrgId
      if (!(await findOrganisation(db, tenant)))
        throw new Fault('not_found', { message: `There is no organisation ${org}.` })
      const [id, created] = [`txn_${random.token(24)}`, clock.now().toISOString()]
      const [from, to] = amount < 0 ? (['balance', 'credits'] as const) : (['credits', 'balance'] as const)
      const transfer = {
        id,
        org: tenant,
        from,
        to,
        amount: Math.abs(amount) * UNITS_PER_CENT,
        created,
        metadata: { reason },
      }
      await writeTransfers(db, [{ ...transfer, product: null, model: null, key: null, project: null }])
      record(id, { org: { to: org }, amount: { to: amount }, reason: { to: reason } })
      emit('billing.credit.added', { transactionId: id, amount, reason }, tenant)
      return { transactionId: id, amount, currency, reason, created }
    }),
})

export const listCredits = operation({
  route: 'GET /v1/billing/credits',
  summary: "Lists the organisation's credits, newest first",
  access: 'bearer',
  input: paging,
  output: listing(Credit),
  run: ({ db, caller: { org }, state: { currency } }, query) => {
    const found = pageByTime(query, (last, count) => store.selectCredits(db, org, last, count))
    return shownAs(found, ({ id, amount, created, metadata }) => ({
      ...{ transactionId: id, amount: centsOf(amount), currency, created },
      reason: String(metadata.reason),
    }))
  },
})
