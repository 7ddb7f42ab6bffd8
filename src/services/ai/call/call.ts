// A model call of any wire: admitted by the host, held, sent to a provider, passed on, settled.
import { isUtf8 } from 'node:buffer'
import { type HttpBody, HttpFailure } from '../../../engines/engines.ts'
import { type EventStream, eventStream, type Reply, reply } from '../../../kit/answer.ts'
import { Fault } from '../../../kit/fault.ts'
import { type KeyedRequest, keptReply } from '../../../kit/host/kept-answers.ts'
import { METERED_MS_MAX, type Meter } from '../../../kit/meter.ts'
import type { Context } from '../../../kit/operation.ts'
import type { Offer } from '../models/offer.ts'
import type { ProviderWire } from '../providers/provider.ts'
import { aiSettings } from '../settings.ts'
import type { AiState } from '../state.ts'
import { countText, estimateChatInput, estimateEmbeddingsInput } from '../tokens.ts'
import type { About, JsonObject } from '../translations/translation.ts'
import { NO_USAGE, type Usage } from '../wires/usage.ts'
import { CutOff, type Whole } from './attempt.ts'
import type { Answered } from './attempts.ts'
import { fullCosts, roughCosts } from './estimate.ts'
import { hasLongCache, requireNoExtras } from './extras.ts'
import { type Issuing, openIssuing } from './issued.ts'
import { requireLimits } from './limits.ts'
import { holdFor, type Outcome, openOutcome, reasonOf, type Used } from './outcome.ts'
import { openProduced, USAGE_IN } from './produced.ts'
import { storedTokens } from './references.ts'
import { failureOf, unusable } from './refusal.ts'
import { type Route, routesTo } from './route.ts'
import { isLast, passOn } from './streamed.ts'
import { wordsIn } from './texts.ts'

export type CallContext = Context<'bearer', AiState> & { meter: Meter; keyed: KeyedRequest | null }

/** What the host limited the output to, if the client did not and pays in advance. */
const LIMIT_HEADER = 'x-max-tokens'
const JSON_TYPE = { 'content-type': 'application/json' }
/** A text is sent in one piece with the head. To encode a longer one again would cost more than that saves. */
const TEXT_BYTES_MAX = 16 * 1024

/** What the client asked. `stored` are tokens of it that the provider has already. */
type Asked = { json: JsonObject; stored: number }
type Answering = Asked & { about: About; issuing: Issuing | null }

export async function callModel(
  context: CallContext,
  wire: ProviderWire,
  json: JsonObject,
  bytes: Buffer,
): Promise<Reply | EventStream<never>> {
  const { caller, clock, db, meter, request, state } = context
  const { headers, signal } = request
  const { isPrepaid } = meter
  const model = json.model as string
  await state.registry.ready()
  const settings = await context.orgSettings.of(aiSettings, caller.org)
  const routes = routesTo(state.registry, settings, model, wire, caller, isPrepaid)
  for (const route of routes) requireNoExtras({ json, headers, isPrepaid }, route)
  requireLimits(json, wire, isPrepaid)
  const isKept = routes.some(route => route.wire === 'responses' && !route.translation)
  const stored = wire === 'responses' ? await storedTokens(db, caller.org, json, { isKept, isPrepaid }) : 0
  const asked = { json, stored }
  const isStreamed = json.stream === true && wire !== 'embeddings'
  const call = {
    id: request.id,
    caller,
    model,
    wire,
    isStreamed,
    startMs: clock.elapsedMs(),
    created: clock.now().toISOString(),
    signal,
  }
  const first = routes[0] as Route
  const costs = isPrepaid
    ? await fullCosts(offersFor(json, routes), wire, json, stored)
    : roughCosts(first.offer, wire, json, bytes.length, stored)
  const hold = await holdFor(meter, call, first, costs)
  const limit = costs.limitWithin(hold.amount)
  const outcome = openOutcome(call, hold, clock, state.log)
  const { attempted, reached } = outcome
  const sending = { org: caller.org, json, bytes, limit, headers, isStreamed, signal, attempted, reached }
  const told: Record<string, string> = limit === null ? {} : { [LIMIT_HEADER]: String(limit.tokens) }
  try {
    const answered = await state.send(routes, sending)
    const about = { id: call.id, created: Math.floor(Date.parse(call.created) / 1000), model }
    const answering = { ...asked, about, issuing: openIssuing(state, caller.org, json, answered.route) }
    if (answered.whole === null) {
      return eventStream(streamed(context, wire, answered, answering, outcome, costs.inputTokens), told)
    }
    answered.leave()
    return await whole(context, answered.route, answered.whole, answering, outcome, told)
  } catch (error) {
    if (error instanceof CutOff) await payPart(error, asked, outcome)
    else if (!outcome.isOver()) await endUnanswered(error, signal, asked, outcome)
    throw error instanceof CutOff ? signal.reason : error
  }
}

/** What is written to the cache may cost more than what is not: as much as if it is kept for an hour, where that is asked. */
function offersFor(json: JsonObject, routes: readonly Route[]): Offer[] {
  const isLong = hasLongCache(json)
  return routes.map(({ offer }) => {
    const { cacheWriteHour } = offer.price ?? {}
    return isLong && offer.price && cacheWriteHour !== undefined
      ? { ...offer, price: { ...offer.price, cacheWrite: cacheWriteHour } }
      : offer
  })
}

/** A client that leaves before the answer begins pays the input, if a provider has the request. */
async function endUnanswered(error: unknown, signal: AbortSignal, asked: Asked, outcome: Outcome) {
  const route = signal.aborted ? (outcome.asked() as Route | null) : null
  if (route === null) return outcome.fail(error)
  const usage = await countedIn(route.wire, asked, async () => 0)
  outcome.settleLater({ route, usage, isEstimated: true, firstMs: null, error: 'interrupted' })
}

/** What had arrived is paid. It is not whole, so that its fields are counted with its text. */
async function payPart({ route, text }: CutOff, asked: Asked, outcome: Outcome): Promise<void> {
  const usage = await countedIn(route.wire, asked, () => countText(text))
  outcome.settleLater({ route, usage, isEstimated: true, firstMs: null, error: 'interrupted' })
}

async function whole(
  { clock, keyed }: CallContext,
  route: Route,
  { bytes, text, json }: Whole,
  answering: Answering,
  outcome: Outcome,
  told: Record<string, string>,
): Promise<Reply> {
  const firstMs = clock.elapsedMs()
  const reported = USAGE_IN[route.wire](json)
  const isWhole = reported !== null && reported.input > 0 && (reported.output > 0 || wordsIn(json) === '')
  const counted = isWhole ? null : await countedIn(route.wire, answering, () => countText(wordsIn(json)))
  const used = { route, ...together(reported, counted), firstMs }
  const answer = answerOf(route, json, answering.about, answering.json)
  if (answer instanceof Fault) {
    await outcome.settle({ ...used, error: answer.code })
    throw answer
  }
  const replied = reply(200, { ...JSON_TYPE, ...told }, answer ?? asText(bytes, text))
  const noted = answering.issuing?.whole(json, used.usage)
  const [paid] = await Promise.all([charged(outcome, { ...used, error: null }, keyed, replied), noted])
  return paid
}

/** Answered when it is charged: a process that dies before has not answered. */
export async function charged(outcome: Outcome, used: Used, keyed: KeyedRequest | null, answer: Reply): Promise<Reply> {
  const kept = keyed && keptReply(answer)
  await outcome.settle(used, keyed && kept && { request: keyed, answer: kept })
  if (keyed && kept) keyed.isKept = true
  return answer
}

/** Bytes that are no text must pass unchanged. */
const asText = (bytes: Buffer, text: string) => (bytes.length <= TEXT_BYTES_MAX && isUtf8(bytes) ? text : bytes)

/** Null if the bytes pass through. What the provider made has been used, whether it can be translated or not. */
function answerOf(
  { translation, offer }: Route,
  json: object,
  about: About,
  request: JsonObject,
): string | Fault | null {
  if (!translation) return null
  try {
    return JSON.stringify(translation.answer(json as JsonObject, about, request))
  } catch (cause) {
    return unusable(offer.by, cause).fault
  }
}

/** No generator, for which each chunk would wait several times more. */
function streamed(
  { clock, request: call }: CallContext,
  wire: ProviderWire,
  { route, response, leave }: Answered,
  answering: Answering,
  outcome: Outcome,
  inputTokens: number,
): AsyncIterableIterator<Buffer, undefined> {
  const produced = openProduced(route.wire)
  const chunks = response.body[Symbol.asyncIterator]()
  const { json, about, issuing } = answering
  const passing = passOn(route, json, about, produced)
  const untilMs = clock.elapsedMs() + METERED_MS_MAX
  let [isEnded, isOver, hasLast] = [false, false, false]
  let firstMs: number | null = null
  outcome.watch(route, () => produced.soFar(inputTokens))

  async function finish(error: string | null): Promise<void> {
    if (isOver) return
    isOver = true
    leave()
    if (hasLast) void readRest(chunks, response.body)
    else response.body.destroy()
    if (produced.isEmpty() && error !== 'interrupted') return outcome.fail(unusable(route.offer.by).fault)
    const reported = produced.usage()
    const isWhole = reported !== null && error === null && produced.isPlausible(reported)
    const counted = isWhole ? null : await countedIn(route.wire, answering, produced.countOutput)
    const used = { route, ...together(reported, counted, error === null), firstMs, error }
    const settled = call.signal.aborted ? outcome.settleLater(used) : outcome.settle(used)
    await Promise.all([settled, issuing?.end(used.usage)])
  }

  async function next(): Promise<IteratorResult<Buffer, undefined>> {
    try {
      while (!isEnded) {
        const { done, value } = await chunks.next()
        if (done) isEnded = true
        const bytes = done ? passing.end() : passing.next(value)
        if (done && produced.isEmpty()) throw unusable(route.offer.by).fault
        if (bytes === null) continue
        const noting = issuing?.events(bytes)
        if (noting) await noting
        firstMs ??= clock.elapsedMs()
        if (clock.elapsedMs() > untilMs) throw tooLong()
        // The last event says that the answer is whole, and is sent when it is charged.
        if (isLast(wire, bytes)) {
          isEnded = hasLast = true
          await end()
        }
        return { done: false, value: bytes }
      }
    } catch (cause) {
      const fault = cause instanceof Fault ? cause : brokenOff(route, cause)
      await finish(reasonOf(fault, call.signal))
      throw fault
    }
    await end()
    return END
  }
  const end = () => finish(produced.hasFailed() ? 'upstream_unreachable' : null)

  const stream = {
    next,
    return: async () => {
      await finish('interrupted')
      return END
    },
    [Symbol.asyncIterator]: () => stream,
  }
  return stream
}

const END = { done: true, value: undefined } as const

/** So long may a provider take to end its answer after the last event. */
const REST_MS = 1_000

/** Otherwise the connection to the provider could not be used again. */
async function readRest(chunks: AsyncIterator<Buffer>, body: HttpBody): Promise<void> {
  const timer = setTimeout(() => body.destroy(), REST_MS)
  try {
    while (!(await chunks.next()).done);
  } catch {
    // The answer was whole; how its connection ends says nothing about it.
  } finally {
    clearTimeout(timer)
    body.destroy()
  }
}

const tooLong = () =>
  new Fault('upstream_timeout', { message: `An answer may take at most ${METERED_MS_MAX / 60_000} minutes.` })

function brokenOff({ offer: { by } }: Route, cause: unknown): Fault {
  if (cause instanceof HttpFailure && cause.reason === 'timeout') return failureOf(cause, by).fault
  return new Fault('upstream_unreachable', { message: `The provider ${by} broke off its answer.`, cause })
}

/** A stream that was broken off may have reported its input only. One that ended is believed, unless there is far more
 *  text than it says: other models have other tokens. */
function together(reported: Usage | null, counted: Usage | null, isEnded = true) {
  if (!reported || !counted) return { usage: reported ?? counted ?? NO_USAGE, isEstimated: counted !== null }
  const isMore = counted.output > reported.output * (isEnded ? 2 : 1)
  const input = reported.input > 0 ? reported.input : counted.input
  const usage = { ...reported, input, output: isMore ? counted.output : reported.output }
  return { usage, isEstimated: !isEnded || isMore || reported.input === 0 }
}

/** Counting never fails: without its encoding it goes by bytes. */
async function countedIn(wire: ProviderWire, asked: Asked, output: () => Promise<number>): Promise<Usage> {
  if (wire === 'embeddings') return { ...NO_USAGE, input: await estimateEmbeddingsInput(asked.json) }
  const input = asked.stored + (await estimateChatInput(asked.json))
  return { ...NO_USAGE, input, output: await output() }
}
