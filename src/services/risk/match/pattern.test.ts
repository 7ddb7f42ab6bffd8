import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isSafePattern } from './pattern.ts'
import { buffersOf, buildTable, openTable } from './table.ts'

describe('a pattern is safe', () => {
  const safe = [
    'Googlebot',
    'AdsBot-Google([^-]|$)',
    '(sistrix|SISTRIX) [cC]rawler',
    '(^| )sentry\\/',
    'BlogTraffic\\/\\d\\.\\d+ Feed-Fetcher',
    'ContextualBot[\\s\\S]*outcomes\\.net',
    'Unshorten\\.It\\!',
    'foo.*?bar',
    '\\bbot\\b',
    'v\\d{1,3}(?:\\.\\d)?bot',
    '(?:ab|cd)+bot',
    '(?i)googlebot',
  ]
  for (const pattern of safe) it(pattern, () => assert.ok(isSafePattern(pattern)))
})

describe('a pattern is not safe', () => {
  for (const [why, ...patterns] of [
    [
      'a repetition inside a repetition',
      '(a+)+bot',
      '(a*b?)*bot',
      '((ab)+c)+bot',
      '(a?){2,}bot',
      '(ab+c)?bot',
      '(a{2})+bot',
    ],
    ['a repetition with several ways to turn', '(a|a)*bot', '(a|ab)*bot', '(.|a)+bot', '([ab]|b)+bot'],
    ['a repetition of nothing', '(|a)*bot', '(^)*bot', '^*bot', '(\\b)+bot'],
    ['two repetitions without bound', 'foo.*bar.*baz', '[ab]*[ab]*cde$', 'a*b+bot'],
    ['too many choices', `${'a?'.repeat(17)}bot`, `${'(a|.)'.repeat(17)}bot`, '.{0,64}.{0,64}.{0,64}bot'],
    ['many choices and no literal', '.*.*', '[ab]*[ab]*c', 'a?'.repeat(9)],
    [
      'many choices at every place',
      '[ab]*aaa[ab]?[ab]?[ab]?[ab]?[ab]?[ab]?[ab]?[ab]?[XY][ZB]',
      `${'a?'.repeat(12)}bot`,
      '[ab]+[c0][d1]',
    ],
    ['case of letters beyond ASCII', '(?i)bé', '(?i)bot[\u0100-\uffef]'],
    ['references and looks around', '(a)\\1bot', '(?=a)bot', '(?<!a)bot', '(?<n>a)bot', 'bot\\k<n>'],
    [
      'escapes that dialects differ in',
      '\\x41bot',
      '\\u0041bot',
      '\\p{L}bot',
      '\\0bot',
      '\\cAbot',
      '[\\b]bot',
      'bot\\',
    ],
    [
      'what does not parse',
      '(bot',
      'bot)',
      '[bot',
      '*bot',
      'bot{',
      'bot}',
      'bot]',
      '[]bot',
      '[^]bot',
      '[z-a]bot',
      'a{3,2}bot',
    ],
    ['a count too great', 'a{65}bot', 'a{0,100}bot', 'a{1234}bot', 'a{0}bot'],
    ['flags elsewhere', 'a(?i)bot', '(?s)bot'],
    ['no text', '', 'a\u0000bot', 'a'.repeat(513)],
  ] as const) {
    for (const pattern of patterns)
      it(`${why}: ${JSON.stringify(pattern.slice(0, 40))}`, () => assert.ok(!isSafePattern(pattern)))
  }
})

const ask = (members: string[], key: string) => openTable(buildTable('pattern', members)).find(key)

describe('the pattern that matches', () => {
  for (const [why, members, key, found] of [
    ['is found by what it says', ['Googlebot', '[wW]get'], 'Wget/1.21', 1],
    ['minds case', ['googlebot'], 'Googlebot/2.1', -1],
    ['unless it says otherwise', ['(?i)googlebot'], 'GoogleBOT/2.1', 0],
    ['minds where it stands', ['^curl'], 'libcurl/8 test', -1],
    ['is more than its literal', ['bot\\/\\d'], 'bot/x', -1],
    ['is the one with the longest literal', ['bot', 'Googlebot'], 'Googlebot/2.1', 1],
    ['among those that match', ['bot', '^Googlebot'], 'a Googlebot/2.1', 0],
    ['and the first of equals', ['spider', 'search'], 'search-spider x', 0],
    ['counts what a repetition ends with', ['bcd', 'a+bcd'], 'aabcd x', 1],
    ['is found however often it repeats', ['xxa+bot'], 'xxaaabot', 0],
    ['is found inside another literal', ['abcdex', 'bcd'], 'abcdef', 1],
    ['comes last without a literal', ['foo|bar', 'bazbot'], 'foo bazbot', 1],
    ['but is tried', ['foo|bar', 'bazbot'], 'a bar', 0],
    ['is never an unsafe one', ['(a+)+bot', 'bot'], 'aaabot ', 1],
    ['stands among other characters', ['bot'], 'é漢bot', 0],
    ['with others in it', ['bé漢t'], 'abé漢t', 0],
    ['reads no name that is a domain', ['bot'], 'bot.example.com', -2],
    ['nor nothing', ['bot'], '', -2],
    ['nor more than 512 bytes', ['bot'], `bot ${'é'.repeat(255)}`, -2],
    ['needs members', [], 'bot', -1],
  ] as const) {
    it(`${why}: [${members}] for ${JSON.stringify(key.slice(0, 30))}`, () =>
      assert.equal(ask([...members], key), found))
  }

  it('is dropped when it is unsafe or one too many without a literal, and counted', () => {
    const always = Array.from({ length: 90 }, (_, index) => `x${index + 10}|y${index + 10}`)
    const data = buildTable('pattern', ['(a+)+bot', ...always, 'Googlebot'])
    const table = openTable(data)
    const used = data.count - data.dropped - 1
    assert.ok(data.count === 92 && used > 40 && used < 90, `${used} are tried always`)
    assert.equal(table.find(`y${9 + used}`), used)
    assert.equal(table.find(`y${10 + used}`), -1)
    assert.equal(table.find('Googlebot/'), 91)
    assert.equal(table.member(91), 'Googlebot')
  })

  it('is one that the engine says matches, and there is none only if none does', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'c', ' ', '/'), maxLength: 12 })
    const piece = fc.constantFrom(
      'a',
      'b',
      'B',
      'c',
      '[aA]',
      '.',
      'b+',
      'c?',
      '[ab]*',
      '(ab|ba)',
      '(bc)',
      '\\/',
      '\\b',
      '^',
      '$',
    )
    const pattern = fc.array(piece, { minLength: 1, maxLength: 7 }).map(pieces => pieces.join(''))
    fc.assert(
      fc.property(fc.uniqueArray(pattern, { maxLength: 20 }), fc.array(text, { maxLength: 10 }), (members, keys) => {
        const data = buildTable('pattern', members)
        const table = openTable(structuredClone(data, { transfer: buffersOf(data) }))
        for (const key of keys) {
          const found = table.find(key)
          const matching = members.filter(member => isSafePattern(member) && new RegExp(member).test(key))
          // What is tried always is bounded in all, so that of several only the first are.
          const isWhole = data.dropped === members.filter(member => !isSafePattern(member)).length
          if (found === -2) assert.equal(key.trim(), '')
          else if (isWhole || found !== -1)
            assert.ok(found === -1 ? matching.length === 0 : matching.includes(members[found]!), `${key}: ${matching}`)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
