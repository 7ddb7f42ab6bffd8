// Rejects input that is unsafe whatever its schema allows: unbounded nesting, text that PostgreSQL cannot store (NUL,
// lone surrogates), names with which a copy would change an object's prototype, and too many fields or values.
import { invalidInput } from '../kit/check.ts'
import type { FieldFault } from '../kit/fault.ts'
import type { BodyKind, Operation } from '../kit/operation.ts'

/** Deeper than any input needs; far below what would exhaust the stack of a recursive function. */
const DEPTH_MAX = 32
/** More than any operation has. Listing tens of thousands of unknown fields in a fault would block the event loop. */
const FIELDS_MAX = 500
/** Far more than any operation needs: 1,000 overrides of a set are about 4,000 values. The cost of an input grows with the
 *  number of its values, and a value may be as short as two bytes of the body. */
export const VALUES_MAX = 200_000

export function requireSafe(operation: Operation, input: Record<string, unknown>): void {
  const { bodyKind, passesUnknown, callsOperations } = operation
  if (!passesUnknown && Object.keys(input).length > FIELDS_MAX) {
    throw invalidInput([{ path: 'body', says: `must not have more than ${FIELDS_MAX} fields` }])
  }
  // What is sent to other operations is checked when they are called, so that one wrong input refuses one call.
  const kind = callsOperations && bodyKind === 'parsed' ? 'bytes' : bodyKind
  const checked = kind === 'none' || kind === 'json' ? input : checkedPart(kind, input)
  const fault = findUnsafe(checked, 0, { left: VALUES_MAX })
  if (fault) throw invalidInput([{ ...fault, path: fault.path || 'body' }])
}

/** Bytes and streams are not checked; of a parsed body, only the JSON is. */
function checkedPart(bodyKind: BodyKind, { body, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return bodyKind === 'parsed' ? { ...rest, body: (body as { json?: unknown } | null)?.json } : rest
}

/** The path is built only when something is found, so that safe input costs no strings. Lists and objects are counted
 *  before they are walked. */
function findUnsafe(value: unknown, depth: number, values: { left: number }): FieldFault | null {
  if (typeof value === 'string') return isStorable(value) ? null : { path: '', says: UNSTORABLE }
  if (typeof value !== 'object' || value === null) return null
  if (depth > DEPTH_MAX) return { path: '', says: `must not be nested deeper than ${DEPTH_MAX} levels` }
  if (Array.isArray(value)) {
    spend(values, value.length)
    for (let at = 0; at < value.length; at++) {
      const found = findUnsafe(value[at], depth + 1, values)
      if (found) return below(String(at), found)
    }
    return null
  }
  const names = Object.keys(value)
  spend(values, names.length)
  for (const name of names) {
    if (!isStorable(name)) return { path: '', says: UNSTORABLE }
    const inner = (value as Record<string, unknown>)[name]
    if (name === '__proto__' || (name === 'constructor' && typeof inner === 'object')) {
      return { path: name, says: 'is not allowed as a field name' }
    }
    const found = findUnsafe(inner, depth + 1, values)
    if (found) return below(name, found)
  }
  return null
}

function spend(values: { left: number }, count: number): void {
  values.left -= count
  if (values.left < 0) throw tooManyValues()
}

export const tooManyValues = () =>
  invalidInput([{ path: 'body', says: `must not have more than ${VALUES_MAX} values; send several smaller requests` }])

/** Clients choose the names, and a name may be as long as the body. */
const NAME_SHOWN_MAX = 100

function below(name: string, { path, says }: FieldFault): FieldFault {
  const shown = name.slice(0, NAME_SHOWN_MAX)
  return { path: path === '' ? shown : `${shown}.${path}`, says }
}

const UNSTORABLE = 'must be text without NUL and without lone surrogates'
const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()
