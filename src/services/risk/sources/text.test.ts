import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cleanText, jsonOf, listRows, shortened } from './text.ts'

describe('the rows of a document', () => {
  for (const [what, text] of [
    ['a byte order mark', '\ufeffa\nb\n'],
    ['CRLF', 'a\r\nb\r\n'],
    ['a missing final newline', 'a\nb'],
    ['a final end-of-file character', 'a\nb\n\x1a'],
    ['an end-of-file character with blank lines around it', 'a\r\nb\r\n\x1a\r\n'],
    ['blank lines and spaces', '\n  a  \n\n\tb\n\n'],
    ['comments', '# a list\na # the first\n  # more\nb#'],
  ] as const) {
    it(`do not depend on ${what}`, () => {
      assert.deepEqual([...listRows(text)], ['a', 'b'])
    })
  }

  it('keep an end-of-file character inside the document', () => {
    assert.equal(cleanText('a\x1ab\x1a'), 'a\x1ab')
  })
})

describe('JSON over the limits', () => {
  for (const [what, text, message] of [
    ['is long', `["${'x'.repeat(2 ** 24)}"]`, /more than 16777216 characters/],
    ['has many empty objects', `[${'{},'.repeat(1_100_000)}{}]`, /more than 2000000 values/],
    ['has many numbers', `[${'0,'.repeat(2_100_000)}0]`, /more than 2000000 values/],
    ['is deeply nested', '['.repeat(2_100_000), /more than 2000000 values/],
  ] as const) {
    it(`is rejected if it ${what}`, () => {
      assert.throws(() => jsonOf(text), message)
    })
  }
})

describe('a text of a source', () => {
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
    it(`is shortened to ${JSON.stringify(short.slice(0, 24))}`, () => {
      assert.equal(shortened(text), short)
    })
  }
})
