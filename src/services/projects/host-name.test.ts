import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../engines/random/random.ts'
import { compileCheck } from '../../kit/check.ts'
import { Fault } from '../../kit/fault.ts'
import { Host, ownableHostFrom } from './host-name.ts'

const schema = compileCheck(Host)
const PLAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/
const LABEL_63 = 'a'.repeat(63)
const LONGEST = `${LABEL_63}.${LABEL_63}.${LABEL_63}.${'a'.repeat(36)}.example.com`
const TOO_LONG = LONGEST.replace('.example', 'a.example')
const shown = (text: string) => (text.length > 40 ? `${text.slice(0, 20)}… (${text.length})` : JSON.stringify(text))

/** The normalised name, or null if it was rejected with a fault for the field `host`. */
function hostOrNull(text: string): string | null {
  try {
    return ownableHostFrom(text)
  } catch (error) {
    assert.ok(error instanceof Fault, `${shown(text)}: ${error}`)
    assert.equal(error.code, 'invalid_input')
    assert.equal(error.fields[0]?.path, 'host')
    return null
  }
}

describe('a host that can be owned', () => {
  for (const [text, host, why] of [
    ['shop.example.com', 'shop.example.com', 'it is valid as it is'],
    ['example.com', 'example.com', 'it is directly below its suffix'],
    ['Shop.EXAMPLE.com', 'shop.example.com', 'case is ignored'],
    ['bücher.example', 'xn--bcher-kva.example', 'browsers send its ASCII form'],
    ['BÜCHER.example', 'xn--bcher-kva.example', 'in either case'],
    ['bu\u0308cher.example', 'xn--bcher-kva.example', 'composed or not'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example', 'or its ASCII form itself'],
    ['例え.jp', 'xn--r8jz45g.jp', 'in any script'],
    ['𠮷.example', 'xn--7l3i.example', 'also outside the Basic Multilingual Plane'],
    ['a.b.c.example.co.uk', 'a.b.c.example.co.uk', 'any number of labels is allowed'],
    ['stoa.github.io', 'stoa.github.io', 'names below a private suffix can be owned too'],
    ['1.2.3.4.example.com', '1.2.3.4.example.com', 'numeric labels do not make it an address'],
    ['0.example', '0.example', 'nor does a single digit'],
    ['a--b.example.com', 'a--b.example.com', 'inner hyphens are allowed'],
    [`${LABEL_63}.example.com`, `${LABEL_63}.example.com`, 'a label may have 63 characters'],
    [LONGEST, LONGEST, 'a name may have 240 characters'],
  ] as const) {
    it(`is ${shown(text)}: ${why}`, () => {
      assert.ok(schema.passes(text))
      assert.equal(ownableHostFrom(text), host)
    })
  }

  it('has at most 240 characters, as the test data assumes', () => {
    assert.deepEqual([LONGEST.length, TOO_LONG.length], [240, 241])
  })
})

describe('a name that cannot be owned', () => {
  for (const [says, ...texts] of [
    ['must be below the public suffix', 'com', 'co.uk', 'CO.UK', 'github.io', 'foo.ck', 'рф', 'intranet', 'x'],
    ['localhost', 'localhost', 'LOCALHOST', 'foo.localhost', 'a.b.localhost', 'ｌocalhost'],
    [
      'not an IP address',
      '127.0.0.1',
      '1.2.3',
      '0x7f.1',
      '2130706433',
      '0177.0.0.1',
      '127.1',
      '１２７.0.0.1',
      '1.2.3.4.',
    ],
    ['a host name', '', '.', '..', '-', 'shop.example.com.', '.shop.example.com', 'shop..example.com'],
    ['a host name', '-shop.example.com', 'shop-.example.com', 'shop.-example.com', 'shop.example.com-'],
    ['a host name', `${LABEL_63}a.example.com`, TOO_LONG, `${'ü'.repeat(63)}.example.com`],
    ['a host name', '*.example.com', '*', 'a*.example.com', 'a_b.example.com', '_dmarc.example.com'],
    ['a host name', 'a b.example.com', 'shop.example.com\0', '\0.example.com', 'user@shop.example.com'],
    ['a host name', 'shop.example.com:443', 'https://shop.example.com', 'u:p@shop.example.com', '[::1]', '::1'],
    ['a host name', '。shop.example.com', 'shop.example.com。', 'shop。。example.com', '\u200d.example.com'],
  ] as const) {
    for (const text of texts) {
      it(`is ${shown(text)}: “${says}”`, () => {
        assert.equal(hostOrNull(text), null)
        assert.throws(() => ownableHostFrom(text), new RegExp(says))
      })
    }
  }

  it('is any name with a trailing dot', () => {
    for (const name of ['example.com', 'shop.example.com', 'bücher.example', 'com']) {
      assert.equal(hostOrNull(`${name}.`), null, name)
    }
  })
})

describe('the schema of a host', () => {
  // ownableHostFrom uses a URL parser, which would drop, decode or cut off parts of these texts.
  for (const text of [
    '',
    '*',
    '*.example.com',
    'a*.example.com',
    'a_b.example.com',
    'a b.example.com',
    ' shop.example.com',
    'shop.example.com:443',
    'https://shop.example.com',
    '//shop.example.com',
    'u@shop.example.com',
    '[::1]',
    'shop.example.com/',
    'shop.example.com/path',
    'shop.example.com\\',
    'shop.example.com?',
    'shop.example.com#',
    '%61.example.com',
    'shop%2eexample.com',
    'shop.example.com\0',
    'shop\0.example.com',
    'a\u00adb.example.com',
    'shop.example.com\n',
    'a\tb.example.com',
    'a\r\nb.example.com',
    '\ufeffshop.example.com',
    'a\u200bb.example.com',
    'shop。example.com',
    'shop．example.com',
    'shop｡example.com',
    'a,b.example.com',
    'x'.repeat(254),
    TOO_LONG,
  ]) {
    it(`rejects ${shown(text)}, which would at most become a plain name`, () => {
      assert.ok(!schema.passes(text))
      const host = hostOrNull(text)
      if (host !== null) assert.match(host, PLAIN)
    })
  }

  for (const value of [null, 7, true, {}, ['shop.example.com']]) {
    it(`rejects ${JSON.stringify(value)}`, () => {
      assert.ok(!schema.passes(value))
    })
  }
})

describe('dots of other scripts', () => {
  for (const text of ['shop。example。com', 'shop．example．com', 'shop｡example｡com']) {
    it(`are read as dots in ${text}`, () => {
      assert.equal(ownableHostFrom(text), 'shop.example.com')
    })
  }

  it('do not hide a suffix or an address', () => {
    for (const text of ['co。uk', 'github．io', '127。0。0。1', 'foo｡localhost'])
      assert.equal(hostOrNull(text), null, text)
  })
})

describe('any text', () => {
  const random = seededRandom('host-name')
  const below = (bound: number) => random.bytes(4).readUInt32BE() % bound
  const pick = <T>(from: readonly T[]) => from[below(from.length)] as T
  const ODD = [
    ...'.-_*:/@%?#\\[]。．｡ \t\n\0ßẞςıİKÅﬁⅧ①ａ９٣',
    '\u00ad',
    '\u200c',
    '\u200d',
    '\u202e',
    '\u0308',
    '\ufeff',
    '\ud800',
  ]
  const PARTS = ['shop', 'EXAMPLE', 'xn--', 'xn--bcher-kva', 'xn--a', '0x7f', '127', '1', 'localhost', 'ünï', 'عربي']
  const TAILS = ['.com', '.co.uk', '.github.io', '.example', '.localhost', '.1', '.0x1', '.рф', '.xn--p1ai', '.', '']
  const PIECES = [
    () => pick(PARTS),
    () => pick(ODD),
    () => String.fromCharCode(0x61 + below(26)),
    () => String.fromCodePoint(below(0x110000)),
    () => String.fromCodePoint(below(0x3000)),
    () => '.',
  ]
  const text = () => Array.from({ length: 1 + below(6) }, () => pick(PIECES)()).join('') + pick(TAILS)

  it('is rejected with a fault, or becomes a plain name that normalises to itself', () => {
    const accepted = Array.from({ length: 2_000 }, text).filter(one => {
      const host = hostOrNull(one)
      if (host === null) return false
      assert.match(host, PLAIN, JSON.stringify(one))
      assert.ok(host.length <= 240)
      assert.equal(hostOrNull(host), host, JSON.stringify(one))
      return true
    })
    // Enough of both kinds to test the property.
    assert.ok(accepted.length > 200 && accepted.length < 1_800, `${accepted.length} were accepted`)
  })
})
