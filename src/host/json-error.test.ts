import assert from 'node:assert/strict'
import { it } from 'node:test'
import { invalidAt } from './json-error.ts'

/** A text with the position at which it stops being JSON marked by ‸. */
const CASES = [
  '‸x',
  'nul‸',
  'nu‸x',
  '[1 ‸2]',
  '[1,‸]',
  '[1.‸]',
  '[1.‸e5]',
  '[0‸1]',
  '[-‸]',
  '[1e+‸]',
  '["a‸\n"]',
  '["\\‸x"]',
  '["\\u12‸g4"]',
  '["\\u12‸',
  '{‸1:2}',
  '{"a" ‸1}',
  '{"a":1‸]',
  '{"a":1,‸}',
  '{"a":[true, fals‸]}',
  '{} ‸{}',
  '"a"‸"b"',
  '[[[[‸',
]

it('finds where a text stops being JSON', () => {
  for (const marked of CASES) {
    const text = marked.replace('‸', '')
    assert.throws(() => JSON.parse(text), SyntaxError, text)
    assert.equal(invalidAt(text), marked.indexOf('‸'), text)
  }
})

it('continues every beginning of a valid text to its end', () => {
  const valid = ' {"a": [1, -2.5e+3, true, null, "x\\u00e9\\n"], "b": {}, "c": []} '
  for (let length = 0; length < valid.trimEnd().length; length++) {
    assert.equal(invalidAt(valid.slice(0, length)), length)
  }
})
