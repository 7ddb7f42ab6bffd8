import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { analysePattern, STEPS_MAX } from './pattern.ts'
import { buildPatterns, openPatterns } from './pattern-table.ts'

type Piece =
  | { kind: 'one'; text: string; char: RegExp }
  | { kind: 'assertion' }
  | { kind: 'group'; alternatives: Piece[][] }
  | { kind: 'repeat'; of: Piece; quantifier: string; min: number; max: number }

const textOf = (pieces: Piece[]): string =>
  pieces
    .map(piece => {
      if (piece.kind === 'assertion') return '\\b'
      if (piece.kind === 'repeat') return textOf([piece.of]) + piece.quantifier
      return piece.kind === 'one' ? piece.text : `(?:${piece.alternatives.map(textOf).join('|')})`
    })
    .join('')

/** A backtracking matcher that counts each test of a character or an assertion, over all start positions. */
function countSteps(pieces: Piece[], key: string): { steps: number; isMatch: boolean } {
  let steps = 0
  function matches(sequence: Piece[], index: number, at: number, next: (at: number) => boolean): boolean {
    const piece = sequence[index]
    if (!piece) return next(at)
    const matchRest = (end: number) => matches(sequence, index + 1, end, next)
    if (piece.kind === 'group') return piece.alternatives.some(each => matches(each, 0, at, matchRest))
    if (piece.kind === 'repeat') {
      const { of, min, max } = piece
      const iterate = (count: number, from: number): boolean =>
        (count < max && matches([of], 0, from, end => iterate(count + 1, end))) || (count >= min && matchRest(from))
      return iterate(0, at)
    }
    steps++
    if (piece.kind === 'assertion') return /\w/.test(key[at - 1] ?? '') !== /\w/.test(key[at] ?? '') && matchRest(at)
    return piece.char.test(key[at] ?? '') && matchRest(at + 1)
  }
  for (let start = 0; start <= key.length; start++) {
    if (matches(pieces, 0, start, () => true)) return { steps, isMatch: true }
  }
  return { steps, isMatch: false }
}

const oneOf = (text: string): Piece => ({ kind: 'one', text, char: new RegExp(`^${text}$`) })
const one = fc.constantFrom('a', 'b', 'c', '[aA]', '[ab]', '[bc]', '[^c]', '.', '\\w').map(oneOf)
const assertion = fc.constant<Piece>({ kind: 'assertion' })
const group = fc
  .array(fc.array(one, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
  .map((alternatives): Piece => ({ kind: 'group', alternatives }))
const repeat = (quantifiers: [string, number, number][]) =>
  fc
    .tuple(fc.oneof({ weight: 3, arbitrary: one }, group), fc.constantFrom(...quantifiers))
    .map(([of, [quantifier, min, max]]): Piece => ({ kind: 'repeat', of, quantifier, min, max }))
const bounded = repeat([
  ['?', 0, 1],
  ['??', 0, 1],
  ['{3}', 3, 3],
  ['{1,4}', 1, 4],
  ['{0,9}', 0, 9],
])
const unbounded = repeat([
  ['*', 0, Infinity],
  ['*?', 0, Infinity],
  ['+', 1, Infinity],
  ['{2,}', 2, Infinity],
])
const pieces = fc.array(fc.oneof({ weight: 6, arbitrary: one }, { weight: 2, arbitrary: bounded }, group, assertion), {
  maxLength: 7,
})
const hardPattern = fc
  .tuple(pieces, fc.array(unbounded, { maxLength: 1 }), pieces)
  .map(([before, middle, after]) => [...before, ...middle, ...after])
const key = fc
  .tuple(
    fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A'), maxLength: 6 }),
    fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A'), minLength: 1, maxLength: 5 }),
    fc.constantFrom('', '~', 'c~'),
  )
  .map(([head, unit, tail]) => (head + unit.repeat(512)).slice(0, 512 - tail.length) + tail)

/** Cases where a literal occurs at few positions but the rest is tried at all of them, and where paths lead to one
 *  position. */
const anything: Piece = { kind: 'repeat', of: oneOf('.'), quantifier: '*', min: 0, max: Infinity }
const hardExamples: [Piece[], string[]][] = [
  [[...[...'aab.aab.aab.aab.'].map(oneOf), anything, oneOf('x')], ['aabc'.repeat(128)]],
  [
    [
      { kind: 'group', alternatives: ['abcd', 'bcd', 'cd', 'd'].map(text => [...text].map(oneOf)) },
      ...[...'efg'].map(oneOf),
      anything,
      oneOf('x'),
    ],
    ['abcdefg'.repeat(73)],
  ],
  [[anything, ...[...'abababx'].map(oneOf)], ['ab'.repeat(256)]],
]

describe('the worst-case steps of a pattern', () => {
  it('are an upper bound for any text', () => {
    let analysed = 0
    let highestShare = 0
    fc.assert(
      fc.property(hardPattern, fc.array(key, { minLength: 3, maxLength: 3 }), (pieces, keys) => {
        const text = textOf(pieces)
        const analysis = analysePattern(text)
        if (!analysis) return
        analysed++
        for (const each of ['a'.repeat(512), ...keys]) {
          const { steps, isMatch } = countSteps(pieces, each)
          highestShare = Math.max(highestShare, steps / analysis.steps)
          assert.equal(isMatch, new RegExp(text).test(each), 'the matcher of this test is correct')
          assert.ok(steps <= analysis.steps, `${text}: ${steps} steps, at most ${analysis.steps} expected`)
        }
      }),
      { numRuns: 600, examples: hardExamples },
    )
    assert.ok(analysed > 200, `${analysed} were safe`)
    assert.ok(highestShare > 0.3, `the bound is not too loose: ${highestShare}`)
  })
})

const hardKey = `x/${'a'.repeat(497)}~~~`
const manyPaths = Array.from({ length: 1_500 }, (_, n) => {
  const tail = `[${String.fromCharCode(65 + (n % 20))}Z][${String.fromCharCode(65 + Math.floor(n / 20 / 8))}@]`
  return `[ab]*aaa${'[ab]?'.repeat(1 + (n % 8))}${tail}`
})

describe('the patterns tried on one text', () => {
  for (const [why, members, text] of [
    ['share a literal', manyPaths, hardKey],
    ['have no literal', Array.from({ length: 64 }, (_, n) => `[ab]+[c${n % 10}][d${n}]`), hardKey],
    ['have no literal and are cheap', Array.from({ length: 200 }, (_, n) => `[ab]x?x?x?x?x?[cd][e${n}]`), hardKey],
    [
      'have no literal, or one of several',
      [...Array.from({ length: 90 }, (_, n) => `x${n + 10}|y${n + 10}`), '[ab]+foo[cd]', '[ab]+bar[cd]'],
      `foo bar/ ${'a'.repeat(490)}`,
    ],
    ['are many and cheap', Array.from({ length: 5_000 }, (_, n) => `^bot[x${n}]`), 'bot/ bot'],
    ['have nested literals', Array.from({ length: 300 }, (_, n) => `${'a'.repeat(n + 3)}[x${n}]`), hardKey],
  ] as const) {
    it(`need a bounded number of steps in total when they ${why}`, () => {
      const used: string[] = []
      const original = RegExp.prototype.test
      const data = buildPatterns([...new Set(members)])
      const find = openPatterns(data)
      RegExp.prototype.test = function (this: RegExp, tested: string) {
        if (members.includes(this.source as never)) used.push(this.source)
        return original.call(this, tested)
      }
      try {
        find(text)
      } finally {
        RegExp.prototype.test = original
      }
      const steps = used.reduce((sum, source) => sum + (analysePattern(source)?.steps ?? Infinity), 0)
      assert.ok(steps <= STEPS_MAX, `${used.length} patterns were tried, ${steps} steps`)
    })
  }

  it('are all that may match; otherwise the text gets no answer', () => {
    const literals = Array.from(
      { length: 676 },
      (_, n) => `z${String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26))}`,
    )
    const find = openPatterns(buildPatterns(literals.map(literal => `${literal}[0-9]`)))
    const manyLiterals = literals.join('').slice(0, 504)
    const fewLiterals = literals.slice(0, 30).join('')
    assert.deepEqual([find(`/ ${manyLiterals}`), find(`/ ${manyLiterals}0`)], [-1, 167])
    assert.deepEqual([find(`/ ${fewLiterals}`), find(`/ ${fewLiterals}0`)], [-1, 29])
    const many = openPatterns(
      buildPatterns(literals.flatMap(literal => ['0', '1', '2', '3'].map(digit => `${literal}[x${digit}]`))),
    )
    assert.deepEqual([many(`/ ${manyLiterals}0`), many(`/ ${fewLiterals}0`)], [-2, 29 * 4])
  })

  it('are dropped and counted over the limit of one literal', () => {
    const sharing = Array.from({ length: 1_000 }, (_, n) => `bot[x${String.fromCharCode(0x400 + n)}]`)
    const { dropped, ranked } = buildPatterns([...sharing, 'spider'])
    assert.ok(dropped > 0 && dropped + ranked.length === 1_001)
    const find = openPatterns(buildPatterns([...sharing, 'spider']))
    assert.deepEqual([find('a botx'), find('a spider bot'), find('bot/ ok')], [0, 1_000, -1])
  })
})

describe('an expression', () => {
  it('is compiled once, when it is first tried', t => {
    const members = Array.from({ length: 500 }, (_, n) => `crawler${n}[a-z]`)
    const data = buildPatterns(members)
    const regExp = t.mock.method(globalThis, 'RegExp')
    const find = openPatterns(data)
    assert.equal(regExp.mock.callCount(), 0)
    assert.deepEqual([find('crawler77x/'), find('crawler77y/')], [77, 77])
    assert.equal(regExp.mock.callCount(), 1)
  })
})
