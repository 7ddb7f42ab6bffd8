// Regular expressions take linear time on every text, in the source and in the schemas of operations.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { services } from '../../src/services/index.ts'
import { expressionsIn, slowness } from '../../tools/expressions.ts'
import { read, source } from '../../tools/files.ts'

/** Regular expressions that may take more than linear time: file, expression and the reason why it is harmless. */
const SLOW_EXPRESSIONS: Record<string, string> = {
  'src/config.ts /^([a-z+]+:)?(\\/*).*@/i': 'a setting',
  'src/host/files.ts /\\/assets\\/[^/]*-[\\w-]{8,}\\.\\w+$/': 'the names of our own files, at the start',
  'src/identity/pages.ts /<form.*?<\\/form>/s': 'a page of oidc-provider, in which < of a client is escaped',
  'src/identity/pages.ts /<noscript>.*?<\\/noscript>/s': 'a page of oidc-provider, in which < of a client is escaped',
  'src/services/risk/state.ts /\\/+$/': 'a setting',
  "src/services/risk/match/pattern.ts (text.slice(CASE_INSENSITIVE.length), 'i') : new RegExp(text)":
    'a published pattern, of which pattern-steps.ts bounds the steps',
  'src/services/risk/match/pattern.ts (text)': 'a published pattern, of which pattern-steps.ts bounds the steps',
  "src/services/risk/sources/patterns.ts (pattern.replace(/^\\(\\?i\\)/, '')).test('')": 'tested on the empty text',
}

describe('regular expressions take linear time', () => {
  it('in the source', () => {
    const slow = new Map<string, string>()
    let count = 0
    for (const file of source) {
      for (const { source: text, flags, line } of expressionsIn(read(file))) {
        count++
        const found = flags === null ? 'not a constant' : slowness(text, flags)
        if (found) slow.set(`${file} ${flags === null ? text : `/${text}/${flags}`}`, `${file}:${line}: ${found}`)
      }
    }
    assert.ok(count > 100)
    const listed = Object.keys(SLOW_EXPRESSIONS)
    const offenders = [...slow].filter(([name]) => !listed.includes(name)).map(([name, found]) => `${found}: ${name}`)
    assert.deepEqual(offenders, [])
    assert.deepEqual(
      listed.filter(name => !slow.has(name)),
      [],
      'exceptions that are no longer needed',
    )
  })

  it('in the schemas of operations', () => {
    const all = services
      .flatMap(({ operations }) => Object.values(operations))
      .flatMap(({ input }) => patternsIn(input))
    const distinct = [...new Set(all)]
    assert.ok(distinct.length > 10)
    assert.deepEqual(
      distinct.filter(pattern => slowness(pattern, 'u') !== null), // TypeBox sets the flag.
      [],
    )
  })
})

/** The values of `pattern` in a schema. */
function patternsIn(schema: object): string[] {
  return Object.entries(schema).flatMap(([name, part]) => {
    if (name === 'pattern' && typeof part === 'string') return [part]
    return typeof part === 'object' && part !== null ? patternsIn(part) : []
  })
}
