// How many steps an engine that tries one way after the other takes at the most to find that a pattern does not match, over
// all places of the longest text, and to be made ready before that. A step is one look at one character or edge.
import { CASELESS, type Part } from './pattern-syntax.ts'
import { KEY_BYTES_MAX } from './text.ts'

/** Making an expression ready when it is new takes the engine as long as so many steps: each, for every character of it, and
 *  for every set of nearly all characters there are when each is to be found in either case. */
const STEPS_NEW = 1_500
const STEPS_NEW_CHARACTER = 120
const STEPS_NEW_WIDE = 7_500
const POSITIONS = KEY_BYTES_MAX + 1
/** How often a repetition without bound can turn in the longest text: the mean over where it starts. */
const REPEATS_MEAN = KEY_BYTES_MAX / 2
const UNBOUNDED_MAX = 1

type Walk = {
  steps: number
  /** How often the next part is tried: over all places, and in all ways through what came before. */
  tries: number
  /** Whether those tries, for each way, are all at places of their own. Then text that must be there thins them out. */
  isSpread: boolean
}

/** For the pattern and the alternatives it consists of. Infinite when the ways could multiply with the length of a text. */
export function stepsOf(pattern: string, options: Part[][]): number {
  if (unboundedIn(options) > UNBOUNDED_MAX) return Infinity
  const walks = options.map(parts => walkThrough(parts, { steps: 0, tries: POSITIONS, isSpread: true }))
  return walks.reduce((sum, { steps }) => sum + steps, readySteps(pattern))
}

function readySteps(pattern: string): number {
  const wide = pattern.startsWith(CASELESS) ? pattern.split(/\\[DSW]/).length - 1 : 0
  return STEPS_NEW + STEPS_NEW_CHARACTER * pattern.length + STEPS_NEW_WIDE * wide
}

function walkThrough(parts: readonly Part[], start: Walk): Walk {
  let walk = start
  for (let at = 0; at < parts.length; at++) {
    const run = walk.isSpread ? runAt(parts, at) : []
    walk = run.length > 0 ? walkRun(run, walk) : walkPart(parts[at]!, walk)
    if (run.length > 0) at += run.length - 1
  }
  return walk
}

function runAt(parts: readonly Part[], from: number): number[] {
  const run: number[] = []
  for (let part = parts[from]; part?.kind === 'char'; part = parts[from + run.length]) run.push(part.code)
  return run
}

/** Text cannot stand at every place: `spider` again after six at the soonest, `aaa` after one. Each character is looked at only
 *  where all before it stood. Which places are left is told once; what follows may be unlucky at all of them. */
function walkRun(run: readonly number[], { steps, tries }: Walk): Walk {
  const shares = [1, ...periodsOf(run).map(period => Math.min(1, 1 / period + 4 / POSITIONS))]
  const looks = shares.slice(0, -1).reduce((sum, share) => sum + share, 0)
  return { steps: steps + tries * looks, tries: tries * shares.at(-1)!, isSpread: false }
}

/** For each beginning of a run, how far apart two occurrences of it are at the least (Knuth, Morris and Pratt, 1977). */
function periodsOf(run: readonly number[]): number[] {
  const borders = [0]
  for (let at = 1, border = 0; at < run.length; at++) {
    while (border > 0 && run[at] !== run[border]) border = borders[border - 1]!
    if (run[at] === run[border]) border++
    borders.push(border)
  }
  return borders.map((border, at) => at + 1 - border)
}

function walkPart(part: Part, walk: Walk): Walk {
  if (part.kind === 'group') return walkGroup(part.options, walk)
  if (part.kind === 'repeat') return walkRepeat(part, walk)
  return { ...walk, steps: walk.steps + walk.tries }
}

/** Alternatives that begin with characters of their own leave no choice, but can lead from several places to one. */
function walkGroup(options: Part[][], { steps, tries }: Walk): Walk {
  const walks = options.map(parts => walkThrough(parts, { steps: 0, tries, isSpread: false }))
  const firsts = new Set(options.map(([first]) => (first?.kind === 'char' && first.code < 128 ? first.code : -1)))
  const isDeterministic = firsts.size === options.length && !firsts.has(-1)
  const left = walks.map(walk => walk.tries)
  return {
    steps: walks.reduce((sum, walk) => sum + walk.steps, steps),
    tries: isDeterministic ? Math.max(...left) : left.reduce((sum, each) => sum + each, 0),
    isSpread: false,
  }
}

function walkRepeat({ of, min, max }: Part & { kind: 'repeat' }, { steps, tries, isSpread }: Walk): Walk {
  const once = walkPart(of, { steps: 0, tries: 1, isSpread: false })
  const width = widthOf(of)
  // What is repeated must take something each time and only in one way, or the ways multiply with every turn.
  const isUnsafe = hasRepeat(of) || (max > 1 && (once.tries > 1 || width === 0))
  const isSingle = of.kind !== 'group'
  const repeats = max === Infinity ? 1 + REPEATS_MEAN / width : max
  const ends = max === Infinity ? repeats : max - min + 1
  return {
    steps: isUnsafe ? Infinity : steps + tries * repeats * once.steps,
    tries: tries * ends * once.tries,
    isSpread: isSingle && (isSpread || max === Infinity),
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

function hasRepeat(part: Part): boolean {
  return part.kind === 'repeat' || (part.kind === 'group' && part.options.flat().some(hasRepeat))
}

/** How many characters a part takes at the least. */
function widthOf(part: Part): number {
  if (part.kind === 'edge') return 0
  if (part.kind === 'repeat') return part.min * widthOf(part.of)
  if (part.kind !== 'group') return 1
  return Math.min(...part.options.map(parts => parts.reduce((sum, each) => sum + widthOf(each), 0)))
}
