// Finds where a text stops being JSON. JSON.parse does not report it for every error, and quotes the text in its message.

const SPACE = /[\t\n\r ]*/y
/** A string without its closing quote. JSON allows no control characters in it. */
const STRING = /"(?:[ !#-[\]-\uffff]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*/y
const ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?/y
/** A number, or the beginning of one. */
const NUMBER = /-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?/y
const LITERALS = ['true', 'false', 'null']

/** The index of the first character that cannot continue the JSON before it, or the length of the text if it only ends
 *  too early. Linear and without recursion. The text must be invalid. */
export function invalidAt(text: string): number {
  const open: ('{' | '[')[] = []
  let expected: 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma' = 'value'
  for (let at = after(SPACE, text, 0); at < text.length; at = after(SPACE, text, at)) {
    const char = text[at] as string
    const container = open.at(-1)
    const closes = container !== undefined && char === (container === '{' ? '}' : ']')
    if (closes && (expected === 'comma' || expected.endsWith('or end'))) {
      open.pop()
      expected = 'comma'
      at++
    } else if (expected === 'colon' || expected === 'comma') {
      if (char !== (expected === 'colon' ? ':' : ',') || (expected === 'comma' && container === undefined)) return at
      expected = expected === 'comma' && container === '{' ? 'key' : 'value'
      at++
    } else if (expected.startsWith('value') && (char === '{' || char === '[')) {
      open.push(char)
      expected = char === '{' ? 'key or end' : 'value or end'
      at++
    } else {
      const { end, isComplete } = expected.startsWith('key') ? stringAt(text, at) : scalarAt(text, at)
      if (!isComplete) return end
      expected = expected.startsWith('key') ? 'colon' : 'comma'
      at = end
    }
  }
  return text.length
}

type Token = { end: number; isComplete: boolean }

function scalarAt(text: string, at: number): Token {
  const char = text[at] as string
  if (char === '"') return stringAt(text, at)
  if (char === '-' || (char >= '0' && char <= '9')) {
    const end = after(NUMBER, text, at)
    return { end, isComplete: /\d$/.test(text.slice(end - 1, end)) }
  }
  const literal = LITERALS.find(one => one[0] === char) ?? ''
  let length = 0
  while (length < literal.length && text[at + length] === literal[length]) length++
  return { end: at + length, isComplete: literal !== '' && length === literal.length }
}

function stringAt(text: string, at: number): Token {
  if (text[at] !== '"') return { end: at, isComplete: false }
  const end = after(STRING, text, at)
  if (text[end] === '"') return { end: end + 1, isComplete: true }
  return { end: text[end] === '\\' ? after(ESCAPE, text, end) : end, isComplete: false }
}

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
