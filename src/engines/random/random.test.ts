import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Random } from '../engines.ts'
import { seededRandom, systemRandom } from './random.ts'

/** Tests for every source. */
function conforms(name: string, random: Random): void {
  describe(`${name} randomness`, () => {
    it('returns as many bytes as requested, even more than its pool', () => {
      for (const count of [0, 1, 32, 4096, 10_000]) assert.equal(random.bytes(count).length, count)
    })

    it('returns tokens of letters and digits of the requested length', () => {
      for (const length of [0, 1, 43, 5_000]) assert.match(random.token(length), new RegExp(`^[0-9A-Za-z]{${length}}$`))
    })

    it('does not repeat tokens', () => {
      const tokens = new Set(Array.from({ length: 10_000 }, () => random.token(22)))
      assert.equal(tokens.size, 10_000)
    })

    it('draws all characters equally often', () => {
      const counts = new Map<string, number>()
      for (const letter of random.token(62_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
      assert.equal(counts.size, 62)
      // 1,000 expected for each; five standard deviations are about 158.
      for (const [letter, count] of counts) assert.ok(Math.abs(count - 1_000) < 200, `${letter}: ${count}`)
    })
  })
}

conforms('the system', systemRandom)
conforms('seeded', seededRandom('conformance'))

describe('seeded randomness', () => {
  it('is the same for the same seed and differs for another', () => {
    assert.equal(seededRandom('a').token(100), seededRandom('a').token(100))
    assert.notEqual(seededRandom('a').token(100), seededRandom('b').token(100))
  })
})
