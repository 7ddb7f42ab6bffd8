import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { csvColumns, recordsOf } from './csv.ts'
import { Unreadable } from './source.ts'

describe('the CSV reader', () => {
  for (const [what, text, records] of [
    [
      'plain cells',
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'CRLF',
      'a,b\r\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'empty cells',
      ',\n,,\n"",a',
      [
        ['', ''],
        ['', '', ''],
        ['', 'a'],
      ],
    ],
    ['a quoted comma', '"a,b",c', [['a,b', 'c']]],
    [
      'a quoted line break',
      '"a\n  b",c\r\nd,"e\r\nf"\r\ng,h',
      [
        ['a\n  b', 'c'],
        ['d', 'e\r\nf'],
        ['g', 'h'],
      ],
    ],
    ['doubled quotes', '"""This network""",b', [['"This network"', 'b']]],
    ['a quote inside a plain cell', 'a"b,c', [['a"b', 'c']]],
    ['a carriage return inside a cell', 'a\rb,c\r,d', [['a\rb', 'c\r', 'd']]],
    ['no records from empty lines', 'a\n\n\r\n\nb', [['a'], ['b']]],
  ] as const) {
    it(`reads ${what}`, () => {
      assert.deepEqual(recordsOf(text), records)
    })
  }

  for (const [what, text] of [
    ['ends inside a quoted cell', 'a,b\nc,"d'],
    ['ends after a doubled quote', 'a,"b""'],
    ['has text after a quoted cell', 'a,"b"c'],
    ['has text after a quoted cell and a carriage return', '"a"\r,b'],
  ] as const) {
    it(`rejects a table that ${what}`, () => {
      assert.throws(() => recordsOf(text), Unreadable)
    })
  }
})

describe('the limits of the CSV reader', () => {
  const row = '1,Reserved\n'
  for (const [what, text] of [
    ['rows', 'a,b\n'.repeat(600_000)],
    ['empty rows', ',\n'.repeat(600_000)],
    ['cells in a row', ','.repeat(1_100_000)],
  ] as const) {
    it(`reject too many ${what}`, () => {
      assert.throws(() => recordsOf(text), /more than 1000000 cells/)
    })
  }

  it('reject a long cell of quotes', () => {
    assert.throws(() => recordsOf(`a,"${'""'.repeat(60_000)}"`), /a cell of 120001 characters in row 1/)
  })

  it('do not count empty lines', () => {
    const lines = '\n'.repeat(3_000_000)
    assert.deepEqual(csvColumns(`Number,Description\n${row}${lines}${row}`, 'Number'), [['1'], ['1']])
  })
})

describe('columns', () => {
  it('are found by name, at any position', () => {
    assert.deepEqual(csvColumns('\ufeffAge,Name ,Town\n7,Ada,"Rome, IT"\n8,Bob,Oslo\n', 'Name', 'Age'), [
      ['Ada', '7'],
      ['Bob', '8'],
    ])
  })

  it('must exist', () => {
    assert.throws(() => csvColumns('Name,Town\nAda,Rome\n', 'Name', 'Age'), /no column named Age$/)
  })

  it('are null for a truncated row; blank rows are skipped', () => {
    assert.deepEqual(csvColumns('Name,Age\n,\nAda,7\n\nBob', 'Name', 'Age'), [['Ada', '7'], null])
  })
})
