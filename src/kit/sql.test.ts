import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { composed } from '../engines/db/fragments.ts'
import type { QueryValue } from '../engines/engines.ts'
import { fragment, rowsAs } from './sql.ts'

const { db, drop } = await testDatabase({}, 'template1')
after(drop)

type Row = { id: string; httpStatus: number | null; said: unknown; at: string | null; isLast: boolean }
const given = rowsAs<Row>('g', {
  ...{ id: 'text', httpStatus: 'int', said: 'jsonb', at: 'timestamptz', isLast: 'boolean' },
})
const numbered = rowsAs<{ id: string }>('g', { id: 'text' }, 'number')
const row = (fields: Partial<Row>): Row => ({
  ...{ id: 'a', httpStatus: null, said: null, at: null, isLast: false },
  ...fields,
})

describe('rows as a table', () => {
  it('have the values of their fields, under the names of columns', async () => {
    const rows = [
      row({ id: 'a "b" \\ {c}', httpStatus: 200, said: { text: 'a,"b"' }, isLast: true }),
      row({ id: '', said: '', at: '2026-02-03T04:05:06.000Z' }),
      row({ said: [1, null] }),
    ]
    const read =
      await db<Row>`select id, http_status as "httpStatus", said, at, is_last as "isLast" from ${given(rows)}`
    assert.deepEqual([...read], rows)
  })

  it('may have empty columns, or be empty', async () => {
    const read = await db`select id, at from ${given([row({}), row({ id: 'b' })])}`
    assert.deepEqual(
      [...read],
      [
        { id: 'a', at: null },
        { id: 'b', at: null },
      ],
    )
    assert.equal((await db`select id from ${given([])}`).length, 0)
  })

  it('are counted in their order', async () => {
    const read = await db`select number, id from ${numbered([{ id: 'b' }, { id: 'a' }])} order by number`
    assert.deepEqual(
      [...read],
      [
        { number: 1, id: 'b' },
        { number: 2, id: 'a' },
      ],
    )
  })
})

describe('the text of a query with fragments', () => {
  const compose = (strings: TemplateStringsArray, ...values: QueryValue[]) => composed(strings, values)
  const query = (rows: readonly Row[], id: string, isIt: boolean) =>
    compose`select ${isIt ? fragment`1` : fragment`2 + ${rows.length}`} from ${given(rows)} where id = ${id}`

  it('is the same object for whatever values, so that it is prepared once', () => {
    const one = query([row({})], 'a', true)
    const other = query([row({ at: '2026-02-03T04:05:06.000Z' }), row({})], 'b', true)
    assert.equal(one.strings, other.strings)
    assert.deepEqual([one.values.length, other.values.at(-1)], [6, 'b'])
  })

  it('differs for other fragments', () => {
    const [one, other] = [query([], 'a', true), query([], 'a', false)]
    assert.notEqual(one.strings, other.strings)
    assert.match(one.strings.join('?'), /^select 1 from unnest\(\?::text\[\], .* where id = \?$/)
    assert.match(other.strings.join('?'), /^select 2 \+ \? from unnest/)
  })
})
