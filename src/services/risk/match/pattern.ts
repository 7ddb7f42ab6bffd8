// Reads free text, such as the name a browser gives itself, and judges publishers' regular expressions: which are safe
// to run on whatever a caller sends, and which text must stand in all that they match.
import { isOfAnotherKind } from './exact.ts'
import { CASELESS, type Part, parsePattern } from './pattern-syntax.ts'
import { isPlain, isShort, KEY_BYTES_MAX } from './text.ts'

/** Shorter literals are found in nearly every text and would spare nothing. */
const LITERAL_MIN = 3
const UNBOUNDED_MAX = 1
/** How often a repetition without bound can turn in a text of the greatest length, on average over where it starts. */
const TURNS = KEY_BYTES_MAX / 2
/** In how many ways a pattern may try to match from one place: two repetitions without bound, or sixteen `?`. */
const WAYS_MAX = TURNS ** 2
/** The same for a pattern that is tried on every text, since nothing tells beforehand that it cannot match. */
const WAYS_MAX_ALWAYS = TURNS

/** A member is the expression as published: white space around it can be part of it. */
export function patternFrom(text: string): string | null {
  return text !== '' && isShort(text) && isPlain(text) ? text : null
}

/** Whether a look-up key is text that no other matcher has a better reading of. */
export function isFreeText(text: string): boolean {
  return isShort(text) && isPlain(text) && text.trim() !== '' && !isOfAnotherKind(text)
}

export function isSafePattern(text: string): boolean {
  return literalOfSafe(text) !== null
}

/** Text that stands in whatever a safe pattern matches, letters in lower case; '' if unknown, null if it is not safe. */
export function literalOfSafe(text: string): string | null {
  const options = patternFrom(text) === null ? null : parsePattern(text)
  if (!options || !compiles(text) || unboundedIn(options) > UNBOUNDED_MAX) return null
  const literal = requiredIn(options)
  return waysThrough(options) <= (literal ? WAYS_MAX : WAYS_MAX_ALWAYS) ? literal : null
}

/** Case counts, unless the pattern says otherwise. */
export function compilePattern(text: string): RegExp {
  return text.startsWith(CASELESS) ? new RegExp(text.slice(CASELESS.length), 'i') : new RegExp(text)
}

function compiles(text: string): boolean {
  try {
    compilePattern(text)
    return true
  } catch {
    return false
  }
}

function unboundedIn(options: Part[][]): number {
  let count = 0
  for (const part of options.flat()) {
    if (part.kind === 'group') count += unboundedIn(part.options)
    if (part.kind === 'repeat') count += (part.max === Infinity ? 1 : 0) + unboundedIn([[part.of]])
  }
  return count
}

/** How many ways there are to go through alternatives. Those that begin with characters of their own leave no choice. */
function waysThrough(options: Part[][]): number {
  const ways = options.map(parts => parts.reduce((product, part) => product * waysOf(part), 1))
  const firsts = new Set(options.map(([first]) => (first?.kind === 'char' && first.code < 128 ? first.code : -1)))
  const isToldApart = options.length === 1 || (firsts.size === options.length && !firsts.has(-1))
  return isToldApart ? Math.max(...ways) : ways.reduce((sum, each) => sum + each, 0)
}

function waysOf(part: Part): number {
  if (part.kind === 'group') return waysThrough(part.options)
  if (part.kind !== 'repeat') return 1
  if (hasRepeat(part.of)) return Infinity
  const inner = waysOf(part.of)
  // What is repeated must take something each time and only in one way, or the ways multiply with every turn.
  if (part.max > 1 && (inner > 1 || canBeEmpty(part.of))) return Infinity
  return inner * Math.min(part.max - part.min + 1, TURNS)
}

function hasRepeat(part: Part): boolean {
  return part.kind === 'repeat' || (part.kind === 'group' && part.options.flat().some(hasRepeat))
}

function canBeEmpty(part: Part): boolean {
  if (part.kind === 'group') return part.options.some(parts => parts.every(canBeEmpty))
  return part.kind === 'edge' || (part.kind === 'repeat' && part.min === 0)
}

/** The longest run of characters that every match contains, or '' when there is none worth looking for. */
function requiredIn(options: Part[][]): string {
  const runs = ['']
  collectRuns(options, runs)
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '')
  return longest.length >= LITERAL_MIN ? longest : ''
}

/** The last run is the one still open. Alternatives end it, as none of them is certain; edges take no room in it. */
function collectRuns(options: Part[][], runs: string[]): void {
  const [only, ...others] = options
  if (!only || others.length > 0) {
    runs.push('')
    return
  }
  for (const part of only) {
    const inner = part.kind === 'repeat' ? part.of : part
    const isCertain = part.kind !== 'repeat' || part.min > 0
    if (part.kind === 'group') collectRuns(part.options, runs)
    else if (inner.kind === 'char' && inner.code < 128 && isCertain) {
      const char = String.fromCharCode(inner.code)
      runs[runs.length - 1] += char
      if (part.kind === 'repeat') runs.push(char)
    } else if (part.kind !== 'edge') runs.push('')
  }
}
