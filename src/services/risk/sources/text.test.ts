import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cleanText, rowsOf, shortened } from './text.ts'

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
      assert.deepEqual(rowsOf(text), ['a', 'b'])
    })
  }

  it('end with it: an end-of-file character inside stays', () => {
    assert.equal(cleanText('a\x1ab\x1a'), 'a\x1ab')
  })
})

describe("a publisher's words", () => {
  for (const [text, short] of [
    ['  Tencent   cloud\tcomputing\r\n', 'Tencent cloud computing'],
    ['a\0b\x07c', 'a b c'],
    ['a\ud800b', 'a\ufffdb'],
    ['x'.repeat(121), 'x'.repeat(120)],
    ['😀'.repeat(121), '😀'.repeat(120)],
    [`${'x'.repeat(119)} yz`, 'x'.repeat(119)],
    [' \n', ''],
  ] as const) {
    it(`become ${JSON.stringify(short.slice(0, 24))}`, () => {
      assert.equal(shortened(text), short)
    })
  }
})
