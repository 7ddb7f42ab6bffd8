import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { startHost } from '../../test/host.ts'
import { specimen } from '../../test/specimen.ts'
import { keepKey, newKeyText } from '../services/account/public.ts'
import { services } from '../services/index.ts'

const host = await startHost({ services: [...services, specimen] })
const whoami = (headers: Record<string, string>) => host.call('GET /v1/specimen/whoami', { as: null, headers })
const key = host.home.key

describe('a credential', () => {
  it('makes its holder the caller', async () => {
    const { body } = await whoami({ authorization: `Bearer ${key}` })
    assert.equal(body.org, 'home')
    assert.equal(body.user, host.home.user)
    assert.equal(body.email, 'owner@home.test')
  })

  it('may be spelled with any case of "Bearer"', async () => {
    assert.equal((await whoami({ authorization: `bEARER ${key}` })).status, 200)
  })

  it('left out is 401 that says what to send', async () => {
    const answer = await whoami({})
    assert.equal(answer.status, 401)
    assert.equal(answer.body.error.code, 'credential_required')
    assert.equal(answer.headers['www-authenticate'], 'Bearer')
  })

  for (const [name, header] of [
    ['another scheme', `Basic ${Buffer.from(`${key}:`).toString('base64')}`],
    ['no scheme', key],
    ['an unknown prefix', `Bearer tk-${key.slice(3)}`],
    ['an upper-case prefix', `Bearer SK-${key.slice(3)}`],
    ['nothing after Bearer', 'Bearer '],
    ['two spaces', `Bearer  ${key}`],
    ['something after it', `Bearer ${key} x`],
    ['a letter mistyped', `Bearer ${key.slice(0, 20)}${key[20] === 'a' ? 'b' : 'a'}${key.slice(21)}`],
    ['a letter missing', `Bearer ${key.slice(0, -1)}`],
    ['text of another vendor', 'Bearer sk-proj-0123456789'],
  ] as const) {
    it(`with ${name} is 401`, async () => {
      const answer = await whoami({ authorization: header })
      assert.equal(answer.status, 401)
      assert.equal(answer.body.error.code, 'credential_refused')
      assert.match(answer.headers['www-authenticate'] as string, /^Bearer/)
    })
  }

  it('that is publishable is refused outright', async () => {
    const answer = await whoami({ authorization: `Bearer pk-${key.slice(3)}` })
    assert.equal(answer.status, 403)
    assert.match(answer.body.error.message, /publishable/)
  })

  it('sent twice is 400', async () => {
    const headers = { authorization: [`Bearer ${key}`, `Bearer ${host.other.key}`] } as never
    assert.equal((await whoami(headers)).status, 400)
  })

  it('in the query opens nothing', async () => {
    assert.equal((await host.call(`GET /v1/specimen/whoami?authorization=Bearer%20${key}`, { as: null })).status, 401)
  })
})

describe('where events come in, a key', async () => {
  const publishable = async (fields: object = {}) =>
    (await host.call('POST /v1/account/keys', { body: { name: 'p', type: 'publishable', ...fields } })).body.key
  const ingest = (headers: Record<string, string> = {}, query = '') =>
    host.call(`POST /v1/specimen/ingest${query}`, { as: null, headers })
  const key = await publishable()
  const other = host.other.key

  for (const [way, headers, query] of [
    ['a bearer', { authorization: `Bearer ${key}` }, ''],
    ['its header', { 'x-service-ingest-key': key }, ''],
    ['its parameter', {}, `?ingest_key=${key}`],
    [
      'a bearer before the others',
      { authorization: `Bearer ${key}`, 'x-service-ingest-key': other },
      `?ingest_key=${other}`,
    ],
    ['its header before the parameter', { 'x-service-ingest-key': key }, `?ingest_key=${other}`],
  ] as const) {
    it(`comes as ${way}, and stands for the organisation and for nobody in it`, async () => {
      const { status, body } = await ingest(headers, query)
      assert.equal(status, 200)
      assert.deepEqual(body, { org: 'home', project: null, user: null, kind: 'publishable' })
    })
  }

  it('that is secret stands for its holder, by each of these ways', async () => {
    const { key } = host.home
    for (const answer of [
      await ingest({ authorization: `Bearer ${key}` }),
      await ingest({ 'x-service-ingest-key': key }),
      await ingest({}, `?ingest_key=${key}`),
    ]) {
      assert.deepEqual(answer.body, { org: 'home', project: null, user: host.home.user, kind: 'secret' })
    }
  })

  it('with exactly one project entry stands for that project', async () => {
    const one = await publishable({ limit: ['project:shop', 'product:specimen'] })
    assert.equal((await ingest({ 'x-service-ingest-key': one })).body.project, 'shop')
    const two = await publishable({ limit: ['project:shop', 'project:blog'] })
    assert.equal((await ingest({ 'x-service-ingest-key': two })).status, 403)
  })

  it('left out is 401, unknown is 403, and each says what to send', async () => {
    const none = await ingest()
    assert.equal(none.status, 401)
    assert.equal(none.body.error.code, 'ingest_key_required')
    for (const text of ['nonsense', 'pk-', `${key}x`, `pk-${host.home.key.slice(3)}`, '']) {
      const answer = await ingest({ 'x-service-ingest-key': text })
      assert.equal(answer.status, 403, text)
      assert.equal(answer.body.error.code, 'ingest_key_unknown')
    }
  })

  it('presented first counts, be it good or not', async () => {
    for (const authorization of ['Bearer nonsense', 'Bearer ', 'Basic eDp5']) {
      assert.equal((await ingest({ authorization, 'x-service-ingest-key': key })).status, 403, authorization)
    }
    assert.equal((await ingest({ 'x-service-ingest-key': 'nonsense' }, `?ingest_key=${key}`)).status, 403)
  })

  it('is held to its limit and to its rate', async () => {
    const limited = await ingest({ 'x-service-ingest-key': await publishable({ limit: ['product:risk'] }) })
    assert.equal(limited.body.error.code, 'key_limit')
    const rated = { 'x-service-ingest-key': await publishable({ rate: 1 }) }
    assert.equal((await ingest(rated)).status, 200)
    assert.equal((await ingest(rated)).status, 429)
  })

  it('counts before a session, which a browser sends unasked', async () => {
    const browser = await host.signIn(host.other)
    for (const answer of [
      await ingest({ ...browser, authorization: `Bearer ${key}` }),
      await ingest({ ...browser, 'x-service-ingest-key': key }),
      await ingest(browser, `?ingest_key=${key}`),
    ]) {
      assert.equal(answer.body.kind, 'publishable', answer.text)
    }
  })

  it('given twice is 400', async () => {
    assert.equal((await ingest({}, `?ingest_key=${key}&ingest_key=${key}`)).status, 400)
    assert.equal((await ingest({ 'x-service-ingest-key': [key, key] } as never)).status, 400)
  })

  it('opens nothing else by these ways, and is in no log', async () => {
    for (const secret of [key, host.home.key]) {
      const headers = { 'x-service-ingest-key': secret }
      assert.equal((await host.call(`GET /v1/specimen/whoami?ingest_key=${secret}`, { as: null, headers })).status, 401)
    }
    assert.ok(!host.logged.join('').includes(key.slice(3)))
  })
})

describe('access', () => {
  it('to what is public needs none, and has no caller even with one', async () => {
    assert.equal((await host.call('GET /v1/specimen/open', { as: null })).status, 200)
    assert.deepEqual((await host.call('GET /v1/specimen/open')).body, { caller: null })
  })

  it('for admins follows the role', async () => {
    assert.equal((await host.call('GET /v1/specimen/admin')).status, 204)
    await host.db`update members set role = 'member' where org = 'other'`
    const answer = await host.call('GET /v1/specimen/admin', { as: host.other.key })
    assert.equal(answer.status, 403)
    assert.equal(answer.body.error.code, 'forbidden')
  })

  it('for operators is for the platform organisation alone', async () => {
    assert.equal((await host.call('GET /v1/specimen/superadmin')).status, 403)
    assert.equal((await host.call('GET /v1/specimen/superadmin', { as: host.admin.key })).status, 204)
  })

  it('never follows what a client claims to be', async () => {
    const claims = {
      'X-Org-Id': 'admin',
      'x-user-id': 'usr_forged',
      X_User_Email: 'root@admin',
      x_org_id: 'admin',
      'X-Org': 'admin',
      'x-tenant-id': 'admin',
      'x-user-role': 'owner',
      'x-auth-request-user': 'root',
    }
    const { body } = await whoami({ authorization: `Bearer ${key}`, ...claims, 'x-organic': 'kept' })
    assert.equal(body.org, 'home')
    const seen = Object.keys(body.headers)
    for (const name of Object.keys(claims)) assert.ok(!seen.includes(name.toLowerCase()), name)
    assert.ok(seen.includes('x-organic'))
  })
})

describe('a crowd of unknown keys', () => {
  it('keeps nobody who is known from the database', async () => {
    const crowd = Array.from({ length: 400 }, () =>
      host.call('GET /v1/projects', { as: newKeyText(host.engines.random, 'secret') }),
    )
    const known = Array.from({ length: 40 }, () => host.call('GET /v1/projects'))
    for (const answer of await Promise.all(known)) assert.equal(answer.status, 200)
    for (const answer of await Promise.all(crowd)) assert.equal(answer.status, 401)
  })
})

describe('a key that changes', () => {
  it('stops at once, although it was remembered', async () => {
    const third = await host.organisation('third')
    assert.equal((await host.call('GET /v1/specimen/whoami', { as: third.key })).status, 200)
    await host.db`delete from keys where org = 'third'`
    await host.db.waitForNotifications()
    assert.equal((await host.call('GET /v1/specimen/whoami', { as: third.key })).status, 401)
  })

  it('is looked up again after half a minute at most, even if no notification came', async () => {
    const fourth = await host.organisation('fourth')
    assert.equal((await host.call('GET /v1/specimen/whoami', { as: fourth.key })).body.email, fourth.email)
    await host.db`update users set email = 'new@fourth.test' where id = ${fourth.user}`
    assert.equal((await host.call('GET /v1/specimen/whoami', { as: fourth.key })).body.email, fourth.email)
    host.clock.advance(30_000)
    assert.equal((await host.call('GET /v1/specimen/whoami', { as: fourth.key })).body.email, 'new@fourth.test')
  })

  it('works once it exists, although it was refused before', async () => {
    const text = newKeyText(host.engines.random, 'secret')
    assert.equal((await whoami({ authorization: `Bearer ${text}` })).status, 401)
    const late = { ...host.home, name: 'late', type: 'secret' as const, text }
    await host.db.transaction(tx => keepKey({ ...host.engines, db: tx }, late))
    assert.equal((await whoami({ authorization: `Bearer ${text}` })).status, 200)
  })

  it('is looked up again when the connection that hears of changes was lost', async () => {
    const fifth = await host.organisation('fifth')
    const email = async () => (await whoami({ authorization: `Bearer ${fifth.key}` })).body.email
    assert.equal(await email(), fifth.email)
    // Nothing tells of this change, so only what is forgotten altogether is looked up again.
    await host.db`update users set email = 'new@fifth.test' where id = ${fifth.user}`
    await host.db`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'stoa listening'`
    await eventually(email, now => now === 'new@fifth.test')
  })
})
