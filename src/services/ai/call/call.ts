// A model call of any wire: admitted by the host, held, sent to a provider, answered.
import type { EventStream, Reply } from '../../../kit/answer.ts'
import type { ProviderWire } from '../providers/provider.ts'
import { aiSettings } from '../settings.ts'
import { countText } from '../tokens.ts'
import type { JsonObject } from '../translations/translation.ts'
import { CutOff } from './attempt.ts'
import { type Asked, countedIn } from './counted.ts'
import { fullCosts, roughCosts } from './estimate.ts'
import { requireNoExtras } from './extras.ts'
import { openIssuing } from './issued.ts'
import { requireLimits } from './limits.ts'
import { type CallContext, newCall, type Outcome, openOutcome } from './outcome.ts'
import { storedTokens } from './references.ts'
import { type Route, routesTo } from './route.ts'
import { streamed } from './streamed.ts'
import { wholeReply } from './whole.ts'

/** The output limit that the host set, for a prepaid call without one. */
const LIMIT_HEADER = 'x-max-tokens'

export async function callModel(
  context: CallContext,
  wire: ProviderWire,
  json: JsonObject,
  bytes: Buffer,
): Promise<Reply | EventStream<never>> {
  const { caller, clock, db, meter, request, state } = context
  const { headers, signal } = request
  const { isPrepaid } = meter
  const { org } = caller
  const model = json.model as string
  await state.registry.ready()
  const settings = await context.orgSettings.of(aiSettings, org)
  const routes = routesTo(state.registry, settings, model, wire, caller, isPrepaid)
  for (const route of routes) requireNoExtras({ json, headers, isPrepaid }, route)
  requireLimits(json, wire, isPrepaid)
  const isKept = routes.some(route => route.wire === 'responses' && !route.translation)
  const stored = wire === 'responses' ? await storedTokens(db, org, json, { isKept, isPrepaid }) : 0
  const isStreamed = json.stream === true && wire !== 'embeddings'
  const call = newCall(context, { model, wire, isStreamed })
  const offers = routes.map(({ offer }) => offer)
  const first = routes[0] as Route
  const costs = isPrepaid
    ? await fullCosts(offers, wire, json, stored)
    : roughCosts(first.offer, wire, json, bytes.length, stored)
  const outcome = await openOutcome(context, call, first, costs)
  const limit = costs.limitWithin(outcome.held)
  const { attempted, reached } = outcome
  const asked = { json, stored }
  try {
    const sending = { org, json, bytes, limit, headers, isStreamed, signal, attempted, reached }
    const answered = await state.send(routes, sending)
    const { route, whole, leave } = answered
    const about = { id: call.id, created: Math.floor(Date.parse(call.created) / 1000), model }
    const told: Record<string, string> = limit === null ? {} : { [LIMIT_HEADER]: String(limit.tokens) }
    const issuing = openIssuing(state, org, json, route)
    const answering = { ...asked, wire, inputTokens: costs.inputTokens, about, issuing, outcome, told }
    if (whole === null) return streamed(context, answered, answering)
    leave()
    return await wholeReply(route, whole, answering, clock.elapsedMs())
  } catch (error) {
    if (!outcome.isOver()) await endUnanswered(error, signal, asked, outcome)
    throw error instanceof CutOff ? signal.reason : error
  }
}

/** A client that disconnects before the answer begins pays for the input, if a provider has the request, and for the part of
 *  the answer that arrived. That part is incomplete, so its field names are counted as text too. */
async function endUnanswered(error: unknown, signal: AbortSignal, asked: Asked, outcome: Outcome) {
  const part = error instanceof CutOff ? error : null
  const route = part?.route ?? (signal.aborted ? (outcome.asked() as Route | null) : null)
  if (route === null) return outcome.fail(error)
  const usage = await countedIn(route.wire, asked, async () => (part === null ? 0 : countText(part.text)))
  outcome.settleLater({ route, usage, isEstimated: true, firstMs: null, error: 'interrupted' })
}
