// The guarantees for consumers of the log.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  consumer,
  dataOf,
  db,
  effectOf,
  effectsAfter,
  effectsOf,
  envelope,
  numbers,
  openOne,
  openWorld,
  publish,
  unique,
  until,
} from '../../../test/consumers.ts'
import type { Envelope, Tx } from '../../engines/engines.ts'
import type { Handler } from './lane.ts'

await openWorld()

describe('a consumer', () => {
  it('may stop within a batch, and gets the rest in the next transactions, in order', async t => {
    const name = unique('enough')
    const bus = await openOne(t)
    const counts = new Map<number, number>()
    const handle: Handler['handle'] = async (tx, events) => {
      const some = events[0]?.tenant === 'many' ? events.slice(0, 3) : events
      const [{ id } = { id: 0 }] = await tx<{ id: number }>`select txid_current() as id`
      counts.set(id, (counts.get(id) ?? 0) + some.length)
      return (await effectOf(name)(tx, some)) ?? some.length
    }
    await bus.consume([consumer(name, { handle })])
    await publish(bus, 'many', `${name}.x`, ...numbers(20))
    await publish(bus, 'few', `${name}.x`, ...numbers(5))
    assert.deepEqual(dataOf(await effectsAfter(name, 25), 'many'), numbers(20))
    assert.ok(Math.max(...counts.values()) <= 8)
  })

  it('gets the events of each organisation in order, in batches of one organisation', async t => {
    const name = unique('order')
    const bus = await openOne(t)
    const sizes: number[] = []
    await bus.consume([
      consumer(name, {
        handle: async (tx, events) => {
          assert.equal(new Set(events.map(({ tenant }) => tenant)).size, 1)
          sizes.push(events.length)
          await effectOf(name)(tx, events)
        },
      }),
    ])
    const tenants = numbers(8).map(n => `org-${n}`)
    await Promise.all(
      tenants.map(async tenant => {
        for (const n of numbers(20)) await publish(bus, tenant, `${name}.x`, 2 * n, 2 * n + 1)
      }),
    )
    const effects = await effectsAfter(name, 8 * 40)
    for (const tenant of tenants) assert.deepEqual(dataOf(effects, tenant), numbers(40))
    assert.ok(Math.max(...sizes) <= 10)
  })

  it('gets the whole envelope for its subjects', async t => {
    const name = unique('subjects')
    const bus = await openOne(t)
    const seen: Envelope[] = []
    const handle = async (_: Tx, events: readonly Envelope[]) => void seen.push(...events)
    await bus.consume([consumer(name, { subjects: [`${name}.a.*`, `${name}.b.>`], handle })])
    const subjects = ['a.x', 'a', 'a.x.y', 'b.x', 'b', 'b.x.y', 'c.x', 'ab.x']
    const sent = subjects.map(one => envelope('home', `${name}.${one}`, { text: 'ü "\\ \n\u2028', list: [1, null] }))
    await db.transaction(tx => bus.log.append(tx, sent))
    await until(() => assert.equal(seen.length, 3))
    assert.deepEqual(seen, [sent[0], sent[3], sent[5]])
  })

  it('gets no event of a rolled-back transaction', async t => {
    const name = unique('rollback')
    const bus = await openOne(t)
    await bus.consume([consumer(name)])
    const failing = db.transaction(async tx => {
      await bus.log.append(tx, [envelope('home', `${name}.x`, 1)])
      throw new Error('no')
    })
    await assert.rejects(failing, /no/)
    await publish(bus, 'home', `${name}.x`, 2)
    assert.deepEqual(dataOf(await effectsAfter(name, 1), 'home'), [2])
  })

  it('does not miss a transaction that commits late', async t => {
    const name = unique('late')
    const bus = await openOne(t)
    await bus.consume([consumer(name)])
    const { promise: isBegun, resolve: begun } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const late = db.transaction(async tx => {
      await bus.log.append(tx, [envelope('home', `${name}.x`, 1)])
      begun()
      await released
    })
    await isBegun
    for (const n of [2, 3]) await publish(bus, 'home', `${name}.x`, n)
    await wait(200)
    release()
    await late
    assert.deepEqual(dataOf(await effectsAfter(name, 3), 'home'), [1, 2, 3])
  })

  it('that is new gets the events from then on', async t => {
    const [name, earlier] = [unique('new'), unique('earlier')]
    const first = await openOne(t)
    await first.consume([consumer(earlier, { subjects: [`${name}.>`] })])
    await publish(first, 'home', `${name}.x`, 1)
    await effectsAfter(earlier, 1) // Transactions that ran at that time have ended.
    const bus = await openOne(t)
    await bus.consume([consumer(name)])
    await publish(bus, 'home', `${name}.x`, 2)
    assert.deepEqual(dataOf(await effectsAfter(name, 1), 'home'), [2])
  })

  it('continues after a restart with the unhandled events', async t => {
    const name = unique('restart')
    const first = await openOne(t)
    await first.consume([consumer(name)])
    await publish(first, 'home', `${name}.x`, 1)
    await effectsAfter(name, 1)
    await first.stop()
    const second = await openOne(t)
    await publish(second, 'home', `${name}.x`, 2, 3)
    await second.consume([consumer(name)])
    assert.deepEqual(dataOf(await effectsAfter(name, 3), 'home'), [1, 2, 3])
  })

  it('handles each event once while several processes share the work', async t => {
    const name = unique('competing')
    const buses = [await openOne(t), await openOne(t)] as const
    const workers = new Set<number>()
    for (const [at, bus] of buses.entries()) {
      const handle: Handler['handle'] = async (tx, events) => {
        workers.add(at)
        await effectOf(name)(tx, events)
      }
      await bus.consume([consumer(name, { handle })])
    }
    const tenants = numbers(16).map(n => `org-${n}`)
    for (const n of numbers(20)) {
      await Promise.all(tenants.map((tenant, at) => publish(buses[at % 2 === 0 ? 0 : 1], tenant, `${name}.x`, n)))
    }
    const effects = await effectsAfter(name, 16 * 20)
    for (const tenant of tenants) assert.deepEqual(dataOf(effects, tenant), numbers(20))
    assert.equal(workers.size, 2)
  })

  it('is not delayed by a slow one of another name', async t => {
    const [slow, fast] = [unique('slow'), unique('fast')]
    const bus = await openOne(t, { budgetMs: 50_000, lateMs: 60_000 })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const handle: Handler['handle'] = async (tx, events) => {
      await released
      await effectOf(slow)(tx, events)
    }
    await bus.consume([consumer(slow, { subjects: ['speed.>'], handle }), consumer(fast, { subjects: ['speed.>'] })])
    const tenants = numbers(16).map(n => `org-${n}`)
    for (const tenant of tenants) await publish(bus, tenant, 'speed.x', 1, 2)
    assert.equal((await effectsAfter(fast, 32)).length, 32)
    assert.equal((await effectsOf(slow)).length, 0)
    release()
    await effectsAfter(slow, 32)
  })
})
