// Adds the operator's name of a region to the value of a network, if the operator gives one.
import type { Value } from './source.ts'
import { shortened } from './text.ts'

export function inRegion(value: Value, region: unknown): Value {
  const name = typeof region === 'string' ? shortened(region) : ''
  return name === '' ? value : { ...value, region: name }
}
