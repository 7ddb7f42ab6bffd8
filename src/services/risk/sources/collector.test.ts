import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openCollector } from './collector.ts'
import { Unreadable } from './source.ts'

const VALUE = { class: 'test' }

function collect(good: number, bad: number, dropped = 0) {
  const networks = openCollector('net')
  for (let i = 0; i < bad; i++) networks.add(`row ${i}`, VALUE)
  for (let i = 0; i < good; i++) networks.add(`10.${i >> 8}.${i & 255}.0/24`, VALUE)
  for (let i = 0; i < dropped; i++) networks.drop()
  return networks.done()
}

describe('unreadable rows', () => {
  for (const [good, bad, dropped, why] of [
    [199, 1, 0, 'one of two hundred is half a percent'],
    [398, 2, 0, 'two of four hundred are half a percent'],
    [1_990, 10, 0, 'ten of two thousand are half a percent'],
    [300, 2, 98, 'dropped rows count too'],
  ] as const) {
    it(`are tolerated if they are ${bad} of ${good + bad + dropped}: ${why}`, () => {
      assert.deepEqual(
        { members: collect(good, bad, dropped).members.length, dropped: collect(good, bad, dropped).dropped },
        { members: good, dropped },
      )
    })
  }

  for (const [good, bad] of [
    [1, 1],
    [1, 2],
    [198, 1],
    [397, 2],
    [1_990, 11],
  ] as const) {
    it(`reject the document if they are ${bad} of ${good + bad}`, () => {
      assert.throws(() => collect(good, bad), new RegExp(`^Error: ${bad} of ${good + bad} rows .* "row 0"$`))
    })
  }

  it('count towards the limit of three million rows', () => {
    const endless = openCollector('exact')
    for (let i = 0; i < 1_500_000; i++) {
      endless.drop()
      endless.bad('x')
    }
    assert.throws(() => endless.keep('a', VALUE), /more than 3000000 rows/)
  })

  it('are not tolerated at the end, where the document may be truncated', () => {
    const truncated = openCollector('net')
    for (let i = 0; i < 1_000; i++) truncated.add(`10.${i >> 8}.${i & 255}.0/24`, VALUE)
    truncated.add('10.4.', VALUE)
    assert.throws(() => truncated.done(), /^Error: The last row cannot be read; the document may be truncated$/)
  })

  it('are quoted in the error in short, on one line and well-formed', () => {
    const networks = openCollector('net')
    for (const row of [`a\n\ud800${'😀'.repeat(500)}`, 'b']) networks.add(row, VALUE)
    assert.throws(
      () => networks.done(),
      (error: Error) =>
        error instanceof Unreadable &&
        error.message.length < 150 &&
        !error.message.includes('\n') &&
        error.message.isWellFormed(),
    )
  })

  it('may be any JSON value', () => {
    for (const row of [undefined, null, 7, {}, [], '\ud800']) {
      const networks = openCollector('exact')
      networks.add(row, VALUE)
      networks.add(row, VALUE)
      assert.throws(() => networks.done(), Unreadable, String(row))
    }
  })
})

describe('members', () => {
  it('are in code-unit order, independent of the order of rows', () => {
    const names = ['b', 'a', 'B', '_', '~', '\u{1f600}', '\uff5e', 'a b']
    for (const rows of [names, names.toReversed()]) {
      const agents = openCollector('exact')
      for (const row of rows) agents.add(row, VALUE)
      assert.deepEqual(
        agents.done().members.map(({ key }) => key),
        ['B', '_', 'a', 'a b', 'b', '~', '\u{1f600}', '\uff5e'],
      )
    }
  })

  it('listed twice are merged: all fields, and the first of two values of a field', () => {
    const rows = [
      ['10.1.0.0/16', { class: 'test', region: 'us-east-1' }],
      ['10.1.0.7/16', { class: 'test', region: 'eu-west-1' }],
      ['10.1.0.0/16', { class: 'test', name: 'lab' }],
    ] as const
    for (const order of [rows, rows.toReversed()]) {
      const networks = openCollector('net')
      for (const [row, value] of order) networks.add(row, value)
      assert.deepEqual(networks.done(), {
        members: [{ key: '10.1.0.0/16', value: { class: 'test', region: 'eu-west-1', name: 'lab' } }],
        dropped: 0,
      })
    }
  })

  it('must not all be dropped', () => {
    const networks = openCollector('net')
    networks.drop()
    assert.throws(() => networks.done(), /no usable member/)
  })
})
