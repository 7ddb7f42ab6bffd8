// Derived from the declarations: what one organisation has, another cannot tell from what never was.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { every, everyService, exampleInput, makeSignIn, rightCall, send } from './derive.ts'
import { startHost } from './host.ts'

const host = await startHost({ services: everyService })
/** What makes the entries of a listing that nobody adds to directly: every write leaves one in the trail. */
const MADE_BY: Record<string, string> = { listAudit: '/v1/projects', listSessions: '/v1/iam/apps' }
const guarded = every.filter(({ operation }) => operation.access !== 'public')
/** Things that belong to nobody. What organisations say about them has tests of its own. */
const SHARED = ['/v1/risk/reference/{set}', '/v1/specimen/within/{slug}']
const withId = guarded.filter(({ operation }) => operation.pathFields.length > 0 && !SHARED.includes(operation.path))

describe('every operation on a thing', () => {
  assert.ok(withId.length > 0)
  for (const entry of withId) {
    it(`${entry.id} answers another organisation as if the thing were not there, and changes nothing`, async () => {
      const salt = `t-${entry.id.toLowerCase()}`
      const { input } = await rightCall(host, entry, salt)
      const [last] = entry.operation.pathFields.slice(-1) as [string]
      const missing = { ...input, [last]: `${input[last]}x` }
      const before = await everything()

      const theirs = await send(host, entry, input, { as: host.other.key })
      const never = await send(host, entry, missing, { as: host.other.key })
      assert.equal(theirs.status, 404)
      assert.equal(never.status, 404)
      const { request_id: _a, ...one } = theirs.body.error
      const { request_id: _b, ...two } = never.body.error
      assert.deepEqual(one, two)
      assert.deepEqual(await everything(), before)
    })
  }
})

describe('every listing', () => {
  const listings = guarded.filter(({ operation }) => {
    const lists = 'data' in ((operation.answer.value as { properties?: object } | null)?.properties ?? {})
    return operation.method === 'GET' && operation.pathFields.length === 0 && lists
  })
  assert.ok(listings.length > 0)
  for (const entry of listings) {
    it(`${entry.id} shows an organisation nothing of another's`, async () => {
      const path = MADE_BY[entry.id] ?? entry.operation.path
      const maker = every.find(one => one.operation.path === path && one.operation.method === 'POST')
      assert.ok(maker, `nothing makes what ${entry.id} lists; teach this test how`)
      const mark = `onlyinhome${entry.id.toLowerCase()}`
      const as = maker.operation.access === 'superadmin' ? host.admin.key : host.home.key
      if (entry.id === 'listSessions') await makeSignIn(host, mark)
      else assert.equal((await send(host, maker, exampleInput(maker.operation, mark), { as })).status, 201)
      assert.ok((await send(host, entry, {}, { as })).text.includes(mark))
      assert.ok(!(await send(host, entry, {}, { as: host.other.key })).text.includes(mark))
    })
  }
})

/** Every row of every table that belongs to an organisation, but for the other one's. */
async function everything(): Promise<unknown[]> {
  await host.keyring.flush() // What is written later anyway must not look like a change.
  const tables = await host.db<{ name: string }>`select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'org' order by 1`
  const found: unknown[] = []
  for (const { name } of tables) {
    const query = Object.assign([`select * from ${name} where org <> `, ' order by 1, 2, 3'], { raw: [] }) as never
    found.push(await host.db(query, 'other'))
  }
  return found
}
