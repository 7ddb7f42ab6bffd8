// Adds the operator's own name of a region to what is said about a network, where the operator gives one.
import type { Value } from './source.ts'
import { shortened } from './text.ts'

export function inRegion(value: Value, region: unknown): Value {
  const name = typeof region === 'string' ? shortened(region) : ''
  return name === '' ? value : { ...value, region: name }
}
