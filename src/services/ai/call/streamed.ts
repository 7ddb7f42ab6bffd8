// A stream, on its way to the client.
import { type HttpBody, HttpFailure } from '../../../engines/engines.ts'
import { type EventStream, eventStream } from '../../../kit/answer.ts'
import { Fault } from '../../../kit/fault.ts'
import { METERED_MS_MAX } from '../../../kit/meter.ts'
import type { Answered } from './attempts.ts'
import { countedIn, usedTokens } from './counted.ts'
import { heldBack, noteBegun } from './opening.ts'
import { type CallContext, reasonOf } from './outcome.ts'
import { isLast, passOn } from './pass-on.ts'
import { openProduced } from './produced.ts'
import { failureOf, unusable } from './refusal.ts'
import type { Route } from './route.ts'
import type { Answering } from './whole.ts'

/** Not a generator, for which each chunk would need several more awaits. */
export function streamed(
  { clock, request: call }: CallContext,
  { route, response, leave }: Answered,
  answering: Answering,
): EventStream<never> {
  const produced = openProduced(route.wire)
  const chunks = response.body[Symbol.asyncIterator]()
  const { json, wire, about, issuing, outcome, inputTokens } = answering
  const passing = heldBack(passOn(route, json, about, produced), response, route)
  const untilMs = clock.elapsedMs() + METERED_MS_MAX
  let [isEnded, isOver, hasLast] = [false, false, false]
  let firstMs: number | null = null
  outcome.watch(route, () => produced.soFar(inputTokens))

  async function finish(error: string | null, fault = unusable(route.offer.by).fault): Promise<void> {
    if (isOver) return
    isOver = true
    leave()
    if (hasLast) void readRest(chunks, response.body)
    else response.body.destroy()
    if (produced.isEmpty() && error !== 'interrupted') return outcome.fail(fault)
    const reported = produced.usage()
    const isWhole = reported !== null && error === null && produced.isPlausible(reported)
    const counted = isWhole ? null : await countedIn(route.wire, answering, produced.countOutput)
    const used = { route, ...usedTokens(reported, counted, error === null), firstMs, error }
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
        if (firstMs === null) noteBegun(call)
        firstMs ??= clock.elapsedMs()
        if (clock.elapsedMs() > untilMs) throw tooLong()
        // The last event says that the answer is whole, and is sent when it is charged.
        if (isLast(wire, bytes)) {
          isEnded = hasLast = true
          await end()
        }
        return { done: false, value: bytes }
      }
      if (!isOver && !passing.isWhole() && !produced.hasFailed()) throw incomplete(route)
    } catch (cause) {
      const fault = cause instanceof Fault ? cause : brokenOff(route, cause)
      await finish(reasonOf(fault, call.signal), fault)
      throw fault
    }
    await end()
    return END
  }
  const end = () => finish(produced.hasFailed() ? 'upstream_unreachable' : null)

  const stream: AsyncIterableIterator<Buffer, undefined> = {
    next,
    return: async () => {
      await finish('interrupted')
      return END
    },
    [Symbol.asyncIterator]: () => stream,
  }
  return eventStream(stream, answering.told)
}

const END = { done: true, value: undefined } as const

/** How long a provider may take to end its answer after the last event. */
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

const incomplete = ({ offer: { by } }: Route) =>
  new Fault('upstream_unreachable', { message: `The provider ${by} ended its answer before it was complete.` })

function brokenOff({ offer: { by } }: Route, cause: unknown): Fault {
  if (cause instanceof HttpFailure && cause.reason === 'timeout') return failureOf(cause, by).fault
  return new Fault('upstream_unreachable', { message: `The provider ${by} broke off its answer.`, cause })
}
