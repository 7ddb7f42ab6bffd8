// Finds the pattern that matches a text. Only patterns whose literal stands in the text are tried; the few that have none
// are tried always. Of several that match, the one with the longest literal wins, then the one that is first among the
// members: the longest literal is the most particular thing a publisher said. Patterns without a literal come last.
import { buildLiterals, type Literals, openLiterals } from './literals.ts'
import { orderBy } from './order.ts'
import { compilePattern, isFreeText, literalOfSafe } from './pattern.ts'
import { openTexts, packTexts, type Texts } from './texts.ts'

export type PatternData = {
  texts: Texts
  literals: Literals
  /** The members in the order in which they win. */
  ranked: Uint32Array<ArrayBuffer>
  /** Literal i belongs to the ranks between entries i and i + 1 of `from`, in `ranks`. */
  from: Uint32Array<ArrayBuffer>
  ranks: Uint32Array<ArrayBuffer>
  /** The first rank of those that are tried always. */
  alwaysFrom: number
  /** How many members are never tried: unsafe ones, and those without a literal beyond ALWAYS_MAX. */
  dropped: number
}

/** Each of these is run for every look-up. */
const ALWAYS_MAX = 64

export function buildPatterns(members: readonly string[]): PatternData {
  const literalOf = members.map(literalOfSafe)
  const indexes = [...members.keys()]
  const always = indexes.filter(index => literalOf[index] === '').slice(0, ALWAYS_MAX)
  const found = indexes.filter(index => literalOf[index])
  const lengthOf = (at: number) => literalOf[found[at]!]!.length
  const order = [...orderBy(found.length, at => 2 ** 32 - 1 - lengthOf(at))].map(at => found[at]!)
  const ranked = Uint32Array.from([...order, ...always])
  const ranksOf = new Map<string, number[]>()
  for (const [rank, index] of order.entries()) {
    const literal = literalOf[index]!
    const ranks = ranksOf.get(literal)
    if (ranks) ranks.push(rank)
    else ranksOf.set(literal, [rank])
  }
  const from = new Uint32Array(ranksOf.size + 1)
  for (const [at, ranks] of [...ranksOf.values()].entries()) from[at + 1] = from[at]! + ranks.length
  return {
    texts: packTexts(members),
    literals: buildLiterals([...ranksOf.keys()]),
    ranked,
    from,
    ranks: Uint32Array.from([...ranksOf.values()].flat()),
    alwaysFrom: order.length,
    dropped: members.length - ranked.length,
  }
}

export function openPatterns({ texts, literals, ranked, from, ranks, alwaysFrom }: PatternData) {
  const textOf = openTexts(texts)
  const expressions = Array.from(ranked, index => compilePattern(textOf(index)))
  const scan = openLiterals(literals)
  /** For each literal the look-up that last found it, since a text may hold it many times. */
  const foundIn = new Float64Array(from.length)
  let lookups = 0
  const candidates: number[] = []

  function note(literal: number): void {
    if (foundIn[literal] === lookups) return
    foundIn[literal] = lookups
    for (let at = from[literal]!; at < from[literal + 1]!; at++) candidates.push(ranks[at]!)
  }

  return (key: string, isRead = false): number => {
    if (!isRead && !isFreeText(key)) return -2
    candidates.length = 0
    lookups++
    scan(key, note)
    if (candidates.length > 1) candidates.sort((a, b) => a - b)
    for (let at = 0; at < candidates.length; at++) {
      const rank = candidates[at]!
      if (expressions[rank]!.test(key)) return ranked[rank]!
    }
    for (let rank = alwaysFrom; rank < ranked.length; rank++) if (expressions[rank]!.test(key)) return ranked[rank]!
    return -1
  }
}
