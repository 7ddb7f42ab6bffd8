// Reads values of unknown shape, and names the field that does not fit.
import { type JsonObject, Untranslatable } from './translation.ts'

/** Makes the error for a field: `Untranslatable` for a client's request, a plain error for an upstream's answer. */
export type Fail = (path: string, says: string) => Error

export const untranslatable: Fail = (path, says) => new Untranslatable(path, says)
export const malformedUpstream: Fail = (path, says) =>
  new Error(`The answer of the upstream is malformed: ${path} ${says}`)

export const INEXPRESSIBLE = 'cannot be expressed'

/** Far above what schemas and tool arguments need; JSON.stringify overflows the stack at some thousand levels. */
const NESTING_MAX = 200
/** A name that a client chose is quoted in a message up to this length. */
const NAME_CHARS_MAX = 64

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined
}

export function objectAt(value: unknown, path: string, fail: Fail): JsonObject {
  if (!isObject(value)) throw fail(path, 'must be an object')
  return value
}

export function listAt(value: unknown, path: string, fail: Fail): unknown[] {
  if (!Array.isArray(value)) throw fail(path, 'must be an array')
  return value
}

export function textAt(value: unknown, path: string, fail: Fail): string {
  if (typeof value !== 'string') throw fail(path, 'must be a string')
  return value
}

export function nameAt(value: unknown, path: string, fail: Fail): string {
  if (typeof value !== 'string' || value === '') throw fail(path, 'must be a string that is not empty')
  return value
}

export function flagAt(value: unknown, path: string, fail: Fail): boolean {
  if (typeof value !== 'boolean') throw fail(path, 'must be true or false')
  return value
}

export function numberAt(value: unknown, path: string, fail: Fail): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw fail(path, 'must be a number')
  return value
}

export function countAt(value: unknown, path: string, fail: Fail): number {
  const count = countOrNone(value)
  if (count === undefined) throw fail(path, 'must be a whole number')
  return count
}

/** A count that an upstream reports. What is none is treated as not reported: the answer has been paid for, and is worth
 *  more than its usage. */
export function countOrNone(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** The text of a field that may be absent. */
export function textOrNone(value: unknown, path: string, fail: Fail): string | undefined {
  return isAbsent(value) ? undefined : textAt(value, path, fail)
}

/** A client's or a model's word as it is shown in a path or a message. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : `of type ${typeof value}`
  return text.length > NAME_CHARS_MAX ? `${text.slice(0, NAME_CHARS_MAX)}…` : text
}

export function fieldPath(path: string, name: string): string {
  return path === '' ? shown(name) : `${path}.${shown(name)}`
}

/** Refuses the first field that is set and not in `known`. */
export function refuseOthers(object: JsonObject, path: string, known: ReadonlySet<string>): void {
  for (const name of Object.keys(object)) {
    if (!known.has(name) && !isAbsent(object[name])) throw untranslatable(fieldPath(path, name), INEXPRESSIBLE)
  }
}

/** Without recursion, so that no nesting overflows the stack here. */
export function checkNesting(value: unknown, path: string, fail: Fail): void {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > NESTING_MAX) throw fail(path, `is nested more than ${NESTING_MAX} levels deep`)
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      for (const child of Array.isArray(item) ? item : Object.values(item)) {
        if (typeof child === 'object' && child !== null) next.push(child)
      }
    }
    level = next
  }
}

/** The JSON text of tool arguments in an answer, empty if there are none. Some servers send the object itself. */
export function argumentsTextAt(value: unknown, path: string, fail: Fail): string {
  if (!isObject(value)) return textOrNone(value, path, fail) ?? ''
  checkNesting(value, path, fail)
  return JSON.stringify(value)
}

/** Tool arguments, which the chat wire carries as JSON text. Some models send no text for a tool without parameters.
 *  `isCut` is whether the text may end anywhere; there are no arguments then. */
export function argumentsAt(value: unknown, path: string, fail: Fail, isCut = false): JsonObject {
  const text = textAt(value, path, fail)
  if (text.trim() === '') return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    if (isCut) return {}
    // The parser's message quotes the text, which may be long or private.
    throw fail(path, 'must be the JSON text of an object')
  }
  if (!isObject(parsed)) throw fail(path, 'must be the JSON text of an object')
  checkNesting(parsed, path, fail)
  return parsed
}

/** The data of a server-sent event. */
export function eventObject(data: string): JsonObject {
  let parsed: unknown
  try {
    parsed = JSON.parse(data)
  } catch {
    throw malformedUpstream('an event', 'must be JSON')
  }
  return objectAt(parsed, 'an event', malformedUpstream)
}
