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
  it('are kept as published, with spaces and with the URL of their description', () => {
    assert.deepEqual(patterns.parse?.(JSON.stringify(ENTRIES)), { members: MEMBERS, dropped: 0 })
  })

  it('do not depend on order and dates', () => {
    const other = ENTRIES.toReversed().map(entry => ({ ...entry, addition_date: '2026/01/01' }))
    assert.deepEqual(patterns.parse?.(`\ufeff${JSON.stringify(other, null, 2)}`), { members: MEMBERS, dropped: 0 })
  })

  it('are dropped and counted if they are unsafe, do not compile or match every text', () => {
    const unsafe = ['(a+)+$', '(', 'b**', '.*', 'x?', '(?i)a*', '^'].map(pattern => ({ pattern }))
    assert.deepEqual(patterns.parse?.(JSON.stringify([...ENTRIES, ...unsafe])), {
      members: MEMBERS,
      dropped: unsafe.length,
    })
    assert.throws(() => patterns.parse?.(JSON.stringify(unsafe)), /no usable member/)
  })

  it('are rejected as a whole if one matches a common browser; the error quotes it', () => {
    for (const pattern of [
      '.',
      'Mozilla',
      'KHTML, like Gecko',
      '(?i)FIREFOX',
      'iPhone|iPad',
      'Edg\\/',
      '[A-Z]\\w\\w',
      ' ',
    ]) {
      const start = `The pattern ${JSON.stringify(pattern)} matches a common browser: `
      assert.throws(
        () => patterns.parse?.(JSON.stringify([...ENTRIES, { pattern }])),
        ({ message }: Error) => message.startsWith(start),
        pattern,
      )
    }
  })

  it('are rejected as a whole if too many would be tried on a common browser', () => {
    const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36'
    const parts = Array.from({ length: agent.length - 3 }, (_, at) => agent.slice(at, at + 3)).filter(text =>
      /^\w+$/.test(text),
    )
    const many = parts.flatMap(part =>
      Array.from({ length: 60 }, (_, n) => ({ pattern: `${part}[!${n + 10}][!${n}]` })),
    )
    assert.throws(
      () => patterns.parse?.(JSON.stringify(many)),
      /^Error: The patterns need too many steps for a common browser: /,
    )
  })

  it('count an entry without a pattern as a bad row', () => {
    const odd = [...ENTRIES, { url: 'x' }, { pattern: ['a'] }]
    assert.throws(() => patterns.parse?.(JSON.stringify(odd)), /^Error: 2 of 8 rows/)
  })

  it('are rejected from invalid JSON', () => {
    assert.throws(() => patterns.parse?.('[{"pattern":"a"}\n{"pattern":"b"}]'), /not JSON/)
  })
})
