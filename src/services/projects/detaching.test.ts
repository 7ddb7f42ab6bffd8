import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'

const host = await startHost()
const project = (slug: string) => host.call('POST /v1/projects', { body: { slug, name: slug } })
const attach = (slug: string, name: string) => host.call(`POST /v1/projects/${slug}/domains`, { body: { host: name } })
const verify = (slug: string, name: string) => host.call(`POST /v1/projects/${slug}/domains/${name}/verify`)
const detach = (slug: string, name: string) => host.call(`DELETE /v1/projects/${slug}/domains/${name}`)

describe('detaching a host', () => {
  const trail = (project: string) =>
    host.db<{ what: string }>`select what from audit where on_what like ${`${project}/%`} order by id`

  it('races with verifying it, and the audit trail shows which came first', async () => {
    await project('racing')
    for (let round = 0; round < 20; round++) {
      const name = `r${round}.example.com`
      const { body } = await attach('racing', name)
      host.txt.set(`_stoa-verify.${name}`, [body.records[0].value])
      const [verified, detached] = await Promise.all([verify('racing', name), detach('racing', name)])
      assert.equal(detached.status, 204)
      const rows = await host.db<{
        what: string
      }>`select what from audit where on_what like ${`racing/${name}%`} order by id`
      const expected = ['domain.attach', ...(verified.status === 200 ? ['domain.verify'] : []), 'domain.detach']
      assert.deepEqual(
        rows.map(row => row.what),
        expected,
      )
    }
  })

  it('succeeds for only one of several concurrent requests', async () => {
    await project('crowd')
    await attach('crowd', 'crowd.example.com')
    const answers = await Promise.all(Array.from({ length: 8 }, () => detach('crowd', 'crowd.example.com')))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, ...Array(7).fill(404)])
    assert.deepEqual(
      (await trail('crowd')).map(row => row.what),
      ['domain.attach', 'domain.detach'],
    )
  })
})
