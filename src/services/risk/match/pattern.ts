// Reads free text, such as the name a browser gives itself, and judges publishers' regular expressions: which are safe
// to run on whatever a caller sends, and which text must stand in all that they match.
import { isOfAnotherKind } from './exact.ts'
import { stepsOf } from './pattern-steps.ts'
import { CASELESS, type Part, parsePattern } from './pattern-syntax.ts'
import { isPlain, isShort } from './text.ts'

/** Shorter literals are found in nearly every text and would spare nothing. */
const LITERAL_MIN = 3

/** A step is one look at one character, of which the engine takes a hundred million in a second while an expression is new to
 *  it: one look-up ends within ten milliseconds. */
export const STEPS_MAX = 2 ** 20
/** The part of it for patterns that are tried on every text, since nothing tells beforehand that they cannot match. */
export const STEPS_MAX_ALWAYS = STEPS_MAX / 4
/** What is left for those that share a literal, or for one of them. */
export const STEPS_MAX_LITERAL = STEPS_MAX - STEPS_MAX_ALWAYS

/** A pattern that may be tried: the text that stands in all it matches, letters in lower case, or '' if there is none; and
 *  how many steps it takes at the most. */
export type Judged = { literal: string; steps: number }

/** A member is the expression as published: white space around it can be part of it. */
export function patternFrom(text: string): string | null {
  return text !== '' && isShort(text) && isPlain(text) ? text : null
}

/** Whether a look-up key is text that no other matcher has a better reading of. */
export function isFreeText(text: string): boolean {
  return isShort(text) && isPlain(text) && text.trim() !== '' && !isOfAnotherKind(text)
}

export function isSafePattern(text: string): boolean {
  return judgePattern(text) !== null
}

/** Null for a pattern that is not understood or that could take too long. */
export function judgePattern(text: string): Judged | null {
  const options = patternFrom(text) === null ? null : parsePattern(text)
  if (!options || !compiles(text)) return null
  const literal = requiredIn(options)
  const steps = stepsOf(text, options)
  return steps <= (literal ? STEPS_MAX_LITERAL : STEPS_MAX_ALWAYS) ? { literal, steps } : null
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
