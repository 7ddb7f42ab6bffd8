// Builds the flat input of an operation from the path and either the query or the body.
import { isUtf8 } from 'node:buffer'
import type { TSchema } from 'typebox'
import { invalidField } from '../kit/check.ts'
import type { Operation } from '../kit/operation.ts'
import { malformed } from './faults.ts'
import { invalidAt } from './json-error.ts'
import { tooManyValues, VALUES_MAX } from './safe-input.ts'

type Parts = { path: Record<string, string | undefined>; query: Record<string, unknown>; body: unknown }

export function readInput(operation: Operation, { path, query, body }: Parts): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  const { bodyKind, reader, pathFields, passesUnknown, callsOperations } = operation
  const fields = operation.input.properties
  for (const name in query) {
    const declared = Object.hasOwn(fields, name) && !pathFields.includes(name)
    if (passesUnknown && !declared) continue // Operations can read it from the URL.
    if (bodyKind === 'json' || (bodyKind === 'parsed' && !callsOperations)) {
      throw invalidField(name, 'must be sent in the body, not in the query')
    }
    add(input, name, fromQuery(name, query[name], fields[name]))
  }
  if (bodyKind === 'json') addBody(input, body)
  else if (bodyKind === 'parsed') addDeclared(input, operation, body as { json: unknown })
  else if (bodyKind === 'none' && !reader && body !== undefined) {
    throw malformed('This operation reads its input from the path and the query; send no body.')
  }
  for (const name of pathFields) {
    if (Object.hasOwn(input, name)) throw invalidField(name, 'must be sent in the path only')
    const value = path[name] ?? path['*']
    input[name] = value
  }
  if (reader || (bodyKind !== 'json' && bodyKind !== 'none')) input.body = body
  return input
}

function addBody(input: Record<string, unknown>, body: unknown): void {
  if (body === undefined) return
  if (!isObject(body)) throw invalidField('body', 'must be a JSON object')
  for (const name of Object.keys(body)) add(input, name, body[name])
}

/** Adds the declared fields of a `parsed` body. The whole body is also passed on. If the operation calls others, the
 *  body's fields are for those calls. Fields from the path are never overridden. */
function addDeclared(
  input: Record<string, unknown>,
  { input: declared, pathFields, callsOperations }: Operation,
  body: { json: unknown },
) {
  if (callsOperations || !isObject(body.json)) return
  for (const name of Object.keys(declared.properties)) {
    if (Object.hasOwn(body.json, name) && !pathFields.includes(name)) input[name] = body.json[name]
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Assigning `__proto__` would change the prototype instead of adding a field. */
function add(input: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') throw invalidField(name, 'is not a field here')
  input[name] = value
}

/** Parses numbers and booleans strictly, and a list from a parameter that may be repeated. Other values stay strings, which the schema check then rejects. */
function fromQuery(name: string, value: unknown, schema: TSchema | undefined): unknown {
  if (!schema) return value
  const { type } = schema as { type?: string }
  if (type === 'array') return [value].flat()
  if (Array.isArray(value)) throw invalidField(name, 'must be given once')
  const text = value as string
  if (type === 'integer' && /^-?(0|[1-9]\d{0,15})$/.test(text)) return Number(text)
  if (type === 'number' && /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (bytes.length > 2 * VALUES_MAX) requireCheap(bytes)
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8.')
  const text = bytes.toString('utf8')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(`The body is not valid JSON${whereInvalid(text)}.`, error)
  }
}

const [QUOTE, BACKSLASH, COMMA, BRACE, BRACKET] = Buffer.from('"\\,{[') as unknown as number[]

/** Far more bytes of numbers, literal names, punctuation and spaces than any operation needs. */
const OUTSIDE_TEXTS_MAX = 1024 * 1024

/** Checks a large body before parsing: millions of small values, or of long numbers, would block the event loop for up
 *  to half a second. Strings are parsed quickly. */
function requireCheap(bytes: Buffer): void {
  let [values, outside] = [VALUES_MAX, OUTSIDE_TEXTS_MAX]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      // To the end of the text.
      while (++at < bytes.length && bytes[at] !== QUOTE) if (bytes[at] === BACKSLASH) at++
    } else if ((byte === COMMA || byte === BRACE || byte === BRACKET) && --values < 0) throw tooManyValues()
    else if (--outside < 0) throw tooMuchOutside()
  }
}

const tooMuchOutside = () => invalidField('body', `must not have more than ${OUTSIDE_TEXTS_MAX} bytes outside of texts`)

/** Locating an error reads the body again, slower than JSON.parse does. */
const LOCATED_CHARS_MAX = 20_000

function whereInvalid(text: string): string {
  if (text.startsWith('\ufeff')) return ': it starts with a byte order mark'
  if (text.length > LOCATED_CHARS_MAX) return ''
  const at = invalidAt(text)
  const before = text.slice(0, at)
  const where = `line ${before.split('\n').length}, column ${at - before.lastIndexOf('\n')}`
  return at === text.length ? `: it ends too early, at ${where}` : `: see ${where}`
}
