// What remains of a call: its charge, its line in the log, its event.
import type { Clock } from '../../../engines/engines.ts'
import type { Principal } from '../../../kit/caller.ts'
import { Fault } from '../../../kit/fault.ts'
import type { Hold, Keeps, Meter, SoFar } from '../../../kit/meter.ts'
import { chargeOf, type Line, PRODUCT } from '../charges.ts'
import type { Offer } from '../models/offer.ts'
import type { RequestRow } from '../store.ts'
import { NO_USAGE, type Usage } from '../wires/usage.ts'
import type { Costs } from './estimate.ts'

export type Call = {
  id: string
  caller: Principal
  model: string
  wire: string
  isStreamed: boolean
  startMs: number
  created: string
  /** Aborted when the client leaves. */
  signal: AbortSignal
}

/** `model` is the name by which the offer was found. */
type Way = { model: string; offer: Offer }

export type Used = {
  route: Way
  usage: Usage
  isEstimated: boolean
  firstMs: number | null
  error: string | null
}

export type Outcome = {
  /** Whether it is settled or has failed. */
  isOver(): boolean
  attempted(): void
  /** The request was sent to a provider. */
  reached(route: Way): void
  /** Who was asked and has not failed. */
  asked(): Way | null
  /** From now on this is charged if the process dies. */
  watch(route: Way, usage: () => Usage): void
  /** Resolves when it is committed; raises 503 if that takes long. */
  settle(used: Used, keeps?: Keeps | null): Promise<void>
  /** The same for a client that is gone. */
  settleLater(used: Used): void
  /** Nothing was used. Resolves when nothing is held any more. */
  fail(error: unknown): Promise<void>
}

/** Holds what the call may cost. */
export function holdFor(meter: Meter, call: Call, route: Way, costs: Costs): Hold | Promise<Hold> {
  const { most, least, amount, inputTokens } = costs
  const { metadata } = soFarOf(call, route, { ...NO_USAGE, input: inputTokens })
  return meter.hold(call.caller, { product: PRODUCT, model: route.model, most, least, amount, metadata })
}

function soFarOf(call: Call, route: Way, usage: Usage): SoFar {
  const used = { route, usage, isEstimated: true, firstMs: null, error: 'interrupted' }
  const { amount, metadata } = chargeOf(call, used, lineOf(call, 1))
  return { amount, metadata: { ...metadata, created: call.created, streamed: call.isStreamed, interrupted: true } }
}

function lineOf({ id, caller, created, model, wire, isStreamed }: Call, attempts: number): Line {
  const key = caller.credential.kind === 'session' ? null : caller.credential.id
  return { id, org: caller.org, created, key, project: caller.project, model, wire, streamed: isStreamed, attempts }
}

/** `log` writes a line that no charge brings along. */
export function openOutcome(call: Call, hold: Hold, clock: Clock, log: (row: RequestRow) => void): Outcome {
  let attempts = 0
  let isOver = false
  let asked: Way | null = null
  const sinceStart = (ms: number | null) => (ms === null ? null : Math.round(ms - call.startMs))
  const totalMs = () => Math.round(clock.elapsedMs() - call.startMs)

  function settle(used: Used, keeps: Keeps | null = null): Promise<void> {
    isOver = true
    const times = { totalMs: totalMs(), firstMs: sinceStart(used.firstMs) }
    return hold.settle({ ...chargeOf(call, used, lineOf(call, attempts), { ...times, transaction: hold.id }), keeps })
  }

  return {
    isOver: () => isOver,
    attempted: () => {
      attempts++
      asked = null
    },
    reached: route => {
      asked = route
    },
    asked: () => asked,
    watch: (route, usage) => hold.watch(() => soFarOf(call, route, usage())),
    settle,
    // The charge stays in its queue; nobody waits for it.
    settleLater: used => void settle(used).catch(() => {}),
    fail: async error => {
      isOver = true
      const none = { inputTokens: 0, outputTokens: 0, estimated: false, amount: null, transaction: null }
      const reason = reasonOf(error, call.signal)
      const answered = { provider: null, answeredModel: null, firstMs: null }
      log({ ...lineOf(call, attempts), ...none, ...answered, error: reason, totalMs: totalMs() })
      await hold.release()
    },
  }
}

/** The code of the fault, or that the client left. */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'interrupted'
  return error instanceof Fault ? error.code : 'internal'
}
