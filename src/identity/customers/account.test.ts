import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { customersOf, PASSWORD } from '../../../test/customers.ts'
import { eventually } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'
import { addPerson, type Browser, type RegisteredApp, registerApp, startIdentity } from '../../../test/identity.ts'
import { EngineUnavailable } from '../../engines/engines.ts'

const host = await startHost({ now: 'real', runsBackground: true })
const identity = await startIdentity(host, { audience: host.baseUrl })
const logoutUris = ['https://shop.example.com/bye']
const users = { people: 'users', signUp: 'open' }
const shop = await registerApp(host, identity, { app: 'shop', logoutUris, more: users })
const staff = await registerApp(host, identity, { app: 'staff' })
const away = await registerApp(host, identity, { app: 'away', as: host.other.key, more: users })
const { newAddress, mailsTo, codeTo, byCode, register, registerByCode, ageSignIns } = customersOf(host, identity, shop)
const AUTHORIZE = `${identity.issuer}/v1/iam/oauth/authorize`

const urlFor = (app: RegisteredApp, form = '') => `${identity.issuer}/account${form && `/${form}`}?client_id=${app.id}`
const open = (browser: Browser, app = shop) => browser.go(urlFor(app))
const csrfIn = (text: string) => text.match(/name="csrf" value="([^"]+)"/)?.[1] ?? ''

async function send(browser: Browser, form: string, fields: Record<string, string> = {}, csrf?: string, app = shop) {
  const token = csrf ?? csrfIn((await open(browser, app)).text)
  const body = new URLSearchParams({ csrf: token, ...fields }).toString()
  return browser.go(urlFor(app, form), { method: 'POST', body })
}
/** The answer without following its redirect. */
const answerOf = (browser: Browser, url: string) => {
  const cookie = [...browser.jar].filter(([, { path }]) => path === '/').map(([name, { value }]) => `${name}=${value}`)
  return identity.fetch(url, { redirect: 'manual', headers: { cookie: cookie.join('; ') } })
}
const isSignedIn = async (browser: Browser, app = shop) => /Your account/.test((await open(browser, app)).text)
const me = (as: string) => host.call('GET /v1/iam/me', { as })
const trailOf = async (user: string, what: string) =>
  (await host.call(`GET /v1/iam/audit?what=${what}`)).body.data.filter((entry: { user: string }) => entry.user === user)
const eventsOf = (user: string) =>
  host.emitted.filter(({ data }) => (data as { user?: string }).user === user).map(({ type }) => type)
const linkTo = (email: string) =>
  mailsTo(email)
    .at(-1)
    ?.text.match(/https:\S+/)?.[0] ?? ''

describe('the way to the account page of customers', () => {
  it('is signing in to the app, with a code that nobody can redeem', async () => {
    const browser = identity.browser()
    const to = new URL((await answerOf(browser, urlFor(shop))).headers.get('location') ?? '')
    assert.equal(to.origin + to.pathname, AUTHORIZE)
    const { searchParams: asked } = to
    assert.deepEqual(
      [asked.get('client_id'), asked.get('redirect_uri'), asked.get('code_challenge_method')],
      [shop.id, urlFor(shop), 'S256'],
    )
    const again = new URL((await answerOf(browser, urlFor(shop))).headers.get('location') ?? '')
    for (const name of ['code_challenge', 'state']) assert.notEqual(asked.get(name), again.searchParams.get(name), name)

    const { email } = await register()
    const form = await open(browser)
    assert.match(form.text, /Sign in.*to The shop/s)
    const page = await browser.submit(form, { email, password: PASSWORD })
    assert.deepEqual([page.status, page.url], [200, urlFor(shop)], 'the code is not in the address')
    assert.match(page.text, /Your account.*Ada Lovelace/s)
    const stray = new URL((await answerOf(browser, to.href)).headers.get('location') ?? '')
    assert.equal(stray.origin + stray.pathname, `${identity.issuer}/account`)
    const code = stray.searchParams.get('code')
    for (const verifier of [asked.get('code_challenge') as string, 'x'.repeat(43)]) {
      const more = { redirect_uri: urlFor(shop) }
      assert.equal((await shop.redeem(code, verifier, more)).body.error, 'invalid_grant')
    }
  })

  for (const signUp of ['closed', 'invited']) {
    it(`is the same for an app that is ${signUp}`, async () => {
      const app = await registerApp(host, identity, { app: signUp, more: { people: 'users', signUp } })
      const { email } = await register()
      const browser = identity.browser()
      const page = await browser.submit(await open(browser, app), { email, password: PASSWORD })
      assert.deepEqual([page.status, page.url], [200, urlFor(app)])
      assert.match(page.text, new RegExp(`The ${signUp}`))
    })
  }

  it('ends with a page if signing in failed, and leads nowhere else', async () => {
    for (const query of ['&error=access_denied', '&error=x&code=y', '&code=y', '&code=']) {
      const page = await answerOf(identity.browser(), urlFor(shop) + query)
      const text = await page.text()
      assert.deepEqual([page.status, page.headers.get('location')], [400, null], query)
      assert.match(text, /You are not signed in/)
      assert.ok(text.includes(`href="${urlFor(shop)}"`) && !text.includes('access_denied'))
    }
    const { browser } = await register()
    const back = await answerOf(browser, `${urlFor(shop)}&code=y&state=z&done=https://evil.test`)
    assert.deepEqual([back.status, back.headers.get('location')], [303, urlFor(shop)])
  })

  it('is that of the team for other apps, and no redirect goes to an address of the request', async () => {
    const login = `${host.baseUrl}/v1/account/login`
    for (const id of [staff.id, 'home-unknown', 'https://evil.test', '', 'home-shop%00', '//evil.test']) {
      const page = await answerOf(identity.browser(), `${identity.issuer}/account?client_id=${id}`)
      const expected = id === staff.id || id.includes('%00') ? [303, login] : [404, null]
      assert.deepEqual([page.status, page.headers.get('location')], expected, id)
    }
    const more = '&redirect_uri=https://evil.test&loginUrl=https://evil.test&done=//evil.test'
    const location = (await answerOf(identity.browser(), urlFor(shop) + more)).headers.get('location') ?? ''
    assert.ok(location.startsWith(AUTHORIZE) && !location.includes('evil'), location)
    const twice = await answerOf(identity.browser(), `${urlFor(shop)}&client_id=${away.id}`)
    assert.match(twice.headers.get('location') ?? '', /client_id=home-shop&/)
    // The page is a callback of its own app only, with exactly this URL.
    for (const uri of [urlFor(away), `${identity.issuer}/account`, `${urlFor(shop)}&x=y`]) {
      const { status } = await identity.browser().go((await shop.begin({ redirect_uri: uri })).url)
      assert.equal(status, 400, uri)
    }
    const team = `${identity.issuer}/account?client_id=${staff.id}`
    assert.equal((await identity.browser().go((await staff.begin({ redirect_uri: team })).url)).status, 400)
  })

  it('is open to no session of the team or of another organisation, whatever cookie it is in', async () => {
    const { browser, email } = await register()
    const member = await staff.signIn(await addPerson(host, newAddress()))
    const there = customersOf(host, identity, away)
    const foreign = await there.register(email)
    assert.ok(await isSignedIn(foreign.browser, away))
    const own = [...browser.jar].map(([name]) => name).find(name => /^__Host-stoa-id-\w{16}$/.test(name)) ?? ''
    assert.notEqual(own, '')
    for (const other of [member.browser, foreign.browser]) {
      assert.ok(!(await isSignedIn(other)))
      // The value and its signature under the name that this page reads.
      const [name] = [...other.jar.keys()].filter(one => /^__Host-stoa-id(-\w{16})?$/.test(one))
      for (const end of ['', '.sig']) {
        const cookie = other.jar.get(`${name}${end}`)
        assert.ok(cookie)
        other.jar.set(`${own}${end}`, cookie)
      }
      const moved = await answerOf(other, urlFor(shop))
      assert.equal(moved.status, 303)
      assert.ok(moved.headers.get('location')?.startsWith(AUTHORIZE))
      assert.match((await open(other)).text, /name="password"/, 'it is no endless redirect either')
    }
    // Nor is a customer signed in at the team's page.
    for (const end of ['', '.sig']) browser.jar.set(`__Host-stoa-id${end}`, browser.jar.get(own + end) as never)
    assert.equal((await answerOf(browser, `${identity.issuer}/account`)).status, 303)
  })

  it('is closed to a customer who is blocked, also for a form that was open', async () => {
    const { browser, claims, email } = await register()
    const csrf = csrfIn((await open(browser)).text)
    assert.equal((await host.call(`PATCH /v1/iam/users/${claims.sub}`, { body: { blocked: true } })).status, 200)
    assert.match((await send(browser, 'name', { name: 'Mallory' }, csrf)).text, /Sign in/)
    const form = await open(browser)
    assert.equal((await browser.submit(form, { email, password: PASSWORD })).status, 403)
    assert.equal((await host.call(`GET /v1/iam/users/${claims.sub}`)).body.name, 'Ada Lovelace')
  })
})

describe('the account page of customers', () => {
  it("has the app's look and a link back to it, and shows nothing of the team", async () => {
    const { browser, email } = await register()
    const page = await open(browser)
    for (const part of [`Ada Lovelace, ${email}, at The shop`, 'The shop <small>', '(this browser)', logoutUris[0]]) {
      assert.ok(page.text.includes(part as string), part)
    }
    assert.doesNotMatch(page.text, /Stoa|Organisations|<script/)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*form-action 'self';/)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const lone = await registerApp(host, identity, { app: 'lone', more: users })
    await host.db`update apps set logout_uris = '{javascript:alert(1)}', redirect_uris = redirect_uris || '{shop:/cb}'
      where id = ${lone.id}`
    const found = await open(browser, lone)
    assert.ok(found.text.includes('href="https://lone.example.com/"'))
    assert.doesNotMatch(found.text, /href="(javascript|shop):/)
  })

  it('saves the name', async () => {
    const { browser, claims, tokens } = await register()
    assert.match((await send(browser, 'name', { name: ' Countess <b> ' })).text, /role="status">Your name was saved/)
    assert.equal((await me(tokens.access_token)).body.name, 'Countess <b>')
    const [entry] = await trailOf(claims.sub, 'me.update')
    assert.deepEqual([entry.on, entry.email, entry.changes], [claims.sub, undefined, { name: {} }])
    assert.equal(eventsOf(claims.sub).at(-1), 'iam.user.updated')
    for (const name of ['', 'x'.repeat(121), 'two\nlines']) {
      const refused = await send(browser, 'name', { name })
      assert.deepEqual([refused.status, /Please enter a name/.test(refused.text)], [400, true])
    }
  })

  it('changes the password after checking the current one, and signs out everywhere else', async () => {
    const { browser, claims, email, tokens } = await register()
    const elsewhere = await shop.signIn({ email, password: PASSWORD })
    const password = 'a-walnut-of-my-own'
    await ageSignIns(claims.sub, 60) // With a password, that does not matter.
    for (const current of [null, '', 'a wrong one']) {
      const wrong = await send(browser, 'password', { ...(current !== null && { current }), password })
      assert.deepEqual([wrong.status, /The current password is wrong/.test(wrong.text)], [400, true])
    }
    assert.match((await send(browser, 'password', { current: PASSWORD, password: '1qaz2wsx3edc' })).text, /most common/)
    assert.match((await send(browser, 'password', { current: PASSWORD, password })).text, /Your password was saved/)
    assert.equal((await me(tokens.access_token)).status, 200)
    assert.equal((await me(elsewhere.tokens.access_token)).status, 401)
    assert.ok(!(await isSignedIn(elsewhere.browser)))
    await shop.signIn({ email, password })
    await assert.rejects(shop.signIn({ email, password: PASSWORD }))
    assert.equal((await trailOf(claims.sub, 'password.change')).length, 1)
    const told = await eventually(
      async () => mailsTo(email).find(({ subject }) => /password was changed/.test(subject)),
      mail => mail !== undefined,
    )
    assert.match(told?.html ?? '', /The shop/)
  })

  it('counts wrong passwords for all forms, and together with the API', async () => {
    const { browser, tokens } = await register()
    const fields = { current: 'a wrong one', password: 'a-walnut-of-my-own' }
    for (let tries = 0; tries < 9; tries++) assert.equal((await send(browser, 'password', fields)).status, 400)
    const body = { ...fields }
    assert.equal((await host.call('POST /v1/iam/me/password', { as: tokens.access_token, body })).status, 400)
    const forms = { password: {}, email: { email: newAddress() }, delete: { confirm: 'yes' } }
    for (const [form, more] of Object.entries(forms)) {
      const page = await send(browser, form, { ...fields, ...more, current: PASSWORD })
      assert.deepEqual([page.status, page.headers.get('retry-after')], [429, '900'], form)
      assert.match(page.text, /Too many attempts\. Wait 15 minutes/)
    }
  })

  it("mails a link to a new address, in the app's look, and moves the account", async t => {
    const { browser, claims, email: before } = await register()
    const email = newAddress()
    const page = await send(browser, 'email', { email: email.toUpperCase(), current: PASSWORD })
    assert.match(page.text, /We sent an e-mail/)
    assert.match(mailsTo(email).at(-1)?.html ?? '', /The shop/)
    const notIn = (await identity.browser().go(linkTo(email))).text
    assert.ok(/The shop.*Sign in first/s.test(notIn) && notIn.includes(`href="${urlFor(shop)}"`))
    assert.match((await (await register()).browser.go(linkTo(email))).text, /Sign in first/)
    const asked = await browser.go(linkTo(email))
    assert.match(asked.text, /The shop/)
    const done = await browser.submit(asked, {})
    assert.ok(done.text.includes(`href="${urlFor(shop)}"`) && !done.text.includes('Stoa'))
    assert.ok((await open(browser)).text.includes(email))
    const [entry] = await trailOf(claims.sub, 'email.request')
    assert.deepEqual(entry.changes, { email: {} })
    const taken = (await register()).email
    assert.match((await send(browser, 'email', { email: taken, current: PASSWORD })).text, /We sent an e-mail/)
    assert.deepEqual([linkTo(taken), /already have/.test(mailsTo(taken).at(-1)?.subject ?? '')], ['', true])
    for (const wrong of ['', 'no address', before.replace('@', ' ')]) {
      assert.equal((await send(browser, 'email', { email: wrong, current: PASSWORD })).status, 400)
    }
    assert.equal((await send(browser, 'email', { email: newAddress() })).status, 400, 'the password is needed')
    const { accept } = host.mailServer
    t.after(() => {
      host.mailServer.accept = accept
    })
    host.mailServer.accept = () => {
      throw new EngineUnavailable('mail', 'down')
    }
    assert.equal((await send(browser, 'email', { email: newAddress(), current: PASSWORD })).status, 502)
  })

  it('lets customers without a password make changes soon after signing in, in this browser', async () => {
    const { browser, claims, email } = await registerByCode()
    const first = await open(browser)
    assert.match(first.text, /Choose a password/)
    assert.doesNotMatch(first.text, /Current password|Sign in again/)
    const csrf = csrfIn(first.text)
    await ageSignIns(claims.sub, 16)
    await byCode('code', email) // Signing in elsewhere proves nothing about this browser.
    const forms = { password: { password: PASSWORD }, email: { email: newAddress() }, delete: { confirm: 'yes' } }
    for (const [form, fields] of Object.entries(forms)) {
      const late = await send(browser, form, fields, csrf)
      assert.deepEqual([late.status, /Sign in again/.test(late.text)], [403, true], form)
    }
    const url = (await open(browser)).text.match(/href="([^"]+prompt=login[^"]*)"/)?.[1]?.replaceAll('&#38;', '&') ?? ''
    const form = await browser.go(url)
    assert.match(form.text, /name="password"/, 'the session alone is not enough')
    const path = new URL(form.url).pathname
    const asked = await browser.submit(await browser.go(`${identity.issuer}${path}/code`), { email })
    const back = await browser.submit(asked, { code: codeTo(email) })
    assert.deepEqual([back.status, back.url], [200, urlFor(shop)])
    assert.doesNotMatch(back.text, /Sign in again/)
    assert.match((await send(browser, 'email', forms.email)).text, /We sent an e-mail/)
    assert.match((await send(browser, 'password', forms.password)).text, /Your password was saved/)
    assert.match((await open(browser)).text, /Current password/)
    assert.equal((await send(browser, 'password', forms.password)).status, 400, 'from now on it is needed')
    await shop.signIn({ email, password: PASSWORD })
  })

  it('ends another browser of the same customer, and no other', async () => {
    const { browser, claims, email } = await register()
    const [elsewhere, stranger] = [await shop.signIn({ email, password: PASSWORD }), await register()]
    const [id = ''] = [...(await open(browser)).text.matchAll(/name="id" value="([0-9a-f]{64})"/g)].map(
      ([, one]) => one,
    )
    await send(stranger.browser, 'end', { id })
    assert.equal((await me(elsewhere.tokens.access_token)).status, 200)
    assert.equal((await send(browser, 'end', { id: 'x' })).status, 404)
    assert.match((await send(browser, 'end', { id })).text, /That session was signed out/)
    assert.equal((await me(elsewhere.tokens.access_token)).status, 401)
    assert.ok(!(await isSignedIn(elsewhere.browser)))
    assert.match((await trailOf(claims.sub, 'session.end'))[0].on, /^sin_/)
    assert.equal(eventsOf(claims.sub).at(-1), 'iam.session.ended')
    // One that was used for this page only.
    const lone = identity.browser()
    await lone.submit(await open(lone), { email, password: PASSWORD })
    const [last = ''] = [...(await open(browser)).text.matchAll(/name="id" value="([0-9a-f]{64})"/g)].map(
      ([, one]) => one,
    )
    assert.match((await open(browser)).text, /The account page/)
    await send(browser, 'end', { id: last })
    assert.ok(!(await isSignedIn(lone)))
    assert.equal((await trailOf(claims.sub, 'session.end'))[0].on, 'browser session')
  })

  it('signs out everywhere, including this browser', async () => {
    const { browser, claims, email, tokens } = await register()
    const elsewhere = await shop.signIn({ email, password: PASSWORD })
    const stranger = await register()
    const page = await send(browser, 'everywhere')
    assert.match(page.text, /You are signed out everywhere/)
    for (const one of [tokens, elsewhere.tokens]) {
      assert.equal((await me(one.access_token)).status, 401)
      assert.equal((await shop.refresh(one.refresh_token)).status, 400)
    }
    for (const one of [browser, elsewhere.browser]) assert.ok(!(await isSignedIn(one)))
    assert.equal((await trailOf(claims.sub, 'session.end'))[0].on, 'all sessions')
    assert.equal(eventsOf(claims.sub).filter(type => type === 'iam.session.ended').length, 2)
    assert.equal((await me(stranger.tokens.access_token)).status, 200)
    await shop.signIn({ email, password: PASSWORD })
  })

  it('deletes the account, with confirmation and password, and its tokens end immediately', async () => {
    const { browser, claims, email, tokens } = await register()
    const elsewhere = await shop.signIn({ email, password: PASSWORD })
    const incomplete: Record<string, string>[] = [
      { current: PASSWORD },
      { current: 'wrong', confirm: 'yes' },
      { confirm: 'yes' },
    ]
    for (const fields of incomplete) assert.equal((await send(browser, 'delete', fields)).status, 400)
    assert.equal((await me(tokens.access_token)).status, 200)
    const page = await send(browser, 'delete', { current: PASSWORD, confirm: 'yes' })
    assert.deepEqual([page.status, /Your account was deleted/.test(page.text)], [200, true])
    for (const one of [tokens, elsewhere.tokens]) {
      assert.equal((await me(one.access_token)).status, 401)
      assert.equal((await shop.refresh(one.refresh_token)).status, 400)
    }
    assert.ok(!(await isSignedIn(browser)))
    assert.equal((await host.call(`GET /v1/iam/users/${claims.sub}`)).status, 404)
    assert.equal((await trailOf(claims.sub, 'user.delete'))[0].on, claims.sub)
    assert.equal(eventsOf(claims.sub).at(-1), 'iam.user.deleted')
    const left = await host.db`select from oidc where user_id = ${claims.sub}`
    assert.equal(left.length, 0)
    await assert.rejects(shop.signIn({ email, password: PASSWORD }))
  })

  it('signs out, and returns nowhere else', async () => {
    const { browser, tokens } = await register()
    const query = new URLSearchParams({ client_id: shop.id })
    assert.match((await open(browser)).text, new RegExp(`name="client_id" value="${shop.id}"`))
    const asked = await browser.go(`${identity.issuer}/v1/iam/oauth/logout?${query}`)
    await browser.submit(asked, { logout: 'yes' })
    assert.equal((await me(tokens.access_token)).status, 401)
    assert.ok(!(await isSignedIn(browser)))
  })

  it('accepts forms of its own page in this browser only', async () => {
    const { browser, email, tokens } = await register()
    const foreign = csrfIn((await open((await shop.signIn({ email, password: PASSWORD })).browser)).text)
    const forms = { name: { name: 'Mallory' }, everywhere: {}, delete: { confirm: 'yes', current: PASSWORD } }
    for (const [form, fields] of Object.entries(forms)) {
      for (const csrf of ['', 'x', foreign]) {
        const page = await send(browser, form, fields, csrf)
        assert.deepEqual([page.status, /no longer valid/.test(page.text)], [403, true], form)
      }
    }
    const { status, body } = await me(tokens.access_token)
    assert.deepEqual([status, body.name], [200, 'Ada Lovelace'])
    const own = csrfIn((await open(browser)).text)
    assert.equal((await browser.go(`${urlFor(shop, 'name')}&name=Mallory&csrf=${own}`)).status, 200)
    assert.equal((await me(tokens.access_token)).body.name, 'Ada Lovelace', 'a link changes nothing')
    const page = await send(browser, 'toString', {}, own)
    assert.deepEqual([page.status, identity.failures], [200, []])
  })

  it('answers several forms sent at the same time', async () => {
    const { browser, claims, tokens } = await register()
    const csrf = csrfIn((await open(browser)).text)
    const names = ['One', 'Two', 'Three', 'Four']
    const pages = await Promise.all(names.map(name => send(browser, 'name', { name }, csrf)))
    for (const { status } of pages) assert.equal(status, 200)
    assert.ok(names.includes((await me(tokens.access_token)).body.name))
    const ways = await Promise.all([
      send(browser, 'delete', { current: PASSWORD, confirm: 'yes' }, csrf),
      send(browser, 'delete', { current: PASSWORD, confirm: 'yes' }, csrf),
      send(browser, 'everywhere', {}, csrf),
      send(browser, 'name', { name: 'Late' }, csrf),
    ])
    for (const { status } of ways) assert.ok([200, 400].includes(status), String(status))
    assert.deepEqual(identity.failures, [])
    const deleted = (await host.call(`GET /v1/iam/users/${claims.sub}`)).status === 404
    assert.equal(eventsOf(claims.sub).filter(type => type === 'iam.user.deleted').length, deleted ? 1 : 0)
  })
})
