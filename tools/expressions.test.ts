import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { expressionsIn, slowness } from './expressions.ts'

const found = (text: string) =>
  expressionsIn(text).map(({ source, flags }) => (flags === null ? source : `/${source}/${flags}`))

describe('the regular expressions of a file', () => {
  for (const [text, ...expected] of [
    ['const a = /x+/g', '/x+/g'],
    ['text.replace(/[/]"/, b).split(/\\//)', '/[/]"/', '/\\//'],
    ['return /a/.test(x) && !/b/.test(y)', '/a/', '/b/'],
    ['x => /a/i', '/a/i'],
    ['const half = width / 2 / (a / b) / list[0] / 2'],
    ['// text.replace(/a/, b)\n/* /b/ */ const c = "/c/" + \'/d/\''],
    ['const url = `/v1/$' + '{name.replace(/a/, `$' + '{/b/.source}/`)}/c` / 2', '/a/', '/b/'],
    ['const c = { d: `}` }\nconst e = [/f/, /g/]', '/f/', '/g/'],
    ["new RegExp('^a\\\\d', 'u')", '/^a\\d/u'],
    ['new RegExp(`^$' + '{PATH}/(\\\\w+)$`)', '/^x/(\\w+)$/'],
    ['new RegExp(text)', '(text)'],
  ] as [string, ...string[]][]) {
    it(text.split('\n', 1)[0] as string, () => assert.deepEqual(found(text), expected))
  }

  it('have their line', () => assert.equal(expressionsIn('a\n\nb(/c/)')[0]?.line, 3))
})

describe('an expression', () => {
  for (const [name, { source, flags }] of [
    ['that removes blanks at the end', /^[ \t]+|[ \t]+$/g],
    ['that splits at commas with blanks', /\s*,\s*/],
    ['with two repetitions of the same character', /^[^\s<>"]+@[^\s<>"]+$/],
    ['with a repetition in a repetition', /^([a-z]{1,60})+$/],
    ['that looks back over blanks', /(?<=^|; *)name(?==)/g],
  ] as [string, RegExp][]) {
    it(`${name} is slow`, () => assert.notEqual(slowness(source, flags), null))
  }

  for (const { source, flags } of [/^a+$/, /\?(.*)/s, /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/u, /[\r\n]+/g]) {
    it(`/${source}/${flags} is not slow`, () => assert.equal(slowness(source, flags), null))
  }
})
