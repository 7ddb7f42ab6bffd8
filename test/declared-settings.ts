// The declared settings of organisations, with values other than the defaults.
import assert from 'node:assert/strict'
import type { Operation } from '../src/kit/operation.ts'
import { services } from '../src/services/index.ts'

export type Values = Record<string, unknown>

/** A value of the field other than the default: its example, or the opposite. */
function otherValue({ input }: Operation, name: string, before: unknown): unknown {
  const { examples } = input.properties[name] as { examples?: unknown[] }
  const value = typeof before === 'boolean' ? !before : examples?.[0]
  assert.notDeepEqual(value, before, `${name} needs an example that is not the default`)
  return value
}

/** `change` is the id of the operation that changes them. */
export const declaredSettings = services.flatMap(({ name, operations, orgSettings }) => {
  if (!orgSettings) return []
  const path = `/v1/${name}/settings`
  const change = Object.entries(operations).find(([, one]) => one.path === path && one.method === 'PATCH')
  assert.ok(change)
  const defaults = orgSettings.defaults as Values
  const others = Object.keys(defaults).map(field => [field, otherValue(change[1], field, defaults[field])] as const)
  return [{ service: name, path, change: change[0], defaults, others, fields: orgSettings }]
})
