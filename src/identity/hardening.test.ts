// Regression tests for the findings of a penetration test.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import { addPerson, registerApp, startIdentity } from '../../test/identity.ts'
import { rawConnection } from '../../test/raw-connection.ts'

const host = await startHost({ now: 'real' })
const identity = await startIdentity(host)
const web = await registerApp(host, identity, { app: 'web', trusted: true })
const get = (path: string, init: object = {}) => identity.fetch(identity.issuer + path, { redirect: 'manual', ...init })
const change = (as: string, current: string, password: string) =>
  host.call('POST /v1/iam/me/password', { as, body: { current, password } })

describe('changing a password', () => {
  it('ends a sign-in in progress that has submitted the old password', async () => {
    const ada = await addPerson(host, 'ada@home.test')
    const { tokens } = await web.signIn(ada)
    const attacker = identity.browser()
    const page = await attacker.go((await web.begin()).url)
    const action = page.text.match(/action="([^"]+)"/)?.[1] ?? ''
    const cookie = [...attacker.jar].map(([name, { value }]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ email: ada.email, password: ada.password }).toString()
    const accepted = await get(action, { method: 'POST', headers, body })
    assert.equal(accepted.status, 303)
    assert.equal((await change(tokens.access_token, ada.password, 'a-new-long-password')).status, 204)
    const resumed = await attacker.go(accepted.headers.get('location') as string)
    assert.ok(!resumed.url.startsWith(web.callback), resumed.url)
  })

  it('is throttled after ten wrong current passwords', async () => {
    const bob = await addPerson(host, 'bob@home.test')
    const { tokens } = await web.signIn(bob)
    const { key } = (await host.call('POST /v1/account/keys', { as: tokens.access_token, body: { name: 'x' } })).body
    const guess = (current: string) => change(key, current, 'a-new-long-password')
    for (let attempt = 0; attempt < 10; attempt++) assert.equal((await guess('a wrong guess')).status, 400)
    const right = await guess(bob.password)
    assert.equal(right.status, 429)
    assert.equal(right.body.error.code, 'too_many_tries')
    host.clock.advance(13 * 60_000) // The clock also follows the real time.
    assert.equal((await guess(bob.password)).status, 429)
    host.clock.advance(2 * 60_000)
    assert.equal((await guess(bob.password)).status, 204)
  })
})

describe('a known browser', () => {
  it('has its own attempts, separate from other known browsers', async () => {
    const eve = await addPerson(host, 'eve@home.test')
    const [one, two] = [(await web.enter(eve)).browser, (await web.enter(eve)).browser]
    for (let attempt = 0; attempt < 11; attempt++) {
      const page = await one.go((await web.begin({ prompt: 'login' })).url)
      await one.submit(page, { email: eve.email, password: 'a wrong guess' })
    }
    await web.enter(eve, two, { prompt: 'login' })
  })
})

describe('a malformed request is answered without a server error', () => {
  const hint = `eyJhbGciOiJub25lIn0.${Buffer.from('{"aud":"\\u0000"}').toString('base64url')}.`
  for (const [path, init] of [
    ['/v1/iam/oauth/authorize?client_id=home-web?%00', {}],
    ['/v1/iam/oauth/logout?x=?&client_id=%00', {}],
    ['/v1/iam/oauth/logout/success?client_id=?%00', {}],
    [`/v1/iam/oauth/logout?id_token_hint=${hint}`, {}],
    [
      '/v1/iam/oauth/token',
      { method: 'POST', body: new URLSearchParams('grant_type=authorization_code&client_id=%00&code=x') },
    ],
  ] as const) {
    it(path.slice(0, 60), async () => {
      const { status } = await get(path, init)
      assert.ok(status >= 400 && status < 500, `${status}`)
      assert.deepEqual(identity.failures.splice(0), [])
    })
  }

  it('with a NUL in the state', async () => {
    const { url } = await web.begin({ state: '?\0' })
    const { status } = await identity.fetch(url, { redirect: 'manual' })
    assert.ok(status < 500, `${status}`)
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('with a NUL in the query of an unknown path', async () => {
    assert.equal((await get('/x?%00')).status, 200)
  })
})

describe('a sign-in completed by an attacker', () => {
  it('cannot be resumed in another browser with cookies that a sibling host can set', async () => {
    const eve = await addPerson(host, 'mallory@home.test')
    const attacker = identity.browser()
    const page = await attacker.go((await web.begin()).url)
    const action = page.text.match(/action="([^"]+)"/)?.[1] ?? ''
    const all = [...attacker.jar].map(([name, { value }]) => `${name}=${value}`)
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ email: eve.email, password: eve.password }).toString()
    const accepted = await get(action, { method: 'POST', headers: { cookie: all.join('; '), ...type }, body })
    assert.equal(accepted.status, 303)
    const planted = all.filter(cookie => cookie.startsWith('__Secure-')).join('; ')
    const resume = (accepted.headers.get('location') as string).slice(identity.issuer.length)
    const victim = await get(resume, { headers: { cookie: planted } })
    assert.equal(victim.status, 400)
    assert.deepEqual(victim.headers.getSetCookie(), [])
    const own = accepted.headers.getSetCookie().map(line => line.split(';', 1)[0])
    const resumed = await get(resume, { headers: { cookie: [...all, ...own].join('; ') } })
    assert.equal(resumed.status, 303, 'the same browser can resume')
  })
})

describe('oidc-provider', () => {
  it('does not loop on prompt=consent', async () => {
    const fay = await addPerson(host, 'fay@home.test')
    await web.signIn(fay, undefined, { prompt: 'consent' })
  })

  it('rejects response_mode form_post, which needs a script', async () => {
    const { url } = await web.begin({ response_mode: 'form_post' })
    for (const variant of [
      url,
      url.replace('form_post', 'form%5Fpost'),
      url.replace('response_mode', '%72esponse_mode'),
    ]) {
      assert.equal((await identity.fetch(variant, { redirect: 'manual' })).status, 400, variant)
    }
  })

  it('answers 404 for discovery with PUT, DELETE and PATCH', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      assert.equal((await get('/.well-known/openid-configuration', { method })).status, 404, method)
    }
  })
})

describe('a form that is too long', () => {
  it('closes the connection after the response', async () => {
    const { write, closed } = await rawConnection(Number(new URL(identity.issuer).port), { tls: true })
    const type = 'content-type: application/x-www-form-urlencoded'
    write(
      `POST /v1/iam/oauth/logout HTTP/1.1\r\nhost: x\r\n${type}\r\ncontent-length: 300000\r\n\r\n${'x'.repeat(300_000)}`,
    )
    assert.match(await closed, /^HTTP\/1\.1 303.*connection: close/is)
  })
})
