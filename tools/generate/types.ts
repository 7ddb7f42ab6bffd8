// JSON Schema written out as TypeScript, one field a line, with each description as a doc comment.

/** The parts of JSON Schema that declarations use. */
export type Schema = {
  type?: string | string[]
  description?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  format?: string
  examples?: unknown[]
}

const PLAIN: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** Words that say nothing of the type. */
const ANNOTATIONS = ['title', 'description', 'examples']
const LINE_MAX = 100

/** Throws on what it cannot write, so that whoever declares the first of a kind learns it here, not by an `unknown`. */
export function typeText(schema: Schema, indent = ''): string {
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return union(schema.enum.map(literal), indent)
  if (schema.anyOf) return eitherOf(schema.anyOf, indent)
  if (Array.isArray(schema.type)) return eitherOf(alternatives(schema), indent)
  if (schema.type === 'array' && !Array.isArray(schema.items)) return arrayText(schema.items ?? {}, indent)
  if (schema.type === 'object') return objectText(schema, indent)
  const plain = PLAIN[String(schema.type)]
  if (plain) return plain
  if (Object.keys(schema).every(word => ANNOTATIONS.includes(word))) return 'unknown'
  throw new Error(`There is no TypeScript yet for ${JSON.stringify(schema)}; teach it to tools/generate/types.ts`)
}

/** `type: [string, null]` spelled out. */
export const alternatives = (schema: Schema): Schema[] =>
  [schema.type ?? []].flat().map(type => (type === 'null' ? { type } : { ...schema, type }))

function arrayText(items: Schema, indent: string): string {
  const text = typeText(items, indent)
  return items.enum || items.anyOf ? `(${text})[]` : `${text}[]`
}

function objectText(schema: Schema, indent: string): string {
  const { properties = {}, required = [] } = schema
  const others = otherFields(schema)
  if (Object.keys(properties).length === 0) {
    return `Record<string, ${others.length > 0 ? eitherOf(others, indent) : 'never'}>`
  }
  const deeper = `${indent}  `
  const lines = Object.entries(properties).flatMap(([name, field]) => [
    ...(field.description ? [`${deeper}${docComment(field.description, deeper)}`] : []),
    `${deeper}${fieldName(name)}${required.includes(name) ? '' : '?'}: ${typeText(field, deeper)}`,
  ])
  // TypeScript holds the named fields against this as well, whatever their types are.
  if (others.length > 0) lines.push(`${deeper}[field: string]: unknown`)
  return `{\n${lines.join('\n')}\n${indent}}`
}

/** What the fields without a name of their own may be. An object that says nothing of its fields may hold anything. */
function otherFields({ properties, patternProperties, additionalProperties: more }: Schema): Schema[] {
  if (more === true || (more === undefined && !properties && !patternProperties)) return [{}]
  return [...Object.values(patternProperties ?? {}), ...(more ? [more] : [])]
}

const eitherOf = (schemas: Schema[], indent: string) =>
  union(
    schemas.map(schema => typeText(schema, indent)),
    indent,
  )

function union(types: string[], indent: string): string {
  const distinct = [...new Set(types)]
  const line = distinct.join(' | ')
  return line.length <= LINE_MAX || line.includes('\n') ? line : distinct.map(type => `\n${indent}  | ${type}`).join('')
}

export function docComment(text: string, indent: string): string {
  const lines = text.replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `/** ${lines[0]} */`
  return ['/**', ...lines.map(line => `${indent} * ${line}`.trimEnd()), `${indent} */`].join('\n')
}

const fieldName = (name: string) => (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : literal(name))

function literal(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
