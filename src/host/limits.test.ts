import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import { rawConnection } from '../../test/raw-connection.ts'
import { specimen } from '../../test/specimen.ts'
import { openHttp } from '../engines/http/http.ts'
import { services } from '../services/index.ts'

/** Answers the project id that the host forwarded. */
const upstream = createServer((request, response) => response.end(String(request.headers['x-project-id'] ?? 'none')))
await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve))
after(() => upstream.close())
const upstreamUrl = new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`)

const host = await startHost({
  services: [...services, specimen],
  upstreams: new Map([['tasks', upstreamUrl]]),
  http: openHttp({ allow: ['127.0.0.1/32'], ca: undefined }),
})

for (const slug of ['shop', 'blog']) await host.call('POST /v1/projects', { body: { slug, name: slug } })

async function keyWith(bounds: object, as = host.home.key): Promise<string> {
  const answer = await host.call('POST /v1/account/keys', { as, body: { name: 'limited', ...bounds } })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.key
}
const limitedTo = (...limit: string[]) => keyWith({ limit })

/** Sends the path unchanged; client libraries would normalise it. */
async function get(path: string, key: string): Promise<string> {
  const { write, closed } = await rawConnection(host.port, { tls: true })
  write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer ${key}\r\n\r\n`)
  return closed
}

type Row = [limit: string[], allowed: string[], refused: string[]]
const READ_PROJECTS = 'GET /v1/projects'
const HEAD_PROJECTS = 'HEAD /v1/projects'
const WRITE_PROJECTS = 'PATCH /v1/projects/none'
const READ_ACCOUNT = 'GET /v1/account/csrf'
const LIST_KEYS = 'GET /v1/account/keys'
const RELAYED_READ = 'GET /v1/tasks/deep/path'
const RELAYED_WRITE = 'POST /v1/tasks'

const rows: Row[] = [
  [['product:projects'], [READ_PROJECTS, HEAD_PROJECTS, WRITE_PROJECTS], [READ_ACCOUNT, LIST_KEYS, RELAYED_READ]],
  [['read:projects'], [READ_PROJECTS, HEAD_PROJECTS], [WRITE_PROJECTS, READ_ACCOUNT, RELAYED_WRITE]],
  [['read:*'], [READ_PROJECTS, READ_ACCOUNT, LIST_KEYS, RELAYED_READ], [WRITE_PROJECTS, RELAYED_WRITE]],
  [['product:*'], [READ_PROJECTS, WRITE_PROJECTS, READ_ACCOUNT, RELAYED_WRITE], []],
  [['product:projects', 'read:account'], [WRITE_PROJECTS, READ_ACCOUNT], [RELAYED_READ]],
  [['product:*', 'read:risk'], [WRITE_PROJECTS, READ_ACCOUNT], []],
  [['product:tasks'], [RELAYED_READ, RELAYED_WRITE], [READ_PROJECTS, LIST_KEYS]],
  [['read:tasks'], [RELAYED_READ], [RELAYED_WRITE]],
  [['product:event'], [], [READ_PROJECTS, READ_ACCOUNT, RELAYED_READ]],
  [['model:some-model'], [READ_PROJECTS, WRITE_PROJECTS, LIST_KEYS, RELAYED_WRITE], []],
  [['model:*', 'project:*'], [READ_PROJECTS, WRITE_PROJECTS, LIST_KEYS], []],
]

describe('a key limited to', () => {
  for (const [limit, allowed, refused] of rows) {
    it(`${limit.join(' and ')} may use that and nothing else`, async () => {
      const key = await limitedTo(...limit)
      for (const route of allowed) {
        const { status } = await host.call(route, {
          as: key,
          ...(route.startsWith('PATCH') && { body: { name: 'x' } }),
        })
        assert.ok(status < 400 || status === 404, `${route}: ${status}`)
      }
      for (const route of refused) {
        const answer = await host.call(route, { as: key })
        assert.equal(answer.status, 403, route)
        assert.equal(answer.body.error.code, 'key_limit')
      }
    })
  }

  it('something gets a message that names the limit', async () => {
    const messageOf = async (limit: string, route: string) =>
      (await host.call(route, { as: await limitedTo(limit) })).body.error.message
    assert.match(await messageOf('product:risk', READ_PROJECTS), /may not use the projects service.*product:risk/)
    assert.match(
      await messageOf('read:projects', 'POST /v1/projects'),
      /may only read the projects service.*read:projects/,
    )
    assert.match(await messageOf('project:shop', READ_PROJECTS), /may not act on the whole organisation.*project:shop/)
    assert.match(
      await messageOf('project:shop', 'GET /v1/projects/other'),
      /may not act in the project other.*project:shop/,
    )
  })

  it('something stays limited for an owner and for a superadmin', async () => {
    const limited = await keyWith({ limit: ['product:event'] }, host.admin.key)
    assert.equal((await host.call('GET /v1/specimen/superadmin', { as: limited })).body.error.code, 'key_limit')
    assert.equal((await host.call('GET /v1/specimen/superadmin', { as: host.admin.key })).status, 204)
    assert.equal((await host.call('GET /v1/iam/audit', { as: await limitedTo('read:projects') })).status, 403)
  })

  it('something gains no rights from its limit', async () => {
    const anna = await host.member(host.home.org, 'member')
    const key = await keyWith({ limit: ['product:iam'] }, anna.key)
    const answer = await host.call('GET /v1/iam/audit', { as: key })
    assert.equal(answer.status, 403)
    assert.equal(answer.body.error.code, 'forbidden')
    assert.equal(
      (await host.call('GET /v1/specimen/superadmin', { as: await limitedTo('product:specimen') })).status,
      403,
    )
  })
})

describe('a key limited to projects', () => {
  const inProject = (slug: string, as: string) => host.call(`GET /v1/specimen/project-in-path/${slug}`, { as })
  const inChosenProject = (as: string, project?: string) =>
    host.call('GET /v1/specimen/chosen-project', {
      as,
      headers: project === undefined ? {} : { 'x-project-id': project },
    })

  it('may act in those projects and in no other', async () => {
    const key = await limitedTo('project:shop', 'project:blog')
    assert.deepEqual((await inProject('shop', key)).body, { project: 'shop' })
    assert.deepEqual((await inProject('blog', key)).body, { project: 'blog' })
    assert.equal((await inProject('shop2', key)).status, 403)
    assert.equal((await inProject('sho', key)).status, 403)
  })

  it('uses its only project by default', async () => {
    const key = await limitedTo('project:shop')
    assert.deepEqual((await inChosenProject(key)).body, { project: 'shop' })
    assert.deepEqual((await inChosenProject(key, 'shop')).body, { project: 'shop' })
    assert.equal((await inChosenProject(key, 'blog')).status, 403)
  })

  it('must name one of several in X-Project-Id', async () => {
    const key = await limitedTo('project:shop', 'project:blog')
    const unnamed = await inChosenProject(key)
    assert.equal(unnamed.status, 403)
    assert.match(unnamed.body.error.message, /X-Project-Id/)
    assert.deepEqual((await inChosenProject(key, 'blog')).body, { project: 'blog' })
    assert.equal((await inChosenProject(key, 'other')).status, 403)
  })

  it('may not call operations on the whole organisation', async () => {
    const key = await limitedTo('project:shop')
    for (const route of [READ_PROJECTS, 'POST /v1/projects', LIST_KEYS, READ_ACCOUNT, 'GET /v1/specimen/whoami']) {
      const answer = await host.call(route, {
        as: key,
        ...(route.startsWith('POST') && { body: { slug: 'a', name: 'A' } }),
      })
      assert.equal(answer.status, 403, route)
      assert.equal(answer.body.error.code, 'key_limit')
    }
  })

  it('is forwarded to a relayed service with its project', async () => {
    assert.equal((await host.call(RELAYED_READ, { as: await limitedTo('project:shop') })).text, 'shop')
    const two = await limitedTo('project:shop', 'project:blog')
    assert.equal((await host.call(RELAYED_READ, { as: two })).status, 403)
    const headers = { 'x-project-id': 'blog' }
    assert.equal((await host.call(RELAYED_READ, { as: two, headers })).text, 'blog')
    assert.equal((await host.call(RELAYED_READ, { as: two, headers: { 'x-project-id': 'other' } })).status, 403)
    assert.equal((await host.call(RELAYED_READ, { headers })).text, 'blog')
    assert.equal((await host.call(RELAYED_READ)).text, 'none')
  })

  it('must name exactly one project', async () => {
    for (const project of ['shop, blog', 'shop,blog', 'shop/..', 'shop-', 'x'.repeat(41)]) {
      assert.equal((await inChosenProject(host.home.key, project)).status, 400, project)
    }
    assert.equal((await inChosenProject(host.home.key, ['shop', 'blog'] as never)).status, 400)
  })

  it('is unrestricted with project:*, like a key without project entries', async () => {
    const all = await limitedTo('project:*')
    for (const key of [all, host.home.key]) {
      assert.deepEqual((await inProject('any', key)).body, { project: 'any' })
      assert.deepEqual((await inChosenProject(key)).body, { project: null })
      assert.deepEqual((await inChosenProject(key, 'shop')).body, { project: 'shop' })
    }
    assert.equal((await inChosenProject(host.home.key, 'Not A Slug')).status, 400)
  })
})

describe('a project in X-Project-Id', () => {
  const READ_ALL = 'GET /v1/iam/me'
  const inside = (slug: string, as = host.home.key, route = READ_ALL) =>
    host.call(route, { as, headers: { 'x-project-id': slug } })
  const create = (slug: string, as = host.home.key) =>
    host.call('POST /v1/projects', { as, body: { slug, name: slug } })

  it('must exist in the organisation, whatever the operation and the credential', async () => {
    await create('theirs', host.other.key)
    const publishable = (await host.call('POST /v1/account/keys', { body: { name: 'Web', type: 'publishable' } })).body
    const { key: member } = await host.member(host.home.org, 'member')
    const { headers = {} } = await host.browser(host.home)
    for (const slug of ['theirs', 'never-was']) {
      for (const route of [
        READ_ALL,
        READ_PROJECTS,
        'GET /v1/projects/shop',
        'GET /v1/specimen/chosen-project',
        RELAYED_READ,
      ]) {
        for (const as of [host.home.key, member, await limitedTo('project:*')]) {
          const { status, body } = await inside(slug, as, route)
          assert.deepEqual([status, body.error.code], [404, 'not_found'], route)
          assert.equal(body.error.message, `This organisation has no project ${slug}, as named in X-Project-Id.`)
        }
      }
      const event = { as: publishable.key, body: { event: 'seen' }, headers: { 'x-project-id': slug } }
      assert.equal((await host.call('POST /v1/event', event)).status, 404)
      const inBrowser = { as: null, headers: { ...headers, 'x-project-id': slug } }
      assert.equal((await host.call(READ_ALL, inBrowser)).status, 404)
    }
    assert.equal((await inside('theirs', host.other.key)).status, 200)
  })

  it('is 403 for a key that is limited to others, whether it exists or not', async () => {
    const key = await limitedTo('project:shop')
    for (const route of ['GET /v1/specimen/chosen-project', 'GET /v1/projects/shop', READ_PROJECTS]) {
      for (const slug of ['blog', 'never-was']) {
        const { status, body } = await inside(slug, key, route)
        assert.deepEqual([status, body.error.code], [403, 'key_limit'], route)
      }
    }
    const future = await limitedTo('project:future')
    assert.equal((await inside('future', future, 'GET /v1/specimen/chosen-project')).status, 404)
  })

  it('is known from its creation to its deletion', async () => {
    for (let times = 0; times < 3; times++) {
      assert.equal((await inside('short-lived')).status, 404)
      assert.equal((await create('short-lived')).status, 201)
      assert.equal((await inside('short-lived')).status, 200)
      assert.equal((await host.call('DELETE /v1/projects/short-lived')).status, 204)
    }
  })

  it('must be a slug, even where projects do not matter', async () => {
    assert.equal((await inside('Not A Slug')).status, 400)
    assert.equal((await inside('Not A Slug', host.home.key, 'GET /v1')).status, 200, 'without a caller')
  })

  it('is checked before a write runs', async () => {
    const headers = { 'x-project-id': 'never-was' }
    const body = { slug: 'not-made', name: 'Not made' }
    assert.equal((await host.call('POST /v1/projects', { body, headers })).status, 404)
    assert.equal((await host.call('GET /v1/projects/not-made')).status, 404)
  })
})

describe('a restricted key', () => {
  const future = '2030-01-01T00:00:00Z'
  for (const [bound, fields] of Object.entries({
    limit: { limit: ['model:*'] },
    'monthly budget': { budget: { month: 100 } },
    'total budget': { budget: { total: 100 } },
    rate: { rate: 1_000 },
  })) {
    it(`(${bound}) may revoke keys but not create, change or reveal them`, async () => {
      const key = await keyWith(fields)
      const { body: other } = await host.call('POST /v1/account/keys', { body: { name: 'other' } })
      const refused = [
        await host.call('POST /v1/account/keys', { as: key, body: { name: 'more' } }),
        await host.call(`PATCH /v1/account/keys/${other.id}`, { as: key, body: { limit: null } }),
        await host.call('POST /v1/specimen/issue-credential', { as: key }),
      ]
      for (const answer of refused) {
        assert.equal(answer.status, 403)
        assert.equal(answer.body.error.code, 'key_limit')
      }
      assert.equal((await host.call(`DELETE /v1/account/keys/${other.id}`, { as: key })).status, 204)
    })
  }

  it('cannot lift its own restriction', async () => {
    const made = await host.call('POST /v1/account/keys', { body: { name: 'self', rate: 1_000 } })
    const { id, key } = made.body
    assert.equal((await host.call(`PATCH /v1/account/keys/${id}`, { as: key, body: { rate: null } })).status, 403)
  })

  it('may revoke keys whatever its limits are', async () => {
    for (const limit of [['product:event'], ['read:*'], ['project:shop'], ['model:none']]) {
      const { body } = await host.call('POST /v1/account/keys', { body: { name: 'other' } })
      const as = await limitedTo(...limit)
      assert.equal((await host.call(`DELETE /v1/account/keys/${body.id}`, { as })).status, 204, limit.join())
    }
  })

  it('does not mean a key that only expires', async () => {
    const key = await keyWith({ expires: future })
    assert.equal((await host.call('POST /v1/account/keys', { as: key, body: { name: 'more' } })).status, 201)
  })
})

describe('the spelling of a path', () => {
  it('gives no access beyond the matched operation', async () => {
    const key = await limitedTo('product:projects', 'project:shop')
    const secret = /"prefix"|csrfToken/
    for (const path of [
      '/v1/projects/../account/keys',
      '/v1/projects/%2e%2e/account/keys',
      '/v1/projects/..%2faccount/keys',
      '/v1/projects/%2E%2E%2Faccount%2Fkeys',
      '/v1/projects//account/keys',
      '//v1/account/keys',
      '/v1//account/keys',
      '/v1/account/keys/',
      '/v1/account/keys//',
      '/V1/account/keys',
      '/v1/Account/Keys',
      '/v1/%61ccount/keys',
      '/v1/account%2fkeys',
      '/v1/account/keys;a=b',
      '/v1/account/keys%00',
      '/v1/account/keys?x=/v1/projects',
      '/v1/projects/shop/../../account/csrf',
      '/v1/account/csrf#/v1/projects',
      '/./v1/account/csrf',
      '/v1/projects/..;/account/csrf',
      '/v1/projects/shop\\..\\..\\account\\csrf',
      '/v1/account/./csrf',
      'https://localhost/v1/account/csrf',
      '/v1/projects/../../v1/account/csrf',
      '/v1/tasks/../account/csrf',
      '/v1/specimen/project-in-path/shop%2f..%2fblog',
      '/v1/specimen/project-in-path/shop/../blog',
      '/v1/specimen/project-in-path/%62log',
    ]) {
      const answer = await get(path, key)
      assert.match(answer, /^HTTP\/1\.1 (400|403|404|405)/, path)
      assert.doesNotMatch(answer, secret, path)
    }
  })

  it('is decoded before matching', async () => {
    const key = await limitedTo('product:account')
    const answer = await get('/v1/%61ccount/csrf', key)
    assert.match(answer, /^HTTP\/1\.1 200/)
  })

  it('and override headers do not change the method', async () => {
    const key = await limitedTo('read:*')
    const headers = { 'x-http-method-override': 'GET', 'x-method-override': 'GET', 'x-http-method': 'GET' }
    const answer = await host.call('POST /v1/projects?_method=GET', {
      as: key,
      headers,
      body: { slug: 'a', name: 'A' },
    })
    assert.equal(answer.status, 403)
    assert.equal(
      (await host.call('GET /v1/projects', { as: key, headers: { 'x-http-method-override': 'POST' } })).status,
      200,
    )
  })
})
