import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { distinctIn, EXACT_MAX, openSet, SKETCH_ERROR, setOf, visitorHash } from './distinct.ts'

const hashes = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => visitorHash(`visitor-${from + n}`))

describe('a set of visitors', () => {
  it('counts each once, exactly up to 10,000', () => {
    assert.deepEqual(distinctIn([]), { count: 0, isExact: true })
    assert.deepEqual(distinctIn([setOf(hashes(0, 3)), setOf(hashes(1, 5))]), { count: 5, isExact: true })
    assert.deepEqual(distinctIn([setOf(hashes(0, EXACT_MAX)), setOf(hashes(0, 100))]), { count: 10_000, isExact: true })
    assert.equal(distinctIn([setOf(hashes(0, EXACT_MAX + 1))]).isExact, false)
  })

  it('has the zero hash once', () => {
    const zero = Buffer.alloc(8)
    assert.deepEqual(distinctIn([setOf([zero]), setOf([zero, visitorHash('a')])]), { count: 2, isExact: true })
    const large = openSet()
    large.add(setOf([zero, ...hashes(0, EXACT_MAX)]))
    assert.equal(large.distinct().isExact, false)
  })

  it('is the same when it was written and read, in any order', () => {
    for (const sizes of [
      [3, 4],
      [9_000, 5_000],
      [20_000, 3],
      [3, 20_000],
      [20_000, 30_000],
    ] as const) {
      const sets = sizes.map((size, n) => {
        const one = openSet()
        one.add(setOf(hashes(n * 2, n * 2 + size)))
        return one.bytes()
      })
      const expected = distinctIn(sizes.map((size, n) => setOf(hashes(n * 2, n * 2 + size))))
      assert.deepEqual(distinctIn(sets), expected)
      assert.deepEqual(distinctIn(sets.toReversed()), expected)
    }
  })

  it('has the same sketch, however it was made', () => {
    const [exact, large] = [openSet(), openSet()]
    exact.add(setOf(hashes(0, 9_000)))
    large.add(exact.sketch())
    assert.deepEqual(large.bytes(), exact.sketch())
    for (const one of [exact, large]) one.add(setOf(hashes(5_000, 20_000)))
    assert.deepEqual(large.bytes(), exact.bytes())
  })

  it('is estimated within the stated error above that', () => {
    const all = openSet()
    let added = 0
    for (const size of [10_001, 15_000, 30_000, 60_000, 100_000, 300_000]) {
      all.add(setOf(hashes(added, size)))
      added = size
      const { count, isExact } = all.distinct()
      assert.equal(isExact, false)
      assert.ok(Math.abs(count / size - 1) < SKETCH_ERROR, `${count} for ${size}`)
    }
  })

  it('needs at most 80 KiB, and 8 KiB if it is an estimate', () => {
    const one = openSet()
    one.add(setOf(hashes(0, EXACT_MAX)))
    assert.equal(one.bytes().length, 80_001)
    one.add(setOf(hashes(0, EXACT_MAX + 1)))
    assert.equal(one.bytes().length, 8_193)
  })
})
