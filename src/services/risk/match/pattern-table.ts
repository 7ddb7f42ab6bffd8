// Finds the pattern that matches a text. Only patterns whose literal occurs in the text are tried; the few without a
// literal are always tried. Of several matches the one with the longest literal wins, as it is the most specific, then
// the first among the members. Patterns without a literal come last. A text that would exceed the steps of a look-up
// gets no answer.
import { buildLiterals, type Literals, openLiterals } from './literals.ts'
import { orderBy } from './order.ts'
import {
  analysePattern,
  compilePattern,
  isFreeText,
  STEPS_MAX,
  STEPS_MAX_ALWAYS,
  STEPS_MAX_LITERAL,
} from './pattern.ts'
import { openTexts, packTexts, type Texts } from './texts.ts'

export type PatternData = {
  texts: Texts
  literals: Literals
  /** The members by rank; a lower rank wins. */
  ranked: Uint32Array<ArrayBuffer>
  /** The patterns of literal i are `ranks[from[i]]` up to, but not including, `ranks[from[i + 1]]`. */
  from: Uint32Array<ArrayBuffer>
  ranks: Uint32Array<ArrayBuffer>
  /** The sum of the maximum steps of the patterns of each literal. */
  steps: Uint32Array<ArrayBuffer>
  /** The first rank of the patterns without a literal, and the sum of their steps. */
  alwaysFrom: number
  alwaysSteps: number
  /** Number of members that are never tried: unsafe ones, and those over the shared limit of steps. */
  dropped: number
}

export function buildPatterns(members: readonly string[]): PatternData {
  const analyses = members.map(analysePattern)
  const byLiteral = new Map<string, number[]>()
  for (const [index, analysis] of analyses.entries()) {
    const sharing = analysis && byLiteral.get(analysis.literal)
    if (sharing) sharing.push(index)
    else if (analysis) byLiteral.set(analysis.literal, [index])
  }
  const stepsOf = (indexes: readonly number[]) => indexes.reduce((sum, index) => sum + analyses[index]!.steps, 0)
  /** As many of the patterns, in order, as the limit allows. */
  function withinLimit(indexes: readonly number[], stepsMax: number): number[] {
    let steps = 0
    return indexes.filter(index => {
      steps += analyses[index]!.steps
      return steps <= stepsMax
    })
  }
  const always = withinLimit(byLiteral.get('') ?? [], STEPS_MAX_ALWAYS)
  byLiteral.delete('')
  const groups = [...byLiteral.values()].map(indexes => withinLimit(indexes, STEPS_MAX_LITERAL))
  const withLiteral = groups.flat().sort((a, b) => a - b)
  const lengthOf = (at: number) => analyses[withLiteral[at]!]!.literal.length
  const order = [...orderBy(withLiteral.length, at => 2 ** 32 - 1 - lengthOf(at))].map(at => withLiteral[at]!)
  const ranked = Uint32Array.from([...order, ...always])
  const rankOf = new Map(order.map((index, rank) => [index, rank]))
  const from = new Uint32Array(groups.length + 1)
  for (const [at, group] of groups.entries()) from[at + 1] = from[at]! + group.length
  return {
    texts: packTexts(members),
    literals: buildLiterals([...byLiteral.keys()]),
    ranked,
    from,
    ranks: Uint32Array.from(groups.flat(), index => rankOf.get(index)!),
    steps: Uint32Array.from(groups, group => Math.ceil(stepsOf(group))),
    alwaysFrom: order.length,
    alwaysSteps: stepsOf(always),
    dropped: members.length - ranked.length,
  }
}

export function openPatterns(data: PatternData) {
  const { texts, literals, ranked, from, ranks, steps, alwaysFrom, alwaysSteps } = data
  const textOf = openTexts(texts)
  /** Compiled when first tried: most never are. */
  const expressions = new Array<RegExp | undefined>(ranked.length)
  const scan = openLiterals(literals)
  /** The number of the look-up that last found each literal, as it may occur many times in a text. */
  const lastLookup = new Float64Array(from.length)
  let lookups = 0
  let stepsNeeded = 0
  const candidates: number[] = []

  function addCandidates(literal: number): void {
    if (lastLookup[literal] === lookups) return
    lastLookup[literal] = lookups
    stepsNeeded += steps[literal]!
    for (let at = from[literal]!; at < from[literal + 1]!; at++) candidates.push(ranks[at]!)
  }

  function matches(rank: number, key: string): boolean {
    const expression = expressions[rank] ?? compilePattern(textOf(ranked[rank]!))
    expressions[rank] = expression
    return expression.test(key)
  }

  return (key: string, isReadable = false): number => {
    if (!isReadable && !isFreeText(key)) return -2
    candidates.length = 0
    lookups++
    stepsNeeded = alwaysSteps
    scan(key, addCandidates)
    // The text consists mostly of literals. An untried pattern might match, so there is no answer.
    if (stepsNeeded > STEPS_MAX) return -2
    if (candidates.length > 1) candidates.sort((a, b) => a - b)
    for (let at = 0; at < candidates.length; at++) {
      const rank = candidates[at]!
      if (matches(rank, key)) return ranked[rank]!
    }
    for (let rank = alwaysFrom; rank < ranked.length; rank++) if (matches(rank, key)) return ranked[rank]!
    return -1
  }
}
