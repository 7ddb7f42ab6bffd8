// Operations under /v1/billing/settings: when an organisation is alerted.
import { Type } from 'typebox'
import { orNone } from '../../kit/fields.ts'
import { centsOf, UNITS_PER_CENT } from '../../kit/meter.ts'
import { changesIn } from '../../kit/write.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

const ALERTS_MAX = 10
const CENTS_MAX = 1_000_000_000

const cents = (minimum: number) => ({ minimum, maximum: CENTS_MAX })

const FIELDS = {
  spendAlerts: Type.Array(Type.Integer({ ...cents(1), description: 'A threshold in cents', examples: [10_000] }), {
    maxItems: ALERTS_MAX,
    uniqueItems: true,
    description: `At which spending in a UTC calendar month the event \`billing.alert.spend_reached\` is sent: up to ${ALERTS_MAX} amounts in cents; default none`,
    examples: [[5_000, 10_000]],
  }),
  balanceAlert: orNone(
    Type.Integer({
      ...cents(-CENTS_MAX),
      description:
        'Below which balance in cents the event `billing.alert.balance_reached` is sent; null for none. Default null',
      examples: [1_000],
    }),
  ),
}

const BillingSettings = Type.Object(FIELDS, {
  title: 'BillingSettings',
  description: 'When an organisation is alerted',
})

const NONE: store.BillingSettings = { spendAlerts: [], balanceAlert: null }

const shown = ({ spendAlerts, balanceAlert }: store.BillingSettings) => ({
  spendAlerts: spendAlerts.map(centsOf),
  balanceAlert: balanceAlert === null ? null : centsOf(balanceAlert),
})

export const getBillingSettings = operation({
  route: 'GET /v1/billing/settings',
  summary: 'Reads when the organisation is alerted',
  access: 'bearer',
  output: BillingSettings,
  run: async ({ db, caller }) => shown((await store.selectSettings(db, caller.org)) ?? NONE),
})

export const updateBillingSettings = operation({
  route: 'PATCH /v1/billing/settings',
  summary: 'Changes when the organisation is alerted',
  description: 'An alert is sent once: by the usage with which the spending or the balance crosses it.',
  access: 'admin',
  input: { spendAlerts: Type.Optional(FIELDS.spendAlerts), balanceAlert: Type.Optional(FIELDS.balanceAlert) },
  output: BillingSettings,
  audit: 'billing.settings.update',
  run: ({ caller: { org }, write }, input) =>
    write({ serialize: true }, async ({ db, record }) => {
      const before = shown(await store.lockSettings(db, org))
      const after = { ...before, ...input, ...(input.spendAlerts && { spendAlerts: sorted(input.spendAlerts) }) }
      const changes = changesIn(before, after, ['spendAlerts', 'balanceAlert'])
      if (Object.keys(changes).length === 0) return before
      const units = (amount: number) => amount * UNITS_PER_CENT
      const balanceAlert = after.balanceAlert === null ? null : units(after.balanceAlert)
      await store.updateSettings(db, org, { spendAlerts: after.spendAlerts.map(units), balanceAlert })
      record('settings', changes)
      return after
    }),
})

const sorted = (amounts: readonly number[]) => [...amounts].sort((a, b) => a - b)
