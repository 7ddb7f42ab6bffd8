import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTurns } from './turns.ts'

const nextTurn = () => new Promise(resolve => setImmediate(resolve))

describe('turns', () => {
  it('start a few immediately and the rest in later turns of the event loop, by user in turn', async () => {
    const turns = openTurns(2)
    const started: string[] = []
    for (const user of ['a', 'a', 'a', 'a', 'a', 'b', 'c']) turns(user, () => started.push(user))
    assert.equal(started.join(''), 'aa')
    await nextTurn()
    assert.equal(started.join(''), 'aaab')
    turns('d', () => started.push('d'))
    await nextTurn()
    assert.equal(started.join(''), 'aaabca')
    await nextTurn()
    assert.equal(started.join(''), 'aaabcada')
    await nextTurn()
    turns('a', () => started.push('a'))
    assert.equal(started.join(''), 'aaabcadaa', 'at once again')
  })
})
