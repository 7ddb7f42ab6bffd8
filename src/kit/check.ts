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
      const faults = validator.Errors(value)[1].flatMap(error => describe(error as SchemaError, schema))
      // A misspelt field comes first: that the right one is missing only follows from it.
      return [...faults.filter(isMisspelt), ...faults.filter(fault => !isMisspelt(fault))]
    },
  }
}

export function invalidInput(fields: FieldFault[]): Fault {
  const first = fields[0] as FieldFault
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : ''
  return new Fault('invalid_input', { message: `\`${first.path}\` ${first.says}${more}.`, fields })
}

type SchemaError = {
  keyword: string
  schemaPath: string
  instancePath: string
  params: { requiredProperties?: string[]; additionalProperties?: string[]; allowedValues?: unknown[] }
  message: string
}

function describe({ keyword, schemaPath, instancePath, params, message }: SchemaError, root: TSchema): FieldFault[] {
  const path = instancePath.slice(1, 200).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  const below = (name: string) => (path ? `${path}.${name.slice(0, 100)}` : name.slice(0, 100))
  switch (keyword) {
    case 'required':
      return (params.requiredProperties ?? []).map(name => ({ path: below(name), says: 'is required' }))
    case 'additionalProperties':
      return unknownFields(params.additionalProperties ?? [], nodeAt(root, schemaPath)).map(({ name, says }) => ({
        path: below(name),
        says,
      }))
    case 'boolean':
      return [] // The same unknown field, reported a second time by TypeBox.
    case 'enum':
      return [{ path, says: `must be one of ${(params.allowedValues ?? []).join(', ')}` }]
    case 'format':
      return [{ path, says: 'must be a time in RFC 3339, such as 2026-11-15T09:30:00Z' }]
    case 'pattern': {
      const description = (nodeAt(root, schemaPath) as { description?: string }).description
      return [{ path, says: description ? `must be ${lowerFirst(description)}` : message }]
    }
    default:
      return [{ path: path || 'body', says: message }]
  }
}

const MISSPELT = 'is not a field here; did you mean '
const isMisspelt = ({ says }: FieldFault) => says.startsWith(MISSPELT)
/** Suggestions are for people, who misspell a field or two; a body with thousands must stay cheap. */
const SUGGESTIONS_MAX = 5

function unknownFields(names: readonly string[], schema: unknown): { name: string; says: string }[] {
  const declared = Object.keys((schema as { properties?: object }).properties ?? {})
  return names.map((name, at) => {
    const meant = at < SUGGESTIONS_MAX ? declared.find(field => isLike(field, name)) : undefined
    return { name, says: meant === undefined ? 'is not a field here' : `${MISSPELT}\`${meant}\`?` }
  })
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
