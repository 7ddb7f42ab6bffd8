// The charges of model calls: the transfer, the line of the log, and the event, in one transaction.
import type { Static } from 'typebox'
import { withoutNulls } from '../../kit/fields.ts'
import { type Charge, type Charged, centsOf, type SettledCharge } from '../../kit/meter.ts'
import { callSettled } from './events.ts'
import type { Offer } from './models/offer.ts'
import { costOf } from './price.ts'
import { insertRequests, type RequestRow } from './store.ts'
import type { Usage } from './wires/usage.ts'

export const PRODUCT = 'ai'

/** What is known of a call before it ends. */
export type Line = Pick<
  RequestRow,
  'id' | 'org' | 'created' | 'key' | 'project' | 'model' | 'wire' | 'streamed' | 'attempts'
>

type Settled = Static<(typeof callSettled)['ai.call.settled']>
type Row = { line: RequestRow; event: Settled }

type Used = {
  route: { model: string; offer: Offer }
  usage: Usage
  isEstimated: boolean
  error: string | null
}

type Ended = Pick<RequestRow, 'totalMs' | 'firstMs' | 'transaction'>
const NOT_ENDED: Ended = { totalMs: 0, firstMs: null, transaction: null }

/** What a call used, with its line and its event. */
export function chargeOf(
  { model }: { model: string },
  { route, usage, isEstimated, error }: Used,
  begun: Line,
  ended = NOT_ENDED,
): Charge {
  const { price, by } = route.offer
  const isOther = route.model !== model
  const amount = price === null ? null : Number(costOf(usage, price))
  const tokens = { inputTokens: usage.input, outputTokens: usage.output }
  const answered = { provider: by, answeredModel: isOther ? route.model : null }
  const line: RequestRow = { ...begun, ...ended, ...tokens, ...answered, error, estimated: isEstimated, amount }
  const details = {
    ...(usage.cachedInput > 0 && { cachedInputTokens: usage.cachedInput }),
    ...(usage.cacheWrite > 0 && { cacheWriteTokens: usage.cacheWrite }),
    ...(usage.cacheWriteHour > 0 && { cacheWriteHourTokens: usage.cacheWriteHour }),
    ...(usage.reasoning > 0 && { reasoningTokens: usage.reasoning }),
    ...(usage.images > 0 && { images: usage.images }),
    ...(isEstimated && { estimated: true }),
  }
  const named = isOther ? { namedModel: model } : {}
  const priced = price === null ? { unpriced: true } : { price }
  const about = { requestId: begun.id, provider: by, wire: begun.wire }
  const event: Settled = {
    ...{ ...about, model: route.model, ...tokens, ...details, ...named, totalMs: ended.totalMs },
    ...withoutNulls({ firstTokenMs: ended.firstMs, key: begun.key, cost: amount === null ? null : centsOf(amount) }),
  }
  const metadata = { ...about, ...named, ...tokens, ...details, ...priced }
  return { amount: amount ?? 0, model: route.model, metadata, row: { line, event } satisfies Row }
}

export const modelCalls: Charged<typeof callSettled> = {
  product: PRODUCT,
  emits: callSettled,
  settled: async ({ db, emit, now }, charges) => {
    const rows = charges.map(charge => paid(charge, (charge.row as Row | null) ?? leftBehind(charge, now)))
    for (const [at, { event }] of rows.entries()) {
      const { org, project } = charges[at] as SettledCharge
      emit('ai.call.settled', event, org, project ?? undefined)
    }
    await insertRequests(
      db,
      rows.map(({ line }) => line),
    )
  },
}

/** A prepaid call is charged at most what was held. */
function paid({ amount }: SettledCharge, { line, event }: Row): Row {
  if (line.amount === null || line.amount === amount) return { line, event }
  return { line: { ...line, amount }, event: { ...event, cost: centsOf(amount) } }
}

/** For a call whose process died, the hold contains what is known. */
function leftBehind({ id: transaction, org, key, project, model, amount, metadata }: SettledCharge, now: Date): Row {
  const { namedModel, unpriced, ...known } = metadata as Partial<
    Record<'requestId' | 'provider' | 'wire' | 'created' | 'namedModel', string> &
      Record<'inputTokens' | 'outputTokens', number> &
      Record<'streamed' | 'unpriced', boolean>
  >
  // Holds of older processes say less.
  const { requestId = transaction, provider = '', wire = 'chat', created = now.toISOString() } = known
  const { inputTokens = 0, outputTokens = 0, streamed = false } = known
  const totalMs = Math.max(0, now.getTime() - Date.parse(created))
  const tokens = { inputTokens, outputTokens }
  const cost = unpriced ? null : amount
  const line: RequestRow = {
    ...{ id: requestId, org, created, key, project, wire, streamed, provider, ...tokens, transaction, totalMs },
    ...{ model: namedModel ?? model, answeredModel: namedModel ? model : null, attempts: 1, firstMs: null },
    ...{ error: 'interrupted', estimated: true, amount: cost },
  }
  const event: Settled = {
    ...{ requestId, model, provider, wire, ...tokens, estimated: true, totalMs },
    ...withoutNulls({ namedModel: namedModel || null, key, cost: cost === null ? null : centsOf(cost) }),
  }
  return { line, event }
}
