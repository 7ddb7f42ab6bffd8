// Parses the subset of regular expressions that means the same in every dialect: characters, sets, groups,
// alternatives, anchors, word boundaries and plain quantifiers. Other syntax, such as back-references and look-around,
// is unsupported, and patterns with it are not used.

export type Part =
  /** One character, in lower case; also a set of one letter such as `[wW]`. */
  | { kind: 'char'; code: number }
  /** One of several characters. */
  | { kind: 'set' }
  /** A zero-width assertion: an anchor or a word boundary. */
  | { kind: 'assertion' }
  | { kind: 'group'; alternatives: Part[][] }
  | { kind: 'repeat'; of: Part; min: number; max: number }

/** A larger count makes the compiled expression too big. */
const COUNT_MAX = 64
/** The only supported flag, at the start of a pattern: ignore case. */
export const CASE_INSENSITIVE = '(?i)'

type Cursor = { text: string; at: number }

/** The top-level alternatives of a pattern, or null if its syntax is unsupported. */
export function parsePattern(text: string): Part[][] | null {
  const ignoresCase = text.startsWith(CASE_INSENSITIVE)
  // Dialects fold the case of non-ASCII letters differently, and ranges of them are slow to compile.
  if (ignoresCase && !isAscii(text)) return null
  const cursor = { text, at: ignoresCase ? CASE_INSENSITIVE.length : 0 }
  const alternatives = parseAlternatives(cursor)
  return cursor.at === text.length ? alternatives : null
}

function parseAlternatives(cursor: Cursor): Part[][] | null {
  const alternatives: Part[][] = []
  do {
    if (alternatives.length > 0) cursor.at++
    const sequence = parseSequence(cursor)
    if (!sequence) return null
    alternatives.push(sequence)
  } while (cursor.text[cursor.at] === '|')
  return alternatives
}

function parseSequence(cursor: Cursor): Part[] | null {
  const parts: Part[] = []
  while (cursor.at < cursor.text.length && !'|)'.includes(cursor.text[cursor.at]!)) {
    const atom = parseAtom(cursor)
    const part = atom && parseQuantifier(cursor, atom)
    if (!part) return null
    parts.push(part)
  }
  return parts
}

function parseAtom(cursor: Cursor): Part | null {
  const char = cursor.text[cursor.at]!
  if (char === '(') return parseGroup(cursor)
  if (char === '[') return parseSet(cursor)
  if (char === '\\') return parseEscape(cursor)
  cursor.at++
  if ('*+?{}]'.includes(char)) return null
  if (char === '.') return { kind: 'set' }
  return char === '^' || char === '$' ? { kind: 'assertion' } : { kind: 'char', code: foldCase(char.charCodeAt(0)) }
}

function parseGroup(cursor: Cursor): Part | null {
  cursor.at++
  if (cursor.text.startsWith('?:', cursor.at)) cursor.at += 2
  const alternatives = parseAlternatives(cursor)
  return alternatives && cursor.text[cursor.at++] === ')' ? { kind: 'group', alternatives } : null
}

function parseEscape(cursor: Cursor): Part | null {
  const char = cursor.text[cursor.at + 1] ?? ''
  cursor.at += 2
  if (isPunctuation(char)) return { kind: 'char', code: char.charCodeAt(0) }
  if (/^[dwsDWS]$/.test(char)) return { kind: 'set' }
  return /^[bB]$/.test(char) ? { kind: 'assertion' } : null
}

const isAscii = (text: string) => Buffer.byteLength(text) === text.length

/** Only escaped punctuation means the character itself in every dialect. */
const isPunctuation = (char: string) => /^[ -/:-@[-`{-~]$/.test(char)

function parseSet(cursor: Cursor): Part | null {
  const start = cursor.at + 1
  let at = start
  for (; cursor.text[at] !== ']'; at++) {
    if (at >= cursor.text.length) return null
    if (
      cursor.text[at] === '\\' &&
      !/^[dwsDWS]$/.test(cursor.text[++at] ?? '') &&
      !isPunctuation(cursor.text[at] ?? '')
    ) {
      return null
    }
  }
  const inside = cursor.text.slice(start, at)
  cursor.at = at + 1
  if (inside === '' || inside === '^') return null
  const code = foldCase(inside.charCodeAt(0))
  const isOneChar = inside.length === 1 || (/^[a-z]{2}$/i.test(inside) && foldCase(inside.charCodeAt(1)) === code)
  return isOneChar ? { kind: 'char', code } : { kind: 'set' }
}

/** The part with the quantifier that follows it, if any. A second one, except the lazy `?`, is unsupported. */
function parseQuantifier(cursor: Cursor, of: Part): Part | null {
  const found = /^(?:[*+?]|\{(\d{1,3})(?:(,)(\d{0,3}))?\})/.exec(cursor.text.slice(cursor.at, cursor.at + 9))
  if (!found) return cursor.text[cursor.at] === '{' ? null : of
  cursor.at += found[0].length
  if (cursor.text[cursor.at] === '?') cursor.at++
  const [quantifier, low = '', comma, high] = found
  const min = quantifier[0] === '{' ? Number(low) : quantifier === '+' ? 1 : 0
  const max = quantifier === '?' ? 1 : quantifier[0] !== '{' || (comma && !high) ? Infinity : Number(high || low)
  const isBounded = min <= COUNT_MAX && (max <= COUNT_MAX || max === Infinity) && min <= max && max > 0
  return isBounded && of.kind !== 'assertion' ? { kind: 'repeat', of, min, max } : null
}

/** Lower-cases ASCII letters only, as dialects differ about others. */
export const foldCase = (code: number): number => (code >= 0x41 && code <= 0x5a ? code + 0x20 : code)
