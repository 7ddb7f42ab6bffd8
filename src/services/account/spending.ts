// What keys spend on model calls, and the caps on it. A call that starts while the spending is below the cap runs to
// its end, so concurrent calls may overshoot.
import type { Clock, Sql, Tx } from '../../engines/engines.ts'
import type { Principal } from '../../kit/caller.ts'
import { Fault } from '../../kit/fault.ts'
import { UNITS_PER_CENT } from '../../kit/meter.ts'
import { monthOf } from './record.ts'
import * as store from './store.ts'

/** Throws a 402 fault when the caller's key has used up a budget. */
export async function requireBudget(
  { db, clock }: { db: Sql; clock: Clock },
  { org, credential }: Principal,
): Promise<void> {
  if (!credential.budget) return
  const row = await store.selectSpent(db, org, credential.id, monthOf(clock.now()))
  if (!row) return
  for (const [budget, cap, spent] of [
    ['month', row.budget_month, row.spent_month],
    ['total', row.budget_total, row.spent],
  ] as const) {
    if (cap === 0 || spent < cap * UNITS_PER_CENT) continue
    const until = budget === 'month' ? ' until the month ends (UTC)' : ''
    throw new Fault('key_budget', {
      message: `This key has spent its \`${budget}\` budget of ${cap} cents; it can make no model calls${until}.`,
      fields: [{ path: budget, says: 'is used up' }],
    })
  }
}

/** Adds the costs of calls, in millionths of a cent. */
export async function settleSpends(
  db: Tx,
  spends: readonly { key: string | null; units: number }[],
  clock: Clock,
): Promise<void> {
  const spent = new Map<string, number>()
  for (const { key, units } of spends) if (key !== null) spent.set(key, (spent.get(key) ?? 0) + units)
  if (spent.size > 0) await store.addSpent(db, [...spent], monthOf(clock.now()))
}
