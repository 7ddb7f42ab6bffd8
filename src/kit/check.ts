// Checks a value against a schema and describes each invalid field.
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/schema'
import { Fault, type FieldFault } from './fault.ts'

export type Check = { passes(value: unknown): boolean; faults(value: unknown): FieldFault[] }

export function compileCheck(schema: TSchema): Check {
  const validator = Compile(schema)
  return {
    passes: value => validator.Check(value),
    faults: value => {
      const unknown = unknownFields(value, schema)
      const others = validator.Errors(value)[1].flatMap(error => describe(error as SchemaError, schema))
      const faults = [...unknown]
      for (const fault of others) {
        const isKnown = isUnknown(fault) && faults.some(one => isUnknown(one) && one.path === fault.path)
        if (!isKnown) faults.push(fault)
      }
      // A misspelt field comes first: that the right one is missing only follows from it.
      return [...faults.filter(isMisspelt), ...faults.filter(fault => !isMisspelt(fault))]
    },
  }
}

export function invalidInput(fields: FieldFault[]): Fault {
  const first = fields[0] ?? { path: 'body', says: 'is not valid' }
  // Lists of unknown fields are cut, so a long one says nothing about how many there are.
  const others = fields.length >= UNKNOWN_MAX ? 'others' : `${fields.length - 1} more`
  const more = fields.length > 1 ? ` (and ${others})` : ''
  const end = first.says.endsWith('?') && !more ? '' : '.'
  return new Fault('invalid_input', { message: `\`${first.path}\` ${first.says}${more}${end}`, fields })
}

type SchemaError = {
  keyword: string
  schemaPath: string
  instancePath: string
  params: {
    requiredProperties?: string[]
    additionalProperties?: string[]
    allowedValues?: unknown[]
    type?: string | string[]
    limit?: number
  }
  message: string
}

function describe({ keyword, schemaPath, instancePath, params, message }: SchemaError, root: TSchema): FieldFault[] {
  const path = instancePath.slice(1, 200).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  const below = (name: string) => (path ? `${path}.${name.slice(0, 100)}` : name.slice(0, 100))
  switch (keyword) {
    case 'required':
      return (params.requiredProperties ?? []).map(name => ({ path: below(name), says: 'is required' }))
    case 'additionalProperties':
      return (params.additionalProperties ?? []).slice(0, UNKNOWN_MAX).map(name => {
        return { path: below(name), says: unknownText(name, nodeAt(root, schemaPath)) }
      })
    case 'boolean': // An unknown field, too. TypeBox reports eight errors at most, so the list of them may be missing.
      return [{ path, says: NOT_A_FIELD }]
    case 'enum':
      return [{ path, says: `must be one of ${(params.allowedValues ?? []).join(', ')}` }]
    case 'format':
      return [{ path, says: 'must be a time in RFC 3339, such as 2026-11-15T09:30:00Z' }]
    case 'pattern': {
      const description = (nodeAt(root, schemaPath) as { description?: string }).description
      return [{ path, says: description ? `must be ${lowerFirst(description)}` : message }]
    }
    case 'type':
      return [{ path: path || 'body', says: `must be ${[params.type].flat().map(typeName).join(' or ')}` }]
    default:
      return [{ path: path || 'body', says: BOUNDS[keyword]?.(params.limit ?? 0) ?? message }]
  }
}

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
const isUnknown = ({ says }: FieldFault) => says.startsWith(NOT_A_FIELD)
const isMisspelt = ({ says }: FieldFault) => says.startsWith(MISSPELT)
/** People misspell a field or two; a body with thousands of unknown ones must stay cheap. */
const UNKNOWN_MAX = 20

/** Of the whole input, found here because TypeBox stops after eight errors. */
function unknownFields(value: unknown, schema: TSchema): FieldFault[] {
  const { additionalProperties, properties } = schema as { additionalProperties?: unknown; properties?: object }
  if (additionalProperties !== false || typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const names = Object.keys(value).filter(name => !Object.hasOwn(properties ?? {}, name))
  return names.slice(0, UNKNOWN_MAX).map(name => ({ path: name.slice(0, 100), says: unknownText(name, schema) }))
}

function unknownText(name: string, schema: unknown): string {
  const declared = Object.keys((schema as { properties?: object }).properties ?? {})
  const meant = declared.find(field => isLike(field, name))
  return meant === undefined ? NOT_A_FIELD : `${MISSPELT}\`${meant}\`?`
}

/** Whether two names differ in case and separators only, or by one inserted, dropped, changed or swapped letter. */
function isLike(field: string, name: string): boolean {
  const [a, b] = [plain(field), plain(name.slice(0, 100))]
  if (a === b) return true
  if (a.length < 3 || Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  const [restA, restB] = [a.slice(start), b.slice(start)]
  if (restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1)) return true
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2)
}

const plain = (name: string) => name.toLowerCase().replace(/[-_ ]/g, '')

function nodeAt(root: TSchema, schemaPath: string): unknown {
  let node: unknown = root
  for (const step of schemaPath.split('/').slice(1)) node = (node as Record<string, unknown>)[step]
  return node
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
