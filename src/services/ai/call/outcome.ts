// What remains of a call: its charge, its line in the log, its event.
import type { Clock } from '../../../engines/engines.ts'
import type { Principal } from '../../../kit/caller.ts'
import { Fault } from '../../../kit/fault.ts'
import { centsOf, type Hold } from '../../../kit/meter.ts'
import { callSettled } from '../events.ts'
import type { Offer } from '../models/offer.ts'
import { costOf } from '../price.ts'
import { insertRequests, type RequestRow } from '../store.ts'
import type { Usage } from '../wires/usage.ts'

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
export type Used = {
  route: { model: string; offer: Offer }
  usage: Usage
  isEstimated: boolean
  firstMs: number | null
  error: string | null
}

export type Outcome = {
  /** Whether it is settled or has failed. */
  isOver(): boolean
  attempted(): void
  /** Resolves when it is committed. */
  settle(used: Used): Promise<void>
  /** Nothing was used. */
  fail(error: unknown): void
}

/** `log` writes a line that no charge brings along. */
export function openOutcome(call: Call, hold: Hold, clock: Clock, log: (row: RequestRow) => void): Outcome {
  let attempts = 0
  let isOver = false
  const { id, caller, model, wire, isStreamed, startMs, created } = call
  const key = caller.credential.kind === 'session' ? null : caller.credential.id
  const line = () => ({
    ...{ id, org: caller.org, created, key, project: caller.project, model, wire, streamed: isStreamed, attempts },
    totalMs: Math.round(clock.elapsedMs() - startMs),
  })
  const sinceStart = (ms: number | null) => (ms === null ? null : Math.round(ms - startMs))

  return {
    isOver: () => isOver,
    attempted: () => {
      attempts++
    },
    settle: ({ route, usage, isEstimated, firstMs, error }) => {
      isOver = true
      const { price, by } = route.offer
      const isOther = route.model !== model
      const amount = price === null ? null : Number(costOf(usage, price))
      const tokens = { inputTokens: usage.input, outputTokens: usage.output }
      const row: RequestRow = {
        ...{ ...line(), ...tokens, provider: by, error, estimated: isEstimated, amount, transaction: hold.id },
        answeredModel: isOther ? route.model : null,
        firstMs: sinceStart(firstMs),
      }
      const details = {
        ...(usage.cachedInput > 0 && { cachedInputTokens: usage.cachedInput }),
        ...(usage.cacheWrite > 0 && { cacheWriteTokens: usage.cacheWrite }),
        ...(usage.reasoning > 0 && { reasoningTokens: usage.reasoning }),
        ...(usage.images > 0 && { images: usage.images }),
        ...(isEstimated && { estimated: true }),
      }
      const named = isOther ? { namedModel: model } : {}
      const priced = price === null ? { unpriced: true } : { price }
      const data = {
        ...{ requestId: id, model: route.model, provider: by, wire, ...tokens, ...details, totalMs: row.totalMs },
        ...named,
        ...(row.firstMs !== null && { firstTokenMs: row.firstMs }),
        ...(key !== null && { key }),
        ...(amount !== null && { cost: centsOf(amount) }),
      }
      return hold.settle({
        amount: amount ?? 0,
        product: 'ai',
        model: route.model,
        metadata: { requestId: id, provider: by, wire, ...named, ...tokens, ...details, ...priced },
        emits: { declared: callSettled, events: [{ subject: 'ai.call.settled', data }] },
        also: { write: insertRequests, row },
      })
    },
    fail: error => {
      isOver = true
      hold.release()
      const none = { inputTokens: 0, outputTokens: 0, estimated: false, amount: null, transaction: null }
      log({
        ...line(),
        ...none,
        provider: null,
        answeredModel: null,
        error: reasonOf(error, call.signal),
        firstMs: null,
      })
    },
  }
}

/** The code of the fault, or that the client left. */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'interrupted'
  return error instanceof Fault ? error.code : 'internal'
}
