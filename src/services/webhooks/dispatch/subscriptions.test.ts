import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { matches } from '../../../engines/engines.ts'
import { compile } from './subscriptions.ts'

const SUBJECTS = ['a', 'b', 'a.b', 'a.c', 'a.b.c', 'a.b.d', 'x.b.c', 'a.b.c.d', 'A.b']
const PATTERNS = ['>', '*', 'a', 'a.>', 'a.*', '*.b', '*.b.>', 'a.b.c', '*.*.*', 'a.*.c', 'a.b.c.>', 'A.>']

describe('subscriptions', () => {
  it('find the same as each pattern by itself', async () => {
    const { wanting } = await compile(PATTERNS.map(pattern => ({ id: pattern, events: [pattern] })))
    for (const subject of SUBJECTS) {
      const expected = PATTERNS.filter(pattern => matches(pattern, subject))
      assert.deepEqual(wanting(subject).sort(), expected.sort(), subject)
    }
  })

  it('find an endpoint once, and one without patterns always', async () => {
    const { wanting, isEmpty } = await compile([
      { id: 'all', events: [] },
      { id: 'some', events: ['a.>', 'a.b', '*.b'] },
    ])
    assert.equal(isEmpty, false)
    assert.deepEqual(wanting('a.b').sort(), ['all', 'some'])
    assert.deepEqual(wanting('z'), ['all'])
    assert.equal((await compile([])).isEmpty, true)
  })
})
