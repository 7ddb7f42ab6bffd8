// The outcome of a call: its charge, its line in the log, its event.
import type { Reply } from '../../../kit/answer.ts'
import type { Principal } from '../../../kit/caller.ts'
import { Fault } from '../../../kit/fault.ts'
import { type KeyedRequest, keptReply } from '../../../kit/host/idempotency-records.ts'
import type { Keeps, Meter, SoFar } from '../../../kit/meter.ts'
import type { Context } from '../../../kit/operation.ts'
import { chargeOf, type Line, PRODUCT } from '../charges.ts'
import type { Offer } from '../models/offer.ts'
import type { AiState } from '../state.ts'
import { NO_USAGE, type Usage } from '../wires/usage.ts'
import type { Costs } from './estimate.ts'

export type CallContext = Context<'bearer', AiState> & { meter: Meter; keyed: KeyedRequest | null }

export type Call = {
  id: string
  caller: Principal
  model: string
  wire: string
  isStreamed: boolean
  startMs: number
  created: string
  /** Aborted when the client disconnects. */
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

export function newCall(
  { caller, clock, request: { id, signal } }: CallContext,
  about: Pick<Call, 'model' | 'wire' | 'isStreamed'>,
): Call {
  return { id, caller, ...about, startMs: clock.elapsedMs(), created: clock.now().toISOString(), signal }
}

export type Outcome = {
  /** The amount held for the call. */
  readonly held: number
  /** Whether it is settled or has failed. */
  isOver(): boolean
  attempted(): void
  /** The request was sent to a provider. */
  reached(route: Way): void
  /** The provider that got the request and has not failed. */
  asked(): Way | null
  /** From now on this is charged if the process dies. */
  watch(route: Way, usage: () => Usage): void
  /** Resolves when it is committed; raises 503 if that takes long. */
  settle(used: Used): Promise<void>
  /** The same, and stores the answer in the same transaction: a process that dies before has not answered. */
  answer(used: Used, answer: Reply): Promise<Reply>
  /** The same for a client that has disconnected. */
  settleLater(used: Used): void
  /** Ends a call without usage. Resolves when nothing is held any more. */
  fail(error: unknown): Promise<void>
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

/** Holds what the call may cost. */
export async function openOutcome(context: CallContext, call: Call, route: Way, costs: Costs): Promise<Outcome> {
  const { clock, keyed, meter, state } = context
  const { most, least, amount, inputTokens } = costs
  const { metadata } = soFarOf(call, route, { ...NO_USAGE, input: inputTokens })
  const estimate = { product: PRODUCT, model: route.model, most, least, amount, metadata }
  const hold = await meter.hold(call.caller, estimate)
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
    held: hold.amount,
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
    settle: used => settle(used),
    answer: async (used, answer) => {
      const kept = keyed && keptReply(answer)
      await settle(used, keyed && kept && { request: keyed, answer: kept })
      if (keyed && kept) keyed.isKept = true
      return answer
    },
    // The charge stays in its queue; no client waits for it.
    settleLater: used => void settle(used).catch(() => {}),
    fail: async error => {
      isOver = true
      const none = { inputTokens: 0, outputTokens: 0, estimated: false, amount: null, transaction: null }
      const reason = reasonOf(error, call.signal)
      const answered = { provider: null, answeredModel: null, firstMs: null }
      state.log({ ...lineOf(call, attempts), ...none, ...answered, error: reason, totalMs: totalMs() })
      await hold.release()
    },
  }
}

/** The code of the fault, or `interrupted` if the client disconnected. */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'interrupted'
  return error instanceof Fault ? error.code : 'internal'
}
