// Operations under /v1/o11y/tables: how large the tables of the database are, and whose rows are in them.
import { type Static, Type } from 'typebox'
import type { OrgId } from '../../kit/caller.ts'
import { integer, slug, string } from '../../kit/fields.ts'
import { countOf, selectLargest, selectSizes } from '../../kit/tables/store.ts'
import { operation } from './state.ts'

const LARGEST = 10
const COUNTED_MAX = 100_000

const Table = Type.Object(
  {
    name: string('Its name', 'audit'),
    service: string('The service that it belongs to', 'iam'),
    rows: integer('The estimated number of rows, from the last statistics', 12_000),
    bytes: integer('Its size on disk, including indexes', 4_194_304),
    organisations: Type.Array(
      Type.Object({
        org: slug('An organisation'),
        rows: integer('How many of the rows belong to the organisation', 9_000),
      }),
      {
        description: `The organisations with the most rows, from the last statistics; with \`org\`, only that one, counted exactly up to ${COUNTED_MAX}`,
        examples: [[{ org: 'acme', rows: 9_000 }]],
      },
    ),
  },
  { title: 'TableSize', description: 'A table of the database' },
)

export const listTables = operation({
  route: 'GET /v1/o11y/tables',
  summary: 'Lists the tables of the database, their sizes, and the organisations with the most rows',
  description:
    'With `org`, the rows of that organisation are counted, even while those of a deleted organisation are being deleted.',
  access: 'superadmin',
  input: { org: Type.Optional(slug('Only this organisation')) },
  output: Type.Object({ tables: Type.Array(Table, { description: 'Sorted by name' }) }),
  run: async ({ state: { analytics, tables } }, { org }) => {
    const sizes = new Map((await selectSizes(analytics)).map(one => [one.name, one]))
    const all = tables.map(({ table }) => table)
    const largest = org === undefined ? await selectLargest(analytics, all, LARGEST) : []
    const shown: Static<typeof Table>[] = []
    // One after the other, because few connections are shared with other reads.
    for (const { service, table } of tables) {
      const { name } = table
      const { rows = 0, bytes = 0 } = sizes.get(name) ?? {}
      const own = largest.filter(one => one.table === name).map(one => ({ org: one.org, rows: one.rows }))
      const counted = org === undefined ? 0 : await countOf(analytics, table, org as OrgId, COUNTED_MAX)
      const organisations = org !== undefined && counted > 0 ? [{ org, rows: counted }] : own
      shown.push({ name, service, rows, bytes, organisations })
    }
    return { tables: shown.sort((a, b) => (a.name < b.name ? -1 : 1)) }
  },
})
