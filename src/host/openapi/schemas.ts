// The document's named schemas. TypeBox schemas are JSON Schema: one with a `title` becomes a component of that name and is
// referenced wherever it occurs.
import { isDeepStrictEqual } from 'node:util'
import { asShown } from '../../kit/fields.ts'

/** A JSON Schema, as declared or as written into the document. */
export type Schema = { readonly [keyword: string]: unknown }

export type Schemas = {
  /** Adds a component and returns the reference to it. */
  add(name: string, schema: object): Schema
  /** The schema as it appears in the document: a reference if it has a title. */
  write(schema: object): Schema
  /** Every component, by name. */
  all(): Record<string, Schema>
}

const NAME = /^[A-Z][A-Za-z0-9]*$/

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = ['items', 'additionalProperties']
const LIST = ['anyOf', 'allOf', 'oneOf']
const BY_NAME = ['properties', 'patternProperties']

/** The pattern that TypeBox writes for a record with arbitrary keys. */
const ANY_KEY = '^.*$'

export function openSchemas(): Schemas {
  const named = new Map<string, Schema>()

  function add(name: string, schema: object): Schema {
    if (!NAME.test(name)) throw new Error(`a schema cannot be named ${name}; use letters and digits, a capital first`)
    const body = bodyOf(schema)
    const before = named.get(name)
    if (before && !isDeepStrictEqual(before, body)) {
      throw new Error(`two different schemas are named ${name}; give one of them another title`)
    }
    named.set(name, body)
    return { $ref: `#/components/schemas/${name}` }
  }

  function write(schema: object): Schema {
    const { title } = schema as Schema
    return typeof title === 'string' ? add(title, schema) : bodyOf(schema)
  }

  function bodyOf(schema: object): Schema {
    const { title: _, ...rest } = schema as Schema
    const entries = Object.entries(withPlainPattern(withAnyKey(withType(asShown(rest))))).map(([keyword, value]) => {
      if (LIST.includes(keyword)) return [keyword, (value as object[]).map(write)]
      if (BY_NAME.includes(keyword)) return [keyword, mapValues(value as Record<string, object>, write)]
      return [keyword, ONE.includes(keyword) && isObject(value) ? write(value) : value]
    })
    return Object.fromEntries(entries)
  }

  const all = () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { add, write, all }
}

/** Generators write a better type for an enumeration with a type. */
function withType(schema: Schema): Schema {
  const { enum: values, type } = schema
  const isText = type === undefined && Array.isArray(values) && values.every(value => typeof value === 'string')
  return isText ? { type: 'string', ...schema } : schema
}

/** Few generators know `patternProperties`. */
function withAnyKey(schema: Schema): Schema {
  const { patternProperties, ...rest } = schema as { patternProperties?: Record<string, object> }
  const patterns = Object.keys(patternProperties ?? {})
  if (patterns.length !== 1 || patterns[0] !== ANY_KEY) return schema
  return { ...rest, additionalProperties: patternProperties?.[ANY_KEY] }
}

/** Many tools compile patterns without the flag `u`, so that a class such as `\p{L}` would match other texts. The
 *  field's description says what it must be, and the host checks it. */
function withPlainPattern(schema: Schema): Schema {
  const { pattern, ...rest } = schema
  return typeof pattern === 'string' && pattern.includes('\\p{') ? rest : schema
}

const mapValues = <A, B>(record: Record<string, A>, to: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value)]))

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
