// What operations that cost money share: an amount is held when one starts, and settled when it ends. Amounts are
// millionths of a cent, because a small model call costs less than a hundredth of one.
import type { Tx } from '../engines/engines.ts'
import type { OrgId, Principal } from './caller.ts'
import type { EmitTo } from './events.ts'
import type { KeyedRequest } from './host/idempotency-records.ts'
import type { Emits } from './write.ts'

export const UNITS_PER_CENT = 1_000_000

export const centsOf = (units: number): number => units / UNITS_PER_CENT

/** No operation that costs money may take longer. */
export const METERED_MS_MAX = 60 * 60_000

/** What is known when an operation begins. */
export type Estimate = {
  /** One of those that a service declares with `charges`. */
  product: string
  model: string
  /** The most that it may cost. If organisations pay in advance, that much must be available. */
  most: number
  /** Less than the most that will do, in that case; default the most. */
  least?: number
} & SoFar

/** What is charged if nothing more becomes known, because the process died. `metadata` says what the amount was derived from,
 *  the price in force included. */
export type SoFar = { amount: number; metadata: Record<string, unknown> }

/** What was used. `row` is for whoever declares the product; `keeps` is the answer to a request with an `Idempotency-Key`, which
 *  is kept with the charge, so that it is not charged again. */
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
  /** What is held. If organisations pay in advance, nothing more is charged. */
  readonly amount: number
  /** From now on, what has been used so far is asked for every few seconds. */
  watch(soFar: () => SoFar): void
  /** Resolves when the charge is committed; raises 503 if that takes long. It is tried again until it succeeds, and happens
   *  once. */
  settle(charge: Charge): Promise<void>
  /** Nothing was used. Resolves when that is committed, or will be; what a process that dies before leaves behind is charged. */
  release(): Promise<void>
}

export type Meter = {
  /** Whether organisations pay in advance, so that nothing without a price may be used. */
  readonly isPrepaid: boolean
  /** Raises 402 if the organisation must pay in advance and has too little. Where organisations pay afterwards, the operation
   *  may begin while its hold is written, unless that is slow. */
  hold(caller: Principal, estimate: Estimate): Hold | Promise<Hold>
  /** Resolves when what this organisation used before this call is settled. */
  settled(org: OrgId): Promise<void>
}

/** A settled charge. `row` is null if its process died, so that only what its hold had is known. */
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

/** A product: what its service does in the transaction that settles charges. */
export type Charged<E extends Emits = Emits> = {
  product: string
  emits: E
  settled(
    context: { db: Tx; emit: EmitTo<E, [project?: string]>; now: Date },
    charges: readonly SettledCharge[],
  ): Promise<void>
}
