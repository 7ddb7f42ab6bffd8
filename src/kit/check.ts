// Checks a value against a schema and describes what is invalid. The cost of the description is bounded: of a million
// invalid values only the first few are described.
import type { TSchema } from 'typebox'
import * as Format from 'typebox/format'
import { Compile, Errors } from 'typebox/schema'
import { Fault, type FieldFault } from './fault.ts'

export type Check = { passes(value: unknown): boolean; faults(value: unknown): FieldFault[] }

// RFC 3339 also has leap seconds and the year 0, which neither Date nor the database takes, and offsets of 16 hours and more,
// which the database does not. `Date.parse` is not a number for the first, and no comparison is true then.
Format.Set('date-time', text => Format.IsDateTime(text) && Date.parse(text) >= YEAR_1 && !NOT_TAKEN.test(text))
const YEAR_1 = Date.parse('0001-01-01T00:00:00Z')
const NOT_TAKEN = /[+-](1[6-9]|2\d):\d\d$/

export function compileCheck(schema: TSchema): Check {
  const validator = Compile(schema)
  return {
    passes: value => validator.Check(value),
    faults: value => {
      const found: FieldFault[] = []
      addFaults(found, schema, value, '')
      // A misspelt field comes first, because it is why the required one is missing.
      return [...found.filter(isMisspelt), ...found.filter(fault => !isMisspelt(fault))]
    },
  }
}

export function invalidInput(fields: FieldFault[]): Fault {
  const first = fields[0] ?? { path: 'body', says: 'is not valid' }
  // The list is truncated, so a long one says nothing about the number of values.
  const others = fields.length >= FAULTS_MAX ? 'others' : `${fields.length - 1} more`
  const more = fields.length > 1 ? ` (and ${others})` : ''
  const end = first.says.endsWith('?') && !more ? '' : '.'
  return new Fault('invalid_input', { message: `\`${first.path}\` ${first.says}${more}${end}`, fields })
}

export const invalidField = (path: string, says: string): Fault => invalidInput([{ path, says }])

/** More than a person corrects in one go; the search stops there. */
const FAULTS_MAX = 20

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: unknown
  patternProperties?: unknown
  items?: Schema | Schema[]
  description?: string
  maxLength?: number
}

/** Walks objects and arrays itself, because TypeBox checks everything before it reports. TypeBox describes the leaves. */
function addFaults(found: FieldFault[], schema: Schema, value: unknown, path: string): void {
  const { properties, required = [], additionalProperties, items, ...own } = schema
  if (properties && !schema.patternProperties) {
    const isClosed = additionalProperties === false
    const other = isClosed || additionalProperties === undefined ? own : { ...own, additionalProperties }
    if (addOwnFaults(found, other, value, path, Object.keys(properties)) || !isObject(value)) return
    if (isClosed) addUnknown(found, properties, value, path)
    addFieldFaults(found, properties, required, value, path)
  } else if (items && !Array.isArray(items)) {
    if (addOwnFaults(found, own, value, path) || !Array.isArray(value)) return
    addItemFaults(found, items, value, path)
  } else if (!addLengthFault(found, schema, value, path)) addOwnFaults(found, schema, value, path)
}

/** A text that is too long gets no other fault: matching it against its pattern would cost time in proportion to its
 *  length. */
function addLengthFault(found: FieldFault[], { maxLength }: Schema, value: unknown, path: string): boolean {
  if (maxLength === undefined || typeof value !== 'string') return false
  return addOwnFaults(found, { maxLength }, value, path)
}

/** Whether there are any faults. `names` are the field names of an object. */
function addOwnFaults(
  found: FieldFault[],
  schema: Schema,
  value: unknown,
  path: string,
  names: readonly string[] = [],
): boolean {
  const errors = Errors(schema as TSchema, value)[1] as SchemaError[]
  found.push(...errors.slice(0, FAULTS_MAX - found.length).map(error => describe(error, schema, path, names)))
  return errors.length > 0
}

function addUnknown(found: FieldFault[], properties: object, value: object, path: string): void {
  const declared = Object.keys(properties)
  for (const name of Object.keys(value)) {
    if (found.length >= FAULTS_MAX) return
    if (Object.hasOwn(properties, name)) continue
    found.push({ path: below(path, name.slice(0, UNKNOWN_NAME_MAX)), says: unknownText(name, declared) })
  }
}

function addFieldFaults(
  found: FieldFault[],
  properties: Record<string, Schema>,
  required: string[],
  value: Record<string, unknown>,
  path: string,
): void {
  const missing = required.filter(name => !Object.hasOwn(value, name))
  for (const name of missing)
    if (found.length < FAULTS_MAX) found.push({ path: below(path, name), says: 'is required' })
  for (const [name, schema] of Object.entries(properties)) {
    if (found.length >= FAULTS_MAX) return
    const isAbsent = !Object.hasOwn(value, name) || (value[name] === undefined && !required.includes(name))
    if (!isAbsent) addFaults(found, schema, value[name], below(path, name))
  }
}

/** Compiled with the first invalid list. */
const itemValidators = new WeakMap<Schema, ReturnType<typeof Compile>>()

function addItemFaults(found: FieldFault[], items: Schema, value: unknown[], path: string): void {
  const validator = itemValidators.get(items) ?? Compile(items as TSchema)
  itemValidators.set(items, validator)
  for (let at = 0; at < value.length && found.length < FAULTS_MAX; at++) {
    if (!validator.Check(value[at])) addFaults(found, items, value[at], below(path, String(at)))
  }
}

const below = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type SchemaError = {
  keyword: string
  schemaPath: string
  instancePath: string
  params: { allowedValues?: unknown[]; type?: string | string[]; limit?: number }
  message: string
}

function describe(
  { keyword, schemaPath, instancePath, params, message }: SchemaError,
  root: Schema,
  from: string,
  names: readonly string[],
) {
  const within = instancePath.slice(1, 200).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  const path = (within ? below(from, within) : from) || 'body'
  switch (keyword) {
    case 'enum':
      return { path, says: `must be one of ${(params.allowedValues ?? []).join(', ')}` }
    case 'format':
      return { path, says: 'must be a time in RFC 3339, such as 2026-11-15T09:30:00Z' }
    case 'pattern': {
      const { description } = nodeAt(root, schemaPath)
      return { path, says: description ? `must be ${lowerFirst(description)}` : message }
    }
    case 'type': {
      const fields = path === 'body' ? '' : withFields(names)
      const types = [params.type].flat().map(type => typeName(type) + (type === 'object' ? fields : ''))
      return { path, says: `must be ${types.join(' or ')}` }
    }
    default:
      return { path, says: BOUNDS[keyword]?.(params.limit ?? 0) ?? message }
  }
}

/** Nobody would read more. */
const NAMES_MAX = 6

const withFields = (names: readonly string[]): string =>
  names.length === 0 || names.length > NAMES_MAX ? '' : ` with ${names.map(name => `\`${name}\``).join(', ')}`

const typeName = (type = '') => (type === 'null' ? type : `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`)

/** Other keywords have the message of TypeBox. */
const BOUNDS: Record<string, (limit: number) => string> = {
  minimum: limit => `must be at least ${limit}`,
  maximum: limit => `must be at most ${limit}`,
  minLength: limit => `must have at least ${counted(limit, 'character')}`,
  maxLength: limit => `must have at most ${counted(limit, 'character')}`,
  minItems: limit => `must have at least ${counted(limit, 'item')}`,
  maxItems: limit => `must have at most ${counted(limit, 'item')}`,
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

const NOT_A_FIELD = 'is not a field here'
const MISSPELT = `${NOT_A_FIELD}; did you mean `
const isMisspelt = ({ says }: FieldFault) => says.startsWith(MISSPELT)
const UNKNOWN_NAME_MAX = 100

function unknownText(name: string, declared: string[]): string {
  const meant = declared.find(field => isLike(field, name))
  return meant === undefined ? NOT_A_FIELD : `${MISSPELT}\`${meant}\`?`
}

/** Whether two names differ in case and separators only, or by one inserted, dropped, changed or swapped letter. */
function isLike(field: string, name: string): boolean {
  const [a, b] = [plain(field), plain(name.slice(0, UNKNOWN_NAME_MAX))]
  if (a === b) return true
  if (a.length < 3 || Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  const [restA, restB] = [a.slice(start), b.slice(start)]
  if (restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1)) return true
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2)
}

const plain = (name: string) => name.toLowerCase().replace(/[-_ ]/g, '')

function nodeAt(root: Schema, schemaPath: string): Schema {
  let node: unknown = root
  for (const step of schemaPath.split('/').slice(1)) node = (node as Record<string, unknown>)[step]
  return node as Schema
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
