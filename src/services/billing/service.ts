import { currencySettings } from '../../kit/currency.ts'
import { service } from '../../kit/service.ts'
import { oneOf, setting } from '../../kit/setting.ts'
import * as balance from './balance.ts'
import * as credits from './credits.ts'
import { alertEvents } from './events.ts'
import * as summary from './reports/summary.ts'
import * as transfers from './reports/transfers.ts'
import { renewHolds, tendJournal } from './schedule.ts'
import { billingSettings } from './settings.ts'
import { MODES, openBilling } from './state.ts'
import * as tables from './tables.ts'
import * as usage from './usage.ts'

export const billing = service({
  name: 'billing',
  what: 'Balance, credits and usage',
  operations: [balance, usage, summary, transfers, credits],
  migrations: new URL('migrations/', import.meta.url),
  tables,
  settings: {
    STOA_BILLING: setting(
      'Whether model calls are paid afterwards (`postpaid`), or refused unless the balance covers them (`prepaid`)',
      'postpaid',
      oneOf(MODES),
    ),
    ...currencySettings,
  },
  orgSettings: billingSettings,
  schedules: [renewHolds, tendJournal],
  emits: { 'usage that reaches an alert': alertEvents },
  open: openBilling,
})
