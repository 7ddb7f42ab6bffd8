// From a request to an operation's one flat input: path, then query or body, strictly read.
import { isUtf8 } from 'node:buffer'
import type { TSchema } from 'typebox'
import { invalidInput } from '../kit/check.ts'
import { type FieldFault, notFound } from '../kit/fault.ts'
import type { Operation } from '../kit/operation.ts'
import { malformed } from './faults.ts'

/** Deeper than any body of ours; far less than what would exhaust the stack of whoever walks it. */
const DEPTH_MAX = 32
/** More than any operation has; naming tens of thousands of unknown ones one by one would hold everybody up. */
const FIELDS_MAX = 500

type Parts = { path: Record<string, string>; query: Record<string, unknown>; body: unknown }

export function readInput(operation: Operation, { path, query, body }: Parts): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  const inQuery = operation.bodyKind !== 'json'
  for (const name in query) {
    const declared = Object.hasOwn(operation.input.properties, name) && !operation.pathFields.includes(name)
    if (operation.passesUnknown && !declared) continue // It is in the URL, for who wants it.
    if (!inQuery) throw invalidInput([{ path: name, says: 'must be sent in the body, not in the query' }])
    take(input, name, fromQuery(name, query[name], operation.input.properties[name]))
  }
  if (operation.bodyKind === 'none' && body !== undefined) {
    throw malformed('This operation takes its input from the path and the query; send no body.')
  }
  if (operation.bodyKind === 'json' && body !== undefined) {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw invalidInput([{ path: 'body', says: 'must be a JSON object' }])
    }
    const names = Object.keys(body)
    if (names.length > FIELDS_MAX && !operation.passesUnknown) {
      throw invalidInput([{ path: 'body', says: `must not have more than ${FIELDS_MAX} fields` }])
    }
    for (const name of names) take(input, name, (body as Record<string, unknown>)[name])
  }
  for (const name of operation.pathFields) {
    if (Object.hasOwn(input, name)) throw invalidInput([{ path: name, says: 'comes from the path alone' }])
    const value = path[name] ?? path['*']
    if (path[name] === '') throw notFound('path') // The router lets `/v1/projects/` pass for a slug that is empty.
    input[name] = value
  }
  const harm = harmIn(input, 0)
  if (harm) throw invalidInput([{ ...harm, path: harm.path || 'body' }])
  if (operation.bodyKind === 'raw') input.body = body ?? Buffer.alloc(0)
  return input
}

/** Plain assignment of `__proto__` would change the object instead of adding a field. */
function take(input: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') throw invalidInput([{ path: name, says: 'is not a field here' }])
  input[name] = value
}

/** Query values are text; a field that is a number or a boolean is read strictly, or left for the check to refuse. */
function fromQuery(name: string, value: unknown, schema: TSchema | undefined): unknown {
  if (!schema) return value
  if (Array.isArray(value)) throw invalidInput([{ path: name, says: 'must be given once' }])
  const { type } = schema as { type?: string }
  const text = value as string
  if (type === 'integer' && /^-?(0|[1-9]\d{0,15})$/.test(text)) return Number(text)
  if (type === 'number' && /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8.')
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw malformed('The body is not valid JSON.', error)
  }
}

/** Finds what would do harm further in: nesting without bound, text that PostgreSQL cannot store (NUL, halves of
 *  surrogate pairs), and names by which a careless copy would change an object's prototype. The path is put together
 *  on the way back, so that an input without harm costs no strings. */
function harmIn(value: unknown, depth: number): FieldFault | null {
  if (typeof value === 'string') return storable(value) ? null : { path: '', says: UNSTORABLE }
  if (typeof value !== 'object' || value === null) return null
  if (depth > DEPTH_MAX) return { path: '', says: `must not be nested deeper than ${DEPTH_MAX} levels` }
  const list = Array.isArray(value)
  for (const name of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[name]
    if (!list && !storable(name)) return { path: '', says: UNSTORABLE }
    if (!list && (name === '__proto__' || (name === 'constructor' && typeof inner === 'object'))) {
      return { path: name, says: 'is a name no field may have' }
    }
    const found = harmIn(inner, depth + 1)
    if (found) return { ...found, path: found.path === '' ? name : `${name}.${found.path}` }
  }
  return null
}

const UNSTORABLE = 'must be text without NUL and without lone surrogates'
const storable = (text: string) => !text.includes('\0') && text.isWellFormed()
