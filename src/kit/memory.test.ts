import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openMemory } from './memory.ts'

describe('a memory', () => {
  it('does not keep what was looked up while a change was heard of', async () => {
    const memory = openMemory<string>()
    for (const change of [() => memory.forget('alias'), memory.clear]) {
      const look = async () => {
        change()
        return 'old'
      }
      assert.equal(await memory.learn('name', 'alias', 0, look), 'old')
      assert.equal(memory.get('name', 0), undefined)
    }
    await memory.learn('name', 'alias', 0, async () => 'new')
    assert.equal(memory.get('name', 0), 'new')
  })

  it('looks up once for all who ask meanwhile, and anew for who asks after a change', async () => {
    const memory = openMemory<number>()
    let looks = 0
    const finish: (() => void)[] = []
    const look = () => {
      const found = ++looks
      return new Promise<number>(done => finish.push(() => done(found)))
    }
    const ask = () => memory.learn('name', 'alias', 0, look)
    const before = [ask(), ask(), ask()]
    memory.forget('alias')
    const after = [ask(), ask()]
    await new Promise(done => setImmediate(done))
    for (const one of finish) one()
    assert.deepEqual(await Promise.all([...before, ...after]), [1, 1, 1, 2, 2])
    assert.equal(memory.get('name', 0), 2)
  })
})
