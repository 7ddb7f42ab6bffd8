import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'

const host = await startHost()

type Shown = {
  name: string
  service: string
  rows: number
  bytes: number
  organisations: { org: string; rows: number }[]
}

const tableOf = async (name: string, query = ''): Promise<Shown> => {
  const { status, body, text } = await host.call(`GET /v1/o11y/tables${query}`, { as: host.admin.key })
  assert.equal(status, 200, text)
  return body.tables.find((one: Shown) => one.name === name)
}

const fill = (org: string, count: number) => host.db.autocommit`insert into audit
  (org, at, user_id, credential, what, on_what, ip, request_id, email)
  select ${org}, now(), 'u', 'c', 'w', 'o', 'ip', 'r', 'e' from generate_series(1, ${count}::int)`

describe('GET /v1/o11y/tables', () => {
  it('shows how large tables are, and whose rows are in them', async () => {
    await fill('home', 3_000)
    await fill('other', 1_000)
    await host.db.script('analyze audit; analyze events_other')
    const { service, rows, bytes, organisations } = await tableOf('audit')
    assert.equal(service, 'iam')
    assert.ok(rows >= 4_000 && bytes > 100_000, `${rows} rows, ${bytes} bytes`)
    assert.deepEqual(
      organisations.map(({ org }) => org),
      ['home', 'other'],
    )
    assert.ok(Math.abs((organisations[0]?.rows ?? 0) - 3_000) < 100)
  })

  it('counts the rows of one organisation', async () => {
    const [row] = await host.db<{ count: number }>`select count(*) from audit where org = 'other'`
    assert.deepEqual((await tableOf('audit', '?org=other')).organisations, [{ org: 'other', rows: row?.count }])
    assert.deepEqual((await tableOf('audit', '?org=nobody')).organisations, [])
    const endpoint = { url: 'https://hooks.example.com', events: [] }
    const { id } = (await host.call('POST /v1/webhooks', { body: endpoint })).body
    await host.db.autocommit`insert into webhook_days (webhook, day, deliveries, failures) values (${id}, now(), 1, 0)`
    assert.deepEqual((await tableOf('webhook_days', '?org=home')).organisations, [{ org: 'home', rows: 1 }])
  })

  it('takes no other column for the organisation', async () => {
    for (let n = 0; n < 3; n++) {
      for (const { key } of [host.home, host.other])
        await host.call('POST /v1/projects', { as: key, body: { slug: `shop-${n}`, name: 'Shop' } })
    }
    await host.db.script('analyze projects')
    const { organisations } = await tableOf('projects')
    assert.deepEqual(organisations.map(({ org }) => org).sort(), ['home', 'other'])
  })

  it('is answered to many clients concurrently', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => host.call('GET /v1/o11y/tables?org=home', { as: host.admin.key })),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  })

  it('is for superadmins', async () => {
    assert.equal((await host.call('GET /v1/o11y/tables')).status, 403)
  })
})
