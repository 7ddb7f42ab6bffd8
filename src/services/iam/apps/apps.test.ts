import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../../test/host.ts'
import { scenario } from '../../../../test/scenario.ts'
import { openSecret } from './apps.ts'
import { selectClient } from './store.ts'

const host = await startHost()
const LOGO = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')}`
const CALLBACK = 'https://shop.example.com/callback'
const create = (fields: object, as = host.home.key) =>
  host.call('POST /v1/iam/apps', {
    as,
    body: { app: 'web', type: 'confidential', people: 'team', redirectUris: [CALLBACK], ...fields },
  })
const secretOf = async (id: string) => {
  const client = await selectClient(host.db, { brand: 'default', id })
  return client && openSecret(host.engines.seal, client)
}

describe('an app', () => {
  it('has an id from its organisation and short name, and returns its secret only once', async () => {
    const { status, body } = await create({})
    assert.equal(status, 201)
    const { secret, ...app } = body
    const at = '2026-11-15T09:00:00.000Z'
    assert.deepEqual(app, {
      id: 'home-web',
      app: 'web',
      brand: 'default',
      issuer: 'https://id.stoa.example',
      name: 'web',
      type: 'confidential',
      redirectUris: [CALLBACK],
      logoutUris: [],
      trusted: false,
      people: 'team',
      signUp: 'closed',
      signUpDomains: [],
      refuseDisposable: false,
      claims: [],
      mayWrite: false,
      created: at,
      updated: at,
    })
    assert.match(secret, /^[0-9A-Za-z]{43}$/)
    assert.deepEqual((await host.call('GET /v1/iam/apps/home-web')).body, app)
    assert.ok(!(await host.call('GET /v1/iam/apps')).text.includes(secret))
  })

  it('has its secret sealed in the database, bound to its id', async () => {
    const { secret } = (await create({ app: 'sealed' })).body
    const [row] = await host.db<{ secret: Buffer }>`select secret from apps where id = 'home-sealed'`
    assert.ok(!row?.secret.includes(secret))
    assert.equal(await secretOf('home-sealed'), secret)
    await host.db`update apps set secret = (select secret from apps where id = 'home-sealed') where id = 'home-web'`
    await assert.rejects(secretOf('home-web'))
  })

  it('gets a new secret immediately on rotation', async () => {
    const before = (await create({ app: 'rotated' })).body.secret
    const { status, body } = await host.call('POST /v1/iam/apps/home-rotated/secret')
    assert.equal(status, 200)
    assert.notEqual(body.secret, before)
    assert.equal(await secretOf('home-rotated'), body.secret)
  })

  it('has no secret if it is public', async () => {
    const { body } = await create({ app: 'phone', type: 'public' })
    assert.ok(!('secret' in body))
    assert.equal((await host.call('POST /v1/iam/apps/home-phone/secret')).status, 409)
  })

  it('has a short name that is unique in its organisation', async () => {
    assert.equal((await create({})).status, 409)
    assert.equal((await create({}, host.other.key)).body.id, 'other-web')
    for (const app of ['a-b', 'A', '', 'a_b', 'ä', 'x'.repeat(41)]) {
      assert.equal((await create({ app })).body.error.param, 'app', app)
    }
  })

  it('is changed and deleted by admins, and not visible to members', async () => {
    const member = await host.member(host.home.org, 'member')
    await create({ app: 'brief' })
    host.clock.advance(1_000)
    const uris = { redirectUris: ['http://localhost:3000/cb'], logoutUris: ['https://shop.example.com/'] }
    const body = { name: 'Shop', ...uris }
    const answer = { ...body, updated: host.clock.now().toISOString() }
    await scenario(host, { owner: host.home.key, member: member.key }, [
      ['member', 'GET /v1/iam/apps', 403],
      ['member', 'PATCH /v1/iam/apps/home-brief', 403, { body, events: [] }],
      ['owner', 'PATCH /v1/iam/apps/home-brief', 200, { body, answer, events: ['iam.app.updated'] }],
      ['owner', 'GET /v1/iam/apps/home-brief', 200, { answer }],
      ['member', 'DELETE /v1/iam/apps/home-brief', 403, { events: [] }],
      ['owner', 'DELETE /v1/iam/apps/home-brief', 204, { events: ['iam.app.deleted'] }],
      ['owner', 'DELETE /v1/iam/apps/home-brief', 404, { events: [] }],
    ])
  })

  const bad = [
    'shop',
    'http://shop.example.com/cb',
    'ftp://shop.example.com/',
    'javascript:alert(1)',
    '/cb',
    '',
    'https://shop.example.com/*',
    'https://*.example.com/cb',
    'https://shop.example.com/cb#x',
    'https://a;sandbox/cb',
    'https://a,b.example.com/cb',
    'https://a:b@shop.example.com/cb',
    'https://SHOP.example.com/cb',
    'https://shop.example.com/a/../cb',
    'https://shop.example.com:443/cb',
    ' https://shop.example.com/cb',
    'https:shop.example.com/cb',
    'http://localhost.evil.test/cb',
    'https://shop.example.com/cb\n',
  ]
  for (const uri of bad) {
    it(`rejects the redirect and logout URI ${JSON.stringify(uri)}`, async () => {
      for (const field of ['redirectUris', 'logoutUris']) {
        const response = await create({ app: 'bad', [field]: ['https://ok.example.com/cb', uri] })
        assert.equal(response.status, 400)
        assert.equal(response.body.error.param, `${field}.1`)
      }
      assert.equal((await host.call('GET /v1/iam/apps/home-bad')).status, 404)
    })
  }

  it('requires a redirect URI, and rejects duplicates', async () => {
    assert.equal((await create({ app: 'none', redirectUris: [] })).body.error.param, 'redirectUris')
    assert.equal((await create({ app: 'none', redirectUris: [CALLBACK, CALLBACK] })).body.error.param, 'redirectUris.1')
  })
})

describe('whom an app admits', () => {
  it('must be said, and stays', async () => {
    const missing = await create({ app: 'unsaid', people: undefined })
    assert.deepEqual([missing.status, missing.body.error.param], [400, 'people'])
    await create({ app: 'said', people: 'users', signUp: 'open' })
    const changed = await host.call('PATCH /v1/iam/apps/home-said', { body: { people: 'team' } })
    assert.deepEqual([changed.status, changed.body.error.param], [400, 'people'])
    assert.equal(
      (await host.call('PATCH /v1/iam/apps/home-said', { body: { signUp: 'closed' } })).body.signUp,
      'closed',
    )
  })

  for (const [what, fields, param] of [
    ['sign-up is for customers', { signUp: 'open' }, 'signUp'],
    ['domains are for customers', { signUpDomains: ['a.example'] }, 'signUpDomains'],
    ['disposable addresses are for customers', { refuseDisposable: true }, 'refuseDisposable'],
    ['metadata is of customers', { claims: ['metadata.plan'] }, 'claims'],
    ['a logo is for customers', { logo: LOGO }, 'logo'],
    ['a colour is for customers', { color: '#112233' }, 'color'],
    ['a logo is an image', { people: 'users', logo: 'data:image/png;base64,aGk=' }, 'logo'],
    ['a logo is no address', { people: 'users', logo: 'https://example.com/logo.png' }, 'logo'],
    ['a colour has six digits', { people: 'users', color: 'red' }, 'color'],
    ['trust is for the team', { people: 'users', trusted: true }, 'trusted'],
    ['an audience is absolute', { audience: 'api' }, 'audience'],
    ['an audience has no fragment', { audience: 'https://api.example.com/#' }, 'audience'],
    ['an audience is not this API', { audience: `${host.baseUrl}/x` }, 'audience'],
    [
      'an audience is not this API with a dot',
      { audience: `${host.baseUrl.replace(/:(\d+)$/, '.:$1')}/x` },
      'audience',
    ],
    ['an audience is no issuer', { audience: 'https://id.stoa.example/v1' }, 'audience'],
    ['an audience is https', { audience: 'javascript:alert(1)' }, 'audience'],
    ['an audience is normalised', { audience: ' https://api.example.com' }, 'audience'],
  ] as const) {
    it(`is consistent: ${what}`, async () => {
      const { status, body } = await create({ app: 'wrong', ...fields })
      assert.deepEqual([status, body.error.param], [400, param])
    })
  }

  it('has an audience that no other organisation has, until it is free', async () => {
    const [audience, evil] = ['https://api.shop.example', await host.organisation('evil')]
    assert.equal((await create({ app: 'api1', audience })).status, 201)
    assert.equal((await create({ app: 'api2', audience: 'urn:shop:api' })).status, 201)
    const other = { type: 'public', people: 'users', redirectUris: ['https://evil.example/callback'] }
    const steal = (app: string, audience: string) =>
      host.call('POST /v1/iam/apps', { as: evil.key, body: { ...other, app, audience } })
    for (const [at, same] of [audience, `${audience}/`, `${audience}//`].entries()) {
      const { status, body } = await steal(`api${at}`, same)
      assert.ok(status === 409 || at === 2, same)
      if (status === 409) assert.equal(body.error.param, 'audience')
    }
    assert.equal((await steal('own', 'https://api.evil.example')).status, 201)
    const moved = await host.call('PATCH /v1/iam/apps/evil-own', { as: evil.key, body: { audience } })
    assert.equal(moved.status, 409)
    assert.equal((await host.call('PATCH /v1/iam/apps/home-api2', { body: { audience } })).status, 200)
    for (const app of ['api1', 'api2']) await host.call(`DELETE /v1/iam/apps/home-${app}`)
    assert.equal((await steal('api9', audience)).status, 201)
  })

  it('has its own branding, until it is removed', async () => {
    const look = { logo: LOGO, color: '#112233' }
    const { body } = await create({ app: 'looks', people: 'users', ...look })
    assert.deepEqual([body.logo, body.color], [look.logo, look.color])
    const change = (body: object) => host.call('PATCH /v1/iam/apps/home-looks', { body })
    assert.deepEqual((await change({ logo: 'data:image/png;base64,aGk=' })).body.error.param, 'logo')
    assert.equal((await change({ color: '#445566' })).body.color, '#445566')
    const cleared = await change({ logo: null, color: null })
    assert.deepEqual([cleared.status, cleared.body.logo, cleared.body.color], [200, undefined, undefined])
    const [entry] = (await host.call('GET /v1/iam/audit?what=app.update')).body.data
    assert.deepEqual(entry.changes.color, { from: '#445566', to: null })
  })

  it('by former rights is given up by an owner, for good', async () => {
    await create({ app: 'former' })
    await host.db`update apps set may_write = true where id = 'home-former'`
    const { key } = await host.member(host.home.org, 'admin')
    const set = (mayWrite: boolean, as = host.home.key) =>
      host.call('PATCH /v1/iam/apps/home-former', { as, body: { mayWrite } })
    assert.equal((await set(false, key)).status, 403)
    assert.equal((await set(false)).body.mayWrite, false)
    assert.equal((await set(true)).status, 400)
  })
})
