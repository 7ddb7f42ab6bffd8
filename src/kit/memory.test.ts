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
})
