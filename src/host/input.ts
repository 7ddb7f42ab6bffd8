// From an HTTP request to an operation's one flat input: path, then query or body, strictly read.
import { isUtf8 } from 'node:buffer'
import type { TSchema } from 'typebox'
import { invalidInput } from '../kit/check.ts'
import { notFound } from '../kit/fault.ts'
import type { Operation } from '../kit/operation.ts'
import { malformed } from './faults.ts'

type Parts = { path: Record<string, string | undefined>; query: Record<string, unknown>; body: unknown }

export function readInput(operation: Operation, { path, query, body }: Parts): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  const { bodyKind, pathFields, passesUnknown } = operation
  const fields = operation.input.properties
  for (const name in query) {
    const declared = Object.hasOwn(fields, name) && !pathFields.includes(name)
    if (passesUnknown && !declared) continue // It is in the URL, for who wants it.
    if (bodyKind === 'json') throw invalidInput([{ path: name, says: 'must be sent in the body, not in the query' }])
    add(input, name, fromQuery(name, query[name], fields[name]))
  }
  if (bodyKind === 'json') addBody(input, body)
  else if (bodyKind === 'parsed') addDeclared(input, operation, body as { json: unknown })
  else if (bodyKind === 'none' && body !== undefined) {
    throw malformed('This operation takes its input from the path and the query; send no body.')
  }
  for (const name of pathFields) {
    if (Object.hasOwn(input, name)) throw invalidInput([{ path: name, says: 'comes from the path alone' }])
    const value = path[name] ?? path['*']
    if (path[name] === '') throw notFound('path') // The router lets `/v1/projects/` pass for a slug that is empty.
    input[name] = value
  }
  if (bodyKind !== 'json' && bodyKind !== 'none') input.body = body
  return input
}

function addBody(input: Record<string, unknown>, body: unknown): void {
  if (body === undefined) return
  if (!isObject(body)) throw invalidInput([{ path: 'body', says: 'must be a JSON object' }])
  for (const name of Object.keys(body)) add(input, name, body[name])
}

/** Of a body that is not ours, the fields we know. It stays whole besides. */
function addDeclared(
  input: Record<string, unknown>,
  { input: declared, pathFields }: Operation,
  body: { json: unknown },
) {
  if (!isObject(body.json)) return
  for (const name of Object.keys(declared.properties)) {
    if (Object.hasOwn(body.json, name) && !pathFields.includes(name)) input[name] = body.json[name]
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Plain assignment of `__proto__` would change the object instead of adding a field. */
function add(input: Record<string, unknown>, name: string, value: unknown): void {
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
