import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createObjectEnd } from './object-end.ts'

describe('the end of an object', () => {
  it('is at its last character and not before, for any object', () => {
    const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), object => {
      const end = createObjectEnd()
      const text = JSON.stringify(object)
      for (const character of text) {
        assert.equal(end.complete(), false)
        end.read(character)
      }
      assert.equal(end.complete(), true)
      end.read(' \n')
      assert.equal(end.complete(), true)
    })
    fc.assert(property)
  })
})
