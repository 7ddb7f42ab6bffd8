import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as client from 'openid-client'
import { startHost } from '../../test/host.ts'
import { addPerson, type Browser, type Page, registerApp, startIdentity } from '../../test/identity.ts'

const BYE = 'https://web.example.com/bye'
const host = await startHost()
const identity = await startIdentity(host)
const LOGOUT = `${identity.issuer}/v1/iam/oauth/logout`
const ada = await addPerson(host, 'ada@home.test')
const web = await registerApp(host, identity, { app: 'web', logoutUris: [BYE] })
const till = await registerApp(host, identity, { app: 'till' })

const requestLogout = (browser: Browser, query: Record<string, string> = {}) =>
  browser.go(`${LOGOUT}?${new URLSearchParams(query)}`, { headers: { accept: 'text/html' } })
const confirm = (browser: Browser, page: Page) => browser.submit(page, { logout: 'yes' })

async function isSignedIn(browser: Browser, app = web): Promise<boolean> {
  const { url } = await browser.go((await app.begin({ prompt: 'none' })).url)
  const query = new URL(url).searchParams
  assert.ok(query.get('code') || query.get('error') === 'login_required', url)
  return query.has('code')
}
const assertCannotRefresh = async (app: typeof web, token: string | undefined) =>
  assert.equal((await app.refresh(token)).body.error, 'invalid_grant')

/** Asserts an error page, and that the browser stays signed in. */
async function assertRefused(page: Page, browser: Browser): Promise<void> {
  assert.equal(page.status, 400)
  assert.ok(page.url.startsWith(LOGOUT), page.url)
  assert.doesNotMatch(page.text, /evil|<script|logoutForm/)
  assert.ok(await isSignedIn(browser))
}

describe('logout', () => {
  it('asks for confirmation, ends the session, and redirects to the app with its state', async () => {
    const { browser, tokens } = await web.signIn(ada)
    const query = { id_token_hint: `${tokens.id_token}`, post_logout_redirect_uri: BYE, state: 'a b&c' }
    const page = await browser.go(client.buildEndSessionUrl(web.configuration, query).href)
    assert.equal(page.status, 200)
    assert.match(page.text, /<button[^>]*>Sign out<\/button>/)
    assert.ok(await isSignedIn(browser), 'still signed in before confirming')
    const back = await confirm(browser, await requestLogout(browser, query))
    assert.equal(back.url, `${BYE}?state=a+b%26c`)
    assert.equal(await isSignedIn(browser), false)
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('ends the refresh tokens of that sign-in', async () => {
    const { browser, tokens } = await web.signIn(ada)
    await confirm(browser, await requestLogout(browser, { id_token_hint: `${tokens.id_token}` }))
    await assertCannotRefresh(web, tokens.refresh_token)
  })

  it('returns no state if none was given', async () => {
    const { browser, tokens } = await web.signIn(ada)
    const page = await requestLogout(browser, { id_token_hint: `${tokens.id_token}`, post_logout_redirect_uri: BYE })
    assert.equal((await confirm(browser, page)).url, BYE)
  })

  it('accepts the client id instead of the hint', async () => {
    const { browser } = await web.signIn(ada)
    const page = await requestLogout(browser, { client_id: web.id, post_logout_redirect_uri: BYE, state: '1' })
    assert.equal((await confirm(browser, page)).url, `${BYE}?state=1`)
    assert.equal(await isSignedIn(browser), false)
  })

  it('ends on our own page without hint and client id, regardless of the redirect URI', async () => {
    for (const query of [
      {},
      { state: 'x' },
      { post_logout_redirect_uri: BYE },
      { post_logout_redirect_uri: 'https://evil.test/' },
    ]) {
      const { browser } = await web.signIn(ada)
      const done = await confirm(browser, await requestLogout(browser, query as Record<string, string>))
      assert.equal(new URL(done.url).origin, identity.issuer)
      assert.deepEqual([done.status, /Signed out/.test(done.text)], [200, true])
      assert.equal(await isSignedIn(browser), false)
    }
  })

  it('accepts a posted form', async () => {
    const { browser, tokens } = await web.signIn(ada)
    const body = new URLSearchParams({ id_token_hint: `${tokens.id_token}`, post_logout_redirect_uri: BYE }).toString()
    const page = await browser.go(LOGOUT, { method: 'POST', body })
    assert.equal((await confirm(browser, page)).url, BYE)
  })

  it('refuses a hint that is not an ID token of ours', async () => {
    const { browser, tokens } = await web.signIn(ada)
    const [head, body = '', signature = ''] = `${tokens.id_token}`.split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const changed = Buffer.from(body, 'base64url').toString().replace(ada.user, 'usr_somebody')
    const forged = Buffer.from(changed).toString('base64url')
    const hints = ['x', 'x.y.z', `${head}.${forged}.${signature}`, `${none}.${body}.`, `${head}.${body}.`, '<script>']
    for (const hint of [...hints, tokens.access_token]) {
      await assertRefused(await requestLogout(browser, { id_token_hint: hint, post_logout_redirect_uri: BYE }), browser)
    }
    await assertRefused(
      await requestLogout(browser, { id_token_hint: `${tokens.id_token}`, client_id: till.id }),
      browser,
    )
    await assertRefused(
      await requestLogout(browser, { client_id: 'home-nothing', post_logout_redirect_uri: BYE }),
      browser,
    )
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('refuses a redirect URI that is not registered exactly', async () => {
    const { browser, tokens } = await web.signIn(ada)
    const variants = [
      `${BYE}/`,
      `${BYE}?x=1`,
      `${BYE}#x`,
      'https://evil.test/',
      'https://web.example.com/BYE',
      web.callback,
    ]
    for (const uri of [
      ...variants,
      'https://web.example.com:444/bye',
      `${BYE}/../evil`,
      'javascript:alert(1)',
      '//evil.test',
    ]) {
      await assertRefused(
        await requestLogout(browser, { id_token_hint: `${tokens.id_token}`, post_logout_redirect_uri: uri }),
        browser,
      )
    }
    const foreign = await till.signIn(ada, browser)
    await assertRefused(
      await requestLogout(browser, { id_token_hint: `${foreign.tokens.id_token}`, post_logout_redirect_uri: BYE }),
      browser,
    )
  })

  it('refuses a parameter given twice', async () => {
    const { browser, tokens } = await web.signIn(ada)
    const query = new URLSearchParams({ id_token_hint: `${tokens.id_token}`, post_logout_redirect_uri: BYE })
    const page = await browser.go(`${LOGOUT}?${query}&post_logout_redirect_uri=https://evil.test/`, {
      headers: { accept: 'text/html' },
    })
    await assertRefused(page, browser)
  })

  it('requires the CSRF token of the form', async () => {
    const { browser } = await web.signIn(ada)
    await requestLogout(browser)
    for (const body of ['logout=yes', 'logout=yes&xsrf=', 'logout=yes&xsrf=0123456789', '']) {
      const page = await browser.go(`${LOGOUT}/confirm`, { method: 'POST', body, headers: { accept: 'text/html' } })
      assert.equal(page.status, 400)
      assert.ok(await isSignedIn(browser))
    }
    const other = await web.signIn(ada)
    const stolen = (await requestLogout(other.browser)).text.match(/name="xsrf" value="(\w+)"/)?.[1]
    const body = `logout=yes&xsrf=${stolen}`
    const page = await browser.go(`${LOGOUT}/confirm`, { method: 'POST', body, headers: { accept: 'text/html' } })
    assert.equal(page.status, 400)
    assert.ok(await isSignedIn(browser))
  })

  it('signs the browser out of every app, and affects no other browser', async () => {
    const [here, there] = [await web.signIn(ada), await web.signIn(ada)]
    const second = await till.signIn(ada, here.browser)
    await confirm(here.browser, await requestLogout(here.browser))
    assert.equal(await isSignedIn(here.browser, till), false)
    await assertCannotRefresh(web, here.tokens.refresh_token)
    await assertCannotRefresh(till, second.tokens.refresh_token)
    assert.ok(await isSignedIn(there.browser))
    assert.equal((await web.refresh(there.tokens.refresh_token)).status, 200)
  })

  it('invalidates codes that were not redeemed yet', async () => {
    const { browser, query, verifier } = await web.enter(ada)
    await confirm(browser, await requestLogout(browser))
    assert.equal((await web.redeem(query.get('code'), verifier)).body.error, 'invalid_grant')
  })

  it('invalidates the old session cookie', async () => {
    const { browser } = await web.signIn(ada)
    const old = new Map(browser.jar)
    await confirm(browser, await requestLogout(browser))
    const attacker = identity.browser()
    for (const [name, cookie] of old) attacker.jar.set(name, cookie)
    assert.equal(await isSignedIn(attacker), false)
    assert.ok(
      !browser.jar.has('__Host-stoa-id') ||
        browser.jar.get('__Host-stoa-id')?.value !== old.get('__Host-stoa-id')?.value,
    )
  })

  it('has a page that cannot be framed and whose form may redirect to the app', async () => {
    const { browser, tokens } = await web.signIn(ada)
    const { headers } = await requestLogout(browser, {
      id_token_hint: `${tokens.id_token}`,
      post_logout_redirect_uri: BYE,
    })
    const policy = `${headers.get('content-security-policy')}`
    assert.match(policy, /frame-ancestors 'none'/)
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.match(`${headers.get('cache-control')}`, /no-store/)
    // Chromium applies form-action to the redirect after the form as well.
    assert.match(policy, /form-action [^;]*https:\/\/web\.example\.com/)
  })

  it('redirects or shows a button without scripts if no user is signed in', async () => {
    const browser = identity.browser()
    const page = await requestLogout(browser, { client_id: web.id, post_logout_redirect_uri: BYE })
    if (page.url.startsWith(BYE)) return
    assert.match(page.text.replace(/<noscript>.*<\/noscript>/s, ''), /<button/)
    assert.equal((await browser.submit(page, {})).url, BYE)
  })

  it('reflects no parameters of the request', async () => {
    const { browser } = await web.signIn(ada)
    const script = '"><script>alert(1)</script>'
    const query = { state: script, ui_locales: script, logout_hint: script, post_logout_redirect_uri: script }
    const page = await requestLogout(browser, query)
    assert.doesNotMatch(page.text, /alert\(1/)
    assert.doesNotMatch((await confirm(browser, page)).text, /alert\(1/)
    const wrong = await requestLogout(browser, { client_id: script })
    assert.doesNotMatch(wrong.text, /alert\(1/)
  })
})
