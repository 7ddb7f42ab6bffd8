// Settles what was used, many charges in one transaction: the transfer, the spending of the key and of the month, the
// alerts that follow, and what the charge brings along.
import type { Tx } from '../../engines/engines.ts'
import type { OrgId, Principal } from '../../kit/caller.ts'
import { type Emitted, type Publishing, publish } from '../../kit/events.ts'
import { type Charge, centsOf } from '../../kit/meter.ts'
import type { Emits } from '../../kit/write.ts'
import { settleSpends } from '../account/public.ts'
import { alertEvents } from './events.ts'
import { writeTransfers } from './journal.ts'
import * as store from './store.ts'

/** `id` is that of the hold and of the transfer. */
export type Settlement = { id: string; caller: Principal; charge: Charge }

type Used = store.NewTransfer & { settlement: Settlement }

export async function settleAll(by: Publishing, db: Tx, settlements: readonly Settlement[]): Promise<void> {
  const at = by.clock.now().toISOString()
  await store.deleteHolds(
    db,
    settlements.map(({ id }) => id),
  )
  const used = await writeTransfers(db, settlements.map(usedBy), at)
  if (used.length === 0) return
  await store.addToHours(db, hourOf(at), used.map(hourRow))
  await settleSpends(
    db,
    used.map(({ settlement: { caller }, amount }) => ({ caller, units: amount })),
    by.clock,
  )
  const alerts = await alertsOf(db, at.slice(0, 7), used)
  await publish(by, db, alertEvents, alerts)
  for (const { declared, events } of eventsIn(used)) await publish(by, db, declared, events)
  for (const [write, rows] of rowsIn(used)) await write(db, rows)
}

function usedBy(settlement: Settlement): Used {
  const { id, caller, charge } = settlement
  const { amount, product, model, metadata } = charge
  const key = caller.credential.kind === 'session' ? null : caller.credential.id
  const { org, project } = caller
  return { id, org, from: 'balance', to: 'revenue', amount, product, model, key, project, metadata, settlement }
}

const hourOf = (at: string) => `${at.slice(0, 13)}:00:00.000Z`

const hourRow = ({ org, product, key, project, model, amount }: Used): store.HourRow => ({
  org,
  product: product ?? '',
  key: key ?? '',
  project: project ?? '',
  model: model ?? '',
  amount,
})

/** An alert is told once: by the charge with which the spending or the balance crosses it. */
async function alertsOf(db: Tx, month: string, used: readonly Used[]): Promise<Emitted[]> {
  const alerts: Emitted[] = []
  for (const before of await store.addToMonth(db, month, used)) {
    const tenant = before.org as OrgId
    const amount = used.filter(({ org }) => org === before.org).reduce((sum, one) => sum + one.amount, 0)
    const spent = before.spent + amount
    for (const threshold of before.spendAlerts.filter(one => before.spent < one && one <= spent)) {
      const data = { month, threshold: centsOf(threshold), spent: centsOf(spent) }
      alerts.push({ subject: 'billing.alert.spend_reached', data, tenant, project: null })
    }
    if (before.balanceAlert === null || amount === 0) continue
    const balance = await store.selectAccount(db, before.org, 'balance')
    if (balance < before.balanceAlert && before.balanceAlert <= balance + amount) {
      const data = { threshold: centsOf(before.balanceAlert), balance: centsOf(balance) }
      alerts.push({ subject: 'billing.alert.balance_reached', data, tenant, project: null })
    }
  }
  return alerts
}

/** By declaration, in their order. */
function eventsIn(used: readonly Used[]) {
  const groups = new Map<Emits, Emitted[]>()
  for (const { settlement } of used) {
    const { caller, charge } = settlement
    if (!charge.emits) continue
    const { declared, events } = charge.emits
    const own = groups.get(declared) ?? []
    own.push(...events.map(one => ({ ...one, tenant: caller.org, project: caller.project })))
    groups.set(declared, own)
  }
  return [...groups].map(([declared, events]) => ({ declared, events }))
}

function rowsIn(used: readonly Used[]) {
  const groups = new Map<NonNullable<Charge['also']>['write'], never[]>()
  for (const { settlement } of used) {
    if (!settlement.charge.also) continue
    const { write, row } = settlement.charge.also
    const rows = groups.get(write) ?? []
    rows.push(row as never)
    groups.set(write, rows)
  }
  return groups
}
