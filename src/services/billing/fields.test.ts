import assert from 'node:assert/strict'
import { it } from 'node:test'
import { centsText } from './fields.ts'

it('cents are written as exact decimals', () => {
  for (const [units, expected] of [
    [0, '0'],
    [1, '0.000001'],
    [100_000, '0.1'],
    [1_000_000, '1'],
    [12_345_678, '12.345678'],
    [-20_000_001, '-20.000001'],
    [Number.MAX_SAFE_INTEGER, '9007199254.740991'],
  ] as const) {
    assert.equal(centsText(units), expected)
  }
})
