import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EngineUnavailable } from '../engines/engines.ts'
import { openCache } from './cache.ts'

const USER = '203.0.113.7'
const settle = () => new Promise(done => setImmediate(done))
const notExpected = () => assert.fail('no look-up is expected')

describe('a cache', () => {
  it('repeats a look-up if its result changed meanwhile', async () => {
    for (const change of ['drop', 'clear'] as const) {
      const cache = openCache<string>(() => true)
      let lookUps = 0
      const lookUp = async () => {
        if (++lookUps === 1) cache[change]('alias')
        return { value: `look-up ${lookUps}`, aliases: ['alias'] }
      }
      assert.equal(await cache.load('name', 0, USER, lookUp), 'look-up 2')
      assert.equal(cache.get('name', 0, notExpected), 'look-up 2')
    }
  })

  it('neither caches nor returns values that change all the time', async () => {
    const cache = openCache<string>(() => true)
    const lookUp = async () => {
      cache.drop('alias')
      return { value: 'old', aliases: ['alias'] }
    }
    await assert.rejects(cache.load('name', 0, USER, lookUp), EngineUnavailable)
    assert.equal(cache.get('name', 0, notExpected), undefined)
  })

  it('looks up once, whatever else changes in the meantime', async () => {
    const cache = openCache<number>(() => true)
    let lookUps = 0
    const lookUp = async () => {
      for (let at = 0; at < 1_000; at++) cache.drop(`another ${at}`)
      return { value: ++lookUps, aliases: ['alias'] }
    }
    assert.equal(await cache.load('name', 0, USER, lookUp), 1)
    assert.equal(cache.get('name', 0, notExpected), 1)
  })

  it('drops every entry that has the given alias', async () => {
    for (const alias of ['key', 'member']) {
      const cache = openCache<number>(() => true)
      await cache.load('first', 0, USER, async () => ({ value: 1, aliases: ['key', 'member'] }))
      await cache.load('second', 0, USER, async () => ({ value: 2, aliases: ['other', 'member'] }))
      cache.drop(alias)
      assert.equal(cache.get('first', 0, notExpected), undefined)
      assert.equal(cache.get('second', 0, notExpected), alias === 'key' ? 2 : undefined)
    }
  })

  it('shares one look-up among concurrent loads, even those after a change', async () => {
    const cache = openCache<number>(() => true)
    const finish: (() => void)[] = []
    const lookUp = () =>
      new Promise<{ value: number; aliases: string[] }>(done => {
        const value = finish.length + 1
        finish.push(() => done({ value, aliases: ['alias'] }))
      })
    const load = () => cache.load('name', 0, USER, lookUp)
    const before = [load(), load()]
    await settle()
    cache.drop('alias')
    const after = load()
    finish[0]?.()
    await settle()
    finish[1]?.()
    assert.deepEqual(await Promise.all([...before, after]), [2, 2, 2])
    assert.equal(finish.length, 2)
  })

  it('renews an entry in use before it expires, and returns the old value meanwhile', async () => {
    const cache = openCache<number>(() => true)
    let lookUps = 0
    const lookUp = async () => ({ value: ++lookUps, aliases: [] })
    await cache.load('name', 0, USER, lookUp)
    assert.equal(cache.get('name', 19_999, notExpected), 1)
    assert.equal(cache.get('name', 20_000, lookUp), 1)
    assert.equal(cache.get('name', 20_000, notExpected), 1)
    await settle()
    assert.equal(cache.get('name', 31_000, notExpected), 2)
    assert.equal(cache.get('name', 50_001, notExpected), undefined)
  })

  it('keeps an entry whose renewal fails until it expires, and forgets one that no longer exists', async () => {
    const cache = openCache<number>(() => true)
    await cache.load('name', 0, USER, async () => ({ value: 1, aliases: [] }))
    const fails = async () => {
      throw new EngineUnavailable('db', 'down')
    }
    assert.equal(cache.get('name', 20_000, fails), 1)
    await settle()
    assert.equal(
      cache.get('name', 25_000, async () => null),
      1,
    )
    await settle()
    assert.equal(cache.get('name', 25_001, notExpected), undefined)
  })

  it('serves known names and other clients while one client asks for thousands of unknown names', async () => {
    const cache = openCache<number>(() => true)
    await cache.load('known', 0, 'home', async () => ({ value: 1, aliases: [] }))
    const slow = Promise.withResolvers<null>()
    let refused = 0
    const flood = Array.from({ length: 3_000 }, (_, at) =>
      cache.load(`unknown ${at}`, 0, USER, () => slow.promise).catch(() => refused++),
    )
    await settle()
    assert.ok(refused > 1_500, 'a full queue refuses at once')
    assert.equal(
      cache.get('known', 20_000, async () => ({ value: 2, aliases: [] })),
      1,
    )
    await settle()
    assert.equal(cache.get('known', 31_000, notExpected), 2)
    const other = cache.load('another key', 0, '198.51.100.1', async () => ({ value: 3, aliases: [] }))
    assert.equal(await Promise.race([other, settle().then(() => 'waits')]), 3)
    slow.resolve(null)
    await Promise.all(flood)
  })

  it('is bounded by the bytes of its entries; the oldest are dropped first', async () => {
    const cache = openCache<string>(() => true, { megabytes: 1 })
    const add = (name: string, bytes: number) =>
      cache.load(name, 0, USER, async () => ({ value: name, aliases: [`alias of ${name}`], bytes }))
    const kept = (...names: string[]) => names.filter(name => cache.get(name, 0, notExpected) !== undefined)
    for (const name of ['a', 'b', 'c', 'd']) await add(name, 300_000)
    assert.deepEqual(kept('a', 'b', 'c', 'd'), ['b', 'c', 'd'])
    assert.equal(await add('large', 1_000_000), 'large')
    assert.deepEqual(
      kept('b', 'c', 'd', 'large'),
      ['b', 'c', 'd'],
      'what is larger than all is not kept, and drops nothing',
    )
    await add('b', 600_000)
    assert.deepEqual(kept('b', 'c', 'd'), ['b', 'd'], 'an entry that is looked up again has its new size')
    cache.drop('alias of b')
    await add('e', 600_000)
    assert.deepEqual(kept('d', 'e'), ['d', 'e'], 'what was dropped no longer counts')
    cache.clear()
    for (const name of ['f', 'g', 'h']) await add(name, 300_000)
    assert.deepEqual(kept('f', 'g', 'h'), ['f', 'g', 'h'])
  })

  it('has more than 100,000 small entries', async () => {
    const cache = openCache<number>(() => true)
    for (let at = 0; at < 130_000; at++) await cache.load(`${at}`, 0, USER, async () => ({ value: at, aliases: [] }))
    const first = Array.from({ length: 130_000 }, (_, at) => at).find(at => cache.get(`${at}`, 0, notExpected) === at)
    assert.ok(first !== undefined && first > 0 && first < 30_000, `${first}`)
  })

  it('looks everything up while notifications are missing, and keeps nothing of that', async () => {
    let isListening = true
    const cache = openCache<number>(() => isListening)
    let value = 1
    const lookUp = async () => ({ value, aliases: [] })
    await cache.load('name', 0, USER, lookUp)
    isListening = false
    assert.equal(cache.get('name', 0, notExpected), undefined)
    value = 2
    assert.equal(await cache.load('other', 0, USER, lookUp), 2)
    cache.clear()
    isListening = true
    assert.equal(cache.get('name', 0, notExpected), undefined)
    assert.equal(cache.get('other', 0, notExpected), undefined)
  })

  it('shares no look-up while notifications are missing, because it may have started before a change', async () => {
    const cache = openCache<number>(() => false)
    const first = Promise.withResolvers<number>()
    const found = async (value: Promise<number>) => ({ value: await value, aliases: [] })
    const early = cache.load('name', 0, USER, () => found(first.promise))
    assert.equal(await cache.load('name', 0, USER, () => found(Promise.resolve(2))), 2)
    first.resolve(1)
    assert.equal(await early, 1)
  })
})
