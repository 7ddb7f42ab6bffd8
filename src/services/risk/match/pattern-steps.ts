// Worst-case cost of a pattern in a backtracking regex engine: the steps to compile it, and to find that it does not
// match at any position of the longest text. A step is one test of one character or assertion.
import { CASE_INSENSITIVE, type Part } from './pattern-syntax.ts'
import { KEY_BYTES_MAX } from './text.ts'

/** The cost of compiling an expression, in steps: the base, per character, and per negated class (`\D`, `\S`, `\W`)
 *  in a case-insensitive pattern, where the engine folds the case of nearly all characters. */
const STEPS_COMPILE = 1_500
const STEPS_COMPILE_CHARACTER = 120
const STEPS_COMPILE_NEGATED = 7_500
const POSITIONS = KEY_BYTES_MAX + 1
/** How often an unbounded repeat can iterate in the longest text: the mean over its start positions. */
const REPEATS_MEAN = KEY_BYTES_MAX / 2
const UNBOUNDED_REPEATS_MAX = 1

type Cost = {
  steps: number
  /** How often the next part is tried: over all positions and all paths through the preceding parts. */
  attempts: number
  /** Whether the attempts of each path are all at different positions. Then a required literal reduces them. */
  hasDistinctPositions: boolean
}

/** For a pattern and its parsed alternatives. Infinite if the number of paths could multiply with the length of a
 *  text. */
export function maxSteps(pattern: string, alternatives: Part[][]): number {
  if (unboundedRepeats(alternatives) > UNBOUNDED_REPEATS_MAX) return Infinity
  const costs = alternatives.map(parts =>
    sequenceCost(parts, { steps: 0, attempts: POSITIONS, hasDistinctPositions: true }),
  )
  return costs.reduce((sum, { steps }) => sum + steps, compileSteps(pattern))
}

function compileSteps(pattern: string): number {
  const negated = pattern.startsWith(CASE_INSENSITIVE) ? pattern.split(/\\[DSW]/).length - 1 : 0
  return STEPS_COMPILE + STEPS_COMPILE_CHARACTER * pattern.length + STEPS_COMPILE_NEGATED * negated
}

function sequenceCost(parts: readonly Part[], start: Cost): Cost {
  let cost = start
  for (let at = 0; at < parts.length; at++) {
    const literal = cost.hasDistinctPositions ? literalAt(parts, at) : []
    cost = literal.length > 0 ? literalCost(literal, cost) : partCost(parts[at]!, cost)
    if (literal.length > 0) at += literal.length - 1
  }
  return cost
}

function literalAt(parts: readonly Part[], from: number): number[] {
  const literal: number[] = []
  for (let part = parts[from]; part?.kind === 'char'; part = parts[from + literal.length]) literal.push(part.code)
  return literal
}

/** A literal cannot occur at every position: `spider` at most at every sixth, `aaa` at every one. Each character is
 *  tested only where all before it matched. The reduction applies once: in the worst case the next parts are tried
 *  at all positions left. */
function literalCost(literal: readonly number[], { steps, attempts }: Cost): Cost {
  const shares = [1, ...periodsOf(literal).map(period => Math.min(1, 1 / period + 4 / POSITIONS))]
  const tests = shares.slice(0, -1).reduce((sum, share) => sum + share, 0)
  return { steps: steps + attempts * tests, attempts: attempts * shares.at(-1)!, hasDistinctPositions: false }
}

/** For each prefix of a literal, the minimum distance of two occurrences (Knuth, Morris and Pratt, 1977). */
function periodsOf(literal: readonly number[]): number[] {
  const borders = [0]
  for (let at = 1, border = 0; at < literal.length; at++) {
    while (border > 0 && literal[at] !== literal[border]) border = borders[border - 1]!
    if (literal[at] === literal[border]) border++
    borders.push(border)
  }
  return borders.map((border, at) => at + 1 - border)
}

function partCost(part: Part, cost: Cost): Cost {
  if (part.kind === 'group') return groupCost(part.alternatives, cost)
  if (part.kind === 'repeat') return repeatCost(part, cost)
  return { ...cost, steps: cost.steps + cost.attempts }
}

/** Of alternatives that start with different characters only one can match, but several start positions can lead to
 *  one end. */
function groupCost(alternatives: Part[][], { steps, attempts }: Cost): Cost {
  const costs = alternatives.map(parts => sequenceCost(parts, { steps: 0, attempts, hasDistinctPositions: false }))
  const firsts = new Set(alternatives.map(([first]) => (first?.kind === 'char' && first.code < 128 ? first.code : -1)))
  const isDeterministic = firsts.size === alternatives.length && !firsts.has(-1)
  const remaining = costs.map(cost => cost.attempts)
  return {
    steps: costs.reduce((sum, cost) => sum + cost.steps, steps),
    attempts: isDeterministic ? Math.max(...remaining) : remaining.reduce((sum, each) => sum + each, 0),
    hasDistinctPositions: false,
  }
}

function repeatCost(
  { of, min, max }: Part & { kind: 'repeat' },
  { steps, attempts, hasDistinctPositions }: Cost,
): Cost {
  const once = partCost(of, { steps: 0, attempts: 1, hasDistinctPositions: false })
  const length = minLength(of)
  // The repeated part must consume a character and match in one way only, or the paths multiply with every iteration.
  const isUnsafe = hasRepeat(of) || (max > 1 && (once.attempts > 1 || length === 0))
  const isSingle = of.kind !== 'group'
  const repeats = max === Infinity ? 1 + REPEATS_MEAN / length : max
  const ends = max === Infinity ? repeats : max - min + 1
  return {
    steps: isUnsafe ? Infinity : steps + attempts * repeats * once.steps,
    attempts: attempts * ends * once.attempts,
    hasDistinctPositions: isSingle && (hasDistinctPositions || max === Infinity),
  }
}

function unboundedRepeats(alternatives: Part[][]): number {
  let count = 0
  for (const part of alternatives.flat()) {
    if (part.kind === 'group') count += unboundedRepeats(part.alternatives)
    if (part.kind === 'repeat') count += (part.max === Infinity ? 1 : 0) + unboundedRepeats([[part.of]])
  }
  return count
}

function hasRepeat(part: Part): boolean {
  return part.kind === 'repeat' || (part.kind === 'group' && part.alternatives.flat().some(hasRepeat))
}

/** The minimum number of characters a part consumes. */
function minLength(part: Part): number {
  if (part.kind === 'assertion') return 0
  if (part.kind === 'repeat') return part.min * minLength(part.of)
  if (part.kind !== 'group') return 1
  return Math.min(...part.alternatives.map(parts => parts.reduce((sum, each) => sum + minLength(each), 0)))
}
