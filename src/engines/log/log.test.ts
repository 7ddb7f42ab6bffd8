import assert from 'node:assert/strict'
import { after, describe, it, type TestContext } from 'node:test'
import { logConforms, newEnvelope } from '../../../test/conformance/log.ts'
import { sameDatabase, testDatabase } from '../../../test/database.ts'
import { eventually } from '../../../test/eventually.ts'
import { migrate, readMigrations } from '../db/migrate.ts'
import type { Database, LanePosition, Log } from '../engines.ts'
import { systemRandom as random } from '../random/random.ts'
import { openLog } from './log.ts'
import { expressionOf, isPattern, isSubject, matches } from './subjects.ts'

const warn = (error: unknown, what: string) => assert.fail(`${what}: ${error}`)
const { db, at, drop } = await testDatabase()
const other = sameDatabase(at).db
const [log, otherLog] = [openLog({ db, random, warn }), openLog({ db: other, random, warn })]
after(async () => {
  await Promise.all([log.close(), otherLog.close()])
  await other.close()
  await drop()
})

logConforms('the log in PostgreSQL', db, log, { db: other, log: otherLog })

/** A separate log: partitions are created by the database's time, which cannot be set. */
async function openOwn(t: TestContext) {
  const { db: own, drop: dropOwn } = await testDatabase()
  const opened = openLog({ db: own, random, warn })
  t.after(async () => {
    await opened.close()
    await dropOwn()
  })
  const append = (...ids: string[]) =>
    own.transaction(tx =>
      opened.append(
        tx,
        ids.map(id => ({ ...newEnvelope('home', 'a.b'), id })),
      ),
    )
  const rows = async () => (await own<{ n: number }>`select count(*) as n from bus_log`)[0]?.n
  return { db: own, log: opened, append, rows }
}

/** The end of the log, when no other transaction holds it back any more. */
async function placesOf(own: Database, opened: Log): Promise<LanePosition[]> {
  const read = async () => {
    const places = (await own.transaction(tx => opened.head(tx))).map((position, lane) => ({ lane, position }))
    return { places, unread: await opened.unread(own, places) }
  }
  return (await eventually(read, ({ unread }) => unread.every(one => one === null))).places
}

describe('a log that was written before its lanes had numbers', () => {
  it('is read from where it stopped, without skipping or repeating an event', async t => {
    const { db: own, drop: dropOwn } = await testDatabase({}, 'template1')
    const opened = openLog({ db: own, random, warn })
    t.after(async () => {
      await opened.close()
      await dropOwn()
    })
    const migrations = readMigrations('bus', new URL('migrations/', import.meta.url))
    await migrate(own, migrations.slice(0, 1))
    // The transaction that got its numbers first committed last.
    await own.script(`insert into bus_log (lane, xid, position, tenant, subject, envelope) overriding system value
        values (3, '100', 5, 'home', 'a', '"five"'), (3, '101', 2, 'home', 'a', '"two"'), (3, '102', 7, 'home', 'a', '"seven"');
      insert into bus_positions (consumer, lane, xid, position)
        values ('behind', 3, '100', 5), ('done', 3, '102', 7), ('behind', 4, '90', 0)`)
    await migrate(own, migrations)
    assert.deepEqual(
      (await own`select consumer, lane, position from bus_positions order by consumer, lane`).map(Object.values),
      [
        ['behind', 3, 1],
        ['behind', 4, 0],
        ['done', 3, 7],
      ],
    )
    const read = () => opened.read(own, 3, '1', ['>'], 10)
    const { entries, position } = await eventually(read, found => found.entries.length === 3)
    assert.deepEqual(
      entries.map(({ envelope }) => JSON.parse(envelope)),
      ['two', 'five', 'seven'],
    )
    assert.equal(position, '7')
    const [next] = await own`select nextval('bus_lane_3') as "three", nextval('bus_lane_4') as "four"`
    assert.deepEqual(next, { three: 8, four: 1 })
  })
})

describe('the partitions of the log', () => {
  const DAY_MS = 24 * 60 * 60_000
  const nameOf = (ms: number) => `bus_log_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`

  async function openPartitions(t: TestContext) {
    const opened = await openOwn(t)
    const { db: own } = opened
    const now = Date.now()
    const trim = (days: number, readers: { declared?: LanePosition[]; undeclared?: LanePosition[] }) =>
      opened.log.trim({
        ...{ db: own, write: work => own.transaction(work), now: new Date(now + days * DAY_MS) },
        ...{ signal: new AbortController().signal, declared: [], undeclared: [], ...readers },
      })
    const partitions = async () => {
      const rows = await own<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
        where inhparent = 'bus_log'::regclass order by 1`
      return rows.map(({ name }) => name)
    }
    return { ...opened, now, trim, partitions }
  }

  it("are created for the next three days, even if today's events arrived first", async t => {
    const { now, trim, partitions, append, rows } = await openPartitions(t)
    const days = [1, 2, 3].map(n => nameOf(now + n * DAY_MS))
    await trim(0, {})
    assert.deepEqual(await partitions(), [...days, 'bus_log_other'])
    await append('evt_1')
    await trim(0, {})
    assert.deepEqual(await partitions(), [...days, 'bus_log_other'])
    assert.equal(await rows(), 1)
  })

  it('are dropped a day after their end, when every reader has passed them, and never before', async t => {
    const { db: own, log: opened, now, trim, partitions, append, rows } = await openPartitions(t)
    await trim(-1, {}) // Makes that of today, as the day before would have.
    const behind = await placesOf(own, opened)
    await append('evt_1')
    const passed = await placesOf(own, opened)
    await trim(1, { declared: passed })
    assert.ok((await partitions()).includes(nameOf(now)))
    await trim(400, { declared: [...passed, ...behind] })
    assert.equal(await rows(), 1, 'one reader is behind, however long')
    await trim(2, { declared: passed })
    assert.equal(await rows(), 0)
    assert.ok(!(await partitions()).includes(nameOf(now)))
  })

  it('are kept for a week for a reader that is no longer declared', async t => {
    const { db: own, log: opened, trim, append, rows } = await openPartitions(t)
    await trim(-1, {})
    const behind = await placesOf(own, opened)
    await append('evt_1')
    const passed = await placesOf(own, opened)
    await trim(7, { declared: passed, undeclared: behind })
    assert.equal(await rows(), 1)
    await trim(9, { declared: passed, undeclared: behind })
    assert.equal(await rows(), 0)
  })

  it('include the default one, from which the same events are deleted in small steps', async t => {
    const { db: own, log: opened, trim, append, rows } = await openPartitions(t)
    const behind = await placesOf(own, opened)
    const many = Array.from({ length: 1_000 }, (_, n) => `evt_${n}`)
    for (let n = 0; n < 12; n++) await append(...many)
    const passed = await placesOf(own, opened)
    await append('unread')
    const sizes: number[] = []
    await opened.trim({
      ...{ db: own, now: new Date(Date.now() + 2 * DAY_MS), signal: new AbortController().signal },
      ...{ declared: passed, undeclared: [] },
      write: work =>
        own.transaction(async tx => {
          const before = (await rows()) ?? 0
          const done = await work(tx)
          const [row] = await tx<{ n: number }>`select count(*) as n from bus_log`
          sizes.push(before - (row?.n ?? 0))
          return done
        }),
    })
    assert.equal(await rows(), 1)
    assert.ok(Math.max(...sizes) <= 5_000, `${Math.max(...sizes)} rows in one transaction`)
    await trim(2, { declared: [...passed, ...behind] })
    assert.equal(await rows(), 1)
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
