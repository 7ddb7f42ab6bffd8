import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import fc from 'fast-check'
import { testDatabase } from '../../../test/database.ts'
import { columnsOf } from './columns.ts'

const { db, drop } = await testDatabase()
after(drop)

type Row = { a: string | null; b: string | null }

async function sent(rows: readonly Row[]): Promise<Row[]> {
  const { separator, of } = columnsOf({ a: rows.map(({ a }) => a), b: rows.map(({ b }) => b) })
  const back = await db<Row>`select a, b from rows from (
    string_to_table(${of.a}, ${separator}, ''), string_to_table(${of.b}, ${separator}, '')) as sent (a, b)`
  return [...back]
}

it('texts arrive unchanged and in their rows, whatever separators they contain', async () => {
  const text = fc.string({
    unit: fc.constantFrom('\x1e', '\x1f', 'a', '"', '\\', '\n', ',', 'é'),
    minLength: 1,
    maxLength: 4,
  })
  const row = fc.record({ a: text, b: fc.option(text) }, { noNullPrototype: true })
  const rows = fc.array(row, { minLength: 1, maxLength: 6 })
  await fc.assert(fc.asyncProperty(rows, async all => assert.deepEqual(await sent(all), all)))
})

it('an empty text is null, also by itself', async () => {
  assert.deepEqual(await sent([{ a: 'x', b: '' }]), [{ a: 'x', b: null }])
})

it('numbers and booleans arrive unchanged', async () => {
  const { separator, of } = columnsOf({ number: [1e21, -0.5, 5e-324], flag: [true, false, true] })
  const back = await db<{ number: number; flag: boolean }>`select number::float8, flag::boolean from rows from (
    string_to_table(${of.number}, ${separator}, ''), string_to_table(${of.flag}, ${separator}, '')) as sent (number, flag)`
  assert.deepEqual(
    back.map(({ number, flag }) => [number, flag]),
    [
      [1e21, true],
      [-0.5, false],
      [5e-324, true],
    ],
  )
})
