// Input that would do harm further in, whatever its schema allows: nesting without bound, text that PostgreSQL cannot store
// (NUL, halves of surrogate pairs), names by which a careless copy would change an object's prototype, and more unknown
// fields than are worth naming.
import { invalidInput } from '../kit/check.ts'
import type { FieldFault } from '../kit/fault.ts'
import type { BodyKind, Operation } from '../kit/operation.ts'

/** Deeper than any body of ours; far less than what would exhaust the stack of whoever walks it. */
const DEPTH_MAX = 32
/** More than any operation has; naming tens of thousands of unknown ones one by one would hold everybody up. */
const FIELDS_MAX = 500

export function requireSafe({ bodyKind, passesUnknown }: Operation, input: Record<string, unknown>): void {
  if (!passesUnknown && Object.keys(input).length > FIELDS_MAX) {
    throw invalidInput([{ path: 'body', says: `must not have more than ${FIELDS_MAX} fields` }])
  }
  const harm = harmIn(bodyKind === 'none' || bodyKind === 'json' ? input : inspected(bodyKind, input), 0)
  if (harm) throw invalidInput([{ ...harm, path: harm.path || 'body' }])
}

/** Bytes and streams have neither names nor depth; of a parsed body, the JSON has. */
function inspected(bodyKind: BodyKind, { body, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return bodyKind === 'parsed' ? { ...rest, body: (body as { json?: unknown } | null)?.json } : rest
}

/** The path is put together on the way back, so that an input without harm costs no strings. */
function harmIn(value: unknown, depth: number): FieldFault | null {
  if (typeof value === 'string') return storable(value) ? null : { path: '', says: UNSTORABLE }
  if (typeof value !== 'object' || value === null) return null
  if (depth > DEPTH_MAX) return { path: '', says: `must not be nested deeper than ${DEPTH_MAX} levels` }
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const found = harmIn(value[at], depth + 1)
      if (found) return below(String(at), found)
    }
    return null
  }
  for (const name of Object.keys(value)) {
    if (!storable(name)) return { path: '', says: UNSTORABLE }
    const inner = (value as Record<string, unknown>)[name]
    if (name === '__proto__' || (name === 'constructor' && typeof inner === 'object')) {
      return { path: name, says: 'is a name no field may have' }
    }
    const found = harmIn(inner, depth + 1)
    if (found) return below(name, found)
  }
  return null
}

const below = (name: string, { path, says }: FieldFault) => ({ path: path === '' ? name : `${name}.${path}`, says })
const UNSTORABLE = 'must be text without NUL and without lone surrogates'
const storable = (text: string) => !text.includes('\0') && text.isWellFormed()
