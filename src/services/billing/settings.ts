// An organisation's alerts: /v1/billing/settings.
import { Type } from 'typebox'
import { integer, orNone } from '../../kit/fields.ts'
import { UNITS_PER_CENT } from '../../kit/meter.ts'
import { declareOrgSettings } from '../../kit/org-settings/declare.ts'
import { saveAlerts } from './store.ts'

const ALERTS_MAX = 10
const CENTS_MAX = 1_000_000_000

const cents = (minimum: number) => ({ minimum, maximum: CENTS_MAX })
const units = (amount: number) => amount * UNITS_PER_CENT

export const billingSettings = declareOrgSettings({
  service: 'billing',
  what: "the organisation's alerts on its spending and balance",
  description: 'An alert is sent once, by the usage that crosses the threshold.',
  fields: {
    spendAlerts: {
      schema: Type.Array(integer('A threshold in cents', 10_000, cents(1)), {
        maxItems: ALERTS_MAX,
        uniqueItems: true,
        description: `The spending in a UTC calendar month at which the event \`billing.alert.spend_reached\` is sent: up to ${ALERTS_MAX} amounts in cents; default none`,
        examples: [[5_000, 10_000]],
      }),
      default: [],
    },
    balanceAlert: {
      schema: orNone(
        integer(
          'The balance in cents below which the event `billing.alert.balance_reached` is sent; null, the default, for no alert',
          1_000,
          cents(-CENTS_MAX),
        ),
      ),
      default: null,
    },
  },
  prepare: change => ({
    ...change,
    ...(change.spendAlerts && { spendAlerts: change.spendAlerts.toSorted((a, b) => a - b) }),
  }),
  // Charges read the alerts with the row that they lock.
  changed: (db, org, { spendAlerts, balanceAlert }) =>
    saveAlerts(db, org, spendAlerts.map(units), balanceAlert === null ? null : units(balanceAlert)),
})
