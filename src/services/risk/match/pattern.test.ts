import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { analysePattern, isSafePattern, STEPS_MAX } from './pattern.ts'
import { buffersOf, buildTable, openTable } from './table.ts'

describe('a safe pattern', () => {
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
  for (const pattern of safe) it(`is accepted: ${pattern}`, () => assert.ok(isSafePattern(pattern)))
})

describe('an unsafe pattern', () => {
  for (const [why, ...patterns] of [
    ['nested repeats', '(a+)+bot', '(a*b?)*bot', '((ab)+c)+bot', '(a?){2,}bot', '(ab+c)?bot', '(a{2})+bot'],
    ['a repeat whose body matches in several ways', '(a|a)*bot', '(a|ab)*bot', '(.|a)+bot', '([ab]|b)+bot'],
    ['a repeat that may be empty', '(|a)*bot', '(^)*bot', '^*bot', '(\\b)+bot'],
    ['two unbounded repeats', 'foo.*bar.*baz', '[ab]*[ab]*cde$', 'a*b+bot'],
    ['too many paths', `${'a?'.repeat(17)}bot`, `${'(a|.)'.repeat(17)}bot`, '.{0,64}.{0,64}.{0,64}bot'],
    ['many paths and no literal', '.*.*', '[ab]*[ab]*c', 'a?'.repeat(9)],
    [
      'many paths at every position',
      '[ab]*aaa[ab]?[ab]?[ab]?[ab]?[ab]?[ab]?[ab]?[ab]?[XY][ZB]',
      `${'a?'.repeat(12)}bot`,
      '[ab]+[c0][d1]',
    ],
    ['ignoring the case of non-ASCII letters', '(?i)bé', '(?i)bot[\u0100-\uffef]'],
    ['back-references and look-around', '(a)\\1bot', '(?=a)bot', '(?<!a)bot', '(?<n>a)bot', 'bot\\k<n>'],
    [
      'escapes that differ between dialects',
      '\\x41bot',
      '\\u0041bot',
      '\\p{L}bot',
      '\\0bot',
      '\\cAbot',
      '[\\b]bot',
      'bot\\',
    ],
    [
      'a syntax error',
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
    ['a count that is zero or too large', 'a{65}bot', 'a{0,100}bot', 'a{1234}bot', 'a{0}bot'],
    ['other flags or positions of flags', 'a(?i)bot', '(?s)bot'],
    ['an invalid text', '', 'a\u0000bot', 'a'.repeat(513)],
  ] as const) {
    for (const pattern of patterns)
      it(`is rejected for ${why}: ${JSON.stringify(pattern.slice(0, 40))}`, () => assert.ok(!isSafePattern(pattern)))
  }
})

const find = (members: string[], key: string) => openTable(buildTable('pattern', members)).find(key)

describe('a pattern table', () => {
  for (const [why, members, key, found] of [
    ['finds a match', ['Googlebot', '[wW]get'], 'Wget/1.21', 1],
    ['is case-sensitive', ['googlebot'], 'Googlebot/2.1', -1],
    ['ignores case with (?i)', ['(?i)googlebot'], 'GoogleBOT/2.1', 0],
    ['respects anchors', ['^curl'], 'libcurl/8 test', -1],
    ['needs the whole pattern to match, not only its literal', ['bot\\/\\d'], 'bot/x', -1],
    ['prefers the longest literal', ['bot', 'Googlebot'], 'Googlebot/2.1', 1],
    ['prefers the longest literal only among matches', ['bot', '^Googlebot'], 'a Googlebot/2.1', 0],
    ['prefers the first of equally long literals', ['spider', 'search'], 'search-spider x', 0],
    ['counts the last iteration of a repeat as part of the literal', ['bcd', 'a+bcd'], 'aabcd x', 1],
    ['matches any number of iterations', ['xxa+bot'], 'xxaaabot', 0],
    ['finds a literal inside another one', ['abcdex', 'bcd'], 'abcdef', 1],
    ['ranks a pattern without a literal last', ['foo|bar', 'bazbot'], 'foo bazbot', 1],
    ['tries patterns without a literal', ['foo|bar', 'bazbot'], 'a bar', 0],
    ['never uses an unsafe pattern', ['(a+)+bot', 'bot'], 'aaabot ', 1],
    ['finds a match after non-ASCII characters', ['bot'], 'é漢bot', 0],
    ['finds a match with non-ASCII characters', ['bé漢t'], 'abé漢t', 0],
    ['does not read a domain', ['bot'], 'bot.example.com', -2],
    ['does not read an empty text', ['bot'], '', -2],
    ['does not read more than 512 bytes', ['bot'], `bot ${'é'.repeat(255)}`, -2],
    ['finds nothing without members', [], 'bot', -1],
  ] as const) {
    it(`${why}: [${members}] for ${JSON.stringify(key.slice(0, 30))}`, () =>
      assert.equal(find([...members], key), found))
  }

  it('drops and counts unsafe patterns and those without a literal over the limit', () => {
    const always = Array.from({ length: 90 }, (_, index) => `x${index + 10}|y${index + 10}`)
    const data = buildTable('pattern', ['(a+)+bot', ...always, 'Googlebot'])
    const table = openTable(data)
    const used = data.count - data.dropped - 1
    assert.ok(data.count === 92 && used > 40 && used < 90, `${used} are always tried`)
    assert.equal(table.find(`y${9 + used}`), used)
    assert.equal(table.find(`y${10 + used}`), -1)
    assert.equal(table.find('Googlebot/'), 91)
    assert.equal(table.member(91), 'Googlebot')
  })

  it('finds a member if and only if the regex engine matches one', () => {
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
          // Patterns without a literal share one limit of steps, so the last ones may be dropped.
          const isComplete = data.dropped === members.filter(member => !isSafePattern(member)).length
          const steps = members.reduce((sum, member) => sum + (analysePattern(member)?.steps ?? 0), 0)
          if (found === -2) assert.ok(key.trim() === '' || steps > STEPS_MAX, `${key}: ${members}`)
          else if (isComplete || found !== -1)
            assert.ok(found === -1 ? matching.length === 0 : matching.includes(members[found]!), `${key}: ${matching}`)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
