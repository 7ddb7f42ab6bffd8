// The interface for operations that cost money: an amount is held when one starts and settled when it ends. Amounts are
// millionths of a cent, because a small model call costs less than a hundredth of one.
import type { Tx } from '../engines/engines.ts'
import type { OrgId, Principal } from './caller.ts'
import type { EmitTo } from './events.ts'
import type { KeyedRequest } from './host/idempotency-records.ts'
import type { Emits } from './write.ts'

export const UNITS_PER_CENT = 1_000_000

export const centsOf = (units: number): number => units / UNITS_PER_CENT

/** The maximum duration of an operation that costs money. */
export const METERED_MS_MAX = 60 * 60_000

/** What is known when an operation begins. */
export type Estimate = {
  /** A product that a service declares in `charges`. */
  product: string
  model: string
  /** The maximum cost. If organisations pay in advance, this much must be available. */
  most: number
  /** A smaller amount that is sufficient in that case; defaults to the maximum. */
  least?: number
} & SoFar

/** The amount charged if nothing more becomes known, because the process died. `metadata` says how it was derived,
 *  including the price in force. */
export type SoFar = { amount: number; metadata: Record<string, unknown> }

/** The usage. `row` is for the service that declares the product. `keeps` is the answer to a request with an
 *  `Idempotency-Key`, stored with the charge so that it is not charged again. */
export type Charge = {
  amount: number
  model: string
  metadata: Record<string, unknown>
  row?: unknown
  keeps?: Keeps | null
}

export type Keeps = { request: KeyedRequest; answer: unknown }

export type Hold = {
  /** The id of the transfer that settles it. */
  readonly id: string
  /** The held amount. If organisations pay in advance, no more than this is charged. */
  readonly amount: number
  /** From now on, the usage so far is requested every few seconds. */
  watch(soFar: () => SoFar): void
  /** Resolves when the charge is committed; raises 503 if that takes long. It is retried until it succeeds, and charges
   *  once. */
  settle(charge: Charge): Promise<void>
  /** Releases the hold because nothing was used. Resolves when that is committed or certain to be. Holds of dead
   *  processes are charged. */
  release(): Promise<void>
}

export type Meter = {
  /** Whether organisations pay in advance, so that unpriced products may not be used. */
  readonly isPrepaid: boolean
  /** Raises 402 if the organisation must pay in advance and its balance is too low. Where organisations pay afterwards,
   *  the operation may start while its hold is being written, unless that is slow. */
  hold(caller: Principal, estimate: Estimate): Hold | Promise<Hold>
  /** Resolves when this organisation's usage before this call is settled. */
  settled(org: OrgId): Promise<void>
}

/** A settled charge. `row` is null if its process died, so that only the hold's data is known. */
export type SettledCharge = {
  id: string
  org: OrgId
  key: string | null
  project: string | null
  model: string
  amount: number
  metadata: Record<string, unknown>
  row: unknown
}

/** A product: what its service writes in the transaction that settles charges. */
export type Charged<E extends Emits = Emits> = {
  product: string
  emits: E
  settled(
    context: { db: Tx; emit: EmitTo<E, [project?: string]>; now: Date },
    charges: readonly SettledCharge[],
  ): Promise<void>
}
