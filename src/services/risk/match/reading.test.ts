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
    it(`${member === null ? `rejects ${shown(text)}` : `reads ${shown(text)} as ${shown(member)}`}: ${why}`, () => {
      assert.equal(memberFrom(match, text), member)
    })
  }
}

const LABEL_63 = 'a'.repeat(63)
const LONGEST = `${LABEL_63}.${LABEL_63}.${LABEL_63}.${'a'.repeat(57)}.com`

describe('the domain reader', () => {
  rows('domain', [
    ['mailinator.com', 'mailinator.com', 'a canonical domain is unchanged'],
    ['Ada@Mailinator.COM', 'mailinator.com', 'the host of an e-mail address, in lower case'],
    ['user+tag@x.example', 'x.example', 'the local part is ignored'],
    ['"a@b"@x.example', 'x.example', 'the last @ separates, even with one inside quotes'],
    ['@x.example', null, 'the local part must not be empty'],
    ['a@', null, 'the host must not be empty'],
    ['a b@x.example', null, 'inner white space is invalid'],
    ['"a b"@x.example', 'x.example', 'a space in quotes is valid'],
    ['"a \\" b/c"@x.example', 'x.example', 'an escaped quote and a slash in quotes are valid'],
    ['"a" b"@x.example', null, 'an inner quote must be escaped'],
    ['"a b"c@x.example', null, 'nothing may follow the closing quote'],
    ['a" b"@x.example', null, 'nothing may precede the opening quote'],
    ['"a\tb"@x.example', null, 'a tab in quotes is invalid'],
    ['"a\u00a0b"@x.example', null, 'other white space in quotes is invalid'],
    ['"a b"@x.exa mple', null, 'a host has no spaces'],
    ['user@x.example (comment)', null, 'a comment is not part of a mailbox (RFC 5321)'],
    ['  x.example\n', 'x.example', 'surrounding white space is trimmed'],
    ['x\u3000y.example', null, 'inner Unicode white space is invalid'],
    ['x\u0000.example', null, 'control characters are invalid'],
    ['a\u0007@x.example', null, 'control characters in the local part are invalid'],
    ['a\ud800@x.example', null, 'a lone surrogate is invalid'],
    ['x.example.', 'x.example', 'the trailing dot is removed'],
    ['x.example。', 'x.example', 'a trailing ideographic full stop is removed'],
    ['x.example..', null, 'two trailing dots are invalid'],
    ['.x.example', null, 'the first label must not be empty'],
    ['a..b.com', null, 'no label may be empty'],
    ['com', null, 'a domain has at least two labels'],
    ['.', null, 'the root is not a domain'],
    ['', null, 'an empty text is not a domain'],
    ['1.2.3.4', null, 'an IP address is not a domain'],
    ['x.0x7f', null, 'browsers read a hexadecimal last label as an IPv4 address'],
    ['1.2.3.4.example', '1.2.3.4.example', 'other labels may be numbers'],
    ['user@[1.2.3.4]', null, 'an address literal is not a domain'],
    ['example。com', 'example.com', 'an ideographic full stop separates labels'],
    ['ｅｘａｍｐｌｅ.com', 'example.com', 'full-width letters are mapped to ASCII'],
    ['ﬁsh.com', 'fish.com', 'ligatures are mapped to ASCII'],
    ['ex\u200bample.com', 'example.com', 'a zero-width space is removed'],
    ['faß.de', 'xn--fa-hia.de', 'ß is not mapped to ss'],
    ['İ.com', 'xn--i-9bb.com', 'IDNA folds a letter whose lower case is longer'],
    ['XN--FA-HIA.de', 'xn--fa-hia.de', 'Punycode is lower-cased'],
    ['xn--a.com', null, 'invalid Punycode is rejected'],
    ['a.xn--0.com', null, 'invalid Punycode is rejected in every label'],
    ['\u00ad.com', null, 'a label must not become empty'],
    ['example.com/path', null, 'a path is not part of a domain'],
    ['example.com:80', null, 'a port is not part of a domain'],
    ['ex%61mple.com', null, 'a percent escape is invalid'],
    ['℀.com', null, 'a character that maps to a slash is invalid'],
    ['_dmarc.-x-.com', '_dmarc.-x-.com', 'underscores and outer hyphens are valid'],
    [`${LABEL_63}.com`, `${LABEL_63}.com`, 'a label has at most 63 characters'],
    [`${LABEL_63}a.com`, null, 'a label has at most 63 characters'],
    [LONGEST, LONGEST, 'a domain has at most 253 characters'],
    [`${LONGEST}.`, LONGEST, 'the trailing dot does not count'],
    [`a${LONGEST.slice(0, -4)}.com`.replace('.a', '.aa'), null, 'a domain has at most 253 characters'],
    [`${'u'.repeat(502)}@x.example`, 'x.example', 'a text has at most 512 bytes'],
    [`${'u'.repeat(503)}@x.example`, null, 'a text has at most 512 bytes'],
    [`${'ü'.repeat(252)}@x.example`, null, 'the limit counts bytes, not characters'],
  ])
})

describe('the digits reader', () => {
  rows('digits', [
    ['4', '4', 'a card scheme may be a single digit'],
    ['411111', '411111', 'a six-digit issuer prefix'],
    ['41111111', '41111111', 'an eight-digit issuer prefix'],
    ['4111 1111-1111 1111', '41111111', 'at most eight digits of a card number are kept'],
    ['0412', '0412', 'leading zeros are significant'],
    ['1234567890123456789', '12345678', 'a card number has at most 19 digits'],
    ['12345678901234567890', null, 'a card number has at most 19 digits'],
    [' 4111', null, 'a leading space is invalid'],
    ['4111-', null, 'a trailing hyphen is invalid'],
    ['4111  1111', null, 'a double separator is invalid'],
    ['4111- 1111', null, 'mixed double separators are invalid'],
    ['4.2.2.2', null, 'an IP address is not a card number'],
    ['٤١١١', null, 'digits must be ASCII'],
    ['+4111', null, 'a sign is invalid'],
    ['', null, 'an empty text is not a card number'],
  ])

  it('needs at least four digits in a look-up key', () => {
    assert.deepEqual(
      ['411', '4-1-1', '4111', '4-1-1-1', '1234567890123456789'].map(text => canRead('digits', text)),
      [false, false, true, true, true],
    )
  })
})

describe('the range reader', () => {
  rows('range', [
    ['13335', '13335-13335', 'a number is a range of one'],
    ['AS13335', '13335-13335', 'the prefix AS is optional'],
    ['as13335', '13335-13335', 'the prefix AS may be in lower case'],
    ['64512-65534', '64512-65534', 'a range includes both ends'],
    ['AS64512-AS65534', '64512-65534', 'both ends may have the prefix AS'],
    ['5-4', null, 'the low end comes first'],
    ['5-', null, 'the high end is missing'],
    ['-5', null, 'the low end is missing'],
    ['1-2-3', null, 'a range has two ends'],
    ['0', '0-0', 'zero is a valid number'],
    ['4294967295', '4294967295-4294967295', 'a number has 32 bits'],
    ['4294967296', null, 'a number has at most 32 bits'],
    ['99999999999', null, 'a number has at most ten digits'],
    ['013335', null, 'a leading zero is invalid'],
    ['AS 13335', null, 'an inner space is invalid'],
    [' 13335', null, 'a leading space is invalid'],
    ['1.10', null, 'the dotted form is ambiguous'],
    ['1e5', null, 'an exponent is invalid'],
    ['+1', null, 'a sign is invalid'],
    ['13335abc', null, 'trailing text is invalid'],
    ['AS', null, 'AS without a number is invalid'],
    ['ASAS1', null, 'a repeated AS is invalid'],
    ['', null, 'an empty text is not zero'],
  ])

  it('accepts single numbers, not ranges, as look-up keys', () => {
    assert.deepEqual(
      ['13335', 'aS0', '1-2', 'AS', '4294967296'].map(text => canRead('range', text)),
      [true, true, false, false, false],
    )
  })
})

const DIGEST = 'd41d8cd98f00b204e9800998ecf8427e'
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0'

describe('the exact reader', () => {
  rows('exact', [
    [AGENT, AGENT, 'a user agent is unchanged'],
    [`  ${AGENT}\r\n`, AGENT, 'surrounding white space is trimmed'],
    [DIGEST.toUpperCase(), DIGEST, 'a digest is lower-cased'],
    [`${DIGEST}g`.toUpperCase(), `${DIGEST}G`.toUpperCase(), 'other texts keep their case'],
    ['a\u0000b', null, 'control characters are invalid'],
    ['a\u0085b', null, 'C1 control characters are invalid'],
    ['\udc00', null, 'a lone surrogate is invalid'],
    ['é'.repeat(256), 'é'.repeat(256), 'a text has at most 512 bytes'],
    [`${'é'.repeat(256)}a`, null, 'a text has at most 512 bytes'],
    ['   ', null, 'a blank text is invalid'],
  ])

  it('detects a digest: 32 to 128 hexadecimal digits, an even number of them', () => {
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

  it('detects a user agent: a text with a product that no other matcher reads', () => {
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

describe('the pattern reader', () => {
  it('accepts look-up keys that no other matcher reads', () => {
    const free = [AGENT, 'Googlebot', 'bot ', 'AS 13335', 'com', '4111 ', '1.2.3']
    const otherKinds = ['a@x.example', 'x.example', '1.2.3.4', '::1', '10.0.0.0/8', '4111 1111', '13335', 'AS1', DIGEST]
    const invalid = ['', ' ', 'a\u0007', '\ud800', 'a'.repeat(513)]
    assert.deepEqual(
      free.filter(text => canRead('pattern', text)),
      free,
    )
    assert.deepEqual(
      [...otherKinds, ...invalid].filter(text => canRead('pattern', text)),
      [],
    )
  })

  rows('pattern', [
    [' bot\\/', ' bot\\/', 'a pattern is kept as published, with spaces'],
    ['', null, 'an empty pattern is invalid'],
    ['a\nb', null, 'control characters are invalid'],
    ['a'.repeat(513), null, 'a text has at most 512 bytes'],
  ])
})

const MATCHES: Match[] = ['exact', 'domain', 'net', 'digits', 'pattern', 'range']

/** Random texts, and texts similar to valid ones. */
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
  it('except those of patterns and exact texts rejects a text with a slash and an inner space', () => {
    const joined = fc.array(fc.oneof(anyText, fc.constantFrom('/', ' ', '1', 'AS')), { maxLength: 6 })
    const slashed = joined.map(parts => parts.join('')).filter(isProse)
    const examples = ['4111 1111/4111', 'AS 1/2', '10.0.0.0 /8', '10.0.0.0/ 8', '[::1 /64]', '1/2 ::']
    for (const text of [...examples, ...fc.sample(slashed, 2_000)]) {
      for (const match of ['domain', 'net', 'digits', 'range'] as const) assert.ok(!canRead(match, text), text)
    }
  })

  for (const match of MATCHES) {
    it(`of ${match} never throws, and leaves its canonical spelling unchanged`, () => {
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
