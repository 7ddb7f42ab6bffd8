import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { costOf } from './price.ts'
import type { Price } from './providers/provider.ts'
import { NO_USAGE, type Usage } from './wires/usage.ts'

const used = (usage: Partial<Usage>): Usage => ({ ...NO_USAGE, ...usage })

describe('the cost of a call', () => {
  for (const [what, usage, price, cost] of [
    ['input and output', { input: 1_000, output: 200 }, { input: 250, output: 1_000 }, 450_000n],
    ['a million tokens', { input: 1_000_000 }, { input: 250, output: 0 }, 250_000_000n],
    ['cached input', { input: 1_000, cachedInput: 600 }, { input: 250, output: 0, cachedInput: 125 }, 175_000n],
    ['cached input without a price', { input: 1_000, cachedInput: 600 }, { input: 250, output: 0 }, 250_000n],
    ['cache writes', { input: 10, cacheWrite: 4 }, { input: 300, output: 0, cacheWrite: 375 }, 3_300n],
    ['cache writes without a price', { input: 10, cacheWrite: 4 }, { input: 300, output: 0 }, 3_000n],
    [
      'cache writes for an hour',
      { input: 10, cacheWrite: 4, cacheWriteHour: 3 },
      { input: 300, output: 0, cacheWrite: 375, cacheWriteHour: 600 },
      3_975n,
    ],
    ['reasoning', { output: 10, reasoning: 4 }, { input: 0, output: 100, reasoning: 50 }, 800n],
    ['reasoning without a price', { output: 10, reasoning: 4 }, { input: 0, output: 100 }, 1_000n],
    ['images', { images: 2 }, { input: 0, output: 0, image: 4 }, 8_000_000n],
    ['images without a price', { images: 2 }, { input: 1, output: 1 }, 0n],
    ['a fraction, rounded up', { input: 1 }, { input: 1.25, output: 0 }, 2n],
    ['two fractions, rounded up once', { input: 1, output: 1 }, { input: 1.25, output: 1.25 }, 3n],
    ['three tenths, which no float is', { input: 3 }, { input: 0.1, output: 0 }, 1n],
    ['ten tenths', { input: 10 }, { input: 0.1, output: 0 }, 1n],
    ['a price with an exponent', { input: 10_000_000 }, { input: 1e-7, output: 0 }, 1n],
    ['more cached than input', { input: 5, cachedInput: 8 }, { input: 100, output: 0, cachedInput: 10 }, 80n],
    ['nothing', {}, { input: 250, output: 1_000 }, 0n],
  ] as [string, Partial<Usage>, Price, bigint][]) {
    it(`has ${what}`, () => assert.equal(costOf(used(usage), price), cost))
  }

  it('is exact for all prices with up to four places', () => {
    const count = fc.nat(2_000_000)
    const tenThousandths = fc.nat(100_000_000)
    fc.assert(
      fc.property(count, count, count, fc.tuple(tenThousandths, tenThousandths, tenThousandths), (a, b, c, prices) => {
        const [input, output, cachedInput] = prices.map(price => price / 10_000) as [number, number, number]
        const usage = used({ input: a + b, cachedInput: b, output: c })
        const [inInput, inOutput, inCached] = prices.map(BigInt) as [bigint, bigint, bigint]
        const exact = BigInt(a) * inInput + BigInt(b) * inCached + BigInt(c) * inOutput
        assert.equal(costOf(usage, { input, output, cachedInput }), (exact + 9_999n) / 10_000n)
      }),
    )
  })

  it('is not computed from numbers that cannot be', () => {
    const price = { input: 1, output: 1 }
    for (const input of [-1, 0.5, Number.NaN, 2 ** 60]) assert.throws(() => costOf(used({ input }), price), RangeError)
    for (const input of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      assert.throws(() => costOf(NO_USAGE, { input, output: 1 }), RangeError)
  })
})
