// From a request to an operation's one flat input: path, then query or body, strictly read.
import { isUtf8 } from 'node:buffer'
import sjson from 'secure-json-parse'
import type { TSchema } from 'typebox'
import { invalidInput } from '../kit/check.ts'
import { notFound } from '../kit/fault.ts'
import type { Operation } from '../kit/operation.ts'
import { malformed } from './faults.ts'

/** Deeper than any body of ours; far less than what would exhaust the stack of whoever walks it. */
const DEPTH_MAX = 32

type Parts = { path: Record<string, string>; query: Record<string, unknown>; body: unknown }

export function readInput(operation: Operation, { path, query, body }: Parts): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  const inQuery = operation.bodyKind !== 'json'
  for (const name in query) {
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
    for (const name of Object.keys(body)) take(input, name, (body as Record<string, unknown>)[name])
  }
  for (const name of operation.pathFields) {
    if (Object.hasOwn(input, name)) throw invalidInput([{ path: name, says: 'comes from the path alone' }])
    const value = path[name] ?? path['*']
    if (value === '') throw notFound('path') // The router lets `/v1/projects/` pass for a slug that is empty.
    input[name] = value
  }
  refuseUnstorable(input, 0, '')
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
  if ((type === 'integer' || type === 'number') && /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8.')
  try {
    return sjson.parse(bytes.toString('utf8'), { protoAction: 'error', constructorAction: 'error' })
  } catch (error) {
    const forbidden = /forbidden prototype property/.test((error as Error).message)
    throw malformed(forbidden ? 'The body has a field no JSON of ours may have.' : 'The body is not valid JSON.', error)
  }
}

/** Bounds the depth, and refuses what PostgreSQL cannot store: NUL, and halves of surrogate pairs. */
function refuseUnstorable(value: unknown, depth: number, path: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      throw invalidInput([{ path, says: 'must be text without NUL and without lone surrogates' }])
    }
  } else if (typeof value === 'object' && value !== null) {
    if (depth > DEPTH_MAX) throw invalidInput([{ path, says: `must not be nested deeper than ${DEPTH_MAX} levels` }])
    for (const name of Object.keys(value)) {
      const below = path === '' ? name : `${path}.${name}`
      if (!Array.isArray(value)) refuseUnstorable(name, depth, path === '' ? 'body' : path)
      refuseUnstorable((value as Record<string, unknown>)[name], depth + 1, below)
    }
  }
}
