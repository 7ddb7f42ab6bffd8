// What every bus must do. An effect of a consumer is a row that it writes in the transaction of the events.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Bus, BusConsumer, Database, Envelope, Tx } from '../../src/engines/engines.ts'
import { eventually } from '../eventually.ts'

/** A bus in a process of its own, and the clock that all of them share. */
export type OpenBus = (t: TestContext, warn: (what: string) => void) => Promise<{ bus: Bus; db: Database }>
export type TestClock = { now(): Date; advance(ms: number): void }

/** Waits until the check passes. */
async function until(check: () => void | Promise<void>): Promise<void> {
  const failure = async () => {
    try {
      await check()
      return null
    } catch (error) {
      return String(error)
    }
  }
  await eventually(failure, found => found === null)
}

let count = 0
const unique = (name: string) => `${name}${++count}`

const envelope = (tenant: string, type: string, data: unknown): Envelope => {
  const id = unique('evt_')
  return {
    specversion: '1.0',
    id,
    source: 'https://stoa.example',
    type,
    time: '2026-11-15T09:00:00.000Z',
    tenant,
    data,
  }
}

type Effect = { tenant: string; data: number }

export function busConforms(kind: string, db: Database, open: OpenBus, clock: TestClock): void {
  const publish = (bus: Bus, tenant: string, subject: string, ...data: unknown[]) =>
    db.transaction(tx =>
      bus.publish(
        tx,
        data.map(one => envelope(tenant, subject, one)),
      ),
    )
  /** Opens a bus that expects no warnings unless the test takes them. */
  const openQuiet = async (t: TestContext, warnings: string[] = []) => {
    const opened = await open(t, what => void warnings.push(what))
    t.after(() => opened.bus.close())
    return opened.bus
  }
  const effectsOf = (name: string) => db<Effect>`select tenant, data from effects where consumer = ${name} order by at`
  const effectOf = (name: string) => async (tx: Tx, events: readonly Envelope[]) => {
    for (const { tenant, data } of events) {
      await tx`insert into effects (consumer, tenant, data) values (${name}, ${tenant}, ${data as number})`
    }
    return undefined
  }
  const consumer = (name: string, more: Partial<BusConsumer> = {}): BusConsumer => ({
    name,
    subjects: [`${name}.>`],
    batchMax: 10,
    handle: effectOf(name),
    ...more,
  })
  const numbers = (length: number, from = 0) => Array.from({ length }, (_, n) => from + n)
  const dataOf = (effects: Effect[], tenant: string) =>
    effects.filter(one => one.tenant === tenant).map(({ data }) => data)
  /** Waits for so many effects, and a little for more of them. */
  const effectsAfter = async (name: string, expected: number) => {
    await until(async () => assert.equal((await effectsOf(name)).length, expected))
    await wait(50)
    return effectsOf(name)
  }

  describe(`${kind}: a consumer`, () => {
    it('may have enough of a batch, and gets the rest in the next transactions, in order', async t => {
      const name = unique('enough')
      const bus = await openQuiet(t)
      const counts = new Map<number, number>()
      const handle: BusConsumer['handle'] = async (tx, events) => {
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
      const bus = await openQuiet(t)
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

    it('gets the whole envelope, for the subjects that it names', async t => {
      const name = unique('subjects')
      const bus = await openQuiet(t)
      const seen: Envelope[] = []
      const handle = async (_: Tx, events: readonly Envelope[]) => void seen.push(...events)
      await bus.consume([consumer(name, { subjects: [`${name}.a.*`, `${name}.b.>`], handle })])
      const subjects = ['a.x', 'a', 'a.x.y', 'b.x', 'b', 'b.x.y', 'c.x', 'ab.x']
      const sent = subjects.map(one => envelope('home', `${name}.${one}`, { text: 'ü "\\ \n\u2028', list: [1, null] }))
      await db.transaction(tx => bus.publish(tx, sent))
      await until(() => assert.equal(seen.length, 3))
      assert.deepEqual(seen, [sent[0], sent[3], sent[5]])
    })

    it('gets nothing of a transaction that was rolled back', async t => {
      const name = unique('rollback')
      const bus = await openQuiet(t)
      await bus.consume([consumer(name)])
      const failing = db.transaction(async tx => {
        await bus.publish(tx, [envelope('home', `${name}.x`, 1)])
        throw new Error('no')
      })
      await assert.rejects(failing, /no/)
      await publish(bus, 'home', `${name}.x`, 2)
      assert.deepEqual(dataOf(await effectsAfter(name, 1), 'home'), [2])
    })

    it('does not miss a transaction that is committed late', async t => {
      const name = unique('late')
      const bus = await openQuiet(t)
      await bus.consume([consumer(name)])
      const { promise: isBegun, resolve: begun } = Promise.withResolvers<void>()
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const late = db.transaction(async tx => {
        await bus.publish(tx, [envelope('home', `${name}.x`, 1)])
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
      const first = await openQuiet(t)
      await first.consume([consumer(earlier, { subjects: [`${name}.>`] })])
      await publish(first, 'home', `${name}.x`, 1)
      await effectsAfter(earlier, 1) // Transactions that ran at that time have ended.
      const bus = await openQuiet(t)
      await bus.consume([consumer(name)])
      await publish(bus, 'home', `${name}.x`, 2)
      assert.deepEqual(dataOf(await effectsAfter(name, 1), 'home'), [2])
    })

    it('goes on after a restart with what it has not handled', async t => {
      const name = unique('restart')
      const first = await openQuiet(t)
      await first.consume([consumer(name)])
      await publish(first, 'home', `${name}.x`, 1)
      await effectsAfter(name, 1)
      await first.close()
      const second = await openQuiet(t)
      await publish(second, 'home', `${name}.x`, 2, 3)
      await second.consume([consumer(name)])
      assert.deepEqual(dataOf(await effectsAfter(name, 3), 'home'), [1, 2, 3])
    })

    it('handles each event once while several processes share the work', async t => {
      const name = unique('competing')
      const buses = [await openQuiet(t), await openQuiet(t)] as const
      const workers = new Set<number>()
      for (const [at, bus] of buses.entries()) {
        const handle: BusConsumer['handle'] = async (tx, events) => {
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

    it('of another name is not held up by a slow one', async t => {
      const [slow, fast] = [unique('slow'), unique('fast')]
      const bus = await openQuiet(t)
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const handle: BusConsumer['handle'] = async (tx, events) => {
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

  describe(`${kind}: an event that a consumer fails to handle`, () => {
    it('is handled again, and leaves no effect of the failure', async t => {
      const name = unique('again')
      const warnings: string[] = []
      const bus = await openQuiet(t, warnings)
      let failures = 0
      const handle: BusConsumer['handle'] = async (tx, events) => {
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

    it('is set aside after 20 tries; later ones of its organisation wait, those of others do not', async t => {
      const name = unique('poison')
      const bus = await openQuiet(t, [])
      let tries = 0
      const handle: BusConsumer['handle'] = async (tx, events) => {
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
      const state = (await bus.states(db)).find(one => one.name === name)
      assert.deepEqual(state, { name, oldest: null, waiting: 0, setAside: 1 })
      const [aside] = (await bus.setAside(db, Number.MAX_SAFE_INTEGER, 10)).filter(one => one.consumer === name)
      assert.deepEqual([aside?.error, aside?.envelope.data, aside?.envelope.tenant], ['poison', 2, 'home'])
    })

    it('and was set aside can be tried again', async t => {
      const name = unique('mended')
      const bus = await openQuiet(t, [])
      let isBroken = true
      const handle: BusConsumer['handle'] = async (tx, events) => {
        if (isBroken) throw new Error('broken')
        await effectOf(name)(tx, events)
      }
      await bus.consume([consumer(name, { handle })])
      await publish(bus, 'home', `${name}.x`, 1)
      const aside = async () =>
        (await bus.setAside(db, Number.MAX_SAFE_INTEGER, 100)).filter(one => one.consumer === name)
      await until(async () => {
        clock.advance(5 * 60_000)
        assert.equal((await aside()).length, 1)
      })
      isBroken = false
      const id = (await aside())[0]?.id as number
      assert.equal(await db.transaction(tx => bus.retrySetAside(tx, id)), true)
      assert.equal(await db.transaction(tx => bus.retrySetAside(tx, id)), false)
      await until(async () => {
        clock.advance(1_000)
        assert.equal((await effectsOf(name)).length, 1)
      })
      assert.deepEqual(await aside(), [])
    })

    it('and is tried again while another one of its organisation is handled is not lost, and has all its tries', async t => {
      const name = unique('overtaken')
      const bus = await openQuiet(t, [])
      const isBroken = new Set<unknown>([1])
      const tries = new Map<unknown, number>()
      const [slow, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const handle: BusConsumer['handle'] = async (tx, events) => {
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
      const aside = async () =>
        (await bus.setAside(db, Number.MAX_SAFE_INTEGER, 100)).filter(one => one.consumer === name)
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
      assert.equal(await db.transaction(tx => bus.retrySetAside(tx, id)), true)
      slow.resolve()
      await until(async () => {
        clock.advance(5 * 60_000)
        assert.equal((await aside()).length, 1)
      })
      assert.deepEqual(dataOf(await effectsOf(name), 'home'), [2])
      assert.equal(tries.get(1), 20)
    })

    it('for ever, of every organisation, does not keep the lanes from moving', async t => {
      const name = unique('broken')
      const bus = await openQuiet(t, [])
      const handle = () => Promise.reject(new Error('broken'))
      await bus.consume([consumer(name, { handle })])
      for (const n of numbers(40)) await publish(bus, `org-${n}`, `${name}.x`, 1, 2)
      await until(async () => {
        const state = (await bus.states(db)).find(one => one.name === name)
        assert.deepEqual(state, { name, oldest: null, waiting: 80, setAside: 0 })
      })
    })

    it('because it never ends is given up', async t => {
      const name = unique('endless')
      const bus = await openQuiet(t, [])
      let calls = 0
      const handle: BusConsumer['handle'] = async (tx, events) => {
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

  describe(`${kind}: a replay`, () => {
    it('begins at a time', async t => {
      const name = unique('replay')
      const bus = await openQuiet(t)
      await bus.consume([consumer(name)])
      await publish(bus, 'home', `${name}.x`, 1)
      await publish(bus, 'other', `${name}.x`, 1)
      await effectsAfter(name, 2)
      const [row] = await db<{ now: string }>`select clock_timestamp() as now`
      await publish(bus, 'home', `${name}.x`, 2, 3)
      await effectsAfter(name, 4)
      await db.transaction(tx => bus.replay(tx, name, new Date(Date.parse(row?.now as string))))
      const effects = await effectsAfter(name, 6)
      assert.deepEqual(dataOf(effects, 'home'), [1, 2, 3, 2, 3])
      assert.deepEqual(dataOf(effects, 'other'), [1])
    })
  })
}
