// Parses the part of regular expressions that is certain to mean the same to everybody: characters, sets, groups,
// alternatives, edges and plain repetition. Whatever else there is, such as references back and looks around, is not
// understood, and a pattern that holds it is not used.

export type Part =
  /** One character, in lower case; sets such as `[wW]` are that as well. */
  | { kind: 'char'; code: number }
  /** One character out of several. */
  | { kind: 'set' }
  /** A place between characters. */
  | { kind: 'edge' }
  | { kind: 'group'; options: Part[][] }
  | { kind: 'repeat'; of: Part; min: number; max: number }

/** A count beyond this makes an automaton too great for its worth. */
const COUNT_MAX = 64
/** The one mark at the front that says that case means nothing. */
export const CASELESS = '(?i)'

type Cursor = { text: string; at: number }

/** The alternatives a pattern consists of, or null when it is not understood. */
export function parsePattern(text: string): Part[][] | null {
  const isCaseless = text.startsWith(CASELESS)
  // There is no agreement about the case of other letters, and a range of them takes the engine long to make ready.
  if (isCaseless && !isAscii(text)) return null
  const cursor = { text, at: isCaseless ? CASELESS.length : 0 }
  const options = parseOptions(cursor)
  return cursor.at === text.length ? options : null
}

function parseOptions(cursor: Cursor): Part[][] | null {
  const options: Part[][] = []
  do {
    if (options.length > 0) cursor.at++
    const sequence = parseSequence(cursor)
    if (!sequence) return null
    options.push(sequence)
  } while (cursor.text[cursor.at] === '|')
  return options
}

function parseSequence(cursor: Cursor): Part[] | null {
  const parts: Part[] = []
  while (cursor.at < cursor.text.length && !'|)'.includes(cursor.text[cursor.at]!)) {
    const single = parseSingle(cursor)
    const part = single && parseRepeat(cursor, single)
    if (!part) return null
    parts.push(part)
  }
  return parts
}

function parseSingle(cursor: Cursor): Part | null {
  const char = cursor.text[cursor.at]!
  if (char === '(') return parseGroup(cursor)
  if (char === '[') return parseSet(cursor)
  if (char === '\\') return parseEscape(cursor)
  cursor.at++
  if ('*+?{}]'.includes(char)) return null
  if (char === '.') return { kind: 'set' }
  return char === '^' || char === '$' ? { kind: 'edge' } : { kind: 'char', code: fold(char.charCodeAt(0)) }
}

function parseGroup(cursor: Cursor): Part | null {
  cursor.at++
  if (cursor.text.startsWith('?:', cursor.at)) cursor.at += 2
  const options = parseOptions(cursor)
  return options && cursor.text[cursor.at++] === ')' ? { kind: 'group', options } : null
}

function parseEscape(cursor: Cursor): Part | null {
  const char = cursor.text[cursor.at + 1] ?? ''
  cursor.at += 2
  if (isMark(char)) return { kind: 'char', code: char.charCodeAt(0) }
  if (/^[dwsDWS]$/.test(char)) return { kind: 'set' }
  return /^[bB]$/.test(char) ? { kind: 'edge' } : null
}

const isAscii = (text: string) => Buffer.byteLength(text) === text.length

/** Only a mark means itself behind a backslash in every dialect. */
const isMark = (char: string) => /^[ -/:-@[-`{-~]$/.test(char)

function parseSet(cursor: Cursor): Part | null {
  const start = cursor.at + 1
  let at = start
  for (; cursor.text[at] !== ']'; at++) {
    if (at >= cursor.text.length) return null
    if (cursor.text[at] === '\\' && !/^[dwsDWS]$/.test(cursor.text[++at] ?? '') && !isMark(cursor.text[at] ?? '')) {
      return null
    }
  }
  const inside = cursor.text.slice(start, at)
  cursor.at = at + 1
  if (inside === '' || inside === '^') return null
  const code = fold(inside.charCodeAt(0))
  const isOne = inside.length === 1 || (/^[a-z]{2}$/i.test(inside) && fold(inside.charCodeAt(1)) === code)
  return isOne ? { kind: 'char', code } : { kind: 'set' }
}

/** The part with the repetition that follows it, if one does. A second one, but for the lazy mark, is not understood. */
function parseRepeat(cursor: Cursor, of: Part): Part | null {
  const found = /^(?:[*+?]|\{(\d{1,3})(?:(,)(\d{0,3}))?\})/.exec(cursor.text.slice(cursor.at, cursor.at + 9))
  if (!found) return cursor.text[cursor.at] === '{' ? null : of
  cursor.at += found[0].length
  if (cursor.text[cursor.at] === '?') cursor.at++
  const [mark, low = '', comma, high] = found
  const min = mark[0] === '{' ? Number(low) : mark === '+' ? 1 : 0
  const max = mark === '?' ? 1 : mark[0] !== '{' || (comma && !high) ? Infinity : Number(high || low)
  const isBounded = min <= COUNT_MAX && (max <= COUNT_MAX || max === Infinity) && min <= max && max > 0
  return isBounded && of.kind !== 'edge' ? { kind: 'repeat', of, min, max } : null
}

/** ASCII letters in lower case; others are left, as there is no agreement about them. */
export const fold = (code: number): number => (code >= 0x41 && code <= 0x5a ? code + 0x20 : code)
