import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTable } from '../match/table.ts'
import { build, pack, parse } from './jobs.ts'

const read = (source: string, text: string) =>
  parse({ source, document: new TextEncoder().encode(text), encoding: null })

describe('a version', () => {
  const members = Array.from({ length: 12_000 }, (_, n) => ({
    key: `n${String(n).padStart(5, '0')}.com`,
    value: { class: n % 2 ? 'odd' : 'even', name: `${n % 7}` },
  }))

  it('is the digest of its members, independent of the order of fields', () => {
    const reordered = members.map(({ key, value }) => ({ key, value: { name: value.name, class: value.class } }))
    assert.equal(pack(reordered).version, pack(members).version)
    const [first, ...rest] = members
    const other = [{ ...first, value: { class: 'other' } } as (typeof members)[number], ...rest]
    assert.notEqual(pack(other).version, pack(members).version)
    assert.notEqual(pack(rest).version, pack(members).version)
  })

  it('is restored from its chunks unchanged', () => {
    const { chunks, keys } = pack(members)
    assert.deepEqual(
      chunks.map(chunk => chunk.keys),
      [5_000, 5_000, 2_000],
    )
    assert.equal(keys, 12_000)
    const packed = chunks.map(chunk => chunk.packed)
    const built = build({ match: 'domain', sources: [{ source: 'one', chunks: packed }], salt: 9 })
    const table = openTable(built.data)
    for (const { key, value } of members) {
      const stored = JSON.parse(built.values[built.valueAt[table.find(key)] as number] as string)
      assert.deepEqual(stored, { ...value, source: 'one' })
    }
    assert.equal(built.values.length, 14)
  })
})

describe('several sources', () => {
  const of = (source: string, ...rows: [key: string, value: Record<string, string>][]) => {
    const members = rows.map(([key, value]) => ({ key, value }))
    return { source, chunks: pack(members).chunks.map(({ packed }) => packed) }
  }

  it('are all named, and the first wins where they differ, whatever their sizes', () => {
    const many = Array.from({ length: 50 }, (_, n) => [`m${n}.com`, { class: 'many' }] as [string, { class: string }])
    const small = of('small', ['both.com', { class: 'small', only: 'small' }])
    const large = of('large', ['both.com', { class: 'large', also: 'large' }], ...many)
    for (const [sources, value] of [
      [[small, large], { class: 'small', only: 'small', also: 'large', source: 'small, large' }],
      [[large, small], { class: 'large', only: 'small', also: 'large', source: 'large, small' }],
    ] as const) {
      const built = build({ match: 'domain', sources: [...sources], salt: 1 })
      const at = openTable(built.data).find('both.com')
      assert.deepEqual(JSON.parse(built.values[built.valueAt[at] as number] as string), value)
      assert.equal(built.data.count, 51)
    }
  })
})

describe('a document', () => {
  it('that is nested too deeply is rejected without an exception', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    assert.ok('refusal' in read('top-agents', `[${deep},${deep}]`))
  })

  it('of an operator that claims half of the internet is rejected', () => {
    for (const text of ['104.16.0.0/1', '0.0.0.0/1\n128.0.0.0/1'])
      assert.ok('refusal' in read('cloudflare4', text), text)
    assert.ok('refusal' in read('cloudflare6', '2000::/3'))
    assert.ok('refusal' in read('cloudflare4', '0.0.0.0/1\n104.16.0.0/13'), 'among valid networks')
  })

  it('of patterns that are too long in total is rejected', () => {
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ pattern: `bot${n}${'x'.repeat(400)}` }))
    assert.ok('refusal' in read('patterns', JSON.stringify(rows)))
  })
})
