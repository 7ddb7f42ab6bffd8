// Finds the pattern that matches a text. Only patterns whose literal stands in the text are tried; the few that have none
// are tried always. Of several that match, the one with the longest literal wins, then the one that is first among the
// members: the longest literal is the most particular thing a publisher said. Patterns without a literal come last. A text that
// would have more tried than a look-up may take is not answered.
import { buildLiterals, type Literals, openLiterals } from './literals.ts'
import { orderBy } from './order.ts'
import { compilePattern, isFreeText, judgePattern, STEPS_MAX, STEPS_MAX_ALWAYS, STEPS_MAX_LITERAL } from './pattern.ts'
import { openTexts, packTexts, type Texts } from './texts.ts'

export type PatternData = {
  texts: Texts
  literals: Literals
  /** The members in the order in which they win. */
  ranked: Uint32Array<ArrayBuffer>
  /** Literal i belongs to the ranks between entries i and i + 1 of `from`, in `ranks`. */
  from: Uint32Array<ArrayBuffer>
  ranks: Uint32Array<ArrayBuffer>
  /** How many steps the patterns of each literal take at the most, together. */
  steps: Uint32Array<ArrayBuffer>
  /** The first rank of those that are tried always, and what they take. */
  alwaysFrom: number
  alwaysSteps: number
  /** How many members are never tried: unsafe ones, and those that would take too long together with others. */
  dropped: number
}

export function buildPatterns(members: readonly string[]): PatternData {
  const judged = members.map(judgePattern)
  const ofLiteral = new Map<string, number[]>()
  for (const [index, each] of judged.entries()) {
    const sharing = each && ofLiteral.get(each.literal)
    if (sharing) sharing.push(index)
    else if (each) ofLiteral.set(each.literal, [index])
  }
  const stepsOf = (indexes: readonly number[]) => indexes.reduce((sum, index) => sum + judged[index]!.steps, 0)
  /** The first of them, as many as may be tried in one look-up. */
  function affordable(indexes: readonly number[], stepsMax: number): number[] {
    let steps = 0
    return indexes.filter(index => {
      steps += judged[index]!.steps
      return steps <= stepsMax
    })
  }
  const always = affordable(ofLiteral.get('') ?? [], STEPS_MAX_ALWAYS)
  ofLiteral.delete('')
  const groups = [...ofLiteral.values()].map(indexes => affordable(indexes, STEPS_MAX_LITERAL))
  const found = groups.flat().sort((a, b) => a - b)
  const lengthOf = (at: number) => judged[found[at]!]!.literal.length
  const order = [...orderBy(found.length, at => 2 ** 32 - 1 - lengthOf(at))].map(at => found[at]!)
  const ranked = Uint32Array.from([...order, ...always])
  const rankOf = new Map(order.map((index, rank) => [index, rank]))
  const from = new Uint32Array(groups.length + 1)
  for (const [at, group] of groups.entries()) from[at + 1] = from[at]! + group.length
  return {
    texts: packTexts(members),
    literals: buildLiterals([...ofLiteral.keys()]),
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
  /** Made ready when they are first tried: most never are. */
  const expressions = new Array<RegExp | undefined>(ranked.length)
  const scan = openLiterals(literals)
  /** For each literal the look-up that last found it, since a text may hold it many times. */
  const foundIn = new Float64Array(from.length)
  let lookups = 0
  let needed = 0
  const candidates: number[] = []

  function note(literal: number): void {
    if (foundIn[literal] === lookups) return
    foundIn[literal] = lookups
    needed += steps[literal]!
    for (let at = from[literal]!; at < from[literal + 1]!; at++) candidates.push(ranks[at]!)
  }

  function matches(rank: number, key: string): boolean {
    const expression = expressions[rank] ?? compilePattern(textOf(ranked[rank]!))
    expressions[rank] = expression
    return expression.test(key)
  }

  return (key: string, isRead = false): number => {
    if (!isRead && !isFreeText(key)) return -2
    candidates.length = 0
    lookups++
    needed = alwaysSteps
    scan(key, note)
    // A text made of literals and little else. What was not tried might have matched, so there is no answer.
    if (needed > STEPS_MAX) return -2
    if (candidates.length > 1) candidates.sort((a, b) => a - b)
    for (let at = 0; at < candidates.length; at++) {
      const rank = candidates[at]!
      if (matches(rank, key)) return ranked[rank]!
    }
    for (let rank = alwaysFrom; rank < ranked.length; rank++) if (matches(rank, key)) return ranked[rank]!
    return -1
  }
}
