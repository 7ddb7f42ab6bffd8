// Checks a value against a schema and says, field by field, what is wrong with it.
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/schema'
import { Fault, type FieldFault } from './fault.ts'

export type Check = { passes(value: unknown): boolean; faults(value: unknown): FieldFault[] }

export function compileCheck(schema: TSchema): Check {
  const validator = Compile(schema)
  return {
    passes: value => validator.Check(value),
    faults: value => validator.Errors(value)[1].flatMap(error => describe(error as SchemaError, schema)),
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
      return (params.additionalProperties ?? []).map(name => ({ path: below(name), says: 'is not a field here' }))
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

function nodeAt(root: TSchema, schemaPath: string): unknown {
  let node: unknown = root
  for (const step of schemaPath.split('/').slice(1)) node = (node as Record<string, unknown>)[step]
  return node
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
