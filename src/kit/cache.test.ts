import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openCache } from './cache.ts'

describe('a cache', () => {
  it('does not keep what was looked up while something changed', async () => {
    const cache = openCache<string>()
    for (const change of [() => cache.drop('alias'), cache.clear]) {
      const look = async () => {
        change()
        return { value: 'old', aliases: ['alias'] }
      }
      assert.equal(await cache.load('name', 0, look), 'old')
      assert.equal(cache.get('name', 0), undefined)
    }
    await cache.load('name', 0, async () => ({ value: 'new', aliases: ['alias'] }))
    assert.equal(cache.get('name', 0), 'new')
  })

  it('drops what goes by a name, whichever of its names that is', async () => {
    for (const alias of ['key', 'member']) {
      const cache = openCache<number>()
      await cache.load('first', 0, async () => ({ value: 1, aliases: ['key', 'member'] }))
      await cache.load('second', 0, async () => ({ value: 2, aliases: ['other', 'member'] }))
      cache.drop(alias)
      assert.equal(cache.get('first', 0), undefined)
      assert.equal(cache.get('second', 0), alias === 'key' ? 2 : undefined)
    }
  })

  it('looks up once for all who ask meanwhile, and anew for who asks after a change', async () => {
    const cache = openCache<number>()
    let looks = 0
    const finish: (() => void)[] = []
    const look = () => {
      const value = ++looks
      return new Promise<{ value: number; aliases: string[] }>(done =>
        finish.push(() => done({ value, aliases: ['alias'] })),
      )
    }
    const ask = () => cache.load('name', 0, look)
    const before = [ask(), ask(), ask()]
    cache.drop('alias')
    const after = [ask(), ask()]
    await new Promise(done => setImmediate(done))
    for (const one of finish) one()
    assert.deepEqual(await Promise.all([...before, ...after]), [1, 1, 1, 2, 2])
    assert.equal(cache.get('name', 0), 2)
  })
})
