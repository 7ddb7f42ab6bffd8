// Events that a consumer fails to handle, or takes too long for.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  clock,
  consumer,
  dataOf,
  db,
  deadLettersOf,
  effectOf,
  effectsAfter,
  effectsOf,
  numbers,
  openOne,
  openWorld,
  publish,
  unique,
  until,
} from '../../../test/consumers.ts'
import { requeueDeadLetter, selectBacklogs } from '../../kit/host/consumers.store.ts'
import type { Handler } from './lane.ts'

await openWorld()

describe('an event that a consumer fails to handle', () => {
  it('is retried, and leaves no effect of the failure', async t => {
    const name = unique('again')
    const warnings: string[] = []
    const bus = await openOne(t, { warnings })
    let failures = 0
    const handle: Handler['handle'] = async (tx, events) => {
      await effectOf(name)(tx, events)
      if (failures++ < 3) throw new Error('not yet')
    }
    await bus.consume([consumer(name, { handle })])
    await publish(bus, 'home', `${name}.x`, 1, 2)
    await until(async () => {
      clock.advance(1_000)
      assert.equal((await effectsOf(name)).length, 2)
    })
    await publish(bus, 'home', `${name}.x`, 3)
    assert.deepEqual(dataOf(await effectsAfter(name, 3), 'home'), [1, 2, 3])
    assert.ok(warnings.length >= 3)
  })

  it('becomes a dead letter after 20 attempts; later events of its organisation wait, those of others do not', async t => {
    const name = unique('poison')
    const bus = await openOne(t, { warnings: [] })
    let tries = 0
    const handle: Handler['handle'] = async (tx, events) => {
      if (events.length === 1 && events[0]?.data === 2) tries++
      if (events.some(({ data }) => data === 2)) throw new Error('poison')
      await effectOf(name)(tx, events)
    }
    await bus.consume([consumer(name, { handle })])
    await publish(bus, 'home', `${name}.x`, 1, 2, 3)
    for (const n of numbers(16)) await publish(bus, `org-${n}`, `${name}.x`, 1)
    await until(async () => assert.equal((await effectsOf(name)).length, 17))
    await publish(bus, 'home', `${name}.x`, 4)
    await wait(50)
    assert.deepEqual(dataOf(await effectsOf(name), 'home'), [1])
    const before = clock.now().getTime()
    await until(async () => {
      clock.advance(5 * 60_000)
      assert.deepEqual(dataOf(await effectsOf(name), 'home'), [1, 3, 4])
    })
    assert.equal(tries, 20)
    assert.ok(clock.now().getTime() - before > 30 * 60_000)
    const state = (await selectBacklogs(db)).find(one => one.consumer === name)
    assert.deepEqual(state, { consumer: name, waiting: 0, deadLetters: 1 })
    const [aside] = await deadLettersOf(name)
    assert.deepEqual([aside?.error, JSON.parse(aside?.envelope ?? '{}').data], ['poison', 2])
  })

  it('and became a dead letter can be retried', async t => {
    const name = unique('mended')
    const bus = await openOne(t, { warnings: [] })
    let isBroken = true
    const handle: Handler['handle'] = async (tx, events) => {
      if (isBroken) throw new Error('broken')
      await effectOf(name)(tx, events)
    }
    await bus.consume([consumer(name, { handle })])
    await publish(bus, 'home', `${name}.x`, 1)
    const aside = () => deadLettersOf(name)
    await until(async () => {
      clock.advance(5 * 60_000)
      assert.equal((await aside()).length, 1)
    })
    isBroken = false
    const id = (await aside())[0]?.id as number
    assert.equal(await db.transaction(tx => requeueDeadLetter(tx, id, clock.now().toISOString())), true)
    assert.equal(await db.transaction(tx => requeueDeadLetter(tx, id, clock.now().toISOString())), false)
    await until(async () => {
      clock.advance(1_000)
      assert.equal((await effectsOf(name)).length, 1)
    })
    assert.deepEqual(await aside(), [])
  })

  it('and is retried while another one of its organisation is handled is not lost, and has all its attempts', async t => {
    const name = unique('overtaken')
    const bus = await openOne(t, { warnings: [] })
    const isBroken = new Set<unknown>([1])
    const tries = new Map<unknown, number>()
    const [slow, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const handle: Handler['handle'] = async (tx, events) => {
      const data = events[0]?.data
      tries.set(data, (tries.get(data) ?? 0) + 1)
      if (events.some(one => isBroken.has(one.data))) throw new Error('broken')
      if (data === 2) {
        started.resolve()
        await slow.promise
      }
      await effectOf(name)(tx, events)
    }
    await bus.consume([consumer(name, { handle })])
    const aside = () => deadLettersOf(name)
    await publish(bus, 'home', `${name}.x`, 1)
    await until(async () => {
      clock.advance(5 * 60_000)
      assert.equal((await aside()).length, 1)
    })
    isBroken.add(2)
    await publish(bus, 'home', `${name}.x`, 2)
    await until(async () => {
      clock.advance(5 * 60_000)
      assert.ok((tries.get(2) ?? 0) > 5)
    })
    isBroken.delete(2)
    clock.advance(5 * 60_000)
    await started.promise
    tries.set(1, 0)
    const id = (await aside())[0]?.id as number
    assert.equal(await db.transaction(tx => requeueDeadLetter(tx, id, clock.now().toISOString())), true)
    slow.resolve()
    await until(async () => {
      clock.advance(5 * 60_000)
      assert.equal((await aside()).length, 1)
    })
    assert.deepEqual(dataOf(await effectsOf(name), 'home'), [2])
    assert.equal(tries.get(1), 20)
  })

  it('forever, for every organisation, does not block the lanes', async t => {
    const name = unique('broken')
    const bus = await openOne(t, { warnings: [] })
    const handle = () => Promise.reject(new Error('broken'))
    await bus.consume([consumer(name, { handle })])
    for (const n of numbers(40)) await publish(bus, `org-${n}`, `${name}.x`, 1, 2)
    await until(async () => {
      const state = (await selectBacklogs(db)).find(one => one.consumer === name)
      assert.deepEqual(state, { consumer: name, waiting: 80, deadLetters: 0 })
    })
  })

  it('because it handles none has failed, and becomes a dead letter like any other', async t => {
    const name = unique('lazy')
    const bus = await openOne(t, { warnings: [] })
    let calls = 0
    const handle = async () => {
      calls++
      return 0
    }
    await bus.consume([consumer(name, { handle })])
    await publish(bus, 'home', `${name}.x`, 1)
    await until(async () => {
      clock.advance(60_000)
      const state = (await selectBacklogs(db)).find(one => one.consumer === name)
      assert.deepEqual(state, { consumer: name, waiting: 0, deadLetters: 1 })
    })
    assert.ok(calls <= 25, `${calls} calls`)
  })

  it('because the call never ends is given up', async t => {
    const name = unique('endless')
    const bus = await openOne(t, { warnings: [] })
    let calls = 0
    const handle: Handler['handle'] = async (tx, events) => {
      if (events[0]?.tenant === 'home' && calls++ === 0) await new Promise(() => {})
      await effectOf(name)(tx, events)
    }
    await bus.consume([consumer(name, { handle })])
    await publish(bus, 'home', `${name}.x`, 1)
    await publish(bus, 'other', `${name}.x`, 1)
    await until(async () => {
      clock.advance(1_000)
      assert.equal((await effectsOf(name)).length, 2)
    })
  })
})

describe('a batch with one event that always fails', () => {
  it('costs about twice its events, not the square of them', async t => {
    const name = unique('bisect')
    const bus = await openOne(t, { warnings: [] })
    let handledInAll = 0
    const handle: Handler['handle'] = async (tx, events) => {
      handledInAll += events.length
      if (events.some(({ data }) => data === 400)) throw new Error('poison')
      await effectOf(name)(tx, events)
      return undefined
    }
    await bus.consume([consumer(name, { handle, batchMax: 500 })])
    await publish(bus, 'home', `${name}.x`, ...numbers(500))
    await until(async () => {
      clock.advance(5 * 60_000)
      assert.equal((await deadLettersOf(name)).length, 1)
    })
    const effects = await effectsAfter(name, 499)
    assert.deepEqual(
      dataOf(effects, 'home'),
      numbers(500).filter(n => n !== 400),
    )
    // Including the event's own twenty attempts.
    assert.ok(handledInAll < 3_000, `${handledInAll} events were handled`)
  })
})

describe('a consumer that takes too long', () => {
  it('commits what it has handled when its time is used up, and continues after that', async t => {
    const name = unique('slow')
    const bus = await openOne(t, { budgetMs: 100, lateMs: 5_000 })
    const transactions = new Map<number, number>()
    const handle: Handler['handle'] = async (tx, events) => {
      await wait(40)
      const [{ id } = { id: 0 }] = await tx<{ id: number }>`select txid_current() as id`
      transactions.set(id, (transactions.get(id) ?? 0) + 1)
      await effectOf(name)(tx, events)
      return undefined
    }
    await bus.consume([consumer(name, { handle, batchMax: 1 })])
    await publish(bus, 'home', `${name}.x`, ...numbers(20))
    assert.deepEqual(dataOf(await effectsAfter(name, 20), 'home'), numbers(20))
    assert.ok(transactions.size >= 4, `${transactions.size} transactions`)
    assert.deepEqual(await deadLettersOf(name), [])
  })

  it('for one event counts as a failure of that event, and the others continue', async t => {
    const name = unique('stuck')
    const bus = await openOne(t, { warnings: [], budgetMs: 100, lateMs: 200, backoffMs: 1 })
    let tries = 0
    const handle: Handler['handle'] = async (tx, events) => {
      const isStuck = events.some(({ data }) => data === 3)
      if (isStuck && events.length === 1) tries++
      // Otherwise the server would end the statement, and appear to be the cause.
      if (isStuck) await tx`select pg_sleep(3)`
      await effectOf(name)(tx, events)
      return undefined
    }
    await bus.consume([consumer(name, { handle })])
    await publish(bus, 'home', `${name}.x`, ...numbers(8))
    await until(async () => {
      clock.advance(5 * 60_000)
      assert.equal((await deadLettersOf(name)).length, 1)
    })
    assert.equal(tries, 20)
    assert.deepEqual(dataOf(await effectsAfter(name, 7), 'home'), [0, 1, 2, 4, 5, 6, 7])
    assert.match((await deadLettersOf(name))[0]?.error ?? '', /took longer than 200 ms/)
  })

  it('counts as failed even if the server ended its connection', async t => {
    const name = unique('ended')
    const bus = await openOne(t, { warnings: [], budgetMs: 100, lateMs: 300, backoffMs: 1 })
    let calls = 0
    const handle: Handler['handle'] = async (tx, events) => {
      if (calls++ < 3) {
        const [row] = await tx<{ pid: number }>`select pg_backend_pid() as pid`
        // It blocks the process beyond its time limit, and meanwhile the server drops its connection.
        await db`select pg_terminate_backend(${row?.pid ?? 0})`
        const untilMs = performance.now() + 400
        while (performance.now() < untilMs) {}
        await tx`select 1`
      }
      await effectOf(name)(tx, events)
      return undefined
    }
    await bus.consume([consumer(name, { handle })])
    await publish(bus, 'home', `${name}.x`, 1)
    await until(async () => {
      const [row] = await db<{ tries: number }>`select tries from consumer_held where consumer = ${name}`
      assert.ok((row?.tries ?? 0) >= 1)
    })
    await until(async () => {
      clock.advance(5 * 60_000)
      assert.equal((await effectsOf(name)).length, 1)
    })
  })
})

describe('a consumer with another id', () => {
  it('takes over the position of its former id, and what waits there', async t => {
    const [old, name] = [unique('old'), unique('renamed')]
    const first = await openOne(t, { warnings: [] })
    const fails: Handler['handle'] = async () => {
      throw new Error('broken')
    }
    await first.consume([consumer(old, { handle: fails })])
    await publish(first, 'home', `${old}.x`, 1)
    await until(async () => assert.equal((await selectBacklogs(db)).find(one => one.consumer === old)?.waiting, 1))
    await first.stop()
    await publish(first, 'other', `${old}.x`, 2)
    const second = await openOne(t)
    await second.consume([consumer(name, { formerIds: ['none', old], subjects: [`${old}.>`] })])
    await until(async () => {
      clock.advance(60_000)
      assert.equal((await effectsOf(name)).length, 2)
    })
    assert.equal(
      (await selectBacklogs(db)).find(one => one.consumer === old),
      undefined,
    )
  })

  it("without a former one is logged, because nobody reads the old one's events", async t => {
    const [old, name] = [unique('forgotten'), unique('successor')]
    const first = await openOne(t)
    await first.consume([consumer(old)])
    await first.stop()
    const told: Record<string, unknown>[] = []
    const second = await openOne(t, { told })
    await second.consume([consumer(name)])
    assert.ok(told.some(({ consumer: id }) => id === old))
    assert.ok(!told.some(({ consumer: id }) => id === name))
  })
})
