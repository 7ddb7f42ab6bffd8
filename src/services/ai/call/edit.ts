// Changes fields of a body in its own bytes, so that everything else arrives as it was written: numbers that no double can
// hold, their spelling, and texts that are no Unicode.
const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44]
const [OBJECT, OBJECT_END, LIST, LIST_END] = [123, 125, 91, 93]
const [START, BETWEEN, END] = ['{', ',', '}'].map(text => Buffer.from(text)) as [Buffer, Buffer, Buffer]

/** `bytes` are those of a JSON object. A field whose new value is undefined is left out. */
export function edited(bytes: Buffer, changes: ReadonlyMap<string, unknown>): Buffer {
  const left = new Map(changes)
  const members: Buffer[] = []
  for (const { name, text } of membersIn(bytes)) {
    if (!left.has(name)) members.push(text)
    else members.push(...memberOf(name, left.get(name)))
    left.delete(name)
  }
  for (const [name, value] of left) members.push(...memberOf(name, value))
  return Buffer.concat([START, ...members.flatMap((member, at) => (at === 0 ? [member] : [BETWEEN, member])), END])
}

const memberOf = (name: string, value: unknown): Buffer[] =>
  value === undefined ? [] : [Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`)]

/** The fields of the object, each with its name and its value as they are written. */
function membersIn(bytes: Buffer): { name: string; text: Buffer }[] {
  const members: { name: string; text: Buffer }[] = []
  let [depth, from, nameEnd] = [0, -1, -1]
  const add = (to: number) => {
    if (from === -1) return
    const name = JSON.parse(bytes.toString('utf8', from, nameEnd)) as string
    members.push({ name, text: bytes.subarray(from, to) })
    from = -1
  }
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      const end = endOfText(bytes, at)
      if (depth === 1 && from === -1) [from, nameEnd] = [at, end + 1]
      at = end
    } else if (byte === OBJECT || byte === LIST) depth++
    else if (byte === OBJECT_END || byte === LIST_END) {
      if (--depth === 0) add(at)
    } else if (byte === COMMA && depth === 1) add(at)
  }
  return members
}

/** Where the closing quote is of a text that begins with the quote at `from`. */
function endOfText(bytes: Buffer, from: number): number {
  for (let at = from + 1; ; ) {
    const quote = bytes.indexOf(QUOTE, at)
    if (quote === -1) return bytes.length
    let first = quote
    while (first > at && bytes[first - 1] === BACKSLASH) first--
    if ((quote - first) % 2 === 0) return quote
    at = quote + 1
  }
}
