// Rejects input that is unsafe whatever its schema allows: unbounded nesting, text that PostgreSQL cannot store (NUL, lone
// surrogates), names that would change an object's prototype when copied, and too many fields or values. A body that is
// passed on and not stored may contain any text.
import { invalidField, invalidInput } from '../kit/check.ts'
import type { FieldFault } from '../kit/fault.ts'
import type { BodyKind, Operation, ParsedBody } from '../kit/operation.ts'
import { isStorable } from '../kit/storable.ts'

type Rules = { depthMax: number; isStored: boolean }

/** Deeper than any input needs; far below what would exhaust the stack of a recursive function. */
const OURS: Rules = { depthMax: 32, isStored: true }
/** Model output may be nested deeper than our own inputs. */
const PASSED_ON: Rules = { depthMax: 128, isStored: false }
/** More than any operation has. Listing tens of thousands of unknown fields in a fault would block the event loop. */
const FIELDS_MAX = 500
/** Far more than any operation needs: 1,000 overrides of a set are about 4,000 values. The cost of an input grows with the
 *  number of its values, and a value may be as short as two bytes of the body. */
export const VALUES_MAX = 200_000

export function requireSafe(operation: Operation, input: Record<string, unknown>): void {
  const { bodyKind, reader, passesUnknown, passesBody, callsOperations } = operation
  const fields = passesBody ? (input.body as ParsedBody | null)?.json : passesUnknown ? null : input
  if (typeof fields === 'object' && fields !== null && Object.keys(fields).length > FIELDS_MAX) {
    throw invalidField('body', `must not have more than ${FIELDS_MAX} fields`)
  }
  // Inputs of called operations are checked when they are called, so that a wrong one refuses only that call.
  const kind = reader || (callsOperations && bodyKind === 'parsed') ? 'bytes' : bodyKind
  const values = { left: VALUES_MAX }
  const fault =
    kind === 'none' || kind === 'json'
      ? findUnsafe(input, 0, OURS, values)
      : findInParts(kind, input, passesBody ? PASSED_ON : OURS, values)
  if (fault) throw invalidInput([{ ...fault, path: fault.path || 'body' }])
}

/** Bytes, values read from them and streams are not checked; of a parsed body, only the JSON is. Its declared fields are
 *  our own. */
function findInParts(
  bodyKind: BodyKind,
  { body, ...rest }: Record<string, unknown>,
  rules: Rules,
  values: Values,
): FieldFault | null {
  const found = findUnsafe(rest, 0, OURS, values)
  if (found || bodyKind !== 'parsed') return found
  const within = findUnsafe((body as { json?: unknown } | null)?.json, 1, rules, values)
  return within && below('body', within)
}

type Values = { left: number }

/** The path is built only when something is found, so that safe input costs no strings. Lists and objects are counted
 *  before they are walked. */
function findUnsafe(value: unknown, depth: number, rules: Rules, values: Values): FieldFault | null {
  const { depthMax, isStored } = rules
  if (typeof value === 'string') return !isStored || isStorable(value) ? null : { path: '', says: UNSTORABLE }
  if (typeof value !== 'object' || value === null) return null
  if (depth > depthMax) return { path: '', says: `must not be nested deeper than ${depthMax} levels` }
  if (Array.isArray(value)) {
    spend(values, value.length)
    for (let at = 0; at < value.length; at++) {
      const found = findUnsafe(value[at], depth + 1, rules, values)
      if (found) return below(String(at), found)
    }
    return null
  }
  const names = Object.keys(value)
  spend(values, names.length)
  for (const name of names) {
    if (isStored && !isStorable(name)) return { path: '', says: UNSTORABLE }
    const inner = (value as Record<string, unknown>)[name]
    if (name === '__proto__' || (isStored && name === 'constructor' && typeof inner === 'object')) {
      return { path: name, says: 'is not allowed as a field name' }
    }
    const found = findUnsafe(inner, depth + 1, rules, values)
    if (found) return below(name, found)
  }
  return null
}

function spend(values: Values, count: number): void {
  values.left -= count
  if (values.left < 0) throw tooManyValues()
}

export const tooManyValues = () =>
  invalidField('body', `must not have more than ${VALUES_MAX} values; send several smaller requests`)

/** Clients choose the names, and a name may be as long as the body. */
const NAME_SHOWN_MAX = 100

function below(name: string, { path, says }: FieldFault): FieldFault {
  const shown = name.slice(0, NAME_SHOWN_MAX)
  return { path: path === '' ? shown : `${shown}.${path}`, says }
}

const UNSTORABLE = 'must be text without NUL and without lone surrogates'
