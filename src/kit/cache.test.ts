import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openCache } from './cache.ts'

describe('a cache', () => {
  it('does not cache a look-up during which something changed', async () => {
    const cache = openCache<string>()
    for (const change of [() => cache.drop('alias'), cache.clear]) {
      const lookUp = async () => {
        change()
        return { value: 'old', aliases: ['alias'] }
      }
      assert.equal(await cache.load('name', 0, lookUp), 'old')
      assert.equal(cache.get('name', 0), undefined)
    }
    await cache.load('name', 0, async () => ({ value: 'new', aliases: ['alias'] }))
    assert.equal(cache.get('name', 0), 'new')
  })

  it('drops every entry that has the given alias', async () => {
    for (const alias of ['key', 'member']) {
      const cache = openCache<number>()
      await cache.load('first', 0, async () => ({ value: 1, aliases: ['key', 'member'] }))
      await cache.load('second', 0, async () => ({ value: 2, aliases: ['other', 'member'] }))
      cache.drop(alias)
      assert.equal(cache.get('first', 0), undefined)
      assert.equal(cache.get('second', 0), alias === 'key' ? 2 : undefined)
    }
  })

  it('shares one look-up among concurrent loads, and starts another after a change', async () => {
    const cache = openCache<number>()
    let lookUps = 0
    const finish: (() => void)[] = []
    const lookUp = () => {
      const value = ++lookUps
      return new Promise<{ value: number; aliases: string[] }>(done =>
        finish.push(() => done({ value, aliases: ['alias'] })),
      )
    }
    const load = () => cache.load('name', 0, lookUp)
    const before = [load(), load(), load()]
    cache.drop('alias')
    const after = [load(), load()]
    await new Promise(done => setImmediate(done))
    for (const resolve of finish) resolve()
    assert.deepEqual(await Promise.all([...before, ...after]), [1, 1, 1, 2, 2])
    assert.equal(cache.get('name', 0), 2)
  })
})
