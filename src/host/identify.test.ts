import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { describe, it } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { startHost } from '../../test/host.ts'
import { bodiesRead } from '../../test/specimen/access.ts'
import { specimen } from '../../test/specimen.ts'
import { keepKey, newKeyText } from '../services/account/public.ts'
import { services } from '../services/index.ts'

const host = await startHost({ services: [...services, specimen], settings: { STOA_REFUSED_PER_MINUTE: 1_000 } })
const whoami = (headers: Record<string, string>) => host.call('GET /v1/specimen/whoami', { as: null, headers })
const key = host.home.key

describe('a credential', () => {
  it('makes its owner the caller', async () => {
    const { body } = await whoami({ authorization: `Bearer ${key}` })
    assert.equal(body.org, 'home')
    assert.equal(body.user, host.home.user)
    assert.equal(body.email, 'owner@home.test')
  })

  it('accepts "Bearer" in any case', async () => {
    assert.equal((await whoami({ authorization: `bEARER ${key}` })).status, 200)
  })

  it('that is missing is answered 401 with what to send', async () => {
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
    ['a key of another vendor', 'Bearer sk-proj-0123456789'],
  ] as const) {
    it(`with ${name} is answered 401`, async () => {
      const answer = await whoami({ authorization: header })
      assert.equal(answer.status, 401)
      assert.equal(answer.body.error.code, 'credential_refused')
      assert.match(answer.headers['www-authenticate'] as string, /^Bearer/)
    })
  }

  it('that is publishable is answered 403', async () => {
    const answer = await whoami({ authorization: `Bearer pk-${key.slice(3)}` })
    assert.equal(answer.status, 403)
    assert.match(answer.body.error.message, /publishable/)
  })

  it('sent twice is answered 400', async () => {
    const headers = { authorization: [`Bearer ${key}`, `Bearer ${host.other.key}`] } as never
    assert.equal((await whoami(headers)).status, 400)
  })

  it('in the query is ignored', async () => {
    assert.equal((await host.call(`GET /v1/specimen/whoami?authorization=Bearer%20${key}`, { as: null })).status, 401)
  })
})

describe('a key for an ingest operation', async () => {
  const publishable = async (fields: object = {}) =>
    (await host.call('POST /v1/account/keys', { body: { name: 'p', type: 'publishable', ...fields } })).body.key
  const ingest = (headers: Record<string, string> = {}, query = '') =>
    host.call(`POST /v1/specimen/ingest${query}`, { as: null, headers })
  const key = await publishable()
  const other = host.other.key

  for (const [location, headers, query] of [
    ['a bearer', { authorization: `Bearer ${key}` }, ''],
    ['the ingest header', { 'x-service-ingest-key': key }, ''],
    ['the ingest parameter', {}, `?ingest_key=${key}`],
    [
      'a bearer in preference to the others',
      { authorization: `Bearer ${key}`, 'x-service-ingest-key': other },
      `?ingest_key=${other}`,
    ],
    ['the ingest header in preference to the parameter', { 'x-service-ingest-key': key }, `?ingest_key=${other}`],
  ] as const) {
    it(`is accepted as ${location} and acts for the organisation without a user`, async () => {
      const { status, body } = await ingest(headers, query)
      assert.equal(status, 200)
      assert.deepEqual(body, { org: 'home', project: null, user: null, kind: 'publishable' })
    })
  }

  it('that is secret acts for its owner in each of these locations', async () => {
    const { key } = host.home
    for (const answer of [
      await ingest({ authorization: `Bearer ${key}` }),
      await ingest({ 'x-service-ingest-key': key }),
      await ingest({}, `?ingest_key=${key}`),
    ]) {
      assert.deepEqual(answer.body, { org: 'home', project: null, user: host.home.user, kind: 'secret' })
    }
  })

  it('with exactly one project entry acts in that project', async () => {
    const one = await publishable({ limit: ['project:shop', 'product:specimen'] })
    assert.equal((await ingest({ 'x-service-ingest-key': one })).body.project, 'shop')
    const two = await publishable({ limit: ['project:shop', 'project:blog'] })
    assert.equal((await ingest({ 'x-service-ingest-key': two })).status, 403)
  })

  it('that is missing is answered 401, an unknown one 403', async () => {
    const none = await ingest()
    assert.equal(none.status, 401)
    assert.equal(none.body.error.code, 'ingest_key_required')
    for (const text of ['nonsense', 'pk-', `${key}x`, `pk-${host.home.key.slice(3)}`, '']) {
      const answer = await ingest({ 'x-service-ingest-key': text })
      assert.equal(answer.status, 403, text)
      assert.equal(answer.body.error.code, 'ingest_key_unknown')
    }
  })

  it('is ignored if another one precedes it, even if that one is invalid', async () => {
    for (const authorization of ['Bearer nonsense', 'Bearer ', 'Basic eDp5']) {
      assert.equal((await ingest({ authorization, 'x-service-ingest-key': key })).status, 403, authorization)
    }
    assert.equal((await ingest({ 'x-service-ingest-key': 'nonsense' }, `?ingest_key=${key}`)).status, 403)
  })

  it('is subject to its limit and its rate', async () => {
    const limited = await ingest({ 'x-service-ingest-key': await publishable({ limit: ['product:risk'] }) })
    assert.equal(limited.body.error.code, 'key_limit')
    const rated = { 'x-service-ingest-key': await publishable({ rate: 1 }) }
    assert.equal((await ingest(rated)).status, 200)
    assert.equal((await ingest(rated)).status, 429)
  })

  it('takes precedence over a session, which browsers send automatically', async () => {
    const browser = await host.signIn(host.other)
    for (const answer of [
      await ingest({ ...browser, authorization: `Bearer ${key}` }),
      await ingest({ ...browser, 'x-service-ingest-key': key }),
      await ingest(browser, `?ingest_key=${key}`),
    ]) {
      assert.equal(answer.body.kind, 'publishable', answer.text)
    }
  })

  it('sent twice is answered 400', async () => {
    assert.equal((await ingest({}, `?ingest_key=${key}&ingest_key=${key}`)).status, 400)
    assert.equal((await ingest({ 'x-service-ingest-key': [key, key] } as never)).status, 400)
  })

  it('in the ingest header or parameter gives no other access and is never logged', async () => {
    for (const secret of [key, host.home.key]) {
      const headers = { 'x-service-ingest-key': secret }
      assert.equal((await host.call(`GET /v1/specimen/whoami?ingest_key=${secret}`, { as: null, headers })).status, 401)
    }
    assert.ok(!host.logged.join('').includes(key.slice(3)))
  })
})

describe('a key in a body that its operation reads', async () => {
  const made = await host.call('POST /v1/account/keys', { body: { name: 'p', type: 'publishable' } })
  const text = `key ${made.body.key}`
  const sent = encodeURIComponent(text)
  const [inBody, inQuery] = ['POST /v1/specimen/key-in-body', `GET /v1/specimen/key-in-query?sent=${sent}`]

  for (const [what, route, request, answer] of [
    ['identifies the caller', inBody, { body: Buffer.from(text) }, { org: 'home', text }],
    ['identifies the caller of a request without a body', inQuery, {}, { org: 'home', text }],
    ['does not count beside a bearer', inBody, { body: Buffer.from(text), as: host.other.key }, { org: 'other', text }],
    [
      'is not looked for beside an ingest key',
      inBody,
      { body: Buffer.from('key x'), headers: { 'x-service-ingest-key': made.body.key } },
      { org: 'home', text: 'key x' },
    ],
    [
      'that is secret is refused, as the operation says',
      inBody,
      { body: Buffer.from(`key ${key}`) },
      { read: `key ${key}` },
    ],
  ] as const) {
    it(`${what}, and is read once`, async () => {
      bodiesRead.count = 0
      assert.deepEqual((await host.call(route, { as: null, ...request })).body, answer)
      assert.equal(bodiesRead.count, 1)
    })
  }

  it('is not read for a bearer that is refused', async () => {
    bodiesRead.count = 0
    const { status, body } = await host.call(inBody, { as: 'sk-unknown', body: Buffer.from(text) })
    assert.deepEqual({ status, body }, { status: 403, body: { read: null } })
    assert.equal(bodiesRead.count, 0)
  })
})

describe('access', () => {
  it('to public operations needs no credential, and has no caller even with one', async () => {
    assert.equal((await host.call('GET /v1/specimen/public', { as: null })).status, 200)
    assert.deepEqual((await host.call('GET /v1/specimen/public')).body, { caller: null })
  })

  it('for admins follows the role', async () => {
    assert.equal((await host.call('GET /v1/specimen/admin')).status, 204)
    await host.db`update members set role = 'member' where org = 'other'`
    await host.db.waitForNotifications()
    const answer = await host.call('GET /v1/specimen/admin', { as: host.other.key })
    assert.equal(answer.status, 403)
    assert.equal(answer.body.error.code, 'forbidden')
  })

  it('for superadmins requires a member of the organisation `admin`', async () => {
    assert.equal((await host.call('GET /v1/specimen/superadmin')).status, 403)
    assert.equal((await host.call('GET /v1/specimen/superadmin', { as: host.admin.key })).status, 204)
  })

  it('ignores identity headers of the client', async () => {
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

describe('many unknown keys', () => {
  it('do not block known keys from the database', async () => {
    const unknown = Array.from({ length: 250 }, () =>
      host.call('GET /v1/projects', { as: newKeyText(host.engines.random, 'secret') }),
    )
    const known = Array.from({ length: 40 }, () => host.call('GET /v1/projects'))
    for (const answer of await Promise.all(known)) assert.equal(answer.status, 200)
    for (const answer of await Promise.all(unknown)) assert.equal(answer.status, 401)
  })
})

describe('unknown credentials', () => {
  it('are refused with 429 after the limit for an address, known keys and other addresses are not', async t => {
    const trusted = new BlockList()
    trusted.addAddress('127.0.0.1')
    const limited = await startHost({ settings: { STOA_REFUSED_PER_MINUTE: 3 }, trusted }, t)
    const from = (address: string, as: string) =>
      limited.call('GET /v1/projects', {
        as,
        headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': address },
      })
    const unknown = () => newKeyText(limited.engines.random, 'secret')
    assert.equal((await from('2001:db8::1', limited.home.key)).status, 200)
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::3']) {
      assert.equal((await from(address, unknown())).status, 401)
    }
    const refused = await from('2001:db8::4', unknown())
    assert.equal(refused.status, 429)
    assert.equal(refused.body.error.code, 'too_many_tries')
    assert.equal(refused.headers['retry-after'], '60')
    assert.equal((await from('2001:db8::1', limited.home.key)).status, 200, 'a cached key is not affected')
    assert.equal((await from('2001:db8::1', limited.other.key)).status, 429, 'any uncached key is')
    assert.equal((await from('2001:db8:0:1::1', limited.other.key)).status, 200, 'another network is not')
    limited.clock.advance(31_000) // The entry of the cache has expired.
    assert.equal((await from('2001:db8::1', unknown())).status, 429)
    assert.equal((await from('2001:db8::1', limited.home.key)).status, 200, 'a key that was used before is not')
    limited.clock.advance(60_000)
    assert.equal((await from('2001:db8::1', limited.admin.key)).status, 200)
  })
})

describe('a key that changes', () => {
  it('stops working immediately although it was cached', async () => {
    const third = await host.organisation('third')
    assert.equal((await host.call('GET /v1/specimen/whoami', { as: third.key })).status, 200)
    await host.db`delete from keys where org = 'third'`
    await host.db.waitForNotifications()
    assert.equal((await host.call('GET /v1/specimen/whoami', { as: third.key })).status, 401)
  })

  it('is looked up again after 30 seconds even without a notification', async () => {
    const fourth = await host.organisation('fourth')
    assert.equal((await host.call('GET /v1/specimen/whoami', { as: fourth.key })).body.email, fourth.email)
    await host.db.script(`alter table members disable trigger user;
      update users set email = 'new@fourth.test' where id = '${fourth.user}';
      alter table members enable trigger user`)
    assert.equal((await host.call('GET /v1/specimen/whoami', { as: fourth.key })).body.email, fourth.email)
    host.clock.advance(30_000)
    assert.equal((await host.call('GET /v1/specimen/whoami', { as: fourth.key })).body.email, 'new@fourth.test')
  })

  it('works once it exists although it was refused before', async () => {
    const text = newKeyText(host.engines.random, 'secret')
    assert.equal((await whoami({ authorization: `Bearer ${text}` })).status, 401)
    const late = { ...host.home, name: 'late', type: 'secret' as const, text }
    await host.db.transaction(tx => keepKey({ ...host.engines, db: tx }, late))
    assert.equal((await whoami({ authorization: `Bearer ${text}` })).status, 200)
  })

  it('is looked up again after the notification connection was lost', async () => {
    const fifth = await host.organisation('fifth')
    const email = async () => (await whoami({ authorization: `Bearer ${fifth.key}` })).body.email
    assert.equal(await email(), fifth.email)
    // This change sends no notification, so the new value appears only if the whole cache is cleared.
    await host.db`update users set email = 'new@fifth.test' where id = ${fifth.user}`
    await host.db`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'stoa listening'`
    await eventually(email, now => now === 'new@fifth.test')
  })
})
