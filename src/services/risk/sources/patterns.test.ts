import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { patterns } from './patterns.ts'

const ENTRIES = [
  { pattern: 'Googlebot\\/', url: 'http://www.google.com/bot.html', instances: ['Googlebot/2.1'], tags: ['search'] },
  { pattern: '[wW]get', instances: ['Wget/1.14 (linux-gnu)'], addition_date: '2020/01/01' },
  { pattern: '^LCC ', url: `https://example.com/${'x'.repeat(400)}` },
  { pattern: 'archive.org_bot', url: '' },
  { pattern: '(?i)spider' },
  { pattern: 'Googlebot\\/', url: 'http://google.com/bot' },
]

const MEMBERS = [
  { key: '(?i)spider', value: { class: 'crawler' } },
  { key: 'Googlebot\\/', value: { class: 'crawler', about: 'http://google.com/bot' } },
  { key: '[wW]get', value: { class: 'crawler' } },
  { key: '^LCC ', value: { class: 'crawler', about: `https://example.com/${'x'.repeat(100)}` } },
  { key: 'archive.org_bot', value: { class: 'crawler' } },
]

describe('patterns of crawlers', () => {
  it('are kept as they are written, spaces included, with where the publisher explains them', () => {
    assert.deepEqual(patterns.parse?.(JSON.stringify(ENTRIES)), { members: MEMBERS, dropped: 0 })
  })

  it('are the same in another order, with dates that moved', () => {
    const other = ENTRIES.toReversed().map(entry => ({ ...entry, addition_date: '2026/01/01' }))
    assert.deepEqual(patterns.parse?.(`\ufeff${JSON.stringify(other, null, 2)}`), { members: MEMBERS, dropped: 0 })
  })

  it('lose those that could take for ever, do not compile or fit every text, and say how many', () => {
    const unsafe = ['(a+)+$', '(', 'b**', '.*', 'x?', '(?i)a*', '^'].map(pattern => ({ pattern }))
    assert.deepEqual(patterns.parse?.(JSON.stringify([...ENTRIES, ...unsafe])), {
      members: MEMBERS,
      dropped: unsafe.length,
    })
    assert.throws(() => patterns.parse?.(JSON.stringify(unsafe)), /no member/)
  })

  it('count an entry without a pattern as a bad row', () => {
    const odd = [...ENTRIES, { url: 'x' }, { pattern: ['a'] }]
    assert.throws(() => patterns.parse?.(JSON.stringify(odd)), /^Error: 2 of 8 rows/)
  })

  it('are not read from JSON that lacks a comma', () => {
    assert.throws(() => patterns.parse?.('[{"pattern":"a"}\n{"pattern":"b"}]'), /not JSON/)
  })
})
