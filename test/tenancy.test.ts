// Derived from the declarations: to another organisation, a resource looks as if it did not exist.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allOperations, allServices, send, validCall } from './derive.ts'
import { fillTables, rowsOf } from './fill.ts'
import { startHost } from './host.ts'
import { startIdentity } from './identity.ts'
import { allTables } from './removal.ts'

const host = await startHost({ services: allServices })
await startIdentity(host, { audience: host.baseUrl })
/** Every table has rows of this organisation, with this text in them. */
const MARK = 'of-another-organisation'
const foreign = await host.organisation('foreign')
await fillTables(host, foreign.org, MARK)
/** Operations that members of other organisations may call. */
const guarded = allOperations.filter(({ operation: { access } }) => access !== 'public' && access !== 'superadmin')
/** Resources that belong to no organisation. The overrides that organisations set on them are tested elsewhere. */
const SHARED = [
  '/v1/risk/reference/{set}',
  '/v1/specimen/project-in-path/{slug}',
  '/v1/models/{id...}',
  '/v1/event/{vendor}',
  '/v1/event/{vendor}/{rest...}',
]
const withId = guarded.filter(({ operation }) => operation.pathFields.length > 0 && !SHARED.includes(operation.path))

describe('every operation on a resource', () => {
  assert.ok(withId.length > 0)
  for (const entry of withId) {
    it(`${entry.id} answers another organisation as if the resource did not exist, and changes nothing`, async () => {
      const salt = `t-${entry.id.toLowerCase()}`
      const { input } = await validCall(host, entry, salt)
      const [last] = entry.operation.pathFields.slice(-1) as [string]
      const missing = { ...input, [last]: `${input[last]}x` }
      const other = entry.operation.access === 'person' ? await host.browser(host.other) : { as: host.other.key }
      const before = await allRows()

      const foreign = await send(host, entry, input, other)
      const absent = await send(host, entry, missing, other)
      assert.equal(foreign.status, 404, foreign.text)
      assert.equal(absent.status, 404, absent.text)
      const { request_id: _a, ...one } = foreign.body.error
      const { request_id: _b, ...two } = absent.body.error
      assert.deepEqual(one, two)
      assert.deepEqual(await allRows(), before)
    })
  }
})

/** Operations that change another organisation on purpose, such as accepting an invitation. */
const JOINING = ['acceptInvitation', 'declineInvitation']

describe('every operation', () => {
  const owned = allTables.filter(({ shared, kept }) => shared === null && kept === null)
  const rows = async (org: string) => {
    await host.keyring.flush() // Otherwise a delayed write would look like a change.
    return Promise.all(owned.map(async table => [table.name, await rowsOf(host, table, org)]))
  }
  // Specimens have no rows, and some never answer.
  for (const entry of guarded.filter(({ operation }) => !operation.path.startsWith('/v1/specimen'))) {
    it(`${entry.id} shows nothing of another organisation, and changes nothing there`, async () => {
      const { input, ...as } = await validCall(host, entry, `f-${entry.id.toLowerCase()}`)
      const before = JOINING.includes(entry.id) ? null : await rows(foreign.org)
      const { status, text } = await send(host, entry, input, as)
      assert.ok(status < 400, text)
      assert.ok(!text.includes(MARK), text)
      if (before) assert.deepEqual(await rows(foreign.org), before)
    })
  }
})
/** All rows of all tables with an `org` column, except those of the organisation `other`. */
async function allRows(): Promise<unknown[]> {
  await host.keyring.flush() // Otherwise a delayed write would look like a change.
  const tables = await host.db<{ name: string }>`select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'org' order by 1`
  const found: unknown[] = []
  for (const { name } of tables) {
    const parts = [`select * from ${name} as one where org <> `, ' order by one::text']
    const query = Object.assign(parts, { raw: [] }) as never
    found.push(await host.db(query, 'other'))
  }
  return found
}
