// Tests for every database engine. Each implementation's test passes a function that opens it.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { MigrationRefused, migrate } from '../../src/engines/db/migrate.ts'
import { ConstraintViolated, type Database, EngineUnavailable, type Tx } from '../../src/engines/engines.ts'

export type OpenDatabase = (limits: { connectionsMax: number; queueMax: number }) => Promise<Database>

export function databaseConforms(name: string, open: OpenDatabase): void {
  describe(`a database: ${name}`, async () => {
    const db = await open({ connectionsMax: 3, queueMax: 4 })
    after(() => db.close())
    await db.script('drop table if exists things; create table things (id int primary key, at timestamptz, big bigint)')
    queries(db)
    transactions(db)
    await connectionLosses(open)
    bounds(db)
    listening(db, open)
    migrations(db)
  })
}

function queries(db: Database): void {
  it('sends values as parameters, never as SQL text', async () => {
    const hostile = `'; drop table things; --`
    const [row] = await db<{ text: string }>`select ${hostile}::text as text`
    assert.equal(row?.text, hostile)
  })

  it('returns times as RFC 3339 strings in UTC and 64-bit integers as numbers', async () => {
    await db`insert into things values (1, ${'2026-11-15T10:00:00.123+01:00'}, ${9_007_199_254_740_991})`
    assert.deepEqual(
      [...(await db`select at, big from things where id = 1`)],
      [{ at: '2026-11-15T09:00:00.123Z', big: 9_007_199_254_740_991 }],
    )
  })

  it('accepts lists as parameters', async () => {
    const rows = await db<{ id: number }>`select id from unnest(${[3, 1, 2]}::int[]) as id order by id`
    assert.deepEqual(
      rows.map(row => row.id),
      [1, 2, 3],
    )
  })

  it('rejects an invalid query and keeps working', async () => {
    await assert.rejects(db`select * from nowhere`, { code: '42P01' })
    await db.ping()
  })
}

function transactions(db: Database): void {
  const count = async () => (await db<{ n: number }>`select count(*)::int as n from things where id >= 10`)[0]?.n

  it('commits a transaction completely or not at all', async () => {
    await db.transaction(async tx => {
      await tx`insert into things (id) values (10)`
      await tx`insert into things (id) values (11)`
    })
    assert.equal(await count(), 2)
    const failed = db.transaction(async tx => {
      await tx`insert into things (id) values (12)`
      throw new Error('on purpose')
    })
    await assert.rejects(failed, /on purpose/)
    assert.equal(await count(), 2)
  })

  it('hides uncommitted changes from others', async () => {
    await db.transaction(async tx => {
      await tx`insert into things (id) values (13)`
      assert.equal(await count(), 2)
    })
    assert.equal(await count(), 3)
  })

  it('sends all writes of atOnce as one statement, and writes all or none', async () => {
    const told: string[] = []
    const add = (...ids: number[]) =>
      db.atOnce(async tx => {
        await Promise.all(ids.map(id => tx`insert into things (id) values (${id})`))
        tx.afterCommit(() => told.push(ids.join()))
      })
    await add(21, 22)
    await assert.rejects(add(23, 21), ConstraintViolated)
    await add()
    const rows = await db<{ id: number; xid: string }>`select id, xmin::text as xid from things
      where id between 21 and 29 order by id`
    assert.deepEqual(
      rows.map(({ id }) => id),
      [21, 22],
    )
    assert.equal(rows[0]?.xid, rows[1]?.xid)
    assert.deepEqual(told, ['21,22', ''])
    await db.autocommit`delete from things where id in (21, 22)`
  })

  it('does the writes of atOnce in their order', async () => {
    await db.script('create sequence turns; create table turn (id int, at int)')
    for (const ids of [
      [1, 2, 3],
      [3, 1, 2],
    ]) {
      const add = (tx: Tx, id: number) => tx`insert into turn values (${id}, nextval('turns'))`
      await db.atOnce(tx => Promise.all(ids.map(id => add(tx, id))))
      const rows = await db<{ id: number }>`select id from turn order by at desc limit 3`
      assert.deepEqual(rows.map(({ id }) => id).reverse(), ids)
    }
    await db.script('drop table turn; drop sequence turns')
  })

  it('refuses a write that comes after the others of atOnce were sent', async () => {
    let late: Promise<unknown> = Promise.resolve()
    await db.atOnce(async tx => {
      late = wait(1).then(() => tx`insert into things (id) values (24)`)
      late.catch(() => {})
    })
    await assert.rejects(late, /after the others were sent/)
    assert.equal((await db`select from things where id = 24`).length, 0)
  })

  it('commits each statement of autocommit separately', async () => {
    await db.autocommit`insert into things (id) values (14)`
    await assert.rejects(db.autocommit`insert into things (id) values (10)`)
    await db.autocommit`insert into things (id) values (15)`
    assert.equal(await count(), 5)
  })

  it('reports a deadlock as a conflict', async () => {
    const bothStarted = Promise.withResolvers<void>()
    let started = 0
    const cross = (mine: number, other: number) =>
      db.transaction(async tx => {
        await tx`update things set id = id where id = ${mine}`
        if (++started === 2) bothStarted.resolve()
        await bothStarted.promise
        await tx`update things set id = id where id = ${other}`
      })
    const outcomes = await Promise.allSettled([cross(15, 14), cross(14, 15)])
    const [lost, ...more] = outcomes.filter(outcome => outcome.status === 'rejected')
    assert.deepEqual(more, [])
    assert.ok(lost?.reason instanceof EngineUnavailable && lost.reason.state === 'conflict')
  })
}

/** Waits until the driver has reconnected. */
async function waitUntilReady(db: Database): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const isReady = await db
      .transaction(tx => tx`select 1`)
      .then(
        () => true,
        () => false,
      )
    if (isReady) return
    await wait(20)
  }
  assert.fail('the database did not become ready')
}

async function connectionLosses(open: OpenDatabase): Promise<void> {
  // Separate pools: the driver reconnects only after a pause.
  const [db, killer] = [await open({ connectionsMax: 3, queueMax: 4 }), await open({ connectionsMax: 1, queueMax: 10 })]
  after(() => Promise.all([db.close(), killer.close()]))
  /** Ends a connection on the server, as a restart or a failover does. */
  const loseConnection = async (pid: number) => void (await killer`select pg_terminate_backend(${pid})`)
  const pidOf = async (tx: Tx) => (await tx<{ pid: number }>`select pg_backend_pid() as pid`)[0]?.pid as number
  /** Unknown if COMMIT was sent before the loss was noticed. */
  const isDown = (error: unknown) => error instanceof EngineUnavailable && ['down', 'unknown'].includes(error.state)
  const losses: Record<string, (tx: Tx, pid: number) => Promise<unknown>> = {
    'before its next statement': async (tx, pid) => {
      await loseConnection(pid)
      await wait(20)
      return tx`select 1`
    },
    'while it does something else': async (_tx, pid) => {
      await loseConnection(pid)
      await wait(20)
    },
    'before its work throws': async (_tx, pid) => {
      await loseConnection(pid)
      await wait(20)
      throw new Error('on purpose')
    },
    'in the middle of a statement': async (tx, pid) => {
      const [slept] = await Promise.allSettled([tx`select pg_sleep(5)`, wait(10).then(() => loseConnection(pid))])
      return slept
    },
    'while it runs many statements': async (tx, pid) => {
      const lost = loseConnection(pid)
      for (let at = 0; at < 10_000; at++) await tx`select ${at}::int`
      await lost
    },
  }
  for (const [when, lose] of Object.entries(losses)) {
    it(`survives the loss of its connection in a transaction, ${when}`, async () => {
      for (let times = 0; times < 5; times++) {
        await assert.rejects(
          db.transaction(async tx => lose(tx, await pidOf(tx))),
          isDown,
        )
        await waitUntilReady(db)
      }
      assert.deepEqual(db.load(), { running: 0, waiting: 0 })
    })
  }
}

function bounds(db: Database): void {
  it('refuses work immediately when its queue is full, and reports its load', async () => {
    const [first, second] = [db.for('first'), db.for('second')]
    const queries = [first, first, second, first, first, second].map(user => user`select pg_sleep(0.3)`)
    assert.deepEqual(db.load(), { running: 3, waiting: 3 })
    const busy = (error: unknown) => error instanceof EngineUnavailable && error.state === 'busy'
    await assert.rejects(first`select 1`, busy)
    await assert.rejects(
      second.transaction(async () => {}),
      busy,
    )
    await Promise.all(queries)
    assert.deepEqual(db.load(), { running: 0, waiting: 0 })
    await db.ping()
  })

  it('leaves a connection for others, however many calls one organisation makes', async () => {
    const greedy = db.for('greedy')
    await db
      .transaction(async tx => {
        await tx`select pg_advisory_xact_lock(4712)`
        const blocked = Array.from({ length: 20 }, () => greedy`select pg_advisory_xact_lock(4712)`)
        const settled = Promise.allSettled(blocked)
        assert.equal((await db.for('modest')`select 1 as one`).length, 1)
        return { settled }
      })
      .then(({ settled }) => settled)
  })
}

function listening(db: Database, open: OpenDatabase): void {
  it('receives notifications, and reports when it had to start listening again', async t => {
    const received: string[] = []
    let connections = 0
    const listener = await open({ connectionsMax: 1, queueMax: 1 })
    t.after(() => listener.close())
    await listener.listen(
      'news',
      payload => received.push(payload),
      () => connections++,
    )
    assert.equal(connections, 1)
    await db`select pg_notify('news', 'first')`
    await until(() => received.length === 1)
    await db`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'stoa listening'`
    await until(() => connections === 2)
    await db`select pg_notify('news', 'second')`
    await until(() => received.length === 2)
    assert.deepEqual(received, ['first', 'second'])
  })

  it('waits until all notifications have been handled', async t => {
    const received: string[] = []
    const listener = await open({ connectionsMax: 1, queueMax: 1 })
    t.after(() => listener.close())
    await listener.waitForNotifications() // Without a listener it returns at once.
    await listener.listen(
      'counts',
      payload => received.push(payload),
      () => {},
    )
    for (let sent = 1; sent <= 50; sent++) {
      await db`select pg_notify('counts', ${String(sent)})`
      await listener.waitForNotifications()
      assert.equal(received.length, sent)
    }
  })
}

function migrations(db: Database): void {
  const step = (name: string, text: string) => ({ service: 'test', name, text })
  const one = step('0001-a.sql', 'create table a (x int); insert into a values (1);')
  const names = (applied: { name: string }[]) => applied.map(({ name }) => name)

  it('applies a migration once, even if several processes try at the same time', async () => {
    await db.script('drop table if exists a, b, migrations')
    const tries = await Promise.all([migrate(db, [one]), migrate(db, [one]), migrate(db, [one])])
    assert.deepEqual(tries.map(names).sort(), [[], [], ['0001-a.sql']])
    assert.equal((await db`select * from a`).length, 1)
  })

  it('applies no migration of a batch in which one fails', async () => {
    const good = step('0002-b.sql', 'create table b (x int)')
    const bad = step('0003-c.sql', 'create table c (x nonsense)')
    await assert.rejects(migrate(db, [one, good, bad]))
    await assert.rejects(db`select * from b`, { code: '42P01' })
    assert.deepEqual(names(await migrate(db, [one, good])), ['0002-b.sql'])
  })

  it('rejects a file changed after it was applied, and a database from a newer version', async () => {
    const changed = { ...one, text: `${one.text} -- changed` }
    await assert.rejects(
      migrate(db, [changed]),
      new MigrationRefused('test/0001-a.sql was changed after it was applied; add a new migration instead'),
    )
    await assert.rejects(migrate(db, [one]), /0002-b.sql, which this version of Stoa does not know/)
  })
}

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()) && tries < 300; tries++) await wait(20)
  assert.ok(await isTrue())
}
