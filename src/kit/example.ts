// Builds examples of schemas from the examples of their fields.

/** The part of JSON Schema that an example depends on. */
export type ExampleSchema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: ExampleSchema[]
  items?: ExampleSchema
  properties?: Record<string, ExampleSchema>
  required?: string[]
  format?: string
  examples?: unknown[]
}

/** The example of an object has its required fields; for more, the object needs its own example. */
export function exampleOf(schema: object): unknown {
  const {
    examples,
    enum: values,
    anyOf,
    type,
    items,
    properties = {},
    required = [],
    ...rest
  } = schema as ExampleSchema
  if (examples) return examples[0]
  if ('const' in rest) return rest.const
  if (values) return values[0]
  if (anyOf) return exampleOf(anyOf[0] as ExampleSchema)
  if (type === 'array') return [exampleOf(items ?? {})]
  if (type === 'object') {
    return Object.fromEntries(required.map(name => [name, exampleOf(properties[name] as ExampleSchema)]))
  }
  return { string: '…', integer: 1, number: 1, boolean: false }[String(type)] ?? null
}
