import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CATALOGUE } from './catalogue.ts'
import { isAgent, isDigest } from './match/exact.ts'
import { canRead } from './match/match.ts'
import { kindsOf, kindsRead } from './reading.ts'

/** Whether a set reads a key, according to its matcher alone. */
function reads(entry: (typeof CATALOGUE)[number], key: string): boolean {
  if (entry.set === 'device') return isDigest(key.trim())
  if (entry.set === 'browser') return isAgent(key.trim())
  return entry.match !== 'exact' && canRead(entry.match, key)
}

const part = fc.constantFrom(
  'a',
  'Bot',
  '0',
  '4111',
  '1.2.3.4',
  '::',
  'ffff',
  '/',
  '.',
  '@',
  ' ',
  '-',
  'AS',
  'xn--',
  'é',
  'com',
  '%',
  '\t',
  ':',
  '"',
  '255',
  '13335',
  'ab'.repeat(16),
  'Mozilla/5.0 ',
  '\u0000',
  '\ud800',
)
const text = fc.array(part, { maxLength: 8 }).map(parts => parts.join(''))

describe('the kinds of a key', () => {
  it('are those of the matchers that read it, for any key', () => {
    const property = fc.property(
      fc.oneof(text, fc.string({ unit: 'binary' }), fc.ipV4(), fc.ipV6(), fc.emailAddress()),
      key => {
        for (const entry of CATALOGUE) {
          assert.equal(
            (kindsOf(key) & kindsRead(entry)) !== 0,
            reads(entry, key),
            `${entry.set} ${JSON.stringify(key)}`,
          )
        }
      },
    )
    const quoted = ['"a b/c"@mailinator.com', ' "a b/c"@mailinator.com ', '"a b/c" @mailinator.com', '"a b"/1.0 (x)']
    fc.assert(property, { numRuns: 20_000, examples: quoted.map(key => [key]) })
  })
})
