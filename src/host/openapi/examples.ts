// Examples, from those of the fields. The derived tests send the same ones.
import type { Operation } from '../../kit/operation.ts'

/** The part of JSON Schema that an example depends on. */
type Schema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  format?: string
  examples?: unknown[]
}

/** An object consists of its required fields; one that should show more has an example of its own. */
export function exampleOf(schema: object): unknown {
  const { examples, enum: values, anyOf, type, items, properties = {}, required = [], ...rest } = schema as Schema
  if (examples) return examples[0]
  if ('const' in rest) return rest.const
  if (values) return values[0]
  if (anyOf) return exampleOf(anyOf[0] as Schema)
  if (type === 'array') return [exampleOf(items ?? {})]
  if (type === 'object') {
    return Object.fromEntries(required.map(name => [name, exampleOf(properties[name] as Schema)]))
  }
  return { string: '…', integer: 1, number: 1, boolean: false }[String(type)] ?? null
}

/** The fields of an input that its example consists of: the required ones, and those of the body with an example.
 *  Optional times are left out: an example is soon in the past. */
export function exampleFields({ input, pathFields, bodyKind }: Operation): Record<string, unknown> {
  const { properties = {}, required = [] } = input as Schema
  const isShown = (name: string, { examples, format }: Schema) =>
    bodyKind === 'json' && !pathFields.includes(name) && examples && format !== 'date-time'
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name, field]) => required.includes(name) || isShown(name, field))
      .map(([name, field]) => [name, exampleOf(field)]),
  )
}
