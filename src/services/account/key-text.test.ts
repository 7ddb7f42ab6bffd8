import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemRandom } from '../../engines/random/random.ts'
import { digestOf, isWellFormed, newKeyText, prefixOf } from './key-text.ts'

describe('the text of a key', () => {
  it('is sk-, 256 bits and six check digits, without separators', () => {
    for (let i = 0; i < 1_000; i++) {
      const text = newKeyText(systemRandom, 'secret')
      assert.match(text, /^sk-[0-9A-Za-z]{49}$/)
      assert.ok(isWellFormed(text))
    }
  })

  it('starts with pk- for a publishable key', () => {
    const text = newKeyText(systemRandom, 'publishable')
    assert.match(text, /^pk-[0-9A-Za-z]{49}$/)
    assert.ok(isWellFormed(text))
    assert.ok(!isWellFormed(text.replace('pk-', 'sk-')))
  })

  it('detects any one mistyped letter and any two swapped neighbours', () => {
    const text = newKeyText(systemRandom, 'secret')
    for (let at = 3; at < text.length; at++) {
      const wrong = text[at] === 'x' ? 'y' : 'x'
      assert.ok(!isWellFormed(text.slice(0, at) + wrong + text.slice(at + 1)), `letter ${at}`)
      const swapped = text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2)
      if (swapped !== text) assert.ok(!isWellFormed(swapped), `swap ${at}`)
    }
  })

  it('is refused in any other format', () => {
    const text = newKeyText(systemRandom, 'secret')
    for (const other of ['', 'sk-', text.slice(3), `${text}x`, ` ${text}`, `${text}\n`, text.replace('sk-', 'sk_')]) {
      assert.ok(!isWellFormed(other), JSON.stringify(other))
    }
  })

  it('has a prefix of eleven characters and a SHA-256 digest in hex', () => {
    const text = newKeyText(systemRandom, 'secret')
    assert.equal(prefixOf(text), text.slice(0, 11))
    assert.match(digestOf(text), /^[0-9a-f]{64}$/)
    assert.notEqual(digestOf(text), digestOf(newKeyText(systemRandom, 'secret')))
  })
})
