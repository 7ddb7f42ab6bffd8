import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Fault } from '../../../kit/fault.ts'
import { requireNamesOnce } from './names.ts'

/** The path that is refused, or null. */
function refusedIn(text: string | Buffer): string | null {
  const bytes = Buffer.from(text)
  try {
    requireNamesOnce({ bytes, json: JSON.parse(bytes.toString()) })
    return null
  } catch (error) {
    assert.ok(error instanceof Fault)
    return error.fields[0]?.path ?? ''
  }
}

describe('names of a body', () => {
  for (const [text, path] of [
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"b":{"c":[0,{"d":1,"e":":","d":2}]}}', 'b.c.1.d'],
    ['{"type":1,"t\\u0079pe":2}', 'type'],
    ['{"t\\u0079pe":1 , "type" : 2}', 'type'],
    ['{"a\\"b":1,"a\\u0022b":1}', 'a"b'],
    ['[{"a":1},{"a":1,"a":1}]', '1.a'],
    ['{"":1,"":1}', 'body'],
    ['{"a":{"a":1,"b":{"c":1},"c":2},"a":1}', 'a'],
    ['{"__proto__":1,"__proto__":1}', '__proto__'],
    ['{"Grüße":1,"Gr\\u00fc\\u00dfe":1}', 'Grüße'],
    [`{"${'n'.repeat(200)}":1,"${'n'.repeat(200)}":1}`, 'n'.repeat(100)],
  ] as const) {
    it(`are refused twice: ${text.slice(0, 60)}`, () => assert.equal(refusedIn(text), path))
  }

  for (const text of [
    '{}',
    ' [ ] ',
    '"a:b"',
    '{"a":{"a":{"a":[{"a":1},{"a":1}]}}}',
    '{"a":"\\"b\\":1,\\"b\\":2","b":"\\\\","c":":"}',
    `{"a":"${'\\\\'.repeat(500)}","b":"${'\\"'.repeat(500)}","c":"${'x'.repeat(47)}\\"${'x'.repeat(47)}\\\\"}`,
    '{"a":1,"A":2,"constructor":3,"__proto__":4,"1":5}',
  ]) {
    it(`pass once: ${text.slice(0, 60)}`, () => assert.equal(refusedIn(text), null))
  }

  it('are found whatever is in the texts between', () => {
    for (let length = 0; length < 200; length++) {
      for (const end of ['', '\\\\', '\\"', '\\"\\\\', '\\u0022']) {
        const value = `"${'é'.repeat(length % 7)}${'x'.repeat(length)}${end}"`
        assert.equal(refusedIn(`{"a":${value},"b":${value}}`), null)
        assert.equal(refusedIn(`{"a":${value},"b":${value},"a":1}`), 'a')
      }
    }
  })

  it('are named as the body if they are too many or too deep', () => {
    const many = Array.from({ length: 1_000_000 }, (_, n) => `"k${n}":1`).join(',')
    assert.equal(refusedIn(`{"a":{${many}},"a":1}`), 'body')
    assert.equal(refusedIn(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)},"a":1}`), 'body')
    assert.equal(refusedIn(`{${many},"k5":1}`), 'body')
  })
})
