// Settles what was used, many charges of an organisation in one transaction: the transfers, the spending of keys and of the
// month, the alerts that follow, and what the service does whose product it is.
import { ConstraintViolated, type Database, type Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { type Emitted, type Publishing, publish } from '../../kit/events.ts'
import { type Charged, centsOf, type Keeps, type SettledCharge } from '../../kit/meter.ts'
import { keepOnce, settleSpends } from '../account/public.ts'
import { alertEvents } from './events.ts'
import { writeTransfers } from './journal.ts'
import * as store from './store.ts'

/** `id` is that of the hold and of the transfer. */
export type Settlement = SettledCharge & { product: string; keeps: Keeps | null }

export type SettlingOptions = Publishing & { charged: ReadonlyMap<string, Charged> }

/** Those that were settled before only end their hold. */
export async function settle(by: SettlingOptions, db: Database, settlements: readonly Settlement[]): Promise<void> {
  try {
    await db.transaction(tx => settleAll(by, tx, settlements))
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error
    await db.transaction(tx => settleNew(by, tx, settlements))
  }
}

export async function settleNew(by: SettlingOptions, db: Tx, settlements: readonly Settlement[]): Promise<void> {
  const ids = settlements.map(({ id }) => id)
  const known = await store.selectKnown(db, ids)
  const fresh = settlements.filter(({ id }) => !known.has(id))
  await settleAll(by, db, fresh)
  const nothing = settlements.map(({ org }) => ({ org, kind: 'balance' as const, amount: 0 }))
  if (known.size > 0) await store.addToAccounts(db, nothing, [...known])
}

/** Statements are sent together: a caller waits for the commit. */
async function settleAll(by: SettlingOptions, db: Tx, settlements: readonly Settlement[]): Promise<void> {
  if (settlements.length === 0) return
  const at = by.clock.now().toISOString()
  const month = at.slice(0, 7)
  const [accounts, before] = await Promise.all([
    writeTransfers(
      db,
      settlements.map(transferOf),
      at,
      settlements.map(({ id }) => id),
    ),
    store.addToMonth(db, month, settlements),
    store.addToHours(db, hourOf(at), settlements.map(hourRow)),
    settleSpends(
      db,
      settlements.map(({ key, amount }) => ({ key, units: amount })),
      by.clock,
    ),
    ...settlements.flatMap(({ keeps }) => (keeps ? keepOnce(db, keeps.request, keeps.answer, at) : [])),
    ...[...Map.groupBy(settlements, ({ product }) => product)].map(([product, own]) => {
      return settleProduct(by, db, by.charged.get(product) as Charged, own)
    }),
  ])
  await publish(by, db, alertEvents, alertsOf(month, settlements, before, accounts))
}

/** What its service writes, and what it emits before that. */
async function settleProduct(by: SettlingOptions, db: Tx, { emits, settled }: Charged, own: readonly Settlement[]) {
  const emitted: Emitted[] = []
  const emit = (subject: string, data: unknown, tenant: OrgId, project?: string) =>
    void emitted.push({ subject, data, tenant, project: project ?? null })
  const writing = settled({ db, emit: emit as never, now: by.clock.now() }, own)
  const count = emitted.length
  await Promise.all([writing, publish(by, db, emits, emitted.slice(0, count))])
  await publish(by, db, emits, emitted.slice(count))
}

const transferOf = ({ id, org, amount, product, model, key, project, metadata }: Settlement): store.NewTransfer => ({
  ...{ id, org, from: 'balance', to: 'revenue', amount, product, model, key, project, metadata },
})

const hourOf = (at: string) => `${at.slice(0, 13)}:00:00.000Z`

const hourRow = ({ org, product, key, project, model, amount }: Settlement): store.HourRow => ({
  ...{ org, product, key: key ?? '', project: project ?? '', model, amount },
})

/** An alert is told once: by the charge with which the spending or the balance crosses it. */
function alertsOf(
  month: string,
  settlements: readonly Settlement[],
  all: readonly store.SpentBefore[],
  accounts: readonly store.Account[],
): Emitted[] {
  const alerts: Emitted[] = []
  for (const { org, spent: before, spendAlerts, balanceAlert } of all) {
    const tenant = org as OrgId
    const amount = settlements.filter(one => one.org === org).reduce((sum, one) => sum + one.amount, 0)
    const spent = before + amount
    for (const threshold of spendAlerts.filter(one => before < one && one <= spent)) {
      const data = { month, threshold: centsOf(threshold), spent: centsOf(spent) }
      alerts.push({ subject: 'billing.alert.spend_reached', data, tenant, project: null })
    }
    const balance = accounts.find(one => one.org === org && one.kind === 'balance')?.amount ?? 0
    if (balanceAlert !== null && balance < balanceAlert && balanceAlert <= balance + amount) {
      const data = { threshold: centsOf(balanceAlert), balance: centsOf(balance) }
      alerts.push({ subject: 'billing.alert.balance_reached', data, tenant, project: null })
    }
  }
  return alerts
}
