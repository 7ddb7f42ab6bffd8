import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isAgent, isDigest, isProse } from './exact.ts'
import { canRead, type Match, memberFrom } from './match.ts'

const shown = (text: string) =>
  text.length > 48 ? `${JSON.stringify(text.slice(0, 24))}… (${text.length})` : JSON.stringify(text)

type Row = readonly [text: string, member: string | null, why: string]

function rows(match: Match, table: readonly Row[]): void {
  for (const [text, member, why] of table) {
    it(`${shown(text)} is ${member === null ? 'refused' : shown(member)}: ${why}`, () => {
      assert.equal(memberFrom(match, text), member)
    })
  }
}

const LABEL_63 = 'a'.repeat(63)
const LONGEST = `${LABEL_63}.${LABEL_63}.${LABEL_63}.${'a'.repeat(57)}.com`

describe('a domain', () => {
  rows('domain', [
    ['mailinator.com', 'mailinator.com', 'it is one already'],
    ['Ada@Mailinator.COM', 'mailinator.com', 'of an address the host counts, in lower case'],
    ['user+tag@x.example', 'x.example', 'whatever the local part'],
    ['"a@b"@x.example', 'x.example', 'the last @ divides, even with one inside quotes'],
    ['@x.example', null, 'an address has a local part'],
    ['a@', null, 'and a host'],
    ['a b@x.example', null, 'white space inside is no address'],
    ['"a b"@x.example', 'x.example', 'but in quotes a space is'],
    ['"a \\" b/c"@x.example', 'x.example', 'with a quote that is marked, and a slash'],
    ['"a" b"@x.example', null, 'quotes stand around the whole'],
    ['"a b"c@x.example', null, 'on both sides'],
    ['a" b"@x.example', null, 'and nothing before them'],
    ['"a\tb"@x.example', null, 'a tab is no space'],
    ['"a\u00a0b"@x.example', null, 'nor is any other'],
    ['"a b"@x.exa mple', null, 'a host has none'],
    ['user@x.example (comment)', null, 'what a mailbox is called in a letter’s head is no part of it (RFC 5321)'],
    ['  x.example\n', 'x.example', 'white space around is dropped'],
    ['x\u3000y.example', null, 'white space of any kind is refused inside'],
    ['x\u0000.example', null, 'control characters are refused'],
    ['a\u0007@x.example', null, 'in the local part too'],
    ['a\ud800@x.example', null, 'half a character is no text'],
    ['x.example.', 'x.example', 'the dot of the root is dropped'],
    ['x.example。', 'x.example', 'in any script'],
    ['x.example..', null, 'one such dot, not two'],
    ['.x.example', null, 'a label is not empty'],
    ['a..b.com', null, 'nor in the middle'],
    ['com', null, 'one label is nobody’s'],
    ['.', null, 'nor is none'],
    ['', null, 'nothing is nothing'],
    ['1.2.3.4', null, 'an address is no domain'],
    ['x.0x7f', null, 'browsers read a hexadecimal end as an address, too'],
    ['1.2.3.4.example', '1.2.3.4.example', 'digits are free elsewhere'],
    ['user@[1.2.3.4]', null, 'an address in brackets is no domain'],
    ['example。com', 'example.com', 'every full stop divides'],
    ['ｅｘａｍｐｌｅ.com', 'example.com', 'full width means the same'],
    ['ﬁsh.com', 'fish.com', 'so do ligatures'],
    ['ex\u200bample.com', 'example.com', 'a space of no width hides nothing'],
    ['faß.de', 'xn--fa-hia.de', 'ß is a letter of its own'],
    ['İ.com', 'xn--i-9bb.com', 'a letter that grows in lower case is IDNA’s to fold'],
    ['XN--FA-HIA.de', 'xn--fa-hia.de', 'the ASCII form is folded too'],
    ['xn--a.com', null, 'broken Punycode is no name'],
    ['a.xn--0.com', null, 'in no label'],
    ['\u00ad.com', null, 'a label may not vanish'],
    ['example.com/path', null, 'a path is no part of a name'],
    ['example.com:80', null, 'nor is a port'],
    ['ex%61mple.com', null, 'nor is an escape'],
    ['℀.com', null, 'nor what folds to a slash'],
    ['_dmarc.-x-.com', '_dmarc.-x-.com', 'underscores and hyphens are used'],
    [`${LABEL_63}.com`, `${LABEL_63}.com`, 'a label has up to 63'],
    [`${LABEL_63}a.com`, null, 'and no more'],
    [LONGEST, LONGEST, 'a name has up to 253'],
    [`${LONGEST}.`, LONGEST, 'beside the dot of the root'],
    [`a${LONGEST.slice(0, -4)}.com`.replace('.a', '.aa'), null, 'and no more'],
    [`${'u'.repeat(502)}@x.example`, `x.example`, 'a text has up to 512 bytes'],
    [`${'u'.repeat(503)}@x.example`, null, 'and no more'],
    [`${'ü'.repeat(252)}@x.example`, null, 'bytes, not characters'],
  ])
})

describe('digits', () => {
  rows('digits', [
    ['4', '4', 'a scheme is a single digit'],
    ['411111', '411111', 'six digits were an issuer'],
    ['41111111', '41111111', 'eight are now'],
    ['4111 1111-1111 1111', '41111111', 'no more than eight are kept of a card'],
    ['0412', '0412', 'zeroes in front count'],
    ['1234567890123456789', '12345678', 'a number has up to 19'],
    ['12345678901234567890', null, 'and no more'],
    [' 4111', null, 'a space stands between digits'],
    ['4111-', null, 'so does a hyphen'],
    ['4111  1111', null, 'alone'],
    ['4111- 1111', null, 'not with another'],
    ['4.2.2.2', null, 'an address is not squeezed into digits'],
    ['٤١١١', null, 'digits are ASCII'],
    ['+4111', null, 'without a sign'],
    ['', null, 'nothing is nothing'],
  ])

  it('is looked up with four at least', () => {
    assert.deepEqual(
      ['411', '4-1-1', '4111', '4-1-1-1', '1234567890123456789'].map(text => canRead('digits', text)),
      [false, false, true, true, true],
    )
  })
})

describe('a range', () => {
  rows('range', [
    ['13335', '13335-13335', 'a number is a range of one'],
    ['AS13335', '13335-13335', 'marked or not'],
    ['as13335', '13335-13335', 'in either case'],
    ['64512-65534', '64512-65534', 'both ends belong to it'],
    ['AS64512-AS65534', '64512-65534', 'marked, too'],
    ['5-4', null, 'it does not run backwards'],
    ['5-', null, 'it has two ends'],
    ['-5', null, 'a hyphen is no sign'],
    ['1-2-3', null, 'and no more'],
    ['0', '0-0', 'zero is reserved, but a number'],
    ['4294967295', '4294967295-4294967295', 'there are 32 bits'],
    ['4294967296', null, 'which do not wrap'],
    ['99999999999', null, 'at any length'],
    ['013335', null, 'no padding'],
    ['AS 13335', null, 'no spaces'],
    [' 13335', null, 'anywhere'],
    ['1.10', null, 'the dotted form is a guess'],
    ['1e5', null, 'no exponents'],
    ['+1', null, 'no signs'],
    ['13335abc', null, 'nothing behind'],
    ['AS', null, 'a mark needs a number'],
    ['ASAS1', null, 'one mark'],
    ['', null, 'nothing is not zero'],
  ])

  it('is looked up by one number', () => {
    assert.deepEqual(
      ['13335', 'aS0', '1-2', 'AS', '4294967296'].map(text => canRead('range', text)),
      [true, true, false, false, false],
    )
  })
})

const DIGEST = 'd41d8cd98f00b204e9800998ecf8427e'
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0'

describe('an exact text', () => {
  rows('exact', [
    [AGENT, AGENT, 'it is kept as it is'],
    [`  ${AGENT}\r\n`, AGENT, 'but for white space around'],
    [DIGEST.toUpperCase(), DIGEST, 'a digest means the same in either case'],
    [`${DIGEST}g`.toUpperCase(), `${DIGEST}G`.toUpperCase(), 'no other text does'],
    ['a\u0000b', null, 'control characters are refused'],
    ['a\u0085b', null, 'the later ones, too'],
    ['\udc00', null, 'half a character is no text'],
    ['é'.repeat(256), 'é'.repeat(256), 'a text has up to 512 bytes'],
    [`${'é'.repeat(256)}a`, null, 'and no more'],
    ['   ', null, 'nothing is nothing'],
  ])

  it('is a digest with 32 to 128 hexadecimal digits, an even number of them', () => {
    const texts = [
      DIGEST,
      DIGEST.toUpperCase(),
      'a'.repeat(128),
      'a'.repeat(31),
      'a'.repeat(33),
      'a'.repeat(130),
      AGENT,
    ]
    assert.deepEqual(texts.map(isDigest), [true, true, true, false, false, false, false])
  })

  it('is an agent when it names a product and is nothing else', () => {
    const agents = [AGENT, 'curl/8.5.0', 'Мой/1.0']
    const others = [
      '10.0.0.0/8',
      '2001:db8::/32',
      'curl',
      'a/b@x.example',
      '1/2',
      `${AGENT}\u0000`,
      'x/'.repeat(300),
      '',
    ]
    assert.deepEqual(agents.filter(isAgent), agents)
    assert.deepEqual(others.filter(isAgent), [])
  })
})

describe('free text', () => {
  it('is what nothing else reads', () => {
    const free = [AGENT, 'Googlebot', 'bot ', 'AS 13335', 'com', '4111 ', '1.2.3']
    const claimed = ['a@x.example', 'x.example', '1.2.3.4', '::1', '10.0.0.0/8', '4111 1111', '13335', 'AS1', DIGEST]
    const refused = ['', ' ', 'a\u0007', '\ud800', 'a'.repeat(513)]
    assert.deepEqual(
      free.filter(text => canRead('pattern', text)),
      free,
    )
    assert.deepEqual(
      [...claimed, ...refused].filter(text => canRead('pattern', text)),
      [],
    )
  })

  rows('pattern', [
    [' bot\\/', ' bot\\/', 'a pattern is kept as published, spaces included'],
    ['', null, 'nothing is nothing'],
    ['a\nb', null, 'control characters are refused'],
    ['a'.repeat(513), null, 'a text has up to 512 bytes'],
  ])
})

const MATCHES: Match[] = ['exact', 'domain', 'net', 'digits', 'pattern', 'range']

/** Texts that nobody would write, and texts that are nearly something. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 600 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom('a', 'B', '1', '.', '-', '@', ':', '/', ' ', 'xn--', '。', 'ß', '\ud800', '[', ']'),
    maxLength: 20,
  }),
  fc.emailAddress(),
  fc.domain(),
  fc.ipV4Extended(),
  fc.ipV6().chain(ip => fc.nat({ max: 130 }).map(bits => `${ip}/${bits}`)),
)

describe('every reader', () => {
  it('but that of free text and of whole texts leaves a text with a slash and a space inside alone', () => {
    const joined = fc.array(fc.oneof(anyText, fc.constantFrom('/', ' ', '1', 'AS')), { maxLength: 6 })
    const slashed = joined.map(parts => parts.join('')).filter(isProse)
    const written = ['4111 1111/4111', 'AS 1/2', '10.0.0.0 /8', '10.0.0.0/ 8', '[::1 /64]', '1/2 ::']
    for (const text of [...written, ...fc.sample(slashed, 2_000)]) {
      for (const match of ['domain', 'net', 'digits', 'range'] as const) assert.ok(!canRead(match, text), text)
    }
  })

  for (const match of MATCHES) {
    it(`of ${match} is total, and reads its own spelling as itself`, () => {
      fc.assert(
        fc.property(anyText, text => {
          const member = memberFrom(match, text)
          assert.equal(typeof canRead(match, text), 'boolean')
          if (member !== null) assert.equal(memberFrom(match, member), member)
        }),
        { numRuns: 1000 },
      )
    })
  }
})
