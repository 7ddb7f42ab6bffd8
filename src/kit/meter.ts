// What operations that cost money share: an amount is held when one starts, and settled when it ends. Amounts are
// millionths of a cent, because a small model call costs less than a hundredth of one.
import type { Sql, Tx } from '../engines/engines.ts'
import type { OrgId, Principal } from './caller.ts'
import type { Emitted } from './events.ts'
import type { Emits } from './write.ts'

export const UNITS_PER_CENT = 1_000_000

export const centsOf = (units: number): number => units / UNITS_PER_CENT

/** What was used. `metadata` says what the amount was derived from, the price in force included. */
export type Charge = {
  amount: number
  product: string
  model: string
  metadata: Record<string, unknown>
  /** Events of the same transaction, among the declared ones. */
  emits?: { declared: Emits; events: readonly Omit<Emitted, 'tenant' | 'project'>[] }
  /** Rows that are written in the same transaction. The rows of several charges are written by one call. */
  also?: { write: (db: Tx, rows: readonly never[]) => Promise<void>; row: unknown }
}

export type Hold = {
  /** The id of the transfer that settles it. */
  readonly id: string
  /** Resolves when the charge is committed. It is tried again until that succeeds, and happens once. */
  settle(charge: Charge): Promise<void>
  /** Nothing was used. */
  release(): void
}

export type Meter = {
  /** Whether organisations pay in advance, so that nothing without a price may be used. */
  readonly isPrepaid: boolean
  /** Raises 402 if an organisation must pay in advance and has nothing left. */
  admit(db: Sql, caller: Principal): Promise<void>
  /** Where organisations pay in advance, or holds are slow to write, it is written before the call begins. */
  hold(caller: Principal, amount: number): Hold | Promise<Hold>
  /** Resolves when what this organisation used before this call is settled; null if it is. */
  settled(org: OrgId): Promise<void> | null
}
