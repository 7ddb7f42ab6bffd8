import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openMergedSets } from './merged-sets.ts'

const merged = (events: number, size: number) => ({
  ...{ events, bytes: Buffer.alloc(size) },
  distinct: { count: events, isExact: true },
})

it('keeps sets up to a size, those that were used last', () => {
  const sets = openMergedSets(100_000)
  for (const name of ['a', 'b', 'c']) sets.set(name, merged(1, 30_000))
  assert.ok(sets.get('a', 1))
  sets.set('d', merged(1, 30_000))
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].filter(name => sets.get(name, 1)),
    ['a', 'c', 'd'],
  )
  for (let n = 0; n < 10_000; n++) sets.set(`small ${n}`, merged(1, 9))
  const left = Array.from({ length: 10_000 }, (_, n) => sets.get(`small ${n}`, 1)).filter(one => one !== null)
  assert.ok(left.length < 200, `${left.length} entries: their keys need memory too`)
})

it('forgets a set to which events were added', () => {
  const sets = openMergedSets(100_000)
  sets.set('a', merged(7, 9))
  assert.equal(sets.get('a', 8), null)
  assert.equal(sets.get('a', 7), null)
  sets.set('a', merged(8, 9))
  assert.equal(sets.get('a', 8)?.events, 8)
})
