import assert from 'node:assert/strict'
import { it } from 'node:test'
import { base64Of, DIMENSIONS, isDimensions, shortenedVector } from './vectors.ts'

const vector = Float32Array.from({ length: DIMENSIONS }, (_, at) => Math.sin(at + 1) / 16)

it('a shortened vector is the first components, of length 1', () => {
  for (const dimensions of [64, 128, 256]) {
    const short = shortenedVector(vector, dimensions)
    assert.equal(short.length, dimensions)
    assert.ok(Math.abs(Math.hypot(...short) - 1) < 1e-6)
    assert.ok(
      Math.abs((short[1] as number) / (short[0] as number) - (vector[1] as number) / (vector[0] as number)) < 1e-5,
    )
  }
  assert.equal(shortenedVector(vector, DIMENSIONS), vector)
  assert.deepEqual([...shortenedVector(new Float32Array(DIMENSIONS), 64)], Array(64).fill(0))
})

it('other dimensions are refused', () => {
  for (const dimensions of [0, 1, 63, 100, 511, 513, 1_536, -64, 64.5, Number.NaN]) {
    assert.equal(isDimensions(dimensions), false)
    assert.throws(() => shortenedVector(vector, dimensions), RangeError)
  }
})

it('base64 is float32, little endian', () => {
  assert.equal(base64Of(Float32Array.of(1, -2)), Buffer.from('0000803f000000c0', 'hex').toString('base64'))
  // Also of a part of a larger buffer.
  assert.equal(base64Of(Float32Array.of(9, 1, -2, 9).subarray(1, 3)), base64Of(Float32Array.of(1, -2)))
})
