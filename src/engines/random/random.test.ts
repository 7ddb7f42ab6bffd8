import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Random } from '../engines.ts'
import { seededRandom, systemRandom } from './random.ts'

/** What any source must do. */
function conforms(name: string, random: Random): void {
  describe(`${name} randomness`, () => {
    it('gives as many bytes as asked, past what it draws at once', () => {
      for (const count of [0, 1, 32, 4096, 10_000]) assert.equal(random.bytes(count).length, count)
    })

    it('gives tokens of letters and digits, of the length asked', () => {
      for (const length of [0, 1, 43, 5_000]) assert.match(random.token(length), new RegExp(`^[0-9A-Za-z]{${length}}$`))
    })

    it('never repeats itself', () => {
      const tokens = new Set(Array.from({ length: 10_000 }, () => random.token(22)))
      assert.equal(tokens.size, 10_000)
    })

    it('favours no letter', () => {
      const counts = new Map<string, number>()
      for (const letter of random.token(62_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
      assert.equal(counts.size, 62)
      // A thousand expected each; five standard deviations are about 158.
      for (const [letter, count] of counts) assert.ok(Math.abs(count - 1_000) < 200, `${letter}: ${count}`)
    })
  })
}

conforms('the system', systemRandom)
conforms('seeded', seededRandom('conformance'))

describe('seeded randomness', () => {
  it('is the same for the same seed and another for another', () => {
    assert.equal(seededRandom('a').token(100), seededRandom('a').token(100))
    assert.notEqual(seededRandom('a').token(100), seededRandom('b').token(100))
  })
})
