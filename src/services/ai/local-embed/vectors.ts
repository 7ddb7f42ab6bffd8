// Shorter vectors, and vectors as text.
import { endianness } from 'node:os'

export const DIMENSIONS = 512
/** The lengths that a vector may be shortened to. */
export const SHORTER = [64, 128, 256, DIMENSIONS] as const

export const isDimensions = (dimensions: number): boolean => (SHORTER as readonly number[]).includes(dimensions)

/** The first components, scaled to length 1 again. The model was not trained for it, so this loses meaning: use it to
 *  save space where the order of results need not be exact. */
export function shortenedVector(vector: Float32Array, dimensions: number): Float32Array {
  if (!isDimensions(dimensions)) throw new RangeError(`a vector cannot have ${dimensions} dimensions`)
  if (dimensions === vector.length) return vector
  const first = vector.slice(0, dimensions)
  const length = Math.sqrt(first.reduce((sum, value) => sum + value * value, 0))
  return length === 0 ? first : first.map(value => value / length)
}

/** Base64 of float32 values, little endian, as the embeddings wire has it. */
export function base64Of(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
  return (endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32()).toString('base64')
}
