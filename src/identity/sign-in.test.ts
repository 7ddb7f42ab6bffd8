import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import { addPerson, type Browser, type Page, registerApp, startIdentity } from '../../test/identity.ts'

const host = await startHost()
const identity = await startIdentity(host)
const { issuer } = identity
const ada = await addPerson(host, 'ada@home.test')
const bob = await addPerson(host, 'bob@other.test', host.other.key)
const web = await registerApp(host, identity, { app: 'web' })
const SCRIPT = '"><script>alert(1)</script>'

async function form(browser = identity.browser(), more: Record<string, string> = {}) {
  const begun = await web.begin(more)
  return { ...begun, browser, page: await browser.go(begun.url) }
}
const alertIn = ({ text }: Page) => text.match(/role="alert"[^>]*>([^<]*)</)?.[1]
const actionOf = ({ text }: Page) => `${issuer}${text.match(/<form[^>]* action="([^"]+)"/)?.[1]}`
const cookiesOf = (browser: Browser) => [...browser.jar].map(([name, { value }]) => `${name}=${value}`).join('; ')
/** Posts to the form of the page without following redirects. */
const post = async ({ browser, page }: { browser: Browser; page: Page }, body: string | Uint8Array, type?: string) =>
  identity.fetch(actionOf(page), {
    method: 'POST',
    redirect: 'manual',
    body: body as never,
    headers: { cookie: cookiesOf(browser), 'content-type': type ?? 'application/x-www-form-urlencoded' },
  })

describe('the sign-in page', () => {
  it('is one plain form with labels and without scripts', async () => {
    const { page } = await form()
    assert.equal(page.status, 200)
    assert.match(`${page.headers.get('content-type')}`, /^text\/html; charset=utf-8/)
    assert.match(page.text, /<html lang="en">/)
    assert.equal(page.text.match(/<form method="post" action="\/sign-in\/[\w-]+">/g)?.length, 1)
    for (const name of ['email', 'password']) {
      const id = page.text.match(new RegExp(`<input[^>]*\\bid="(\\w+)"[^>]*\\bname="${name}"`))?.[1]
      assert.match(page.text, new RegExp(`<label for="${id}">[^<]+</label>`))
    }
    assert.match(page.text, /name="password" type="password" autocomplete="current-password"/)
    assert.match(page.text, /<button/)
    assert.doesNotMatch(page.text, /<script|\son\w+=|javascript:/)
    assert.match(page.text, /The web/)
  })

  it('cannot be framed or cached, and loads nothing but the icon embedded in it', async () => {
    const { headers, text } = (await form()).page
    const policy = `${headers.get('content-security-policy')}`
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.match(policy, /form-action 'self' https:\/\/web\.example\.com/)
    assert.match(policy, /base-uri 'none'/)
    assert.doesNotMatch(policy, /unsafe|\*/)
    assert.match(policy, /(^|; )img-src data:;/)
    assert.equal(policy.match(/data:/g)?.length, 1, 'nothing but images')
    assert.match(text, /<link rel="icon" href="data:image\/svg\+xml,[^"<>]+">/)
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.match(`${headers.get('cache-control')}`, /no-store/)
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
  })

  it('reflects no input from the request or the form', async () => {
    const more = { login_hint: SCRIPT, state: SCRIPT, nonce: SCRIPT, ui_locales: SCRIPT, acr_values: SCRIPT }
    const { page, browser } = await form(undefined, { ...more, colour: SCRIPT })
    assert.match(page.text, /<form/)
    assert.doesNotMatch(page.text, /alert\(1|&#60;script/)
    const wrong = await browser.submit(page, { email: SCRIPT, password: SCRIPT, other: SCRIPT })
    assert.equal(wrong.status, 401)
    assert.doesNotMatch(wrong.text, /alert\(1|&#60;script/)
  })

  it('escapes the name of the app', async () => {
    const named = await registerApp(host, identity, { app: 'named' })
    await host.call(`PATCH /v1/iam/apps/${named.id}`, { body: { name: '<b>"&shop' } })
    const { text } = await identity.browser().go((await named.begin()).url)
    assert.match(text, /to &#60;b&#62;&#34;&#38;shop/)
  })

  it('answers the right password with 303, so that browsers do not forward it', async () => {
    const at = await form()
    const response = await post(at, new URLSearchParams({ email: ada.email, password: ada.password }).toString())
    assert.equal(response.status, 303)
    assert.equal(new URL(`${response.headers.get('location')}`, issuer).origin, issuer)
  })

  it('accepts the e-mail address in any case and with surrounding spaces', async () => {
    const { page, browser, state } = await form()
    const back = await browser.submit(page, { email: ' ADA@home.Test ', password: ada.password })
    assert.equal(new URL(back.url).searchParams.get('state'), state)
  })
})

describe('a wrong password', () => {
  it('and an unknown address are answered identically', async () => {
    const { page, browser } = await form()
    const keyOnly = await host.member(host.home.org, 'member')
    const emails = [ada.email, 'nobody@home.test', keyOnly.email, '', 'x', `${'a'.repeat(3_000)}@home.test`]
    const pages = []
    for (const email of emails) pages.push(await browser.submit(page, { email, password: 'wrong-password-here' }))
    assert.deepEqual([...new Set(pages.map(({ status }) => status))], [401])
    const texts = pages.slice(0, 3).map(({ text }, at) => text.replace(`value="${emails[at]}"`, 'value=""'))
    assert.equal(new Set(texts).size, 1)
    assert.match(`${alertIn(pages[0] as Page)}`, /address or the password is wrong/)
  })

  it('keeps the e-mail address, escaped, and focuses the password', async () => {
    const { page, browser } = await form()
    assert.match(page.text, /id="email"[^>]* autofocus/)
    const again = await browser.submit(page, { email: "o'hara@home.test", password: 'wrong-password-here' })
    assert.match(again.text, /id="email"[^>]* value="o&#39;hara@home.test"/)
    assert.doesNotMatch(again.text, /id="email"[^>]* autofocus/)
    assert.match(again.text, /id="password"[^>]* autofocus/)
  })

  it('does not keep text that is not an e-mail address', async () => {
    const { page, browser } = await form()
    const again = await browser.submit(page, { email: '"><script>@home.test', password: 'wrong-password-here' })
    assert.match(again.text, /id="email"[^>]* value="" required autofocus/)
  })

  it('and an unknown address take equally long', async () => {
    const { page, browser } = await form()
    const timed = async (email: string) => {
      const start = performance.now()
      await browser.submit(page, { email, password: 'wrong-password-here' })
      return performance.now() - start
    }
    const people = await Promise.all([1, 2, 3, 4].map(n => addPerson(host, `timed${n}@home.test`)))
    // The shortest times, over as many tries as a busy machine needs. Without the hash of a password, an answer takes a
    // tenth of the time.
    let [known, unknown] = [Infinity, Infinity]
    const isEqual = () => unknown > known * 0.5 && unknown < known * 2
    for (let round = 0; round < 32 && !(round >= 4 && isEqual()); round++) {
      known = Math.min(known, await timed((people[round % 4] as (typeof people)[number]).email))
      unknown = Math.min(unknown, await timed(`untimed${round}@home.test`))
    }
    assert.ok(isEqual(), `${unknown} ms against ${known} ms`)
  })

  it('shows the form again, which then accepts the right one', async () => {
    const { page, browser } = await form()
    const wrong = await browser.submit(page, { email: ada.email, password: 'wrong-password-here' })
    assert.match(wrong.text, /aria-describedby="problem"/)
    assert.ok((await browser.submit(wrong, ada)).url.startsWith(`${web.callback}?code=`))
  })

  it('can be empty, or the right one shortened, extended or in another case', async () => {
    const { page, browser } = await form()
    for (const password of ['', ada.password.slice(0, -1), `${ada.password}x`, ada.password.toUpperCase()]) {
      assert.equal((await browser.submit(page, { email: ada.email, password })).status, 401)
    }
  })
})

describe('a member of another organisation', () => {
  it('has no access, which is shown only after the right password', async () => {
    const { page, browser } = await form()
    assert.equal((await browser.submit(page, { ...bob, password: 'wrong-password-here' })).status, 401)
    const refused = await browser.submit(page, bob)
    assert.equal(refused.status, 403)
    assert.match(`${alertIn(refused)}`, /no access/)
    assert.ok(!browser.jar.has('__Host-stoa-id'))
  })
})

describe('a form submission', () => {
  it('is rejected with another content type', async () => {
    const at = await form()
    for (const [type, body] of [
      ['application/json', JSON.stringify({ email: ada.email, password: ada.password })],
      ['text/plain', `email=${ada.email}&password=${ada.password}`],
      ['multipart/form-data; boundary=x', '--x--'],
    ] as const) {
      assert.ok([400, 415].includes((await post(at, body, type)).status), type)
    }
  })

  it('is rejected with a response if it is too long', async () => {
    for (const bytes of [9_000, 100_000, 5_000_000]) {
      const response = await post(await form(), `email=a&password=${'a'.repeat(bytes)}`)
      assert.ok([400, 413].includes(response.status), `${bytes}: ${response.status}`)
    }
  })

  it('causes no server error if it is malformed', async () => {
    const at = await form()
    for (const body of ['', '%', 'email', '&&&', 'email=a&email=b&password=%00', new Uint8Array([255, 1, 254])]) {
      assert.ok([400, 401].includes((await post(at, body)).status))
    }
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('causes no server error with a NUL in the e-mail address', async () => {
    const { status } = await post(await form(), 'email=ada%00@home.test&password=x')
    assert.deepEqual(identity.failures.splice(0), [])
    assert.equal(status, 401)
  })

  it('is rejected for a sign-in that is unknown, expired or of another browser', async () => {
    const [mine, theirs] = [await form(), await form()]
    const foreign = await mine.browser.go(theirs.page.url)
    assert.equal(foreign.status, 400)
    assert.doesNotMatch(foreign.text, /<form/)
    const body = new URLSearchParams(ada).toString()
    assert.equal((await mine.browser.go(theirs.page.url, { method: 'POST', body })).status, 400)
    assert.equal((await identity.browser().go(mine.page.url, { method: 'POST', body })).status, 400, 'login CSRF')
    assert.equal((await mine.browser.go(`${issuer}/sign-in/${'a'.repeat(43)}`)).status, 400)
    host.clock.advance(61 * 60_000)
    assert.equal((await mine.browser.submit(mine.page, ada)).status, 400)
  })

  it('is rejected if the sign-in is already finished', async () => {
    const { page, browser } = await form()
    await browser.submit(page, ada)
    assert.equal((await browser.submit(page, ada)).status, 400)
  })
})

describe('the cookies', () => {
  it('are Secure, HttpOnly and SameSite, without a domain', async () => {
    const at = await form()
    const seen = (await identity.fetch((await web.begin()).url, { redirect: 'manual' })).headers.getSetCookie()
    const right = await post(at, new URLSearchParams(ada).toString())
    seen.push(...right.headers.getSetCookie())
    const next = `${right.headers.get('location')}`
    const { searchParams } = new URL(next, issuer)
    assert.equal(searchParams.size, 0)
    assert.ok(seen.length >= 5)
    for (const cookie of seen) {
      assert.match(cookie, /; *secure/i, cookie)
      assert.match(cookie, /; *httponly/i, cookie)
      assert.match(cookie, /; *samesite=(lax|strict)/i, cookie)
      assert.doesNotMatch(cookie, /; *domain=/i, cookie)
    }
  })

  it('have prefixes that insecure pages cannot set', async () => {
    const { browser } = await form()
    await web.enter(ada, browser)
    for (const name of browser.jar.keys()) assert.match(name, /^__(Host|Secure)-/)
  })

  it('change at sign-in, which prevents session fixation', async () => {
    const browser = identity.browser()
    await browser.go(`${issuer}/v1/iam/oauth/logout`)
    const planted = browser.jar.get('__Host-stoa-id')
    const attacker = identity.browser()
    for (const [name, cookie] of browser.jar) attacker.jar.set(name, cookie)
    await web.enter(ada, browser)
    assert.notEqual(browser.jar.get('__Host-stoa-id')?.value, planted?.value)
    const { url } = await attacker.go((await web.begin({ prompt: 'none' })).url)
    assert.equal(new URL(url).searchParams.get('error'), 'login_required')
  })

  it('are rejected without a valid signature', async () => {
    const { browser } = await web.enter(ada)
    const session = browser.jar.get('__Host-stoa-id') as { value: string; path: string }
    for (const signature of [null, 'x'.repeat(27)]) {
      const forger = identity.browser()
      forger.jar.set('__Host-stoa-id', session)
      if (signature) forger.jar.set('__Host-stoa-id.sig', { value: signature, path: '/' })
      const { url } = await forger.go((await web.begin({ prompt: 'none' })).url)
      assert.equal(new URL(url).searchParams.get('error'), 'login_required')
    }
  })

  it('skip the form until the session expires', async () => {
    const { browser } = await web.enter(ada)
    assert.equal((await web.enter(ada, browser)).sawForm, false)
    host.clock.advance(91 * 86_400_000)
    assert.equal((await web.enter(ada, browser)).sawForm, true)
  })
})

describe('a sign-in in progress', () => {
  it('ends if its redirect URI or its app is removed', async () => {
    const app = await registerApp(host, identity, { app: 'passing' })
    const begin = async () => {
      const browser = identity.browser()
      return { browser, page: await browser.go((await app.begin()).url) }
    }
    const [moved, gone] = [await begin(), await begin()]
    const path = `/v1/iam/apps/${app.id}`
    const redirectUris = ['https://elsewhere.example.com/cb']
    assert.equal((await host.call(`PATCH ${path}`, { body: { redirectUris } })).status, 200)
    const refused = await moved.browser.submit(moved.page, ada)
    assert.deepEqual([refused.status, refused.url.startsWith(issuer)], [400, true])
    assert.equal((await host.call(`DELETE ${path}`)).status, 204)
    const ended = await gone.browser.submit(gone.page, ada)
    assert.deepEqual([ended.status, ended.url.startsWith(issuer)], [400, true])
    assert.match(ended.text, /no longer valid/)
  })

  it('is rejected if its query is longer than 2048 characters', async () => {
    const { url } = await web.begin({ state: 'x'.repeat(5_000) })
    const page = await identity.browser().go(url)
    assert.equal(page.status, 400)
    assert.match(page.text, /more than 2048 characters/)
  })

  it('accepts a password in any Unicode normalisation form', async () => {
    const email = 'umlaut@home.test'
    const password = 'schöne-grüße-überall'
    assert.equal((await host.call('POST /v1/iam/members', { body: { email, role: 'member', password } })).status, 201)
    for (const form of ['NFC', 'NFD'] as const) await web.signIn({ email, password: password.normalize(form) })
  })
})
