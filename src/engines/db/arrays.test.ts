import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { textsFrom } from './arrays.ts'

const { db, drop } = await testDatabase()
after(drop)

it('arrays of any text arrive in PostgreSQL and back unchanged', async () => {
  const texts = ['', ' ', 'a', 'a b', ',', '"', '\\', '\\"', '{}', '{"a"}', 'NULL', 'null', null, 'é\n\t', "'", '\\\\n']
  for (const array of [texts, [], ['one'], [null]]) {
    const [row] = await db<{ texts: string[]; count: number }>`select ${array}::text[] as texts,
      cardinality(${array}::text[]) as count`
    assert.deepEqual(row, { texts: array, count: array.length })
  }
})

it('arrays of numbers arrive as numbers', async () => {
  const [row] = await db`select ${[3, 1]}::int[] as ints, ${[2 ** 40]}::bigint[] as bigs, ${[true]}::boolean[] as flags`
  assert.deepEqual(row, { ints: [3, 1], bigs: [2 ** 40], flags: ['t'] })
})

it('an empty array has no texts', () => assert.deepEqual(textsFrom('{}'), []))
