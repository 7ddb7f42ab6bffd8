// Changes fields of a body in its own bytes, so that everything else arrives as it was written: numbers that no double can
// hold, their spelling, and texts that are not valid Unicode.
import { endOfText } from './names.ts'

const [QUOTE, COMMA] = [34, 44]
const [OBJECT, OBJECT_END, LIST, LIST_END] = [123, 125, 91, 93]
const [START, BETWEEN, END] = ['{', ',', '}'].map(text => Buffer.from(text)) as [Buffer, Buffer, Buffer]

/** `bytes` are those of a JSON object. A field whose new value is undefined is left out. */
export function edited(bytes: Buffer, changes: ReadonlyMap<string, unknown>): Buffer {
  const left = new Map(changes)
  const parts: Buffer[] = []
  /** Where the fields begin and end that stay and follow each other. */
  let [from, to] = [-1, -1]
  const keep = () => {
    if (from !== -1) parts.push(bytes.subarray(from, to))
    from = -1
  }
  eachMember(bytes, (start, nameEnd, end) => {
    const name = nameIn(bytes, start, nameEnd, left)
    if (name === null) {
      if (from === -1) from = start
      to = end
      return
    }
    keep()
    parts.push(...memberOf(name, left.get(name)))
    left.delete(name)
  })
  keep()
  for (const [name, value] of left) parts.push(...memberOf(name, value))
  return Buffer.concat([START, ...parts.flatMap((part, at) => (at === 0 ? [part] : [BETWEEN, part])), END])
}

const memberOf = (name: string, value: unknown): Buffer[] =>
  value === undefined ? [] : [Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`)]

/** The length of the longest name, with each character written as an escape. */
const NAME_BYTES_MAX = 6 * 32

/** The name if it is one of these. A body may have many others. */
function nameIn(bytes: Buffer, start: number, end: number, names: ReadonlyMap<string, unknown>): string | null {
  if (end - start > NAME_BYTES_MAX) return null
  const name = JSON.parse(bytes.toString('utf8', start, end)) as string
  return names.has(name) ? name : null
}

/** Calls `see` for each field of the object, with where its name begins and ends, and where its value ends. */
function eachMember(bytes: Buffer, see: (start: number, nameEnd: number, end: number) => void): void {
  let [depth, start, nameEnd] = [0, -1, -1]
  const add = (end: number) => {
    if (start !== -1) see(start, nameEnd, end)
    start = -1
  }
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      const end = endOfText(bytes, at)
      if (depth === 1 && start === -1) [start, nameEnd] = [at, end + 1]
      at = end
    } else if (byte === OBJECT || byte === LIST) depth++
    else if (byte === OBJECT_END || byte === LIST_END) {
      if (--depth === 0) add(at)
    } else if (byte === COMMA && depth === 1) add(at)
  }
}
