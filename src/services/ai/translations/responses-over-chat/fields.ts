// Readers for the fields of a client's request. What they refuse is `Untranslatable`, with the path of the field.
import { type JsonObject, Untranslatable } from '../translation.ts'
import { isAbsent } from '../wire-fields.ts'

/** A longer name of an unknown field is cut, so that it is not repeated whole in the refusal. */
const NAME_LENGTH_MAX = 100

export const NOT_EXPRESSIBLE = 'cannot be expressed in chat completions'
export const NOT_STORED = 'refers to a stored response, but none are stored: send the whole conversation as `input`'

/** The values with which a client says that it does not want a feature. */
export const isOff = (value: unknown): boolean =>
  isAbsent(value) || value === false || value === 'disabled' || (Array.isArray(value) && value.length === 0)

export const below = (path: string, name: string | number): string => (path === '' ? `${name}` : `${path}.${name}`)

export function refuseUnknown(object: JsonObject, path: string, known: ReadonlySet<string>): void {
  for (const name of Object.keys(object)) {
    if (known.has(name)) continue
    throw new Untranslatable(below(path, name.slice(0, NAME_LENGTH_MAX)), 'is not a known field')
  }
}

export function refuseUnlessOff(object: JsonObject, path: string, names: Iterable<string>, says = NOT_EXPRESSIBLE) {
  for (const name of names) if (!isOff(object[name])) throw new Untranslatable(below(path, name), says)
}

export function booleanAt(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value
  throw new Untranslatable(path, 'must be a boolean')
}

/** Copies the fields that are present, under their names or new ones. */
export function copyPresent<Value>(
  from: JsonObject,
  path: string,
  fields: Iterable<readonly [name: string, read: (value: unknown, path: string) => Value, newName?: string]>,
): Record<string, Value> {
  const copied: Record<string, Value> = {}
  for (const [name, read, newName = name] of fields) {
    if (!isAbsent(from[name])) copied[newName] = read(from[name], below(path, name))
  }
  return copied
}
