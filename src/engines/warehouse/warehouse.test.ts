import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { lensesConform } from '../../../test/conformance/lenses.ts'
import { warehouseConforms } from '../../../test/conformance/warehouse.ts'
import { testDatabase } from '../../../test/database.ts'
import { generate } from '../../../test/lenses/generate.ts'
import { counted, recount } from '../../../test/lenses/recount.ts'
import { type EventRow, SKETCH_ERROR, type StoredRow, type Tx } from '../engines.ts'
import { openWarehouse } from './warehouse.ts'

const { db, drop } = await testDatabase()
after(drop)
const warehouse = openWarehouse()
const byArrival = (a: EventRow, b: EventRow) => (a.received + a.id < b.received + b.id ? -1 : 1)

warehouseConforms('in PostgreSQL', async () => {
  return { warehouse, db, transaction: work => db.transaction(work), settle: async () => {} }
})

lensesConform('in PostgreSQL', async () => {
  const transaction: typeof db.transaction = work => db.transaction(work)
  return { warehouse, db: db.analytics, transaction, settle: async () => {}, zone: 'Europe/Vienna' }
})

it('counts what a former version stored, in portions, beside what arrives', async () => {
  const write: typeof db.transaction = work => db.transaction(work)
  const all = generate({
    org: 'stored',
    seed: 7,
    count: 2_000,
    startMs: Date.parse('2026-11-01Z'),
    days: 3,
    visitors: 60,
  })
  const rows = [...new Map([...all].map(row => [row.id, row])).values()]
  const old = rows.filter(({ received }) => received < '2026-11-03T00:00:00Z').sort(byArrival)
  const later = rows.filter(one => !old.includes(one))
  await db.transaction(tx => warehouse.append(tx, old))
  for (const table of ['event_deltas', 'event_sessions', 'event_joins', 'event_errors']) {
    await db.script(`delete from ${table} where org = 'stored'`)
  }
  await db.script(`update events set visitor = null, session = null, arrival = null, path = null where org = 'stored'`)
  assert.equal(await warehouse.uncounted(db, 'stored', 100), 100)
  const known = new Map(old.map(row => [row.id, row]))
  const describe = (row: StoredRow) => ({ ...(known.get(row.id) as EventRow), ...row })
  const stop = new AbortController()
  const stopping: typeof db.transaction = work => write(work).finally(() => stop.abort())
  await warehouse.countStored(db, stopping, describe, stop.signal)
  assert.equal(await warehouse.uncounted(db, 'stored', 10_000), old.length - 200)
  const none = AbortSignal.timeout(60_000)
  await Promise.all([
    warehouse.countStored(db, write, describe, none),
    warehouse.countStored(db, write, describe, none),
    db.transaction(tx => warehouse.append(tx, later)),
  ])
  assert.equal(await warehouse.uncounted(db, 'stored', 100), 0)
  const [fromMs, toMs] = [Date.parse('2026-10-01Z'), Date.parse('2026-12-01Z')]
  const of = { org: 'stored', scopes: [''], fromMs, toMs, where: [] }
  const arrived = await warehouse.lenses.rows(db, of, null, 10_000)
  const inOrder = arrived
    .toSorted((a, b) => a.arrival - b.arrival)
    .map(({ id }) => rows.find(row => row.id === id) as EventRow)
  const { visitors, revenue: _, usage: __, ...totals } = await warehouse.lenses.figures(db.analytics, of)
  assert.deepEqual({ ...totals, visitors: visitors.count }, recount(counted(inOrder), fromMs, toMs))
  const [top] = (await warehouse.lenses.top(db.analytics, of, 'path', 1)).values
  assert.equal(top?.events, rows.filter(({ path }) => path === top?.value).length)
})

it('counts visitors of several days exactly up to 10,000, and estimates more', async () => {
  const startMs = Date.parse('2026-09-01Z')
  const [none] = [...generate({ org: 'many', seed: 1, count: 1, startMs, days: 1, visitors: 1 })] as [EventRow]
  const rows = [0, 2_000, 7_000].flatMap((first, day) =>
    Array.from({ length: 5_200 }, (_, n): EventRow => {
      const timestamp = new Date(startMs + day * 86_400_000 + n).toISOString()
      const visitor = `u${first + n}`
      return {
        ...none,
        id: `evt_${day}_${n}`,
        received: timestamp,
        timestamp,
        visitor,
        sessionId: null,
        join: null,
        path: '/',
      }
    }),
  )
  for (let at = 0; at < rows.length; at += 500) {
    await db.transaction(tx => warehouse.append(tx, rows.slice(at, at + 500)))
  }
  const addUp = () =>
    warehouse.addUp(
      db,
      work => db.transaction(work),
      async () => 'UTC',
      new Date('2026-09-03T10:00:00.000Z'),
      AbortSignal.timeout(60_000),
    )
  await addUp()
  const until = (days: number) => ({
    ...{ org: 'many', scopes: [''], where: [], fromMs: startMs, toMs: startMs + days * 86_400_000 },
  })
  for (const [days, count] of [
    [1, 5_200],
    [2, 7_200],
  ] as const) {
    assert.deepEqual((await warehouse.lenses.figures(db.analytics, until(days))).visitors, { count, isExact: true })
  }
  // What is known of whole days is read again when something is added to them.
  const late = { ...(rows[0] as EventRow), id: 'evt_late', received: '2026-09-03T09:59:00.000Z', visitor: 'late' }
  await db.transaction(tx => warehouse.append(tx, [late]))
  for (const _ of ['before it is added up', 'after']) {
    const { values } = await warehouse.lenses.top(db.analytics, until(2), 'path', 1)
    const { visitors } = await warehouse.lenses.figures(db.analytics, until(2))
    assert.deepEqual([visitors.count, values[0]?.visitors.count], [7_201, 7_201])
    await addUp()
  }
  for (const days of [3, 29, 30]) {
    const [top] = (await warehouse.lenses.top(db.analytics, until(days), 'path', 1)).values
    for (const found of [(await warehouse.lenses.figures(db.analytics, until(days))).visitors, top?.visitors]) {
      assert.equal(found?.isExact, false)
      assert.ok(Math.abs((found?.count ?? 0) / 12_201 - 1) < SKETCH_ERROR, `${found?.count}`)
    }
  }
})

it('has no index of sessions or joins that a look-up of an id could use instead of the primary key', async () => {
  const found = await db<{ definition: string }>`select indexdef as definition from pg_indexes
    where tablename in ('event_sessions', 'event_joins') and indexname not like '%_pkey'`
  assert.ok(found.length >= 3)
  // Such a plan reads all rows of the organisation each time, and is made if few of them are expected.
  for (const { definition } of found) assert.match(definition, / WHERE /)
})

it('says that it is an estimate, also if there is only one row of it', async () => {
  const startMs = Date.parse('2026-09-01Z')
  const [none] = [...generate({ org: 'one', seed: 1, count: 1, startMs, days: 1, visitors: 1 })] as [EventRow]
  // Of some sets of 10,001, the estimate is below 10,000.
  for (let set = 0; set < 4; set++) {
    const org = `one-${set}`
    const rows = Array.from({ length: 10_001 }, (_, n) => ({
      ...{ ...none, org, join: null, sessionId: 's', path: '/', timestamp: new Date(startMs + 36e5).toISOString() },
      ...{ id: `evt_${set}_${n}`, visitor: `s${set}-${n}` },
    }))
    for (let at = 0; at < rows.length; at += 500) {
      await db.transaction(tx => warehouse.append(tx, rows.slice(at, at + 500)))
    }
    const write: typeof db.transaction = work => db.transaction(work)
    const until = new Date('2026-09-03T10:00:00.000Z')
    await warehouse.addUp(db, write, async () => 'UTC', until, AbortSignal.timeout(60_000))
    const of = { org, scopes: [''], where: [], fromMs: startMs, toMs: startMs + 30 * 86_400_000 }
    const { visitors } = await warehouse.lenses.figures(db.analytics, of)
    const { values } = await warehouse.lenses.top(db.analytics, of, 'path', 1)
    const times = { startsMs: [of.fromMs, startMs + 86_400_000, of.toMs], days: 'UTC', isMonths: false }
    const asked = { breakdown: null, hasSessions: false }
    const [point] = (await warehouse.lenses.series(db.analytics, of, times, asked)).get('') ?? []
    assert.deepEqual([visitors.isExact, values[0]?.visitors.isExact, point?.visitors.isExact], [false, false, false])
  }
})

it('finds the values with the most visitors among many with as few, in a few queries', async () => {
  const startMs = Date.parse('2026-09-01Z')
  const rows = [...generate({ org: 'ties', seed: 1, count: 3_000, startMs, days: 1, visitors: 9_000 })]
  const alone = rows.map((row, at) => ({
    ...row,
    path: `/${String(at).padStart(5, '0')}`,
    visitor: `v${at}`,
    join: null,
  }))
  for (let at = 0; at < alone.length; at += 500) {
    await db.transaction(tx => warehouse.append(tx, alone.slice(at, at + 500)))
  }
  let queries = 0
  const counting: typeof db.analytics = Object.assign(Object.create(db.analytics), {
    transaction: <T>(work: (tx: Tx) => Promise<T>) =>
      db.analytics.transaction(tx =>
        work(
          new Proxy(tx, {
            apply: (target, of, given) => {
              queries++
              return Reflect.apply(target, of, given)
            },
          }),
        ),
      ),
  })
  const of = { org: 'ties', scopes: [''], where: [], fromMs: startMs, toMs: startMs + 2 * 86_400_000 }
  const { values } = await warehouse.lenses.top(counting, of, 'path', 3)
  assert.deepEqual(
    values.map(({ value, events }) => [value, events]),
    [
      ['/00000', 1],
      ['/00001', 1],
      ['/00002', 1],
    ],
  )
  assert.ok(queries > 2 && queries < 10, `${queries} queries`)
})

it('keeps the events of each month in their own partition', async () => {
  const now = new Date('2031-05-15T09:00:00.000Z')
  await warehouse.maintain(db, work => db.transaction(work), now)
  const received = '2031-06-01T00:00:00.000Z'
  const row = {
    received,
    timestamp: received,
    isClamped: false,
    org: 'partitions',
    id: 'evt_1',
    wire: 'native',
    event: 'page',
  }
  const none = { project: null, workspace: null, distinctId: null, anonymousId: null, sessionId: null }
  const facts = { path: null, source: null, campaign: null, country: null, device: null, browser: null, system: null }
  const counted = { visitor: 'u', join: null, release: null, fingerprint: null }
  const event = { ...row, ...none, ...facts, ...counted, revenue: null, currency: null, properties: '{}' }
  await db.transaction(tx => warehouse.append(tx, [event]))
  const [found] = await db<{
    partition: string
  }>`select tableoid::regclass::text as partition from events where org = 'partitions'`
  assert.equal(found?.partition, 'events_203106')
})
