// Compares every lens with an independent recount of the same events.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Chosen,
  type Condition,
  type Figures,
  startOf,
  type Totals,
  type Unit,
} from '../../src/engines/engines.ts'
import { type Generated, generate } from '../lenses/generate.ts'
import { type Counted, counted, meets, recount, recountWhere } from '../lenses/recount.ts'
import type { OpenedWarehouse } from './warehouse.ts'

const ORG = 'lenses'
/** Two of the days are changed to and from summer time in Europe. */
const SPRING: Generated = {
  ...{ org: ORG, seed: 1, count: 2_000, startMs: Date.parse('2026-03-27T21:00:00.000Z'), days: 4, visitors: 400 },
}
const AUTUMN: Generated = { ...SPRING, seed: 2, startMs: Date.parse('2026-10-23T21:00:00.000Z') }
const ZONES = ['UTC', 'Europe/Vienna', 'Asia/Kolkata', 'Asia/Kathmandu']
const CONDITIONS: Condition[][] = [
  [{ of: 'path', operator: 'is', values: ['/shop'] }],
  [
    { of: 'path', operator: 'starts', values: ['/shop'] },
    { of: 'country', operator: 'in', values: ['AT', 'NP'] },
  ],
  [{ of: 'source', operator: 'not', values: ['letter'] }],
  [{ of: 'campaign', operator: 'set', values: ['true'] }],
  [
    { of: 'campaign', operator: 'set', values: ['false'] },
    { of: 'event', operator: 'contains', values: ['view'] },
  ],
  [
    { of: 'properties.plan', operator: 'is', values: ['pro'] },
    { of: 'properties.n', operator: 'gt', values: ['4'] },
  ],
  [{ of: 'properties.n', operator: 'lt', values: ['2.5'] }],
]

const flat = ({ visitors, ...rest }: Totals) => {
  assert.ok(visitors.isExact)
  return { ...rest, visitors: visitors.count }
}
const totalsIn = ({ revenue: _, usage: __, ...totals }: Figures) => flat(totals)
const EVERYTHING = { breakdown: null, hasSessions: true }

export function lensesConform(name: string, open: () => Promise<OpenedWarehouse & { zone: string }>): void {
  describe(`the lenses: ${name}`, async () => {
    const { warehouse, db, transaction, zone } = await open()
    const { lenses } = warehouse
    const events = [...generate(SPRING), ...generate(AUTUMN)]
    const all: Counted[] = counted(events)
    const org = { org: ORG, scopes: [''] }
    const chosen = (from: string, to: string, where: readonly Condition[] = []): Chosen => ({
      ...{ ...org, where },
      fromMs: Date.parse(from),
      toMs: Date.parse(to),
    })
    const SPANS = [
      chosen('2026-03-01T00:00:00Z', '2026-12-01T00:00:00Z'),
      chosen('2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'),
      chosen('2026-03-28T10:15:00Z', '2026-10-25T17:45:00Z'),
      chosen('2026-10-24T22:00:00Z', '2026-10-24T22:15:00Z'),
      chosen('2027-01-01T00:00:00Z', '2027-01-02T00:00:00Z'),
    ]
    let own = zone
    // Of the hours after that, only quarters were added up.
    let now = new Date('2026-03-30T03:00:00.000Z')
    const addUp = (signal = AbortSignal.timeout(60_000)) =>
      warehouse.addUp(db, transaction, async () => own, now, signal)
    // Half of it is added up while the rest arrives, and some is not yet.
    for (let at = 0; at < events.length; at += 97) {
      await transaction(tx => warehouse.append(tx, events.slice(at, at + 97)))
      if (at % (97 * 20) === 0 && at < events.length / 2) await addUp()
    }

    const checks = (when: string) => {
      it(`have the totals of a time, ${when}`, async () => {
        for (const span of SPANS) {
          assert.deepEqual(totalsIn(await lenses.figures(db, span)), recount(all, span.fromMs, span.toMs))
          const paid = all.filter(one => one.atMs >= span.fromMs && one.atMs < span.toMs && one.currency === 'EUR')
          const { EUR = 0 } = (await lenses.figures(db, span)).revenue
          assert.ok(Math.abs(EUR - paid.reduce((sum, one) => sum + (one.revenue ?? 0), 0)) < 1e-6)
        }
      })

      it(`have a point for each hour, day, week and month of any zone, ${when}`, async () => {
        for (const other of ZONES)
          for (const unit of ['hour', 'day', 'week', 'month'] as const) await checkSeries(other, unit)
      })

      it(`have the values with the most visitors, ${when}`, async () => {
        for (const by of ['path', 'source', 'campaign', 'country', 'device', 'browser', 'system', 'release', 'event']) {
          for (const span of SPANS) await checkTop(span, by, 3)
        }
        await checkTop(SPANS[0] as Chosen, 'properties.plan', 3)
      })

      it(`have the errors by fingerprint and the names of events, ${when}`, async () => {
        for (const span of SPANS) {
          await checkNames(span)
          await checkErrors(span)
        }
      })

      it(`are those of a workspace, ${when}`, async () => {
        const own = all.filter(({ workspace }) => workspace === 'wsp_1')
        const span = { ...(SPANS[2] as Chosen), scopes: ['w:wsp_1'] }
        assert.deepEqual(totalsIn(await lenses.figures(db, span)), recount(own, span.fromMs, span.toMs))
        const [error] = await lenses.errors(db, span, [span.fromMs, span.toMs], { offset: 0, limit: 1 })
        const alike = own.filter(one => one.fingerprint === error?.fingerprint).map(({ timestamp }) => timestamp)
        assert.deepEqual([error?.first, error?.last], [alike.toSorted()[0], alike.toSorted().at(-1)])
      })

      it(`are those of a project, ${when}`, async () => {
        const own = all.filter(({ project }) => project === 'shop')
        const span = { ...(SPANS[2] as Chosen), scopes: ['p:shop'] }
        assert.deepEqual(totalsIn(await lenses.figures(db, span)), recount(own, span.fromMs, span.toMs))
        const where = CONDITIONS[1] as Condition[]
        const found = await lenses.figures(db, { ...span, where })
        assert.deepEqual(totalsIn(found), recountWhere(own, span.fromMs, span.toMs, where))
      })
    }

    async function checkSeries(other: string, unit: Unit) {
      const [fromMs, toMs] = [Date.parse('2026-03-27T00:00:00Z'), Date.parse('2026-04-02T00:00:00Z')]
      const startsMs = [startOf(other, unit, fromMs)]
      while ((startsMs.at(-1) as number) < toMs) startsMs.push(startOf(other, unit, startsMs.at(-1) as number, 1))
      const span = { ...org, where: [], fromMs: startsMs[0] as number, toMs: startsMs.at(-1) as number }
      const times = { startsMs, days: unit === 'hour' ? null : other, isMonths: unit === 'month' }
      const points = (await lenses.series(db, span, times, EVERYTHING)).get('') ?? []
      assert.equal(points.length, startsMs.length - 1)
      for (const [at, { atMs, ...point }] of points.entries()) {
        assert.deepEqual(
          [atMs, flat(point)],
          [startsMs[at], recount(all, atMs, startsMs[at + 1] as number)],
          `${other} ${unit}`,
        )
      }
      const breakdown = { by: 'country', values: ['NP', 'XX'] }
      const by = await lenses.series(db, span, times, { breakdown, hasSessions: false })
      const nepal = all.filter(({ country }) => country === 'NP')
      for (const [at, { atMs, visitors, events: count }] of (by.get('NP') ?? []).entries()) {
        const expected = recount(nepal, atMs, startsMs[at + 1] as number)
        assert.deepEqual([visitors.count, count], [expected.visitors, expected.events])
      }
      assert.ok(by.get('XX')?.every(({ events: count }) => count === 0))
      const visits = await lenses.series(db, span, times, { breakdown, hasSessions: true })
      for (const [at, { atMs, ...point }] of (visits.get('NP') ?? []).entries()) {
        assert.deepEqual(flat(point), recountIn(nepal, startsMs, at), `${other} ${unit} by country`)
      }
    }

    /** The sessions that begin in the point and have one of the events in the time. */
    const recountIn = (some: readonly Counted[], startsMs: readonly number[], at: number) =>
      recount(
        some.filter(({ atMs }) => atMs >= (startsMs[0] as number) && atMs < (startsMs.at(-1) as number)),
        startsMs[at] as number,
        startsMs[at + 1] as number,
      )

    async function checkTop(span: Chosen, by: string, limit: number) {
      const valueIn = (one: Counted) =>
        by.startsWith('properties.') ? JSON.parse(one.properties)[by.slice(11)] : one[by as 'path']
      const expected = [...Map.groupBy(within(span), valueIn)]
        .filter(([value]) => value !== null)
        .map(([value, own]) => [value as string, new Set(own.map(({ who }) => who)).size, own.length] as const)
        .sort(([a, m, n], [b, o, p]) => o - m || p - n || (a < b ? -1 : 1))
        .slice(0, limit)
      const found = await lenses.top(db, span, by, limit)
      if (expected.length > 0) assert.equal(found.all.count, new Set(within(span).map(({ who }) => who)).size)
      assert.deepEqual(
        found.values.map(({ value, visitors, events: count }) => [value, visitors.count, count]),
        expected,
        by,
      )
    }

    const within = ({ fromMs, toMs, where }: Chosen) =>
      all.filter(one => one.atMs >= fromMs && one.atMs < toMs && where.every(condition => meets(one, condition)))
    const timesOf = (some: readonly Counted[]) => {
      const times = some.map(({ timestamp }) => timestamp).sort()
      return [times[0], times.at(-1)]
    }

    async function checkNames(span: Chosen) {
      const expected = [...Map.groupBy(within(span), one => one.event)]
        .map(([name, some]) => [name, some.length, new Set(some.map(({ who }) => who)).size, ...timesOf(some)])
        .sort(([a, m], [b, n]) => Number(n) - Number(m) || (String(a) < String(b) ? -1 : 1))
      const pages = [
        await lenses.events(db, span, { offset: 0, limit: 2 }),
        await lenses.events(db, span, { offset: 2, limit: 50 }),
      ]
      const found = pages
        .flat()
        .map(({ value, events: count, visitors, first, last }) => [value, count, visitors.count, first, last])
      assert.deepEqual(found, expected)
    }

    async function checkErrors(span: Chosen) {
      const middle = (span.fromMs + span.toMs) / 2
      const startsMs = [span.fromMs, middle - (middle % 900_000), span.toMs]
      const expected = [...Map.groupBy(within(span), one => one.fingerprint)].flatMap(([fingerprint, some]) => {
        if (fingerprint === null) return []
        const ever = all.filter(one => one.fingerprint === fingerprint)
        const early = some.filter(({ atMs }) => atMs < (startsMs[1] as number)).length
        const releases = [...new Set(ever.flatMap(({ release }) => release ?? []))].sort()
        const people = new Set(some.map(({ who }) => who)).size
        return [[fingerprint, some.length, people, ...timesOf(ever), releases, [early, some.length - early]]]
      })
      const found = await lenses.errors(db, span, startsMs, { offset: 0, limit: 50 })
      const shown = found.map(one => [
        one.fingerprint,
        one.count,
        one.people.count,
        one.first,
        one.last,
        one.releases,
        one.counts,
      ])
      assert.deepEqual(shown.toSorted(), expected.toSorted())
      for (const one of found) assert.equal(all.find(({ id }) => id === one.example?.id)?.fingerprint, one.fingerprint)
    }

    checks('before all of it was added up')
    it('have every event as it was counted, the newest first', async () => {
      const span = SPANS[2] as Chosen
      const expected = within(span)
        .sort((a, b) => b.atMs - a.atMs)
        .map(({ atMs, id, who }) => [atMs, id, who])
      const found: (string | number)[][] = []
      for (let last = null as { timestamp: string; arrival: number } | null; ; ) {
        const page = await lenses.rows(db, span, last, 999)
        found.push(...page.map(({ timestamp, id, visitor }) => [Date.parse(timestamp), id, visitor]))
        last = page.at(-1) ?? null
        if (page.length < 999) break
      }
      assert.deepEqual(found.toSorted(), expected.toSorted())
      assert.ok(found.every(([atMs], n) => n === 0 || Number(atMs) <= Number(found[n - 1]?.[0])))
    })
    it('have what model calls used', async () => {
      const atMs = (SPANS[2] as Chosen).fromMs
      const used = [
        { atMs, project: null, tokens: 5, spend: 0.25 },
        { atMs, project: 'shop', tokens: 7, spend: 0.5 },
      ]
      await transaction(tx => warehouse.appendUsage(tx, ORG, used))
      assert.deepEqual((await lenses.figures(db, SPANS[2] as Chosen)).usage, { requests: 2, tokens: 12, spend: 0.75 })
      const shop = { ...(SPANS[2] as Chosen), scopes: ['p:shop'] }
      assert.deepEqual((await lenses.figures(db, shop)).usage, { requests: 1, tokens: 7, spend: 0.5 })
    })
    it('have the same with conditions, from rows', async () => {
      for (const where of CONDITIONS) {
        for (const span of SPANS.map(one => ({ ...one, where }))) {
          const found = await lenses.figures(db, span)
          assert.deepEqual(totalsIn(found), recountWhere(all, span.fromMs, span.toMs, where), JSON.stringify(where))
          assert.equal(found.usage, null)
          const paid = within(span).filter(({ currency }) => currency === 'EUR')
          const sum = paid.reduce((total, { revenue }) => total + (revenue ?? 0), 0)
          assert.ok(Math.abs((found.revenue.EUR ?? 0) - sum) < 1e-6)
          for (const by of ['path', 'event', 'properties.plan']) await checkTop(span, by, 3)
          await checkNames(span)
          await checkErrors(span)
        }
      }
    })
    it('have points with conditions, and of a breakdown, from rows', async () => {
      const { fromMs, toMs } = SPANS[1] as Chosen
      const startsMs = [fromMs, fromMs + 900_000, fromMs + 12 * 3_600_000, toMs]
      const times = { startsMs, days: null, isMonths: false }
      for (const where of CONDITIONS) {
        const span = { ...org, fromMs, toMs, where }
        const series = await lenses.series(db, span, times, EVERYTHING)
        const breakdown = { by: 'properties.plan', values: ['pro', 'none'] }
        const by = await lenses.series(db, span, times, { breakdown, hasSessions: true })
        const isPro: Condition = { of: 'properties.plan', operator: 'is', values: ['pro'] }
        for (const [at, from] of startsMs.slice(0, -1).entries()) {
          const to = startsMs[at + 1] as number
          for (const [name, conditions] of [
            ['', where],
            ['pro', [...where, isPro]],
          ] as const) {
            const { atMs, ...point } = (name === '' ? series : by).get(name)?.[at] ?? assert.fail(name)
            // The sessions of the time that have such an event, also at another point of it.
            const having = within({ ...span, where: conditions })
            const visits = recount(having, from, to)
            assert.deepEqual([atMs, flat(point)], [from, visits], `${name} ${JSON.stringify(where)}`)
          }
        }
        assert.ok(by.get('none')?.every(({ events: count }) => count === 0))
      }
    })
    it('can be added up', async () => {
      await addUp()
      now = new Date('2026-10-26T05:20:00.000Z')
      await addUp()
    })
    checks('after that')
    it('can be added up by days of another zone, with a stop in between', async () => {
      own = 'Asia/Kathmandu'
      let writes = 0
      const stop = new AbortController()
      const some: typeof transaction = work => {
        if (++writes === 5) stop.abort()
        return transaction(work)
      }
      await warehouse.addUp(db, some, async () => own, now, stop.signal)
      // It goes on with the next event.
      await transaction(tx =>
        warehouse.appendUsage(tx, ORG, [{ atMs: SPRING.startMs, project: null, tokens: 1, spend: 1 }]),
      )
    })
    checks('while the zone is changed')
    it('can be added up to the end', async () => {
      let writes = 0
      const counting: typeof transaction = work => {
        writes++
        return transaction(work)
      }
      await warehouse.addUp(db, counting, async () => own, now, AbortSignal.timeout(60_000))
      assert.ok(writes > 3, 'there was nothing left to do')
    })
    checks('in the other zone')
    it('begin with the first event', async () => {
      const first = all.reduce((a, b) => (b.atMs < a.atMs ? b : a))
      assert.equal(await lenses.first(db, org), first.timestamp)
      assert.equal(await lenses.first(db, { ...org, org: 'none' }), null)
    })
  })
}
