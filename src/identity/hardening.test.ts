// What an attack from outside found, each as it was found.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import { addPerson, registerApp, startIdentity } from '../../test/identity.ts'
import { wire } from '../../test/wire.ts'

const host = await startHost({ now: new Date().toISOString() })
const identity = await startIdentity(host)
const web = await registerApp(host, identity, { app: 'web' })
const get = (path: string, init: object = {}) => identity.fetch(identity.issuer + path, { redirect: 'manual', ...init })
const change = (as: string, current: string, password: string) =>
  host.call('POST /v1/iam/me/password', { as, body: { current, password } })

describe('a password that is changed', () => {
  it('ends a sign-in that has said the old one but not come back to the app', async () => {
    const ada = await addPerson(host, 'ada@home.test')
    const { tokens } = await web.signIn(ada)
    const thief = identity.browser()
    const page = await thief.go((await web.begin()).url)
    const action = page.text.match(/action="([^"]+)"/)?.[1] ?? ''
    const cookie = [...thief.jar].map(([name, { value }]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ email: ada.email, password: ada.password }).toString()
    const held = await get(action, { method: 'POST', headers, body })
    assert.equal(held.status, 303)
    assert.equal((await change(tokens.access_token, ada.password, 'a-new-long-password')).status, 204)
    const resumed = await thief.go(held.headers.get('location') as string)
    assert.ok(!resumed.url.startsWith(web.callback), resumed.url)
  })

  it('cannot be guessed by changing it', async () => {
    const bob = await addPerson(host, 'bob@home.test')
    const { tokens } = await web.signIn(bob)
    const { key } = (await host.call('POST /v1/account/keys', { as: tokens.access_token, body: { name: 'x' } })).body
    const guess = (current: string) => change(key, current, 'a-new-long-password')
    for (let turn = 0; turn < 10; turn++) assert.equal((await guess('a wrong guess')).status, 400)
    const right = await guess(bob.password)
    assert.equal(right.status, 429)
    assert.equal(right.body.error.code, 'too_many_tries')
    host.clock.advance(15 * 60_000 - 1)
    assert.equal((await guess(bob.password)).status, 429)
    host.clock.advance(1)
    assert.equal((await guess(bob.password)).status, 204)
  })
})

describe('a browser that is known', () => {
  it('has tries of its own, which no other known one uses up', async () => {
    const eve = await addPerson(host, 'eve@home.test')
    const [one, two] = [(await web.enter(eve)).browser, (await web.enter(eve)).browser]
    for (let turn = 0; turn < 11; turn++) {
      const page = await one.go((await web.begin({ prompt: 'login' })).url)
      await one.submit(page, { email: eve.email, password: 'a wrong guess' })
    }
    await web.enter(eve, two, { prompt: 'login' })
  })
})

describe('nothing of this is our fault', () => {
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

  it('a state with a NUL', async () => {
    const { url } = await web.begin({ state: '?\0' })
    const { status } = await identity.fetch(url, { redirect: 'manual' })
    assert.ok(status < 500, `${status}`)
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('shows the constant page to an unregistered path, whatever its query', async () => {
    assert.equal((await get('/x?%00')).status, 200)
  })
})

describe('a sign-in that somebody else went through', () => {
  it('is not brought into a browser by cookies that a neighbouring host can set', async () => {
    const eve = await addPerson(host, 'eve@home.test')
    const thief = identity.browser()
    const page = await thief.go((await web.begin()).url)
    const action = page.text.match(/action="([^"]+)"/)?.[1] ?? ''
    const all = [...thief.jar].map(([name, { value }]) => `${name}=${value}`)
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ email: eve.email, password: eve.password }).toString()
    const held = await get(action, { method: 'POST', headers: { cookie: all.join('; '), ...type }, body })
    assert.equal(held.status, 303)
    const planted = all.filter(one => one.startsWith('__Secure-')).join('; ')
    const resume = (held.headers.get('location') as string).slice(identity.issuer.length)
    const victim = await get(resume, { headers: { cookie: planted } })
    assert.equal(victim.status, 400)
    assert.deepEqual(victim.headers.getSetCookie(), [])
    const own = held.headers.getSetCookie().map(line => line.split(';', 1)[0])
    const back = await get(resume, { headers: { cookie: [...all, ...own].join('; ') } })
    assert.equal(back.status, 303, 'its own browser goes on')
  })
})

describe('the library', () => {
  it('does not ask for consent for ever when it is asked for', async () => {
    const fay = await addPerson(host, 'fay@home.test')
    await web.signIn(fay, undefined, { prompt: 'consent' })
  })

  it('offers no page that needs a script, even when asked for one', async () => {
    const { url } = await web.begin({ response_mode: 'form_post' })
    for (const spelled of [
      url,
      url.replace('form_post', 'form%5Fpost'),
      url.replace('response_mode', '%72esponse_mode'),
    ]) {
      assert.equal((await identity.fetch(spelled, { redirect: 'manual' })).status, 400, spelled)
    }
  })

  it('answers discovery to those who read it alone', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      assert.equal((await get('/.well-known/openid-configuration', { method })).status, 404, method)
    }
  })
})

describe('a form that is too long', () => {
  it('ends the connection with its answer instead of leaving it stuck', async () => {
    const { write, closed } = await wire(Number(new URL(identity.issuer).port), { tls: true })
    const type = 'content-type: application/x-www-form-urlencoded'
    write(
      `POST /v1/iam/oauth/logout HTTP/1.1\r\nhost: x\r\n${type}\r\ncontent-length: 300000\r\n\r\n${'x'.repeat(300_000)}`,
    )
    assert.match(await closed, /^HTTP\/1\.1 303.*connection: close/is)
  })
})
