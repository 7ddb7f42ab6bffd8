// What the project in X-Project-Id costs, and how long it is remembered.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startHost, type TestHost } from '../../../test/host.ts'
import { recording } from '../../../test/recorder.ts'

async function recordedHost() {
  let count = () => 0
  const host = await startHost({
    wrapDb: db => {
      const { db: recorded, statements } = recording(db)
      count = () => statements.filter(({ text }) => text.includes('from projects')).length
      return recorded
    },
  })
  return { host, lookUps: () => count() }
}

const { host, lookUps } = await recordedHost()
const inside = async (slug: string | null, on: TestHost = host) =>
  (await on.call('GET /v1/iam/me', { as: host.home.key, headers: slug === null ? {} : { 'x-project-id': slug } }))
    .status

it('a project is looked up once, one that does not exist each time, and none without the header', async () => {
  await host.call('POST /v1/projects', { body: { slug: 'shop', name: 'Shop' } })
  const before = lookUps()
  for (let times = 0; times < 5; times++) assert.equal(await inside(null), 200)
  assert.equal(lookUps(), before)
  for (let times = 0; times < 5; times++) assert.equal(await inside('shop'), 200)
  assert.equal(lookUps(), before + 1)
  for (let times = 0; times < 5; times++) assert.equal(await inside('never-was'), 404)
  assert.equal(lookUps(), before + 6)
})

it('a project that another process deletes is unknown here', async t => {
  const second = await startHost({ beside: host }, t)
  await host.call('POST /v1/projects', { body: { slug: 'brief', name: 'Brief' } })
  assert.deepEqual([await inside('brief'), await inside('brief', second)], [200, 200])
  assert.equal((await second.call('DELETE /v1/projects/brief')).status, 204)
  await host.db.waitForNotifications()
  assert.deepEqual([await inside('brief'), await inside('brief', second)], [404, 404])
})
