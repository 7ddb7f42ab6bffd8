// Converts JSON Schema to TypeScript, one field per line, with descriptions as doc comments.
import { asShown } from '../../src/kit/fields.ts'

/** The subset of JSON Schema that declarations use. */
export type Schema = {
  title?: string
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

/** Keywords that do not affect the type. */
const ANNOTATIONS = ['title', 'description', 'examples']
const LINE_MAX = 100

/** The name of a schema's type, if it has one; otherwise its type is written inline. */
export type NameOf = (schema: Schema) => string | null
const unnamed: NameOf = () => null

/** Throws on unsupported schemas instead of silently writing `unknown`. */
export function typeText(schema: Schema, indent = '', nameOf = unnamed): string {
  return nameOf(schema) ?? definitionText(schema, indent, nameOf)
}

/** The type's definition, even if it has a name. */
export function definitionText(declared: Schema, indent: string, nameOf: NameOf): string {
  const schema = asShown(declared)
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return union(schema.enum.map(literal), indent)
  if (schema.anyOf) return unionOf(schema.anyOf, indent, nameOf)
  if (Array.isArray(schema.type)) return unionOf(alternatives(schema), indent, nameOf)
  if (schema.type === 'array' && !Array.isArray(schema.items)) return arrayText(schema.items ?? {}, indent, nameOf)
  if (schema.type === 'object') return objectText(schema, indent, nameOf)
  const plain = PLAIN[String(schema.type)]
  if (plain) return plain
  if (Object.keys(schema).every(keyword => ANNOTATIONS.includes(keyword))) return 'unknown'
  throw new Error(`Unsupported schema ${JSON.stringify(schema)}; add support in tools/generate/types.ts`)
}

/** One schema for each type of `type: [string, null]`. */
export const alternatives = ({ title: _ofAll, ...schema }: Schema): Schema[] =>
  [schema.type ?? []].flat().map(type => (type === 'null' ? { type } : { ...schema, type }))

function arrayText(items: Schema, indent: string, nameOf: NameOf): string {
  const text = typeText(items, indent, nameOf)
  const isUnion = (items.enum || items.anyOf) && nameOf(items) === null
  return isUnion ? `(${text})[]` : `${text}[]`
}

function objectText(schema: Schema, indent: string, nameOf: NameOf): string {
  const { properties = {}, required = [] } = schema
  const others = otherFields(schema)
  if (Object.keys(properties).length === 0) {
    return `Record<string, ${others.length > 0 ? unionOf(others, indent, nameOf) : 'never'}>`
  }
  const deeper = `${indent}  `
  const lines = Object.entries(properties).flatMap(([name, field]) => [
    ...(field.description ? [`${deeper}${docComment(field.description, deeper)}`] : []),
    `${deeper}${fieldName(name)}${required.includes(name) ? '' : '?'}: ${typeText(field, deeper, nameOf)}`,
  ])
  // `unknown`, because TypeScript requires the named fields to match the index signature too.
  if (others.length > 0) lines.push(`${deeper}[field: string]: unknown`)
  return `{\n${lines.join('\n')}\n${indent}}`
}

/** The schemas of fields that are not named. Without any declaration an object may contain anything. */
function otherFields({ properties, patternProperties, additionalProperties: more }: Schema): Schema[] {
  if (more === true || (more === undefined && !properties && !patternProperties)) return [{}]
  return [...Object.values(patternProperties ?? {}), ...(more ? [more] : [])]
}

const unionOf = (schemas: Schema[], indent: string, nameOf: NameOf) =>
  union(
    schemas.map(schema => typeText(schema, indent, nameOf)),
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

/** In one line, for a cell of a table. */
export function shortType(declared: Schema): string {
  const schema = asShown(declared)
  if (schema.anyOf) return schema.anyOf.map(shortType).join(' | ')
  if (Array.isArray(schema.type)) return alternatives(schema).map(shortType).join(' | ')
  if (schema.type === 'array') return `${shortType(schema.items ?? {})}[]`
  if (schema.type === 'object' || schema.type === 'integer') return schema.type
  return typeText(schema).replaceAll(/\s+/g, ' ').trim()
}
