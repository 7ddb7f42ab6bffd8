import assert from 'node:assert/strict'
import { after, describe, it, type TestContext } from 'node:test'
import { busConforms } from '../../../test/conformance/bus.ts'
import { testDatabase } from '../../../test/database.ts'
import { eventually } from '../../../test/eventually.ts'
import { manualClock } from '../clock/clock.ts'
import { openPostgres } from '../db/postgres.ts'
import { type BusConsumer, type Database, EngineUnavailable } from '../engines.ts'
import { openBus } from './bus.ts'
import { expressionOf, isPattern, isSubject, matches } from './subjects.ts'

const { db, at, drop } = await testDatabase({ dbConnections: 10 })
await db.script(`create table effects (at bigint generated always as identity, consumer text, tenant text, data int)`)
const clock = manualClock()
after(drop)

busConforms(
  'the log in PostgreSQL',
  db,
  async (t, warn) => {
    const own = openPostgres({ at, connectionsMax: 5, queueMax: 100 })
    t.after(own.close)
    const timing = { now: clock.now, handleMs: 1_000, pollMs: 20 }
    const bus = openBus({ db: own, ...timing, warn: (error, what) => warn(`${what}: ${error}`) })
    return { bus, db: own }
  },
  clock,
)

describe('a log that was restored from a dump', () => {
  /** The transactions of the server that wrote the dump had higher numbers than those of this one. */
  const makeForeign = (own: Database) =>
    own.script(`update bus_log set xid = (xid::text::bigint + 1000000000)::text::xid8;
      update bus_positions set xid = (xid::text::bigint + 1000000000)::text::xid8;
      update bus_waiting set xid = (xid::text::bigint + 1000000000)::text::xid8`)

  async function openOne(t: TestContext, own: Database, handle: BusConsumer['handle']) {
    const warnings: string[] = []
    const bus = openBus({ db: own, now: clock.now, warn: (_error, what) => void warnings.push(what), pollMs: 20 })
    t.after(bus.close)
    await bus.consume([{ name: 'reads', subjects: ['a.>'], batchMax: 1, handle }])
    const publish = (id: string) =>
      own.transaction(tx => {
        const about = { specversion: '1.0' as const, source: 'x', time: '2026-11-15T09:00:00.000Z', tenant: 'home' }
        return bus.publish(tx, [{ ...about, id, type: 'a.b', data: {} }])
      })
    return { bus, publish, warnings }
  }

  it('is read on: what nobody had read, and what is published afterwards', async t => {
    const { db: own, drop: dropOwn } = await testDatabase()
    t.after(dropOwn)
    const handled: (string | undefined)[] = []
    const handle: BusConsumer['handle'] = async (_db, [event]) => void handled.push(event?.id)
    const before = await openOne(t, own, handle)
    await before.publish('read')
    await eventually(
      () => handled.length,
      count => count === 1,
    )
    await before.bus.close()
    await before.publish('unread 1')
    await before.publish('unread 2')
    await makeForeign(own)

    const { publish, warnings } = await openOne(t, own, handle)
    await publish('new')
    await eventually(
      () => handled.length,
      count => count >= 4,
    )
    assert.deepEqual(handled, ['read', 'unread 1', 'unread 2', 'new'])
    assert.equal(warnings.length, 1)
  })

  it('keeps the order of events that wait for a failed one', async t => {
    const { db: own, drop: dropOwn } = await testDatabase()
    t.after(dropOwn)
    const handled: (string | undefined)[] = []
    let fails = true
    const handle: BusConsumer['handle'] = async (_db, [event]) => {
      if (fails) throw new Error('not yet')
      handled.push(event?.id)
    }
    const before = await openOne(t, own, handle)
    await before.publish('failed 1')
    await before.publish('failed 2')
    const waiting = () => own`select from bus_waiting`
    await eventually(waiting, rows => rows.length === 2)
    await before.bus.close()
    await makeForeign(own)

    const { publish } = await openOne(t, own, handle)
    await publish('new')
    await eventually(waiting, rows => rows.length === 3)
    fails = false
    await eventually(
      () => {
        clock.advance(60_000)
        return handled.length
      },
      count => count === 3,
    )
    assert.deepEqual(handled, ['failed 1', 'failed 2', 'new'])
  })
})

describe('the parts of the log', () => {
  const DAY_MS = 24 * 60 * 60_000
  /** A database of its own: parts are made by the time of the database, which cannot be set. */
  async function openOwn(t: TestContext) {
    const { db: own, drop: dropOwn } = await testDatabase()
    t.after(dropOwn)
    const ownClock = manualClock()
    const warnings: string[] = []
    const warn = (error: unknown, what: string, { count }: Record<string, unknown>) =>
      void warnings.push(`${what} ${count ?? error}`)
    const bus = openBus({ db: own, now: ownClock.now, warn, pollMs: 20 })
    t.after(bus.close)
    const maintain = () => bus.maintain(work => own.transaction(work))
    const parts = async () => {
      const rows = await own<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
        where inhparent = 'bus_log'::regclass order by 1`
      return rows.map(({ name }) => name)
    }
    const publish = (type: string) =>
      own.transaction(tx => {
        const about = { specversion: '1.0' as const, source: 'x', time: '2026-11-15T09:00:00.000Z', tenant: 'home' }
        return bus.publish(tx, [{ ...about, id: 'evt_1', type, data: {} }])
      })
    const rows = async () => (await own<{ n: number }>`select count(*) as n from bus_log`)[0]?.n
    /** Makes the part of today, as the day before would have. */
    const makeToday = async () => {
      ownClock.advance(-DAY_MS)
      await maintain()
      ownClock.advance(DAY_MS)
    }
    return { bus, clock: ownClock, warnings, maintain, makeToday, parts, publish, rows }
  }
  const nameOf = (ms: number) => `bus_log_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`

  it('are made for the three coming days', async t => {
    const {
      maintain,
      parts,
      clock: { now },
      publish,
      warnings,
    } = await openOwn(t)
    const days = [1, 2, 3].map(n => nameOf(now().getTime() + n * DAY_MS))
    await maintain()
    assert.deepEqual(await parts(), [...days, 'bus_log_other'])
    await publish('a.b')
    await maintain()
    assert.deepEqual(await parts(), [...days, 'bus_log_other'])
    assert.deepEqual(warnings, [])
  })

  it('are made for the coming days if events of today came before', async t => {
    const {
      maintain,
      parts,
      clock: { now },
      publish,
      rows,
      warnings,
    } = await openOwn(t)
    await publish('a.b')
    await maintain()
    const days = [1, 2, 3].map(n => nameOf(now().getTime() + n * DAY_MS))
    assert.deepEqual(await parts(), [...days, 'bus_log_other'])
    assert.equal(await rows(), 1)
    assert.deepEqual(warnings, [])
  })

  it('are dropped a day after their end, when every consumer has passed them', async t => {
    const { bus, maintain, makeToday, parts, clock: own, publish, rows, warnings } = await openOwn(t)
    let handled = 0
    await bus.consume([{ name: 'reads', subjects: ['a.>'], batchMax: 1, handle: async () => void handled++ }])
    await makeToday()
    const today = nameOf(own.now().getTime())
    await publish('a.b')
    await publish('c.d') // Nobody reads it.
    await eventually(
      () => handled,
      count => count === 1,
    )
    own.advance(DAY_MS)
    await maintain()
    assert.ok((await parts()).includes(today))
    own.advance(DAY_MS)
    await eventually(
      () => maintain().then(rows),
      count => count === 0,
    )
    assert.ok(!(await parts()).includes(today))
    assert.deepEqual(warnings, [])
  })

  it('are dropped after a week although a consumer is behind, and that is told', async t => {
    const { bus, maintain, makeToday, parts, clock: own, publish, rows, warnings } = await openOwn(t)
    const handle = () => Promise.reject(new EngineUnavailable('db', 'down'))
    await bus.consume([{ name: 'stuck', subjects: ['>'], batchMax: 1, handle }])
    await makeToday()
    const today = nameOf(own.now().getTime())
    await publish('a.b')
    own.advance(7 * DAY_MS)
    await maintain()
    assert.ok((await parts()).includes(today))
    assert.equal(await rows(), 1)
    own.advance(DAY_MS)
    await maintain()
    assert.ok(!(await parts()).includes(today))
    assert.ok(warnings.includes('events were deleted that a consumer had not handled in a week 1'))
  })

  it('include the default one, from which the same is deleted', async t => {
    const { bus, maintain, clock: own, publish, rows } = await openOwn(t)
    let handled = 0
    await bus.consume([{ name: 'reads', subjects: ['a.>'], batchMax: 1, handle: async () => void handled++ }])
    await publish('a.b')
    await maintain()
    await eventually(
      () => handled,
      count => count === 1,
    )
    assert.equal(await rows(), 1)
    own.advance(2 * DAY_MS)
    await eventually(
      () => maintain().then(rows),
      count => count === 0,
    )
  })
})

describe('a subject', () => {
  it('has tokens that are separated by dots', () => {
    for (const good of ['a', 'a.b', 'event.page_view', 'Commerce.order-1.created']) assert.ok(isSubject(good), good)
    for (const bad of [
      '',
      '.',
      'a.',
      '.a',
      'a..b',
      'a b',
      'a.*',
      '>',
      'ä',
      'a\n',
      `${'a.'.repeat(16)}a`,
      'x'.repeat(65),
    ])
      assert.ok(!isSubject(bad), bad)
  })

  it('is matched by patterns, in the same way by the database', async () => {
    const cases: [pattern: string, subject: string, matches: boolean][] = [
      ['a.>', 'a.b', true],
      ['a.>', 'a.b.c', true],
      ['a.>', 'a', false],
      ['>', 'a', true],
      ['a.*', 'a.b', true],
      ['a.*', 'a.b.c', false],
      ['*.b', 'a.b', true],
      ['a.*.c', 'a.b.c', true],
      ['a', 'A', false],
      ['a.b', 'axb', false],
      ['a.b', 'a.b.c', false],
      ['a-b.c', 'a-b.c', true],
    ]
    for (const [pattern, subject, expected] of cases) {
      assert.equal(matches(pattern, subject), expected, `${pattern} ${subject}`)
      const [row] = await db<{ fits: boolean }>`select ${subject} ~ ${expressionOf([pattern])} as fits`
      assert.equal(row?.fits, expected, `${pattern} ${subject}, in the database`)
    }
    for (const bad of ['a.>.b', 'a.', '', 'a.b*', '>>', 'a.(b)']) assert.ok(!isPattern(bad), bad)
    assert.throws(() => expressionOf(['a.(b)']), /not a pattern/)
    assert.throws(() => expressionOf([]), /not a pattern/)
  })
})
