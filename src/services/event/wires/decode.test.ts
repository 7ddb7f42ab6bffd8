import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { DECODED_BYTES_MAX, decodeBody } from './decode.ts'
import { type Hints, UnreadableBody } from './wire.ts'

const FORM = 'application/x-www-form-urlencoded'
const EVENT = { event: 'Grüße ✓', properties: { path: '/a?b=c&d', sum: '1+1' } }
const JSON_TEXT = JSON.stringify(EVENT)
const BASE64 = Buffer.from(JSON_TEXT).toString('base64')
/** Its base64 has all of `+`, `/` and `=`. */
const AWKWARD = { e: '>>>???~~', f: 'û' }

const hints = (contentType: string | null = null, query = ''): Hints => ({
  contentType,
  query: new URLSearchParams(query),
  path: null,
})

describe('a body is decoded', () => {
  const cases: [what: string, body: string | Buffer, hints?: Hints][] = [
    ['as JSON', JSON_TEXT, hints('application/json')],
    ['as JSON without a content type', JSON_TEXT],
    ['as JSON in text/plain', JSON_TEXT, hints('text/plain;charset=UTF-8')],
    ['as JSON with a byte order mark and white space', `\ufeff \n${JSON_TEXT}\n`],
    ['as JSON that is announced as a form', JSON_TEXT, hints(FORM)],
    ['as gzip that nobody announced', gzipSync(JSON_TEXT), hints('text/plain')],
    ['as gzip that is announced as a form', gzipSync(JSON_TEXT), hints(FORM)],
    ['as gzip with a hint in the query', gzipSync(JSON_TEXT), hints('text/plain', 'compression=gzip-js')],
    ['as a form with base64', `data=${encodeURIComponent(BASE64)}`, hints(FORM, 'compression=base64')],
    ['as a form with base64 that is not percent-encoded', `data=${BASE64}`, hints(FORM)],
    ['as a form with JSON', `ip=1&data=${encodeURIComponent(JSON_TEXT)}&verbose=1`, hints(FORM)],
    [
      'as a form with gzip in base64',
      `data=${encodeURIComponent(gzipSync(JSON_TEXT).toString('base64'))}`,
      hints(FORM),
    ],
    ['as a form that a beacon sends as text', `data=${encodeURIComponent(BASE64)}`, hints('text/plain;charset=UTF-8')],
    ['as base64 alone', BASE64],
    ['as base64 in gzip', gzipSync(BASE64)],
    ['as base64 for URLs', Buffer.from(JSON_TEXT).toString('base64url')],
    ['from the query', '', hints(null, `ip=0&data=${encodeURIComponent(BASE64)}`)],
    ['from the query, as JSON', '', hints(null, `data=${encodeURIComponent(JSON_TEXT)}`)],
  ]
  for (const [what, body, said = hints()] of cases) {
    it(what, () => assert.deepEqual(decodeBody(Buffer.from(body), said), EVENT))
  }

  it('as base64 of which a form turned + into a space', () => {
    const base64 = Buffer.from(JSON.stringify(AWKWARD)).toString('base64')
    assert.match(base64, /[+/].*=/)
    assert.deepEqual(decodeBody(Buffer.from(`data=${base64}`), hints(FORM)), AWKWARD)
    assert.deepEqual(decodeBody(Buffer.alloc(0), hints(null, `data=${base64}`)), AWKWARD)
  })

  it('with __proto__ as an ordinary name', () => {
    const value = decodeBody(Buffer.from('{"__proto__":{"polluted":1}}'), hints()) as object
    assert.deepEqual(Object.keys(value), ['__proto__'])
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
  })
})

describe('a body is refused', () => {
  const twice = gzipSync(gzipSync(JSON_TEXT))
  const bomb = gzipSync(Buffer.alloc(DECODED_BYTES_MAX.own + 1, 0x20))
  const cases: [what: string, body: string | Buffer, reason: string, text: RegExp, hints?: Hints][] = [
    ['that is empty', '', 'malformed', /is empty\. Send/],
    ['that is not JSON', 'hello, world', 'malformed', /not valid JSON\. Send/],
    ['that ends early', '{"event":', 'malformed', /not valid JSON/],
    ['that is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'malformed', /UTF-8/],
    ['with half a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'malformed', /UTF-8/],
    ['that is cut gzip', gzipSync(JSON_TEXT).subarray(0, 20), 'malformed', /decompressed/],
    ['that is gzip twice', twice, 'malformed', /UTF-8/],
    ['that is base64 of something else', Buffer.from('hello').toString('base64'), 'malformed', /JSON/],
    ['that is a form with bad percent signs', 'data=%ff%', 'malformed', /percent-encoded/],
    ['that is a form with invalid UTF-8', 'data=%7B%22%FF%22%7D', 'malformed', /percent-encoded/],
    ['that is decompressed beyond the limit', bomb, 'too_large', /Send fewer events/],
    [
      'that is beyond the limit as it is',
      Buffer.alloc(DECODED_BYTES_MAX.own + 1, 0x20),
      'too_large',
      /Send fewer events/,
    ],
    ['in lz64', 'N4Ig', 'malformed', /lz64 is not supported/, hints('text/plain', 'compression=lz64')],
    ['in lz64 that the form says', 'data=N4Ig&compression=lz64', 'malformed', /lz64 is not supported/, hints(FORM)],
  ]
  for (const [what, body, reason, text, said = hints()] of cases) {
    it(what, () => {
      assert.throws(
        () => decodeBody(Buffer.from(body), said),
        error => error instanceof UnreadableBody && error.reason === reason && text.test(error.message),
      )
    })
  }
})

it('accepts a body of exactly the limit', () => {
  const text = randomBytes(DECODED_BYTES_MAX.own / 2).toString('hex')
  const body = Buffer.from(`["${text.slice(4)}"]`)
  assert.equal(body.length, DECODED_BYTES_MAX.own)
  assert.deepEqual(decodeBody(gzipSync(body), hints()), [text.slice(4)])
})

it('accepts no more than 32 times what was sent, beyond 64 KiB', () => {
  const body = (bytes: number) => gzipSync(Buffer.from('[]'.padEnd(bytes)))
  assert.deepEqual(decodeBody(body(64 * 1024), hints()), [])
  assert.throws(() => decodeBody(body(80 * 1024), hints()), UnreadableBody)
})

describe('the values of a compressed body', () => {
  const list = (count: number) => Buffer.from(`[${Array(count).fill('1').join(',')}]`)
  const isRefused = (body: Buffer, said = hints()) => {
    try {
      decodeBody(body, said)
      return false
    } catch (error) {
      assert.ok(error instanceof UnreadableBody && error.reason === 'too_large', String(error))
      return true
    }
  }
  const announced = (sentBytes: number): Hints => ({ ...hints(), isOpened: true, sentBytes })

  it('are at most 10,000 or 6 for each byte that was sent', () => {
    assert.equal(isRefused(gzipSync(list(10_000))), false)
    assert.equal(isRefused(gzipSync(list(20_000))), true)
    assert.equal(isRefused(list(20_000), announced(2_000)), true)
    assert.equal(isRefused(list(20_000), announced(3_500)), false)
    assert.equal(isRefused(list(90_000), announced(14_000)), true)
  })

  it('are as many as before without compression', () => {
    assert.equal(isRefused(list(99_000)), false)
    assert.equal(isRefused(list(101_000)), true)
  })

  it('are as many as an SDK sends: a batch of 250 events with a hundred fields each', () => {
    const fields = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`$property_${at}`, `value ${at}`]))
    const event = (_: unknown, at: number) => {
      return {
        event: '$pageview',
        uuid: randomUUID(),
        timestamp: new Date(1.7e12 + at).toISOString(),
        properties: fields,
      }
    }
    const text = JSON.stringify({ api_key: 'pk-1', batch: Array.from({ length: 250 }, event) })
    const path = { wire: 'posthog', type: null, eventsMax: 250 } as const
    const said = { ...announced(gzipSync(text).length), path }
    assert.equal(isRefused(Buffer.from(text), said), false)
  })
})

const arbitraryHints = fc.record({
  contentType: fc.constantFrom(null, FORM, 'application/json', 'text/plain', 'x'),
  query: fc
    .constantFrom('', 'compression=base64', 'compression=gzip-js', 'compression=lz64', 'data=e30', 'data=%')
    .map(text => new URLSearchParams(text)),
  path: fc.constant(null),
})

it('fails with nothing but UnreadableBody', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.base64String(), fc.webQueryParameters())
  const bytes = fc.oneof(
    fc.uint8Array(),
    text,
    text.map(gzipSync),
    text.map(one => `data=${one}`),
  )
  fc.assert(
    fc.property(bytes, arbitraryHints, (body, said) => {
      try {
        decodeBody(Buffer.from(body as string), said)
      } catch (error) {
        assert.ok(error instanceof UnreadableBody, String(error))
      }
    }),
    { numRuns: 200 },
  )
})

it('yields what was encoded, however it was encoded', () => {
  const encodings: ((text: string) => [body: string | Buffer, contentType: string | null])[] = [
    text => [text, null],
    text => [gzipSync(text), 'text/plain'],
    text => [Buffer.from(text).toString('base64'), null],
    text => [`data=${encodeURIComponent(text)}`, FORM],
    text => [`data=${Buffer.from(text).toString('base64')}`, FORM],
    text => [gzipSync(text), FORM],
  ]
  const value = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()))
  fc.assert(
    fc.property(value, fc.constantFrom(...encodings), (json, encode) => {
      const text = JSON.stringify(json)
      const [body, contentType] = encode(text)
      assert.equal(JSON.stringify(decodeBody(Buffer.from(body as string), hints(contentType))), text)
    }),
  )
})

describe('takes linear time', () => {
  /** A quadratic step would take minutes on a body of this size; a linear one takes milliseconds. */
  const LINEAR_MS = 5000
  const filled = (unit: string) => Buffer.from(unit.repeat(DECODED_BYTES_MAX.own / unit.length))
  for (const unit of ['[', ' ', '&', '&data', 'data', '=', 'A', '%41', '{"a":', '[],', '"', '\\']) {
    it(`on ${JSON.stringify(unit)}`, () => {
      const start = performance.now()
      for (const contentType of [null, FORM]) {
        try {
          decodeBody(filled(unit), hints(contentType))
        } catch (error) {
          assert.ok(error instanceof UnreadableBody)
        }
      }
      assert.ok(performance.now() - start < LINEAR_MS)
    })
  }
})
