// Settles usage, many charges of an organisation in one transaction: the transfers, the spending of keys and of the
// month, the alerts that follow, and the work of the service that sells the product.
import { type Database, EngineUnavailable, type Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { type Emitted, type Publishing, publish } from '../../kit/events.ts'
import { type Charged, centsOf, type Keeps, type SettledCharge } from '../../kit/meter.ts'
import { keepOnce, settleSpends } from '../account/public.ts'
import { alertEvents } from './events.ts'
import { writeTransfers } from './journal.ts'
import * as store from './store.ts'

/** `id` is that of the hold and of the transfer, `created` when the call ended. */
export type Settlement = SettledCharge & { product: string; created: string; keeps: Keeps | null }

export type SettlingOptions = Publishing & { charged: ReadonlyMap<string, Charged> }

/** Settles charges of one organisation. Most need one statement, which a caller waits for. It is rejected if one of them was
 *  already settled, or if the organisation has alerts; then a transaction does all of it. `alerted` remembers which
 *  organisations have alerts; it may be outdated. */
export async function settle(
  by: SettlingOptions,
  db: Database,
  org: OrgId,
  settlements: readonly Settlement[],
  alerted: Set<string>,
): Promise<void> {
  const ids = settlements.map(({ id }) => id)
  const isPlain = settlements.every(({ keeps }) => keeps === null)
  if (isPlain && !alerted.has(org)) {
    try {
      return await db.atOnce(tx => settlePlain(by, tx, org, ids, settlements))
    } catch (error) {
      if (error instanceof EngineUnavailable) throw error
    }
  }
  const wants = await db.transaction(async tx => {
    await store.lockHolds(tx, ids)
    return settleNew(by, tx, settlements)
  })
  if (wants) alerted.add(org)
  else alerted.delete(org)
}

/** Settling locks the holds before anything else, so that two transactions that settle the same ones cannot deadlock. */
async function settlePlain(
  by: SettlingOptions,
  db: Tx,
  org: OrgId,
  ids: readonly string[],
  settlements: readonly Settlement[],
): Promise<void> {
  const at = by.clock.now().toISOString()
  await Promise.all([
    store.deleteHolds(db, ids),
    store.insertTransfers(db, settlements.map(transferOf)),
    store.moveSpent(
      db,
      org,
      settlements.reduce((sum, { amount }) => sum + amount, 0),
      ids,
    ),
    store.addToMonthUnlessAlerted(db, at.slice(0, 7), settlements),
    ...summaries(by, db, settlements),
  ])
}

/** Charges holds whose process died, or has not booked them, in the transaction that locks them. */
export async function settleLeft(by: SettlingOptions, db: Tx, left: readonly store.LeftHold[]): Promise<void> {
  const now = by.clock.now().toISOString()
  const settlements = left.map(({ soFar: amount, details: row, ended, org, ...one }) => ({
    ...{ ...one, org: org as OrgId, amount, created: ended ?? now, row, keeps: null },
  }))
  if (settlements.length > 0) await settleNew(by, db, settlements)
}

/** Charges that were already settled only end their hold. Returns whether an organisation has alerts. */
async function settleNew(by: SettlingOptions, db: Tx, settlements: readonly Settlement[]): Promise<boolean> {
  const known = await store.selectKnown(
    db,
    settlements.map(({ id }) => id),
  )
  const fresh = settlements.filter(({ id }) => !known.has(id))
  const wants = fresh.length > 0 && (await settleAll(by, db, fresh))
  const nothing = settlements.map(({ org }) => ({ org, kind: 'balance' as const, amount: 0 }))
  if (known.size > 0) await store.addToAccounts(db, nothing, [...known])
  return wants
}

async function settleAll(by: SettlingOptions, db: Tx, settlements: readonly Settlement[]): Promise<boolean> {
  const at = by.clock.now().toISOString()
  const month = at.slice(0, 7)
  const ids = settlements.map(({ id }) => id)
  const [accounts, before] = await Promise.all([
    writeTransfers(db, settlements.map(transferOf), ids),
    store.addToMonth(db, month, settlements),
    ...settlements.flatMap(({ keeps }) => (keeps ? keepOnce(db, keeps.request, keeps.answer, at) : [])),
    ...summaries(by, db, settlements),
  ])
  await publish(by, db, alertEvents, alertsOf(month, settlements, before, accounts))
  return before.some(({ spendAlerts, balanceAlert }) => spendAlerts.length > 0 || balanceAlert !== null)
}

/** What else is written with a charge. */
function summaries(by: SettlingOptions, db: Tx, settlements: readonly Settlement[]): Promise<void>[] {
  const spends = settlements.map(({ key, amount }) => ({ key, units: amount }))
  return [
    store.addToHours(db, settlements.map(hourRow)),
    settleSpends(db, spends, by.clock),
    ...[...Map.groupBy(settlements, ({ product }) => product)].map(([product, own]) =>
      settleProduct(by, db, by.charged.get(product) as Charged, own),
    ),
  ]
}

/** What its service writes, and what it emits before that. */
async function settleProduct(
  by: SettlingOptions,
  db: Tx,
  { emits, settled }: Charged,
  own: readonly Settlement[],
): Promise<void> {
  const emitted: Emitted[] = []
  const emit = (subject: string, data: unknown, tenant: OrgId, project?: string) =>
    void emitted.push({ subject, data, tenant, project: project ?? null })
  const writing = settled({ db, emit: emit as never, now: by.clock.now() }, own)
  const count = emitted.length
  await Promise.all([writing, publish(by, db, emits, emitted.slice(0, count))])
  await publish(by, db, emits, emitted.slice(count))
}

const transferOf = ({
  id,
  org,
  amount,
  created,
  product,
  model,
  key,
  project,
  metadata,
}: Settlement): store.NewTransfer => ({
  ...{ id, org, from: 'balance', to: 'revenue', amount, created, product, model, key, project, metadata },
})

const hourOf = (at: string) => `${at.slice(0, 13)}:00:00.000Z`

const hourRow = ({ org, created, product, key, project, model, amount }: Settlement): store.HourRow => ({
  ...{ org, hour: hourOf(created), product, key: key ?? '', project: project ?? '', model, amount },
})

/** An alert is sent once, by the charge that crosses the threshold. */
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
