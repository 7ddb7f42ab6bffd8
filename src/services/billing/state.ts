// The state of the service: the meter of this process, and whether the journal was last seen to be balanced.
import type { Database, Engines, Tx } from '../../engines/engines.ts'
import { type Gauge, type Opened, type Opening, serviceKit } from '../../kit/service.ts'
import { openMeter } from './meter.ts'
import { settleLeft } from './settle.ts'
import * as store from './store.ts'

export type Billing = {
  /** Reads the sum of all accounts, and remembers it for the metrics. */
  checkJournal(): Promise<void>
  renewHolds(): Promise<void>
  /** Charges holds whose process died, in the transaction that locks them. */
  settleLeft(db: Tx, left: readonly store.LeftHold[]): Promise<void>
  /** Its ISO 4217 code. */
  currency: string
  /** For reads over many rows. */
  analytics: Database
}

export const { operation, schedule } = serviceKit<Billing>()

export const MODES = ['postpaid', 'prepaid'] as const

type Values = { STOA_BILLING: (typeof MODES)[number]; STOA_CURRENCY: string }

export async function openBilling(opening: Opening<Values>): Promise<Opened<Billing>> {
  const { engines, settings, baseUrl, charged, warn } = opening
  const isPrepaid = settings.STOA_BILLING === 'prepaid'
  const by = { ...engines, source: baseUrl, charged }
  const meter = openMeter({ ...by, isPrepaid, warn })
  const journal = openCheck(engines, warn)
  await journal.check()
  return {
    state: {
      ...{ checkJournal: journal.check, renewHolds: meter.renew },
      settleLeft: (db, left) => settleLeft(by, db, left),
      ...{ currency: settings.STOA_CURRENCY, analytics: engines.db.analytics },
    },
    provides: { meter },
    gauges: journal.gauges,
    close: meter.close,
  }
}

function openCheck({ db }: Engines, warn: (error: unknown) => void) {
  let imbalance = 0
  return {
    check: async () => {
      imbalance = await store.sumAccounts(db.analytics)
      if (imbalance !== 0) warn(new Error(`the journal is damaged: its accounts add up to ${imbalance} instead of 0`))
      const held = await store.sumHeld(db.analytics)
      if (held !== 0) warn(new Error(`the accounts record ${held} more than the holds add up to`))
    },
    gauges: (): Gauge[] => [
      {
        name: 'stoa_billing_imbalance',
        help: 'The sum of all accounts of the journal, in millionths of a cent; 0 unless the journal is damaged.',
        samples: [{ labels: {}, value: imbalance }],
      },
    ],
  }
}
