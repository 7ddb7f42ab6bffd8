// Reads free text, such as user agents, and analyses the regular expressions of sources: whether they are safe to run
// on any text a caller sends, and which literal every match contains.
import { isOfAnotherKind } from './exact.ts'
import { maxSteps } from './pattern-steps.ts'
import { CASE_INSENSITIVE, type Part, parsePattern } from './pattern-syntax.ts'
import { isPlain, isShort } from './text.ts'

/** Shorter literals occur in nearly every text and would not exclude any pattern. */
const LITERAL_MIN = 3

/** Limit of steps for one look-up. A step is one test of one character. The engine does a hundred million per second
 *  while it still interprets an expression, so a look-up ends within ten milliseconds. */
export const STEPS_MAX = 2 ** 20
/** The share for patterns without a literal, which are tried on every text. */
export const STEPS_MAX_ALWAYS = STEPS_MAX / 4
/** The share for the patterns of one literal. */
export const STEPS_MAX_LITERAL = STEPS_MAX - STEPS_MAX_ALWAYS

/** A safe pattern: the literal that every match contains, in lower case, or '' if there is none; and its maximum
 *  steps. */
export type PatternAnalysis = { literal: string; steps: number }

/** A member is the expression as published, not trimmed: white space around it can be part of it. */
export function patternFrom(text: string): string | null {
  return text !== '' && isShort(text) && isPlain(text) ? text : null
}

/** Whether a look-up key is text that no other matcher reads. */
export function isFreeText(text: string): boolean {
  return isShort(text) && isPlain(text) && text.trim() !== '' && !isOfAnotherKind(text)
}

export function isSafePattern(text: string): boolean {
  return analysePattern(text) !== null
}

/** Null for a pattern with unsupported syntax or too many steps. */
export function analysePattern(text: string): PatternAnalysis | null {
  const alternatives = patternFrom(text) === null ? null : parsePattern(text)
  if (!alternatives || !compiles(text)) return null
  const literal = requiredLiteral(alternatives)
  const steps = maxSteps(text, alternatives)
  return steps <= (literal ? STEPS_MAX_LITERAL : STEPS_MAX_ALWAYS) ? { literal, steps } : null
}

/** Case-sensitive, unless the pattern starts with `(?i)`. */
export function compilePattern(text: string): RegExp {
  return text.startsWith(CASE_INSENSITIVE) ? new RegExp(text.slice(CASE_INSENSITIVE.length), 'i') : new RegExp(text)
}

function compiles(text: string): boolean {
  try {
    compilePattern(text)
    return true
  } catch {
    return false
  }
}

/** The longest literal that every match contains, or '' if there is none of at least LITERAL_MIN characters. */
function requiredLiteral(alternatives: Part[][]): string {
  const runs = ['']
  collectRuns(alternatives, runs)
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '')
  return longest.length >= LITERAL_MIN ? longest : ''
}

/** Appends to the last run. Alternatives end it, as none of them must match; assertions consume nothing and do not. */
function collectRuns(alternatives: Part[][], runs: string[]): void {
  const [only, ...others] = alternatives
  if (!only || others.length > 0) {
    runs.push('')
    return
  }
  for (const part of only) {
    const inner = part.kind === 'repeat' ? part.of : part
    const isRequired = part.kind !== 'repeat' || part.min > 0
    if (part.kind === 'group') collectRuns(part.alternatives, runs)
    else if (inner.kind === 'char' && inner.code < 128 && isRequired) {
      const char = String.fromCharCode(inner.code)
      runs[runs.length - 1] += char
      if (part.kind === 'repeat') runs.push(char)
    } else if (part.kind !== 'assertion') runs.push('')
  }
}
