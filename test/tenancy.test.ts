// Derived from the declarations: to another organisation, a resource looks as if it did not exist.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allOperations, allServices, exampleInput, insertSignIn, send, validCall } from './derive.ts'
import { startHost } from './host.ts'

const host = await startHost({ services: allServices })
/** The POST that creates entries of a listing, if it is not on the path of the listing itself. */
const CREATED_BY: Record<string, string> = { listAudit: '/v1/projects', listSessions: '/v1/iam/apps' }
/** Lists what other organisations have created for a person, and what no operation creates by itself. */
const TESTED_ELSEWHERE = [
  ...['listMyInvitations', 'listErrors', 'listCredits', 'listModelRequests', 'listModels', 'listWebhookSubjects'],
  ...['getUsageSummary', 'listJournal'],
]
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
      assert.equal(foreign.status, 404)
      assert.equal(absent.status, 404)
      const { request_id: _a, ...one } = foreign.body.error
      const { request_id: _b, ...two } = absent.body.error
      assert.deepEqual(one, two)
      assert.deepEqual(await allRows(), before)
    })
  }
})

describe('every listing', () => {
  const listings = guarded.filter(({ id, operation }) => {
    const lists = 'data' in ((operation.answer.value as { properties?: object } | null)?.properties ?? {})
    return operation.method === 'GET' && operation.pathFields.length === 0 && lists && !TESTED_ELSEWHERE.includes(id)
  })
  assert.ok(listings.length > 0)
  for (const entry of listings) {
    it(`${entry.id} does not list entries of another organisation`, async () => {
      const path = CREATED_BY[entry.id] ?? entry.operation.path
      const creator = allOperations.find(one => one.operation.path === path && one.operation.method === 'POST')
      assert.ok(creator, `no POST creates what ${entry.id} lists; add it to CREATED_BY`)
      const mark = `onlyinhome${entry.id.toLowerCase()}`
      const as = creator.operation.access === 'superadmin' ? host.admin.key : host.home.key
      if (entry.id === 'listSessions') await insertSignIn(host, mark)
      else assert.equal((await send(host, creator, exampleInput(creator.operation, mark), { as })).status, 201)
      assert.ok((await send(host, entry, {}, { as })).text.includes(mark))
      assert.ok(!(await send(host, entry, {}, { as: host.other.key })).text.includes(mark))
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
