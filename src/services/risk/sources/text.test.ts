import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cleanText, jsonOf, rowsOf, shortened } from './text.ts'

describe('the marks around a document', () => {
  for (const [what, text] of [
    ['a byte order mark', '\ufeffa\nb\n'],
    ['CRLF', 'a\r\nb\r\n'],
    ['no final newline', 'a\nb'],
    ['a final end-of-file character', 'a\nb\n\x1a'],
    ['one with blank lines around it', 'a\r\nb\r\n\x1a\r\n'],
    ['blank lines and spaces', '\n  a  \n\n\tb\n\n'],
    ['comments', '# a list\na # the first\n  # more\nb#'],
  ] as const) {
    it(`are no part of its rows: ${what}`, () => {
      assert.deepEqual([...rowsOf(text)], ['a', 'b'])
    })
  }

  it('end with it: an end-of-file character inside stays', () => {
    assert.equal(cleanText('a\x1ab\x1a'), 'a\x1ab')
  })
})

describe('JSON beyond reason', () => {
  for (const [what, text, says] of [
    ['is long', `["${'x'.repeat(2 ** 24)}"]`, /more than 16777216 characters/],
    ['has many empty objects', `[${'{},'.repeat(1_100_000)}{}]`, /more than 2000000 values/],
    ['has many numbers', `[${'0,'.repeat(2_100_000)}0]`, /more than 2000000 values/],
    ['is nested', '['.repeat(2_100_000), /more than 2000000 values/],
  ] as const) {
    it(`is not read when it ${what}`, () => {
      assert.throws(() => jsonOf(text), says)
    })
  }
})

describe("a publisher's words", () => {
  for (const [text, short] of [
    ['  Tencent   cloud\tcomputing\r\n', 'Tencent cloud computing'],
    ['a\0b\x07c', 'a b c'],
    ['a\ud800b', 'a\ufffdb'],
    ['x'.repeat(121), 'x'.repeat(120)],
    ['x y'.repeat(50_000_000), 'x y'.repeat(40)],
    ['😀'.repeat(121), '😀'.repeat(120)],
    [`${'x'.repeat(119)} yz`, 'x'.repeat(119)],
    [' \n', ''],
  ] as const) {
    it(`become ${JSON.stringify(short.slice(0, 24))}`, () => {
      assert.equal(shortened(text), short)
    })
  }
})
