import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { csvOf, entriesIn } from './csv.ts'

describe('overrides as CSV', () => {
  it('are the same after an export and an import, and run no formula in a spreadsheet', () => {
    const overrides = [
      { key: 'example.com', verdict: 'deny' as const, note: '=HYPERLINK("https://evil.example")' },
      { key: '+1', verdict: 'allow' as const, note: 'it\'s; "two"\nlines' },
    ]
    const csv = csvOf(overrides)
    assert.doesNotMatch(csv, /(^|,)"?[=+@-]/m)
    assert.deepEqual(entriesIn(csv), { entries: overrides, problems: [] })
  })
})
