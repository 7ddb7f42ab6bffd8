import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, startHost } from '../../../test/host.ts'
import { AUDIENCE, addPerson, type Browser, registerApp, startIdentity } from '../../../test/identity.ts'
import { rawConnection } from '../../../test/raw-connection.ts'
import { beginSession } from './sessions.ts'

const host = await startHost({ now: 'real' })
const identity = await startIdentity(host)
const ada = await addPerson(host, 'ada@home.test')
const both = await addPerson(host, 'both@home.test')
await host.join(host.other.org, both.user, 'admin')

type Credentials = { email: string; password: string }
const cookiesOf = (answer: Answer) =>
  [answer.headers['set-cookie'] ?? []].flat().map(line => line.split(';', 1)[0] as string)
const get = (path: string, cookie = '') => host.call(`GET ${path}`, { as: null, headers: { cookie } })
const me = (session: string) => get('/v1/iam/me', session)

/** Starts a sign-in and submits the password if there is a form. `page` is what follows: the choice of an organisation,
 *  or the callback. */
async function begin(
  person: Credentials,
  { browser = identity.browser(), to = '/v1/iam/me', org = '', cookies = '' } = {},
) {
  const asked = new URLSearchParams({ to, ...(org && { org }) })
  const answer = await get(`/v1/account/login?${asked}`, cookies)
  assert.equal(answer.status, 303, answer.text)
  const [pendingCookie = ''] = cookiesOf(answer)
  const form = await browser.go(answer.headers.location as string)
  const page = form.text.includes('name="password"') ? await browser.submit(form, person) : form
  return { browser, pendingCookie, page, hadForm: page !== form }
}

const isCallback = (url: string) => url.startsWith(`${AUDIENCE}/v1/account/callback?`)

async function finish(url: string, cookie: string): Promise<Answer> {
  assert.ok(isCallback(url), url)
  return get(url.slice(AUDIENCE.length), cookie)
}

/** Signs in, in the given organisation if there is a choice, and returns the session's cookie. */
async function login(
  person: Credentials,
  org?: string,
  browser?: Browser,
): Promise<{ session: string; browser: Browser }> {
  const begun = await begin(person, browser ? { browser } : {})
  const { url } = org === undefined ? begun.page : await begun.browser.submit(begun.page, { org })
  const answer = await finish(url, begun.pendingCookie)
  assert.equal(answer.status, 303, answer.text)
  const session = cookiesOf(answer).find(one => one.startsWith('__Host-stoa-session='))
  return { session: session as string, browser: begun.browser }
}

describe('sign-in at the base address', () => {
  it('leads to the account page if no path is requested', async () => {
    const answer = await get('/v1/account/login')
    const browser = identity.browser()
    const eve = await addPerson(host, 'eve@home.test')
    const page = await browser.submit(await browser.go(answer.headers.location as string), eve)
    const { headers } = await finish(page.url, cookiesOf(answer)[0] as string)
    assert.equal(headers.location, `${identity.issuer}/account`)
    assert.match((await browser.go(headers.location)).text, /Your account.*eve@home/s)
  })

  it('starts a session of the user and redirects to the requested path', async () => {
    const { pendingCookie, page } = await begin(ada, { to: '/v1/projects?limit=1' })
    const answer = await finish(page.url, pendingCookie)
    assert.equal(answer.headers.location, '/v1/projects?limit=1')
    const lines = [answer.headers['set-cookie'] ?? []].flat()
    const session = lines.find(line => line.startsWith('__Host-stoa-session='))
    for (const part of ['Path=/', 'Secure', 'HttpOnly', 'SameSite=Lax']) assert.ok(session?.includes(`; ${part}`), part)
    assert.ok(!/domain=/i.test(session as string))
    const { body } = await me(cookiesOf(answer).join('; '))
    assert.equal(body.email, 'ada@home.test')
    assert.deepEqual([body.org, body.role, body.credential.kind], ['home', 'member', 'session'])
  })

  it('offers a member of several organisations the choice, each time', async () => {
    const browser = identity.browser()
    for (const [org, role] of [
      ['other', 'admin'],
      ['home', 'member'],
    ]) {
      const { session } = await login(both, org, browser)
      const { body } = await me(session)
      assert.deepEqual([body.email, body.org, body.role], ['both@home.test', org, role])
    }
    const { page } = await begin(both, { browser })
    assert.match(page.text, /<button[^>]* value="home">/)
    assert.match(page.text, /<button[^>]* value="other">/)
  })

  it('offers no organisation that the person does not belong to', async () => {
    const begun = await begin(both)
    assert.ok(!begun.page.text.includes('value="admin"'))
    const refused = await begun.browser.submit(begun.page, { org: 'admin' })
    assert.equal(refused.status, 400)
    assert.ok(!isCallback(refused.url))
  })

  it('takes the requested organisation of a member without a choice, with and without the form', async () => {
    const browser = identity.browser()
    for (const [org, role, hadForm] of [
      ['other', 'admin', true],
      ['home', 'member', false],
      ['home', 'member', false],
      ['other', 'admin', false],
    ] as const) {
      const begun = await begin(both, { browser, org, to: `/o/${org}/home` })
      assert.equal(begun.hadForm, hadForm)
      const answer = await finish(begun.page.url, begun.pendingCookie)
      assert.equal(answer.headers.location, `/o/${org}/home`)
      const { body } = await me(cookiesOf(answer).join('; '))
      assert.deepEqual([body.email, body.org, body.role], ['both@home.test', org, role])
    }
  })

  it('does not say whether a requested organisation exists: the choice, or the only organisation, is the same', async () => {
    const pages = new Set<string>()
    for (const org of ['admin', 'no-such-organisation']) {
      const { page } = await begin(both, { org })
      assert.equal(page.status, 200)
      assert.ok(!isCallback(page.url))
      assert.match(page.text, /value="home">.*value="other">/s)
      pages.add(page.text.replace(/action="[^"]+"/, ''))
      const only = await begin(ada, { org })
      const answer = await finish(only.page.url, only.pendingCookie)
      assert.equal((await me(cookiesOf(answer).join('; '))).body.org, 'home')
    }
    assert.equal(pages.size, 1)
    assert.equal((await get('/v1/account/login?org=//evil.example')).body.error.param, 'org')
  })

  it('starts no session of a requested organisation that the user leaves before the code is redeemed', async () => {
    const leaver = await addPerson(host, 'leaver-of-other@home.test')
    await host.join(host.other.org, leaver.user, 'member')
    const begun = await begin(leaver, { org: 'other' })
    await host.call(`DELETE /v1/iam/members/${leaver.user}`, { as: host.other.key })
    const { status, body } = await finish(begun.page.url, begun.pendingCookie)
    assert.deepEqual([status, body.error.code], [400, 'sign_in_failed'])
  })

  it('lets another app choose no organisation', async () => {
    const app = await registerApp(host, identity, { app: 'shop' })
    const { claims } = await app.signIn(both, identity.browser(), { org: 'other' })
    assert.equal(claims.owner, 'home')
  })

  it('asks for no password while the browser is signed in, and ends the previous session', async () => {
    const first = await login(ada)
    const begun = await begin(ada, { browser: first.browser })
    assert.equal(begun.hadForm, false)
    const second = await finish(begun.page.url, `${begun.pendingCookie}; ${first.session}`)
    assert.equal(second.status, 303)
    assert.equal((await me(first.session)).status, 401)
    assert.equal((await me(cookiesOf(second).join('; '))).status, 200)
  })

  it('succeeds in several tabs at once', async () => {
    const { browser } = await login(ada)
    const tabs: Awaited<ReturnType<typeof begin>>[] = []
    const cookies = () => tabs.map(({ pendingCookie }) => pendingCookie).join('; ')
    for (let tab = 0; tab < 8; tab++) tabs.push(await begin(ada, { browser, cookies: cookies() }))
    for (const { page } of tabs) assert.equal((await finish(page.url, cookies())).status, 303)
  })

  it('succeeds in tabs that start at the same moment', async () => {
    for (const [person, org] of [
      [ada, undefined],
      [both, 'other'],
    ] as const) {
      const { browser } = await login(person, org)
      for (let round = 0; round < 4; round++) {
        const tabs = await Promise.all(
          [1, 2, 3].map(async () => {
            const tab = await begin(person, { browser: identity.copyOf(browser) })
            return { ...tab, page: org === undefined ? tab.page : await tab.browser.submit(tab.page, { org }) }
          }),
        )
        for (const { page } of tabs) {
          const answer = await finish(page.url, tabs.map(({ pendingCookie }) => pendingCookie).join('; '))
          assert.equal(answer.status, 303, answer.text)
          assert.equal((await me(cookiesOf(answer)[0] as string)).status, 200)
        }
      }
    }
  })

  it('rejects an authorization code from another browser', async () => {
    const { pendingCookie, page } = await begin(ada)
    const other = await begin(both)
    const cases: [title: string, url: string, cookie: string][] = [
      ['no sign-in was started', page.url, ''],
      ['another sign-in was started', page.url, other.pendingCookie],
      ['another state', page.url.replace(/state=[^&]+/, 'state=0.0000000000000000000000'), pendingCookie],
      [
        'the cookie was altered',
        page.url,
        pendingCookie.replace(/.{9}$/, end => (end.startsWith('A') ? 'B' : 'A') + end.slice(1)),
      ],
      ['another issuer', page.url.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example'), pendingCookie],
      ['another code', page.url.replace(/code=[^&]+/, 'code=nonsense'), pendingCookie],
      ['the sign-in was denied', page.url.replace(/code=[^&]+/, 'error=access_denied'), pendingCookie],
    ]
    for (const [title, url, cookie] of cases) {
      const { status, body, headers } = await finish(url, cookie)
      assert.deepEqual([status, body.error.code], [400, 'sign_in_failed'], title)
      assert.equal(headers['set-cookie'], undefined, title)
    }
    assert.equal((await finish(page.url, pendingCookie)).status, 303, 'the browser that started it can still finish')
    assert.equal((await finish(page.url, pendingCookie)).status, 400, 'but only once')
  })

  for (const to of [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'evil',
    '/%\u0000',
  ]) {
    it(`does not redirect to another host: ${JSON.stringify(to)}`, async () => {
      const { status, body } = await get(`/v1/account/login?to=${encodeURIComponent(to)}`)
      assert.deepEqual([status, body.error.param], [400, 'to'])
    })
  }

  it('is listed in the chosen organisation, and can be ended there', async () => {
    const list = async (): Promise<{ id: string; app: string }[]> =>
      (await host.call('GET /v1/iam/sessions', { as: host.other.key })).body.data
    const before = (await list()).map(({ id }) => id)
    const { session, browser } = await login(both, 'other')
    const [listed, ...more] = (await list()).filter(({ id }) => !before.includes(id))
    assert.ok(listed && more.length === 0)
    assert.equal(listed.app, 'admin-console')
    const [present] = (await get('/v1/iam/sessions', session)).body.data.filter(
      (one: { current: boolean }) => one.current,
    )
    assert.equal(present.id, listed.id)
    assert.equal((await host.call(`DELETE /v1/iam/sessions/${listed.id}`)).status, 404, 'home sees nothing of it')
    assert.equal((await host.call(`DELETE /v1/iam/sessions/${listed.id}`, { as: host.other.key })).status, 204)
    assert.equal((await me(session)).status, 401)
    assert.equal((await begin(both, { browser })).hadForm, true, 'the browser is signed out of the identity origin too')
  })

  it('gives no access to an organisation that the user has left', async () => {
    const gone = await addPerson(host, 'gone@home.test')
    const { session } = await login(gone)
    assert.equal((await host.call(`DELETE /v1/iam/members/${gone.user}`)).status, 204)
    assert.equal((await me(session)).status, 401)
    const again = await begin(gone)
    assert.ok(!isCallback(again.page.url))
    assert.match(again.page.text, /no access/)
  })

  it('offers the choice again after choosing an organisation that the user has just left', async () => {
    const leaver = await addPerson(host, 'leaver@home.test')
    await host.join(host.other.org, leaver.user, 'member')
    const begun = await begin(leaver)
    await host.call(`DELETE /v1/iam/members/${leaver.user}`, { as: host.other.key })
    const page = await begun.browser.submit(begun.page, { org: 'other' })
    assert.equal(page.status, 400)
    assert.ok(isCallback((await begun.browser.submit(page, { org: 'home' })).url))
  })

  it('ends the session of another organisation in the same browser', async () => {
    const first = await login(both, 'other')
    const second = await login(both, 'home', first.browser)
    assert.equal((await me(first.session)).status, 401)
    assert.equal((await me(second.session)).status, 200)
  })

  it('starts no session for a sign-in that is ended at the same moment', async () => {
    for (let round = 0; round < 12; round++) {
      const { pendingCookie, page } = await begin(ada)
      const ended = (async () => {
        for (let wait = 0; wait < round; wait++) await new Promise(done => setImmediate(done))
        await host.db`delete from oidc where model = 'Grant' and user_id = ${ada.user}`
      })()
      const [answer] = await Promise.all([finish(page.url, pendingCookie), ended])
      assert.ok([303, 400].includes(answer.status), answer.text)
      if (answer.status === 400) continue
      await host.db.waitForNotifications()
      assert.equal((await me(cookiesOf(answer).join('; '))).status, 401)
    }
    const { user, org } = host.home
    const late = { user, org, signIn: 'ended', lastsMs: 1_000 }
    assert.equal(await host.db.transaction(tx => beginSession({ ...host.engines, db: tx }, late)), null)
  })

  it('ends with a page if the sign-in was ended while the organisation was being chosen', async () => {
    const { browser, page } = await begin(both)
    const action = page.text.match(/<form[^>]* action="([^"]+)"/)?.[1] ?? ''
    const { write, closed } = await rawConnection(Number(new URL(identity.issuer).port), { tls: true })
    const cookie = [...browser.jar].map(([name, { value }]) => `${name}=${value}`).join('; ')
    const type = 'content-type: application/x-www-form-urlencoded'
    write(`POST ${action} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncookie: ${cookie}\r\n${type}\r\n`)
    write('content-length: 9\r\n\r\norg=othe')
    await new Promise(done => setTimeout(done, 200)) // The head is read meanwhile.
    await host.db`delete from oidc where model = 'Session' and user_id = ${both.user}`
    write('r')
    assert.match(await closed, /^HTTP\/1.1 400 .*This sign-in is no longer valid/s)
  })

  it('is not used up by a HEAD request', async () => {
    const { pendingCookie, page } = await begin(ada)
    const path = page.url.slice(AUDIENCE.length)
    assert.equal((await host.call(`HEAD ${path}`, { as: null, headers: { cookie: pendingCookie } })).status, 400)
    assert.equal((await finish(page.url, pendingCookie)).status, 303)
  })

  it('bounds the size of its cookies, however often it is started', async () => {
    const jar = new Map<string, string>()
    const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    for (let round = 0; round < 60; round++) {
      const answer = await get(`/v1/account/login?to=/${'a'.repeat(199)}`, cookies())
      for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
        const [name = '', value = ''] = (line.split(';', 1)[0] as string).split(/=(.*)/s)
        if (line.includes('Max-Age=0')) jar.delete(name)
        else jar.set(name, value)
      }
    }
    assert.equal(jar.size, 8)
    assert.ok(cookies().length < 8_000)
    assert.equal((await get(`/v1/account/login?to=/${'a'.repeat(200)}`)).status, 400)
  })

  it('uses an app that cannot be seen, changed or deleted', async () => {
    const as = host.admin.key
    assert.deepEqual((await host.call('GET /v1/iam/apps', { as })).body.data, [])
    assert.equal((await host.call('GET /v1/iam/apps/admin-console', { as })).status, 404)
    const name = 'mine'
    assert.equal((await host.call('PATCH /v1/iam/apps/admin-console', { as, body: { name } })).status, 404)
    assert.equal((await host.call('DELETE /v1/iam/apps/admin-console', { as })).status, 404)
    const body = { app: 'console', type: 'public', people: 'team', redirectUris: ['https://evil.example/callback'] }
    assert.equal((await host.call('POST /v1/iam/apps', { as, body })).status, 409)
  })
})

describe('sign-out at the base address', () => {
  const csrf = async (session: string) => (await get('/v1/account/csrf', session)).body.csrfToken
  const logout = (headers: Record<string, string>, as: string | null = null) =>
    host.call('POST /v1/account/logout', { as, headers })

  it('ends the session and the sign-in, and requires the CSRF token', async () => {
    const { session, browser } = await login(ada)
    const token = await csrf(session)
    assert.equal((await logout({ cookie: session })).body.error.code, 'csrf_token_required')
    const { status, headers } = await logout({ cookie: session, 'x-csrf-token': token })
    assert.equal(status, 204)
    assert.match([headers['set-cookie']].flat().join(), /^__Host-stoa-session=;.*Max-Age=0/)
    assert.equal((await me(session)).status, 401)
    assert.equal((await begin(ada, { browser })).hadForm, true)
    const { data } = (await host.call('GET /v1/iam/audit')).body
    assert.deepEqual([data[0].what, data[0].email], ['session.end', 'ada@home.test'])
  })

  it('also ends the access token of an app, and answers 409 to a key', async () => {
    const web = await registerApp(host, identity, { app: 'web' })
    const { tokens } = await web.signIn(ada)
    assert.equal((await logout({}, tokens.access_token)).status, 204)
    assert.equal((await host.call('GET /v1/iam/me', { as: tokens.access_token })).status, 401)
    assert.equal((await logout({}, host.home.key)).status, 409)
    assert.equal((await host.call('GET /v1/iam/me')).status, 200)
  })

  it('is forced on all other sessions when the password is changed', async () => {
    const hal = await addPerson(host, 'hal@home.test')
    const [current, other] = [(await login(hal)).session, (await login(hal)).session]
    const headers = { cookie: current, 'x-csrf-token': await csrf(current) }
    const body = { current: hal.password, password: 'another-walnut-desk' }
    assert.equal((await host.call('POST /v1/iam/me/password', { as: null, headers, body })).status, 204)
    assert.equal((await me(other)).status, 401)
    assert.equal((await me(current)).status, 200)
  })
})

describe('an expired sign-in', () => {
  it('is refused after an hour', async () => {
    const { pendingCookie, page } = await begin(ada)
    host.clock.advance(3_600_001)
    assert.equal((await finish(page.url, pendingCookie)).status, 400)
  })
})
