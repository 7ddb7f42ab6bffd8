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

/** Readers of fields, each of which throws what `fail` makes if the value does not fit. */
export function readersFor(fail: Fail) {
  const object = (value: unknown, path: string): JsonObject => {
    if (!isObject(value)) throw fail(path, 'must be an object')
    return value
  }
  const list = (value: unknown, path: string): unknown[] => {
    if (!Array.isArray(value)) throw fail(path, 'must be an array')
    return value
  }
  const text = (value: unknown, path: string): string => {
    if (typeof value !== 'string') throw fail(path, 'must be a string')
    return value
  }
  const name = (value: unknown, path: string): string => {
    if (typeof value !== 'string' || value === '') throw fail(path, 'must be a string that is not empty')
    return value
  }
  const flag = (value: unknown, path: string): boolean => {
    if (typeof value !== 'boolean') throw fail(path, 'must be true or false')
    return value
  }
  const number = (value: unknown, path: string): number => {
    if (typeof value !== 'number' || !Number.isFinite(value)) throw fail(path, 'must be a number')
    return value
  }
  const count = (value: unknown, path: string): number => {
    const found = countOrNone(value)
    if (found === undefined) throw fail(path, 'must be a whole number')
    return found
  }
  const textOrNone = (value: unknown, path: string) => (isAbsent(value) ? undefined : text(value, path))
  const checkNesting = (value: unknown, path: string): void => {
    if (isTooDeep(value)) throw fail(path, `is nested more than ${NESTING_MAX} levels deep`)
  }
  /** The JSON text of tool arguments in an answer, empty if there are none. Some servers send the object itself. */
  const argumentsText = (value: unknown, path: string): string => {
    if (!isObject(value)) return textOrNone(value, path) ?? ''
    checkNesting(value, path)
    return JSON.stringify(value)
  }
  /** Tool arguments, which the chat wire carries as JSON text. Some models send no text for a tool without parameters.
   *  `isCut` is whether the text may end anywhere; there are no arguments then. */
  const argumentsIn = (value: unknown, path: string, isCut = false): JsonObject => {
    const json = text(value, path)
    if (json.trim() === '') return {}
    let parsed: unknown
    try {
      parsed = JSON.parse(json)
    } catch {
      if (isCut) return {}
      // The parser's message quotes the text, which may be long or private.
    }
    if (!isObject(parsed)) throw fail(path, 'must be the JSON text of an object')
    checkNesting(parsed, path)
    return parsed
  }
  return { object, list, text, name, flag, number, count, textOrNone, checkNesting, argumentsText, argumentsIn }
}

/** Of the request of a client, and of the answer of an upstream. */
export const [asked, answered] = [readersFor(untranslatable), readersFor(malformedUpstream)]

/** A count that an upstream reports. An invalid count is treated as not reported: the answer has been paid for, and is worth
 *  more than its usage. */
export function countOrNone(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
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

/** The fields that are not sent on, and the values with which they are accepted. */
export type LeftOut = ReadonlyMap<string, (value: unknown) => boolean>

/** Refuses the first field of a request that is set, and neither translated nor left out. */
export function refuseInexpressible(body: JsonObject, translated: ReadonlySet<string>, leftOut: LeftOut): void {
  for (const [name, value] of Object.entries(body)) {
    asked.checkNesting(value, fieldPath('', name))
    if (isAbsent(value) || translated.has(name) || leftOut.get(name)?.(value)) continue
    throw untranslatable(fieldPath('', name), INEXPRESSIBLE)
  }
}

/** Whether the standard capacity is requested, which the wire calls `standard`. `auto` is the default of both wires. */
export function isStandardTier(value: unknown, standard: string): boolean {
  if (isAbsent(value) || value === 'auto') return false
  if (value !== standard) throw untranslatable('service_tier', INEXPRESSIBLE)
  return true
}

/** Without recursion, so that no nesting overflows the stack here. */
function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > NESTING_MAX) return true
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      for (const child of Array.isArray(item) ? item : Object.values(item)) {
        if (typeof child === 'object' && child !== null) next.push(child)
      }
    }
    level = next
  }
  return false
}

/** The data of a server-sent event. */
export function eventObject(data: string): JsonObject {
  let parsed: unknown
  try {
    parsed = JSON.parse(data)
  } catch {
    throw malformedUpstream('an event', 'must be JSON')
  }
  return answered.object(parsed, 'an event')
}
