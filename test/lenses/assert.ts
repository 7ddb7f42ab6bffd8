// Compares the answers of every lens with a recount, over time spans, zones and conditions.
import assert from 'node:assert/strict'
import { type Condition, SKETCH_ERROR, startOf, type Unit } from '../../src/engines/engines.ts'
import { type Counted, meets, recount, recountWhere } from './recount.ts'

const EXACT_MAX = 10_000
const ZONES = ['UTC', 'Europe/Vienna', 'Asia/Kolkata', 'Asia/Kathmandu']
const FACTS = ['path', 'source', 'campaign', 'country', 'device', 'browser', 'system', 'release', 'event'] as const
const CONDITIONS: Condition[][] = [
  [{ of: 'path', operator: 'is', values: ['/shop'] }],
  [
    { of: 'path', operator: 'starts', values: ['/shop'] },
    { of: 'country', operator: 'in', values: ['AT', 'NP'] },
  ],
  [
    { of: 'properties.plan', operator: 'is', values: ['pro'] },
    { of: 'properties.n', operator: 'gt', values: ['4'] },
  ],
]
const whereOf = (conditions: readonly Condition[]) =>
  conditions.map(({ of, operator, values }): [string, string] => ['where', `${of}:${operator}:${values.join()}`])

// biome-ignore lint/suspicious/noExplicitAny: the answers of several operations
export type Lens = (path: string, query: [name: string, value: string][]) => Promise<any>
type Span = { fromMs: number; toMs: number }

const isoOf = (ms: number) => new Date(ms).toISOString()
const spanOf = ({ fromMs, toMs }: Span): [string, string][] => [
  ['from', isoOf(fromMs)],
  ['to', isoOf(toMs)],
]

type Comparison = ReturnType<typeof openComparison>

/** The events of a time, and what was compared so far. */
function openComparison(ask: Lens, events: readonly Counted[]) {
  const inOrder = events.toSorted((a, b) => a.atMs - b.atMs)
  let compared = 0
  return {
    ask,
    inOrder,
    compared: () => compared,
    within: ({ fromMs, toMs }: Span) => inOrder.slice(firstFrom(inOrder, fromMs), firstFrom(inOrder, toMs)),
    equal: (found: unknown, expected: unknown, what: string) => {
      compared++
      assert.deepEqual(found, expected, what)
    },
    distinct: (found: number, expected: number, what: string) => {
      compared++
      if (expected <= EXACT_MAX) assert.equal(found, expected, what)
      else assert.ok(Math.abs(found / expected - 1) <= SKETCH_ERROR, `${what}: ${found} instead of ${expected}`)
    },
  }
}

const visitorsIn = (some: readonly Counted[]) => new Set(some.map(({ who }) => who)).size

/** Returns how many figures were compared. `zone` is the organisation's. */
export async function assertLenses(
  ask: Lens,
  events: readonly Counted[],
  { startMs, endMs, zone }: { startMs: number; endMs: number; zone: string },
): Promise<number> {
  const comparison = openComparison(ask, events)
  const whole = { fromMs: startOf(zone, 'day', startMs), toMs: startOf(zone, 'day', endMs, 1) }
  const some = { fromMs: startOf(zone, 'day', startMs, 3), toMs: startOf(zone, 'day', startMs, 9) }
  const unaligned = { fromMs: startMs + 30 * 900_000, toMs: endMs - 50 * 900_000 }
  for (const span of [whole, some, unaligned]) {
    for (const where of [[], ...CONDITIONS]) await overview(comparison, span, where)
    for (const by of FACTS) await top(comparison, by, span, [])
    await named(comparison, span)
    await errors(comparison, span)
  }
  for (const by of FACTS) await top(comparison, by, some, CONDITIONS[1] as Condition[])
  for (const asked of ZONES) {
    for (const unit of ['day', 'week', 'month'] as const) await timeseries(comparison, asked, unit, whole)
    await timeseries(comparison, asked, 'hour', some)
  }
  return comparison.compared()
}

async function overview({ ask, within, equal, distinct }: Comparison, span: Span, where: readonly Condition[]) {
  const found = await ask('overview', [...spanOf(span), ['compare', 'false'], ...whereOf(where)])
  const some = within(span)
  const { fromMs, toMs } = span
  const own = where.length === 0 ? recount(some, fromMs, toMs) : recountWhere(some, fromMs, toMs, where)
  const what = `overview ${JSON.stringify([isoOf(fromMs), isoOf(toMs), where])}`
  distinct(found.visitors, own.visitors, what)
  equal([found.events, found.pageviews, found.sessions], [own.events, own.pageviews, own.sessions], what)
  assert.ok(Math.abs(found.bounceRate - own.bounces / own.sessions) < 1e-9, what)
  assert.ok(Math.abs(found.visitSeconds - own.ms / own.sessions / 1000) < 1e-6, what)
  const chosen = some.filter(one => where.every(condition => meets(one, condition)))
  const paid = chosen.filter(({ currency }) => currency === 'EUR')
  const revenue = paid.reduce((sum, one) => sum + (one.revenue ?? 0), 0)
  assert.ok(Math.abs((found.revenue.EUR ?? 0) - revenue) < 0.01, `${what}: ${found.revenue.EUR} EUR, ${revenue}`)
}

async function timeseries({ ask, within, equal, distinct }: Comparison, asked: string, unit: Unit, span: Span) {
  const starts = [startOf(asked, unit, span.fromMs)]
  while ((starts.at(-1) as number) < span.toMs) starts.push(startOf(asked, unit, starts.at(-1) as number, 1))
  const query: [string, string][] = [...spanOf(span), ['zone', asked], ['interval', unit]]
  const expected = starts.slice(0, -1).map((start, n) => {
    const [fromMs, toMs] = [Math.max(start, span.fromMs), Math.min(starts[n + 1] as number, span.toMs)]
    return recount(within({ fromMs, toMs }), fromMs, toMs)
  })
  const { series } = await ask('timeseries', query)
  for (const { name, points } of series as { name: string; points: { at: string; value: number }[] }[]) {
    const what = `${name} by ${unit} in ${asked}`
    const times = points.map(({ at }) => Date.parse(at))
    equal(times, starts.slice(0, -1), what)
    for (const [n, { at, value }] of points.entries()) {
      const own = expected[n] as (typeof expected)[number]
      if (name === 'visitors') distinct(value, own.visitors, `${what} at ${at}`)
      else equal(value, own[name as 'events'], `${what} at ${at}`)
    }
  }
}

async function top(
  { ask, within, equal, distinct }: Comparison,
  by: (typeof FACTS)[number],
  span: Span,
  where: readonly Condition[],
) {
  const { data } = await ask('top', [...spanOf(span), ['by', by], ['limit', '100'], ...whereOf(where)])
  const some = within(span).filter(one => where.every(condition => meets(one, condition)))
  const expected = Map.groupBy(some, one => one[by])
  expected.delete(null)
  const what = `top by ${by} ${JSON.stringify(where)}`
  equal(data.map(({ value }: { value: string }) => value).toSorted(), [...expected.keys()].toSorted(), what)
  for (const { value, visitors, events: count } of data) {
    const own = expected.get(value) as Counted[]
    equal(count, own.length, `${what}: ${value}`)
    distinct(visitors, visitorsIn(own), `${what}: ${value}`)
  }
}

async function named({ ask, within, equal, distinct }: Comparison, span: Span) {
  const { data } = await ask('insights/events', spanOf(span))
  const expected = Map.groupBy(within(span), ({ event }) => event)
  equal(data.length, expected.size, 'names of events')
  for (const { event, count, people, firstSeen, lastSeen } of data) {
    const own = expected.get(event) as Counted[]
    equal([count, firstSeen, lastSeen], [own.length, own[0]?.timestamp, own.at(-1)?.timestamp], event)
    distinct(people, visitorsIn(own), event)
  }
}

async function errors({ ask, within, equal, distinct, inOrder }: Comparison, span: Span) {
  const { data } = await ask('errors', [...spanOf(span), ['limit', '200']])
  const expected = Map.groupBy(within(span), ({ fingerprint }) => fingerprint)
  expected.delete(null)
  equal(data.length, expected.size, 'errors')
  for (const { fingerprint, type, count, people, firstSeen, lastSeen, releases, sparkline } of data) {
    const own = expected.get(fingerprint) as Counted[]
    const ever = inOrder.filter(one => one.fingerprint === fingerprint)
    equal([count, sparkline.reduce((a: number, b: number) => a + b, 0)], [own.length, own.length], type)
    equal([firstSeen, lastSeen], [ever[0]?.timestamp, ever.at(-1)?.timestamp], type)
    equal(releases, [...new Set(ever.flatMap(({ release }) => release ?? []))].toSorted(), type)
    distinct(people, visitorsIn(own), type)
  }
}

/** The index of the first event from that time on. */
function firstFrom(inOrder: readonly Counted[], ms: number): number {
  let [low, high] = [0, inOrder.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((inOrder[middle] as Counted).atMs < ms) low = middle + 1
    else high = middle
  }
  return low
}
