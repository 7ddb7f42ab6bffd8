import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import { addPerson, registerApp, startIdentity } from '../../test/identity.ts'
import { rotateKeys } from '../services/iam/signing-keys/keys.ts'

const host = await startHost({ now: 'real' })
const second = await startIdentity(host, { brand: 'acme' })
const first = await startIdentity(host)
const ada = await addPerson(host, 'ada@home.test')
const [here, there] = [await registerApp(host, first, { app: 'web' }), await registerApp(host, second, { app: 'web' })]
const userInfo = async (issuer: typeof first, token: string) =>
  (await issuer.fetch(`${issuer.issuer}/v1/iam/oauth/userinfo`, { headers: { authorization: `Bearer ${token}` } }))
    .status

describe('two brands', () => {
  it('can each have an app of the same name, with different secrets', async () => {
    assert.equal(here.id, there.id)
    assert.notEqual(here.secret, there.secret)
    const { data } = (await host.call('GET /v1/iam/apps')).body
    assert.deepEqual(
      data.map(({ id, brand }: { id: string; brand: string }) => [id, brand]),
      [
        ['home-web', 'acme'],
        ['home-web', 'default'],
      ],
    )
    const page = (await host.call('GET /v1/iam/apps?limit=1')).body
    assert.deepEqual((await host.call(`GET /v1/iam/apps?limit=1&after=${page.next}`)).body.data, data.slice(1))
  })

  it('have separate issuers, keys and tokens', async () => {
    const [one, two] = [await here.signIn(ada), await there.signIn(ada)]
    assert.equal(one.claims.iss, first.issuer)
    assert.equal(two.claims.iss, second.issuer)
    assert.equal(one.claims.sub, two.claims.sub)
    const keysOf = async ({ issuer, fetch }: typeof first) => (await fetch(`${issuer}/v1/iam/.well-known/jwks`)).text()
    assert.notEqual(await keysOf(first), await keysOf(second))
    assert.equal(await userInfo(first, one.tokens.access_token), 200)
    assert.equal(await userInfo(second, two.tokens.access_token), 200)
    assert.equal(await userInfo(first, two.tokens.access_token), 401)
    assert.equal(await userInfo(second, one.tokens.access_token), 401)
    assert.equal(await first.verifyToken(two.tokens.access_token), null)
    assert.equal(await second.verifyToken(one.tokens.access_token), null)
  })

  it("do not accept each other's codes and refresh tokens", async () => {
    const { query, verifier } = await here.enter(ada)
    const basic = { authorization: `Basic ${Buffer.from(`${there.id}:${there.secret}`).toString('base64')}` }
    const form = { grant_type: 'authorization_code', code: query.get('code') ?? '', code_verifier: verifier }
    const stolen = await there.token({ ...form, redirect_uri: there.callback }, basic)
    assert.deepEqual([stolen.status, stolen.body.error], [400, 'invalid_grant'])
    const { tokens } = await here.signIn(ada)
    assert.equal((await there.refresh(tokens.refresh_token)).body.error, 'invalid_grant')
    assert.equal((await here.refresh(tokens.refresh_token)).status, 200)
    const wrong = { authorization: `Basic ${Buffer.from(`${here.id}:${here.secret}`).toString('base64')}` }
    assert.equal((await there.token(form, wrong)).status, 401)
  })

  it('have separate browser sessions', async () => {
    const { browser } = await here.signIn(ada)
    const page = await browser.go((await there.begin()).url)
    assert.match(page.text, /name="password"/, 'the cookies of one brand are not valid at the other')
  })

  it('change, rotate and delete their apps independently', async () => {
    const id = there.id
    const renamed = await host.call(`PATCH /v1/iam/apps/${id}`, { body: { brand: 'acme', name: 'There' } })
    assert.deepEqual([renamed.body.brand, renamed.body.name], ['acme', 'There'])
    assert.equal((await host.call(`GET /v1/iam/apps/${id}`)).body.name, 'The web')
    const { secret } = (await host.call(`POST /v1/iam/apps/${id}/secret`, { body: { brand: 'acme' } })).body
    assert.notEqual(secret, there.secret)
    await here.signIn(ada)
    assert.equal((await host.call(`DELETE /v1/iam/apps/${id}?brand=acme`)).status, 204)
    assert.equal((await host.call(`GET /v1/iam/apps/${id}?brand=acme`)).status, 404)
    await here.signIn(ada)
  })

  it('rotate their keys independently', async () => {
    const kids = async () =>
      (await host.db<{ kid: string }>`select kid from signing_keys where brand = 'default'`).length
    const before = await kids()
    await host.db.transaction(tx => rotateKeys({ ...host.engines, db: tx }, 'acme'))
    assert.equal(await kids(), before)
    const body = { brand: 'acme' }
    const response = await host.call('POST /v1/iam/signing-keys', { as: host.admin.key, body })
    assert.equal(response.status, 201)
    assert.equal(await kids(), before)
  })

  it('must be in the settings: other brands are rejected', async () => {
    const app = {
      app: 'other',
      type: 'public',
      people: 'team',
      redirectUris: ['https://shop.example.com/callback'],
      brand: 'unknown',
    }
    const { status, body } = await host.call('POST /v1/iam/apps', { body: app })
    assert.deepEqual([status, body.error.param], [400, 'brand'])
    const rotated = await host.call('POST /v1/iam/signing-keys', { as: host.admin.key, body: { brand: 'unknown' } })
    assert.equal(rotated.status, 400)
  })
})
