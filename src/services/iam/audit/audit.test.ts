import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../../test/host.ts'

const host = await startHost()
const trail = async (query = '', as = host.home.key) => (await host.call(`GET /v1/iam/audit${query}`, { as })).body

describe('the audit trail', () => {
  it('records who did what to which object, when and from where', async () => {
    const created = await host.call('POST /v1/projects', { body: { slug: 'audited', name: 'Audited' } })
    const [key] = (await host.call('GET /v1/account/keys')).body.data
    const [{ id, ...entry }] = (await trail()).data
    assert.match(id, /^\d+$/)
    assert.deepEqual(entry, {
      at: '2026-11-15T09:00:00.000Z',
      user: host.home.user,
      email: 'owner@home.test',
      credential: key.id,
      what: 'project.create',
      on: 'audited',
      changes: { name: { to: 'Audited' } },
      ip: '127.0.0.1',
      requestId: created.headers['x-request-id'],
    })
  })

  it('records actions on keys with the id of the key, and never its text', async () => {
    const { id, key } = (await host.call('POST /v1/account/keys', { body: { name: 'audited' } })).body
    await host.call(`PATCH /v1/account/keys/${id}`, { body: { name: 'again' } })
    await host.call(`DELETE /v1/account/keys/${id}`)
    const { data } = await trail('?limit=3')
    assert.deepEqual(
      data.map(({ what, on }: { what: string; on: string }) => [what, on]),
      [
        ['key.revoke', id],
        ['key.update', id],
        ['key.create', id],
      ],
    )
    assert.ok(!JSON.stringify(data).includes(key.slice(0, 20)))
  })

  it('records old and new values, and never a secret', async () => {
    const { user } = await host.member(host.home.org, 'member')
    await host.call(`PATCH /v1/iam/members/${user}`, { body: { role: 'admin' } })
    const uris = ['https://shop.example.com/a', 'https://shop.example.com/b']
    const app = { app: 'changed', type: 'confidential', people: 'team', redirectUris: [uris[0]] }
    const { id, secret } = (await host.call('POST /v1/iam/apps', { body: app })).body
    await host.call(`PATCH /v1/iam/apps/${id}`, { body: { redirectUris: uris } })
    const made = (await host.call('POST /v1/account/keys', { body: { name: 'bounded', rate: 5 } })).body
    await host.call(`PATCH /v1/account/keys/${made.id}`, { body: { rate: 9, limit: ['read:*'] } })
    const { data } = await trail('?limit=5')
    const changes = Object.fromEntries(
      data.map((entry: { what: string; changes: object }) => [entry.what, entry.changes]),
    )
    assert.deepEqual(changes['member.update'], { role: { from: 'member', to: 'admin' } })
    assert.deepEqual(changes['app.update'], { redirectUris: { from: [uris[0]], to: uris } })
    assert.deepEqual(changes['key.update'], { limits: { from: [], to: ['read:*'] }, rate: { from: 5, to: 9 } })
    assert.equal(changes['key.create'].name.to, 'bounded')
    for (const text of [secret, made.key]) assert.ok(!JSON.stringify(data).includes(text))
  })

  it('keeps the e-mail address that a person had at the time', async () => {
    const { key, user, email } = await host.organisation('renamed')
    await host.call('POST /v1/projects', { as: key, body: { slug: 'p', name: 'P' } })
    await host.db`update users set email = 'new@renamed.test' where id = ${user}`
    assert.equal((await trail('', key)).data[0].email, email)
  })

  it('does not record refused requests', async () => {
    const before = (await trail()).data.length
    assert.equal((await host.call('POST /v1/projects', { body: { slug: 'audited', name: 'Again' } })).status, 409)
    assert.equal((await host.call('DELETE /v1/projects/never-was')).status, 404)
    assert.equal((await trail()).data.length, before)
  })

  it('can be read by owners and admins only', async () => {
    const admin = await host.member(host.home.org, 'admin')
    const member = await host.member(host.home.org, 'member')
    assert.equal((await host.call('GET /v1/iam/audit', { as: admin.key })).status, 200)
    assert.equal((await host.call('GET /v1/iam/audit', { as: member.key })).status, 403)
  })

  it('is listed newest first, page by page', async () => {
    const { key } = await host.organisation('busy')
    for (let at = 0; at < 6; at++) {
      await host.call('POST /v1/projects', { as: key, body: { slug: `p${at}`, name: 'P' } })
    }
    const seen: string[] = []
    let next = ''
    do {
      const page = await trail(`?limit=2&after=${next}`, key)
      seen.push(...page.data.map((entry: { on: string }) => entry.on))
      next = page.next
    } while (next !== '')
    assert.deepEqual(seen, ['p5', 'p4', 'p3', 'p2', 'p1', 'p0'])
    const wrong = Buffer.from('p5').toString('base64url')
    assert.equal((await host.call(`GET /v1/iam/audit?after=${wrong}`)).body.error.param, 'after')
  })

  it('can be filtered by person, action and time, alone and together', async () => {
    const { org, user, key } = await host.organisation('filtered')
    const other = await host.member(org, 'admin')
    const startMs = host.clock.now().getTime()
    const write = async (slug: string, as: string) => {
      await host.call('POST /v1/projects', { as, body: { slug, name: slug } })
      host.clock.advance(90_000)
    }
    await write('p1', key)
    await write('p2', other.key)
    await host.call('PATCH /v1/projects/p1', { as: key, body: { name: 'Renamed' } })
    await write('p3', key)
    const time = (ms: number) => encodeURIComponent(new Date(startMs + ms).toISOString().replace('Z', '+00:00'))
    const found = async (query: string) =>
      (await trail(`?${query}`, key)).data.map(({ what, on }: { what: string; on: string }) => `${what} ${on}`)
    assert.deepEqual(await found(`user=${other.user}`), ['project.create p2'])
    assert.deepEqual(await found('what=project.update'), ['project.update p1'])
    assert.deepEqual(await found('what=project.create'), [
      'project.create p3',
      'project.create p2',
      'project.create p1',
    ])
    assert.deepEqual(await found('what=project'), [], 'the name is compared exactly')
    assert.deepEqual(await found(`since=${time(90_000)}`), [
      'project.create p3',
      'project.update p1',
      'project.create p2',
    ])
    assert.deepEqual(await found(`since=${time(90_001)}`), ['project.create p3', 'project.update p1'])
    assert.deepEqual(await found(`user=${user}&what=project.create&since=${time(1)}`), ['project.create p3'])
    assert.deepEqual(await found(`user=${host.home.user}`), [], 'a person of another organisation')
    const first = await trail(`?user=${user}&limit=2`, key)
    assert.deepEqual((await trail(`?user=${user}&limit=2&after=${first.next}`, key)).data.length, 1)
  })

  it('finds every entry since a time, although times are not in the order of ids', async () => {
    const { org, key } = await host.organisation('unordered')
    const at = (s: number) => new Date(Date.parse('2026-11-15T08:00:00Z') + s * 1000).toISOString()
    for (const s of [0, 40, 65, 30, 70, 100, 68]) {
      await host.db`insert into audit (org, at, credential, what, on_what, ip, request_id)
        values (${org}, ${at(s)}, 'key', 'test', ${s}, '127.0.0.1', 'req')`
    }
    for (const since of [0, 30, 66, 68, 70, 100, 101]) {
      const { data } = await trail(`?since=${at(since)}`, key)
      assert.deepEqual(
        data.map(({ on }: { on: string }) => Number(on)),
        [68, 100, 70, 30, 65, 40, 0].filter(s => s >= since),
      )
    }
  })

  it('rejects an invalid time', async () => {
    for (const since of ['yesterday', '2026-11-15', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:00']) {
      const { status, body } = await host.call(`GET /v1/iam/audit?since=${since}`)
      assert.equal(status, 400, since)
      assert.equal(body.error.param, 'since')
    }
  })

  it('is append-only in the database, but deleted with its organisation', async () => {
    const { key } = await host.organisation('gone')
    await host.call('POST /v1/projects', { as: key, body: { slug: 'p', name: 'P' } })
    const appendOnly = /only ever added to/
    await assert.rejects(host.db`update audit set what = 'nothing' where org = 'gone'`, appendOnly)
    await assert.rejects(host.db`delete from audit where org = 'gone'`, appendOnly)
    await assert.rejects(host.db.script('truncate audit'), appendOnly)
    await host.db`insert into former_orgs (slug, deleted) values ('gone', now())`
    await assert.rejects(host.db`delete from audit`, appendOnly) // Others have entries, too.
    await host.db`delete from audit where org = 'gone'`
    assert.equal((await host.db`select from audit where org = 'gone'`).length, 0)
  })
})
