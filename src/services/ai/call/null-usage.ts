// If usage is requested, OpenAI sends `"usage":null` in every chunk but the last. Such chunks need not be parsed.

/** A quote inside of a text is escaped, so that this is always the name of a field. */
export const USAGE = Buffer.from('"usage"')
const NULL_FIELD = Buffer.from(',"usage":null')
const [LF, QUOTE, BACKSLASH] = [10, 34, 92]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [91, 93, 123, 125]

/** Whether usage is null wherever these events have it. `first` is where `USAGE` occurs first. */
export function isNullUsage(bytes: Buffer, first: number): boolean {
  for (let at = first; at !== -1; at = bytes.indexOf(USAGE, at + USAGE.length)) {
    if (!isNullField(bytes, at - 1)) return false
  }
  return true
}

/** The same events without it; null unless it is null, and on the top level, wherever they have it. */
export function cutNullUsage(bytes: Buffer, first: number): Buffer | null {
  const parts: Buffer[] = []
  let from = 0
  for (let at = first; at !== -1; at = bytes.indexOf(USAGE, from)) {
    const start = at - 1
    if (!isNullField(bytes, start) || !isOnTop(bytes, start)) return null
    parts.push(bytes.subarray(from, start))
    from = start + NULL_FIELD.length
  }
  parts.push(bytes.subarray(from))
  return Buffer.concat(parts)
}

function isNullField(bytes: Buffer, start: number): boolean {
  for (let at = 0; at < NULL_FIELD.length; at++) if (bytes[start + at] !== NULL_FIELD[at]) return false
  return true
}

/** Whether that place is in one object, the whole one of its line. */
function isOnTop(bytes: Buffer, place: number): boolean {
  let depth = 0
  let isText = false
  for (let at = bytes.lastIndexOf(LF, place) + 1; at < place; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) isText = !isText
    else if (isText) at += byte === BACKSLASH ? 1 : 0
    else if (byte === OBJECT || byte === LIST) depth++
    else if (byte === OBJECT_END || byte === LIST_END) depth--
  }
  return depth === 1 && !isText
}
