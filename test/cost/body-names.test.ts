// Checking for duplicate names takes about as long as reading the body.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { requireNamesOnce } from '../../src/services/ai/call/names.ts'

describe('names of a body', () => {
  const linear = (what: string, text: string) =>
    it(`take about as long as reading them: ${what}`, () => {
      const bytes = Buffer.from(text)
      const start = performance.now()
      const json = JSON.parse(bytes.toString())
      const read = performance.now()
      requireNamesOnce({ bytes, json })
      const checked = performance.now()
      // Far more than needed, and far less than a quadratic search would take.
      assert.ok(checked - read < 10 * (read - start) + 500, `${checked - read} ms after ${read - start} ms`)
    })
  linear('a long text', `{"a":"${'A'.repeat(15 * 1024 * 1024)}","b":"${'\\"'.repeat(2 * 1024 * 1024)}"}`)
  linear('many names', `{${Array.from({ length: 1_000_000 }, (_, n) => `"k${n}":1`).join(',')}}`)
  linear('many backslashes', `{"a":"${'\\\\'.repeat(4 * 1024 * 1024)}"}`)
  linear('deep nesting', `${'{"a":['.repeat(100_000)}${']}'.repeat(100_000)}`)
})
