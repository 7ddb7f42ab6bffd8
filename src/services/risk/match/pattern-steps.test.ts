import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { judgePattern, STEPS_MAX } from './pattern.ts'
import { buildPatterns, openPatterns } from './pattern-table.ts'

type Piece =
  | { kind: 'one'; text: string; takes: RegExp }
  | { kind: 'edge' }
  | { kind: 'group'; options: Piece[][] }
  | { kind: 'repeat'; of: Piece; mark: string; min: number; max: number }

const textOf = (pieces: Piece[]): string =>
  pieces
    .map(piece => {
      if (piece.kind === 'edge') return '\\b'
      if (piece.kind === 'repeat') return textOf([piece.of]) + piece.mark
      return piece.kind === 'one' ? piece.text : `(?:${piece.options.map(textOf).join('|')})`
    })
    .join('')

/** Tries one way after the other from every place, as engines do, and counts each look at a character or an edge. */
function countSteps(pieces: Piece[], key: string): { steps: number; isMatch: boolean } {
  let steps = 0
  function goes(rest: Piece[], index: number, at: number, next: (at: number) => boolean): boolean {
    const piece = rest[index]
    if (!piece) return next(at)
    const goOn = (end: number) => goes(rest, index + 1, end, next)
    if (piece.kind === 'group') return piece.options.some(option => goes(option, 0, at, goOn))
    if (piece.kind === 'repeat') {
      const { of, min, max } = piece
      const turn = (count: number, from: number): boolean =>
        (count < max && goes([of], 0, from, end => turn(count + 1, end))) || (count >= min && goOn(from))
      return turn(0, at)
    }
    steps++
    if (piece.kind === 'edge') return /\w/.test(key[at - 1] ?? '') !== /\w/.test(key[at] ?? '') && goOn(at)
    return piece.takes.test(key[at] ?? '') && goOn(at + 1)
  }
  for (let start = 0; start <= key.length; start++) {
    if (goes(pieces, 0, start, () => true)) return { steps, isMatch: true }
  }
  return { steps, isMatch: false }
}

const oneOf = (text: string): Piece => ({ kind: 'one', text, takes: new RegExp(`^${text}$`) })
const one = fc.constantFrom('a', 'b', 'c', '[aA]', '[ab]', '[bc]', '[^c]', '.', '\\w').map(oneOf)
const edge = fc.constant<Piece>({ kind: 'edge' })
const group = fc
  .array(fc.array(one, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
  .map((options): Piece => ({ kind: 'group', options }))
const repeat = (marks: [string, number, number][]) =>
  fc
    .tuple(fc.oneof({ weight: 3, arbitrary: one }, group), fc.constantFrom(...marks))
    .map(([of, [mark, min, max]]): Piece => ({ kind: 'repeat', of, mark, min, max }))
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
const some = fc.array(fc.oneof({ weight: 6, arbitrary: one }, { weight: 2, arbitrary: bounded }, group, edge), {
  maxLength: 7,
})
const nasty = fc
  .tuple(some, fc.array(unbounded, { maxLength: 1 }), some)
  .map(([before, middle, after]) => [...before, ...middle, ...after])
const key = fc
  .tuple(
    fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A'), maxLength: 6 }),
    fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A'), minLength: 1, maxLength: 5 }),
    fc.constantFrom('', '~', 'c~'),
  )
  .map(([head, unit, tail]) => (head + unit.repeat(512)).slice(0, 512 - tail.length) + tail)

/** A text that is there at few places may be followed at each of them by what comes next, and ways may lead to one place. */
const all: Piece = { kind: 'repeat', of: oneOf('.'), mark: '*', min: 0, max: Infinity }
const hard: [Piece[], string[]][] = [
  [[...[...'aab.aab.aab.aab.'].map(oneOf), all, oneOf('x')], ['aabc'.repeat(128)]],
  [
    [
      { kind: 'group', options: ['abcd', 'bcd', 'cd', 'd'].map(text => [...text].map(oneOf)) },
      ...[...'efg'].map(oneOf),
      all,
      oneOf('x'),
    ],
    ['abcdefg'.repeat(73)],
  ],
  [[all, ...[...'abababx'].map(oneOf)], ['ab'.repeat(256)]],
]

describe('the steps a pattern takes', () => {
  it('are never more than it was judged to take, whatever the text', () => {
    let judged = 0
    let most = 0
    fc.assert(
      fc.property(nasty, fc.array(key, { minLength: 3, maxLength: 3 }), (pieces, keys) => {
        const text = textOf(pieces)
        const verdict = judgePattern(text)
        if (!verdict) return
        judged++
        for (const each of ['a'.repeat(512), ...keys]) {
          const { steps, isMatch } = countSteps(pieces, each)
          most = Math.max(most, steps / verdict.steps)
          assert.equal(isMatch, new RegExp(text).test(each), 'the matcher of this test is right')
          assert.ok(steps <= verdict.steps, `${text}: ${steps} steps, judged ${verdict.steps}`)
        }
      }),
      { numRuns: 600, examples: hard },
    )
    assert.ok(judged > 200, `${judged} were safe`)
    assert.ok(most > 0.3, `the judgement is not idle: ${most}`)
  })
})

const nastyKey = `x/${'a'.repeat(497)}~~~`
const choices = Array.from({ length: 1_500 }, (_, n) => {
  const tail = `[${String.fromCharCode(65 + (n % 20))}Z][${String.fromCharCode(65 + Math.floor(n / 20 / 8))}@]`
  return `[ab]*aaa${'[ab]?'.repeat(1 + (n % 8))}${tail}`
})

describe('the patterns one text has tried', () => {
  for (const [why, members, text] of [
    ['share a literal', choices, nastyKey],
    ['have none', Array.from({ length: 64 }, (_, n) => `[ab]+[c${n % 10}][d${n}]`), nastyKey],
    ['have none and are cheap', Array.from({ length: 200 }, (_, n) => `[ab]x?x?x?x?x?[cd][e${n}]`), nastyKey],
    [
      'have none, or one of several',
      [...Array.from({ length: 90 }, (_, n) => `x${n + 10}|y${n + 10}`), '[ab]+foo[cd]', '[ab]+bar[cd]'],
      `foo bar/ ${'a'.repeat(490)}`,
    ],
    ['are many that are cheap', Array.from({ length: 5_000 }, (_, n) => `^bot[x${n}]`), 'bot/ bot'],
    [
      'have literals inside one another',
      Array.from({ length: 300 }, (_, n) => `${'a'.repeat(n + 3)}[x${n}]`),
      nastyKey,
    ],
  ] as const) {
    it(`take a bounded number of steps together when they ${why}`, () => {
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
      const steps = used.reduce((sum, source) => sum + (judgePattern(source)?.steps ?? Infinity), 0)
      assert.ok(steps <= STEPS_MAX, `${used.length} patterns were tried, ${steps} steps`)
    })
  }

  it('are all that may match, or the text has no answer', () => {
    const words = Array.from(
      { length: 676 },
      (_, n) => `z${String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26))}`,
    )
    const find = openPatterns(buildPatterns(words.map(word => `${word}[0-9]`)))
    const stuffed = words.join('').slice(0, 504)
    const few = words.slice(0, 30).join('')
    assert.deepEqual([find(`/ ${stuffed}`), find(`/ ${stuffed}0`)], [-1, 167])
    assert.deepEqual([find(`/ ${few}`), find(`/ ${few}0`)], [-1, 29])
    const many = openPatterns(
      buildPatterns(words.flatMap(word => ['0', '1', '2', '3'].map(digit => `${word}[x${digit}]`))),
    )
    assert.deepEqual([many(`/ ${stuffed}0`), many(`/ ${few}0`)], [-2, 29 * 4])
  })

  it('are dropped beyond what may be tried together, and counted', () => {
    const sharing = Array.from({ length: 1_000 }, (_, n) => `bot[x${String.fromCharCode(0x400 + n)}]`)
    const { dropped, ranked } = buildPatterns([...sharing, 'spider'])
    assert.ok(dropped > 0 && dropped + ranked.length === 1_001)
    const find = openPatterns(buildPatterns([...sharing, 'spider']))
    assert.deepEqual([find('a botx'), find('a spider bot'), find('bot/ ok')], [0, 1_000, -1])
  })
})

describe('an expression', () => {
  it('is made ready when it is first tried, once', t => {
    const members = Array.from({ length: 500 }, (_, n) => `crawler${n}[a-z]`)
    const data = buildPatterns(members)
    const made = t.mock.method(globalThis, 'RegExp')
    const find = openPatterns(data)
    assert.equal(made.mock.callCount(), 0)
    assert.deepEqual([find('crawler77x/'), find('crawler77y/')], [77, 77])
    assert.equal(made.mock.callCount(), 1)
  })
})
