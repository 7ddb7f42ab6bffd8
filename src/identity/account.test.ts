import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { startHost } from '../../test/host.ts'
import { addPerson, type Browser, plantPerson, registerApp, startIdentity } from '../../test/identity.ts'
import { rawConnection } from '../../test/raw-connection.ts'
import { EngineUnavailable } from '../engines/engines.ts'

const host = await startHost({ now: 'real', runsBackground: true })
const identity = await startIdentity(host)
const web = await registerApp(host, identity, { app: 'web' })
const URL_OF_PAGE = `${identity.issuer}/account`

/** Adds a person and signs them in to the app, which signs the browser in at the identity origin. */
async function visitor(email: string) {
  const person = await addPerson(host, email)
  const { browser, tokens } = await web.signIn(person)
  return { ...person, browser, token: tokens.access_token }
}
const csrfIn = (text: string) => text.match(/name="csrf" value="([^"]+)"/)?.[1] ?? ''
const open = (browser: Browser) => browser.go(URL_OF_PAGE)

async function send(browser: Browser, form: string, fields: Record<string, string> = {}, csrf?: string) {
  const token = csrf ?? csrfIn((await open(browser)).text)
  const body = new URLSearchParams({ csrf: token, ...fields }).toString()
  return browser.go(`${URL_OF_PAGE}/${form}`, { method: 'POST', body })
}
const trail = async (what: string, as = host.home.key) =>
  (await host.call(`GET /v1/iam/audit?what=${what}`, { as })).body.data
/** The events about a person, as subject and organisation. */
const eventsAbout = (person: { user: string; email: string }) =>
  host.emitted
    .filter(({ data }) => [person.user, person.email].some(one => Object.values(data as object).includes(one)))
    .map(({ type, tenant }) => `${type} ${tenant}`)
let networks = 0

/** Asks for a link to choose a password; returns it. */
async function forgotten({ email }: { email: string }): Promise<string> {
  const browser = identity.browser()
  const headers = { 'x-test-address': `198.51.100.${networks++}` } // Few mails per network.
  await browser.submit(await browser.go(`${identity.issuer}/sign-in/forgotten`, { headers }), { email }, headers)
  const mail = await eventually(
    async () => host.mails.findLast(({ to, text }) => to === email && text.includes('/resets/')),
    found => found !== undefined,
  )
  return mail?.text.match(/https:\S+/)?.[0] ?? ''
}

/** Sends a form except for its last byte; the returned function sends that, and returns the head of the answer. */
async function sendLate({ jar }: Browser, form: string, fields: Record<string, string>) {
  const { write, closed } = await rawConnection(Number(new URL(identity.issuer).port), { tls: true })
  const body = new URLSearchParams(fields).toString()
  const cookie = [...jar].filter(([, { path }]) => path === '/').map(([name, { value }]) => `${name}=${value}`)
  const head = [
    `POST ${new URL(URL_OF_PAGE).pathname}/${form} HTTP/1.1`,
    'host: localhost',
    'connection: close',
    `cookie: ${cookie.join('; ')}`,
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${body.length}`,
  ]
  write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`)
  return async () => {
    write(body.slice(-1))
    return (await closed).split('\r\n\r\n', 1)[0] as string
  }
}

const isSignedIn = async (browser: Browser) => (await open(browser)).url === URL_OF_PAGE

async function invite(email: string, role = 'member') {
  const { status, body } = await host.call('POST /v1/iam/invites', { as: host.other.key, body: { email, role } })
  assert.equal(status, 201)
  return body.id as string
}

describe('the account page', () => {
  it('redirects visitors who are not signed in to sign in', async () => {
    const page = await open(identity.browser())
    assert.equal(page.url, 'https://stoa.example/v1/account/login')
    const gone = await visitor('gone@home.test')
    await host.db`delete from users where id = ${gone.user}`
    assert.equal((await open(gone.browser)).url, 'https://stoa.example/v1/account/login')
  })

  it('shows the person, their organisations and where they are signed in', async () => {
    const ada = await visitor('ada@home.test')
    const { status, text, headers } = await open(ada.browser)
    assert.equal(status, 200)
    for (const part of ['ada@home.test (not confirmed)', 'home, member', 'The web (home)', '(this browser)']) {
      assert.ok(text.includes(part), part)
    }
    assert.ok(!text.includes('Sign out everywhere else'))
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
    assert.equal(headers.get('cache-control'), 'no-store')
    await host.join(host.other.org, ada.user, 'admin')
    assert.match((await open(ada.browser)).text, /other, admin/)
  })

  it('saves the name, which apps see, and records it in every organisation of the person', async () => {
    const bob = await visitor('bob@home.test')
    await host.join(host.other.org, bob.user, 'member')
    const name = `Bob "the builder" <b>&'`
    const page = await send(bob.browser, 'name', { name: ` ${name} ` })
    assert.match(page.text, /role="status">Your name was saved/)
    assert.ok(page.text.includes('value="Bob &#34;the builder&#34; &#60;b&#62;&#38;&#39;"'))
    assert.equal((await host.call('GET /v1/iam/me', { as: bob.token })).body.name, name)
    assert.equal((await web.signIn(bob)).claims.name, name)
    for (const as of [host.home.key, host.other.key]) {
      const [entry] = await trail('me.update', as)
      assert.deepEqual([entry.user, entry.changes], [bob.user, { name: { from: '', to: name } }])
    }
    for (const bad of ['', 'x'.repeat(121), 'two\nlines', 'nul\0']) {
      const refused = await send(bob.browser, 'name', { name: bad })
      assert.equal(refused.status, 400)
      assert.match(refused.text, /role="alert"[^>]*>Please enter a name/)
    }
    assert.ok((await open(bob.browser)).text.includes('Bob'))
  })

  it('changes the password, keeps this browser signed in, signs out all others, and notifies the person', async () => {
    const cleo = await visitor('cleo@home.test')
    const elsewhere = await web.signIn(cleo)
    const password = 'a-password-of-her-own'
    const wrong = await send(cleo.browser, 'password', { current: 'not the right one', password })
    assert.deepEqual([wrong.status, /The current password is wrong/.test(wrong.text)], [400, true])
    const common = await send(cleo.browser, 'password', { current: cleo.password, password: '1qaz2wsx3edc' })
    assert.match(common.text, /one of the most common passwords/)
    assert.ok(await isSignedIn(elsewhere.browser))
    const page = await send(cleo.browser, 'password', { current: cleo.password, password })
    assert.match(page.text, /Your password was changed/)
    assert.equal((await host.call('GET /v1/iam/me', { as: cleo.token })).status, 200, 'the apps of this browser stay')
    assert.equal((await host.call('GET /v1/iam/me', { as: elsewhere.tokens.access_token })).status, 401)
    assert.ok(!(await isSignedIn(elsewhere.browser)))
    await assert.rejects(web.signIn(cleo), 'the old password is no longer valid')
    await web.signIn({ ...cleo, password })
    await eventually(
      async () => host.mails.filter(({ to, subject }) => to === cleo.email && /password was changed/.test(subject)),
      ({ length }) => length === 1,
    )
    assert.equal((await trail('password.change'))[0].user, cleo.user)
  })

  it('limits guesses of the password', async () => {
    const dan = await visitor('dan@home.test')
    const guess = () => send(dan.browser, 'password', { current: 'a wrong one', password: 'a-password-of-his-own' })
    for (let tries = 0; tries < 10; tries++) assert.equal((await guess()).status, 400)
    const { status, headers } = await guess()
    assert.deepEqual([status, headers.get('retry-after')], [429, '900'])
    const right = { current: dan.password, email: 'dan@new.test' }
    assert.equal((await send(dan.browser, 'email', right)).status, 429, 'one count for all forms')
  })

  it('sends a link to a new address, which moves the account', async t => {
    const eli = await visitor('eli@home.test')
    const page = await send(eli.browser, 'email', { email: 'Eli@New.test', current: eli.password })
    assert.match(page.text, /We sent an e-mail/)
    const link = host.mails.findLast(({ to }) => to === 'eli@new.test')?.text.match(/https:\S+/)?.[0] ?? ''
    assert.match((await identity.browser().go(link)).text, /Sign in first/)
    await eli.browser.submit(await eli.browser.go(link), {})
    assert.match((await open(eli.browser)).text, /eli@new\.test/)
    for (const email of ['', 'no address', 'a@b']) {
      assert.equal((await send(eli.browser, 'email', { email, current: eli.password })).status, 400)
    }
    const { accept } = host.mailServer
    t.after(() => {
      host.mailServer.accept = accept
    })
    host.mailServer.accept = () => {
      throw new EngineUnavailable('mail', 'down')
    }
    const unsent = await send(eli.browser, 'email', { email: 'eli@other.test', current: eli.password })
    assert.deepEqual([unsent.status, /could not be sent/.test(unsent.text)], [502, true])
  })

  it('lists invitations, and accepts or declines them', async () => {
    const fay = await visitor('fay@home.test')
    const accepted = await invite(fay.email, 'admin')
    assert.match((await open(fay.browser)).text, /Invitations.*other, as admin, invited by/s)
    const page = await send(fay.browser, 'accept', { id: accepted })
    assert.match(page.text, /You have joined/)
    assert.match(page.text, /other, admin/)
    assert.equal((await trail('invite.accept', host.other.key))[0].user, fay.user)
    const joined = ['iam.invite.created other', 'iam.invite.accepted other', 'iam.member.added other']
    assert.deepEqual(eventsAbout(fay).slice(-3), joined)
    const again = await send(fay.browser, 'accept', { id: accepted })
    assert.equal(again.status, 404)
    const gus = await visitor('gus@home.test')
    const declined = await invite(gus.email)
    const stranger = await send(fay.browser, 'decline', { id: declined })
    assert.equal(stranger.status, 404, 'the invitation of another person')
    assert.equal((await send(fay.browser, 'accept', { id: '\0' })).status, 404)
    assert.match((await send(gus.browser, 'decline', { id: declined })).text, /You declined/)
    assert.doesNotMatch((await open(gus.browser)).text, /Invitations/)
    assert.equal((await trail('invite.decline', host.other.key))[0].on, declined)
    assert.deepEqual(eventsAbout(gus).slice(-2), ['iam.invite.created other', 'iam.invite.declined other'])
  })

  it('ends another browser, or all others, but no session of another person', async () => {
    const hal = await visitor('hal@home.test')
    const eve = await visitor('eve@home.test')
    const [second, third] = [await web.signIn(hal), await web.signIn(hal)]
    const { text } = await open(hal.browser)
    const ids = [...text.matchAll(/name="id" value="([0-9a-f]{64})"/g)].map(([, id]) => id as string)
    assert.equal(ids.length, 2, 'this browser has no button')
    await send(eve.browser, 'end', { id: ids[0] as string })
    assert.ok((await isSignedIn(second.browser)) && (await isSignedIn(third.browser)))
    assert.equal((await send(hal.browser, 'end', { id: 'x' })).status, 404)
    const page = await send(hal.browser, 'end', { id: ids[0] as string })
    assert.match(page.text, /That session was signed out/)
    const left = [second, third].map(async ({ browser, tokens }) => [
      await isSignedIn(browser),
      (await host.call('GET /v1/iam/me', { as: tokens.access_token })).status,
    ])
    const expected = [
      [false, 401],
      [true, 200],
    ]
    assert.deepEqual((await Promise.all(left)).sort(), expected)
    const [entry] = await trail('session.end')
    assert.deepEqual([entry.user, entry.on.slice(0, 4)], [hal.user, 'sin_'])
    const { type, tenant, data } = host.emitted.at(-1) ?? {}
    assert.deepEqual([type, tenant, data], ['iam.session.ended', 'home', { id: entry.on, user: hal.user }])
    const { browser: fourth } = await web.signIn(hal)
    assert.match((await send(hal.browser, 'end-others')).text, /You are signed out everywhere else/)
    const ended = await trail('session.end')
    assert.deepEqual([ended[0].user, ended[0].on], [hal.user, 'all other sessions'])
    await send(hal.browser, 'end-others')
    assert.equal((await trail('session.end')).length, ended.length, 'there were no others')
    assert.ok(!(await isSignedIn(fourth)))
    assert.ok(await isSignedIn(hal.browser))
    assert.equal((await host.call('GET /v1/iam/me', { as: hal.token })).status, 200)
    assert.ok(await isSignedIn(eve.browser))
  })

  it('accepts forms of its own page in this browser only', async () => {
    const ida = await visitor('ida@home.test')
    const { browser } = await web.signIn(ida)
    const foreign = csrfIn((await open(browser)).text)
    for (const csrf of ['', 'x', foreign, `${foreign}x`]) {
      const page = await send(ida.browser, 'name', { name: 'Mallory' }, csrf)
      assert.deepEqual([page.status, /no longer valid/.test(page.text)], [403, true])
    }
    const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
    assert.equal((await ida.browser.go(`${URL_OF_PAGE}/name`, json)).status, 403)
    assert.equal((await host.call('GET /v1/iam/me', { as: ida.token })).body.name, '')
    assert.equal((await ida.browser.go(`${URL_OF_PAGE}/name?name=Mallory&csrf=${foreign}`)).status, 200)
    assert.equal((await host.call('GET /v1/iam/me', { as: ida.token })).body.name, '')
  })

  it('refuses a form whose session has ended since it was loaded', async () => {
    const lea = await visitor('lea@home.test')
    const thief = (await web.signIn(lea)).browser
    const csrf = csrfIn((await open(thief)).text)
    const id = await invite(lea.email, 'admin')
    const late = await Promise.all([
      sendLate(thief, 'name', { csrf, name: 'Mallory' }),
      sendLate(thief, 'accept', { csrf, id }),
      sendLate(thief, 'end-others', { csrf }),
    ])
    await new Promise(done => setTimeout(done, 200)) // The heads are read meanwhile.
    const browser = identity.browser()
    const password = 'a-password-of-her-own'
    assert.equal((await browser.submit(await browser.go(await forgotten(lea)), { password })).status, 200)
    const fresh = await web.signIn({ ...lea, password })
    for (const finish of late) assert.match(await finish(), /^HTTP\/1.1 303 .*location: [^ ]*\/v1\/account\/login/s)
    const { status, body } = await host.call('GET /v1/iam/me', { as: fresh.tokens.access_token })
    assert.deepEqual([status, body.name], [200, ''])
    assert.doesNotMatch((await open(fresh.browser)).text, /other, admin/)
  })

  it('sends no link to a new address after a password reset, however the two overlap', async () => {
    for (let round = 0; round < 10; round++) {
      const mia = await visitor(`mia${round}@home.test`)
      const csrf = csrfIn((await open(mia.browser)).text)
      const session = await host.browser({ ...mia, org: host.home.org })
      const browser = identity.browser()
      const page = await browser.go(await forgotten(mia))
      const reset = browser.submit(page, { password: 'a-password-of-her-own' })
      await new Promise(done => setTimeout(done, round * 10))
      const [byPage, byCall] = [`page${round}@evil.test`, `call${round}@evil.test`]
      const body = { email: byCall, current: mia.password }
      const [{ status }] = await Promise.all([
        reset,
        send(mia.browser, 'email', { email: byPage, current: mia.password }, csrf),
        host.call('POST /v1/iam/me/email', { ...session, body }),
      ])
      assert.equal(status, 200)
      for (const email of [byPage, byCall]) {
        const link = host.mails.findLast(({ to }) => to === email)?.text.match(/https:\S+/)?.[0]
        if (link) assert.equal((await identity.browser().go(link)).status, 404, `${email} could take the account`)
      }
    }
  })

  it('shows a member the role offered by another invitation', async () => {
    const nia = await visitor('nia@home.test')
    for (const [invited, expected] of [
      ['admin', 'admin'],
      ['member', 'admin'],
    ]) {
      const { body } = await host.call('POST /v1/iam/invites', { body: { email: 'nia@new.test', role: invited } })
      await host.db`update invites set email = ${nia.email} where id = ${body.id}`
      const page = await send(nia.browser, 'accept', { id: body.id })
      assert.match(page.text, new RegExp(`home, ${expected}`))
      const [entry] = await trail('invite.accept')
      assert.deepEqual([entry.user, entry.changes.role], [nia.user, { to: expected }])
      assert.equal(
        (await host.call('GET /v1/iam/me', await host.browser({ ...nia, org: host.home.org }))).body.role,
        expected,
      )
    }
  })

  it('answers when other changes happen at the same time', async () => {
    for (let round = 0; round < 8; round++) {
      const ola = await visitor(`ola${round}@home.test`)
      await send(ola.browser, 'email', { email: `ola${round}@new.test`, current: ola.password })
      const link = host.mails.findLast(({ to }) => to === `ola${round}@new.test`)?.text.match(/https:\S+/)?.[0] ?? ''
      const id = await invite(ola.email)
      const { browser } = ola
      const [moved, accepted] = await Promise.all([
        browser.submit(await browser.go(link), {}),
        send(ola.browser, 'accept', { id }),
      ])
      assert.equal(moved.status, 200)
      assert.ok([200, 404].includes(accepted.status), `${accepted.status} ${accepted.text}`)
    }
  })

  it('offers a person whose password an admin chose nothing but to choose one', async () => {
    const jan = await plantPerson(host, 'jan@home.test')
    const { browser } = await web.signIn(jan)
    const { text } = await open(browser)
    assert.match(text, /An admin of your organisation chose your password.*href="\/sign-in\/forgotten"/s)
    assert.ok(!text.includes('name="csrf"'))
    const kim = await visitor('kim@home.test')
    const owned = csrfIn((await open(kim.browser)).text)
    await host.db`update users set password_by = 'home' where id = ${kim.user}`
    const id = await invite(kim.email)
    const forms: Record<string, Record<string, string>> = {
      name: { name: 'Mallory' },
      password: { current: kim.password, password: 'a-password-of-the-admin' },
      email: { email: 'mallory@example.com', current: kim.password },
      accept: { id },
      decline: { id },
      end: { id: 'f'.repeat(64) },
      'end-others': {},
    }
    for (const [form, fields] of Object.entries(forms)) {
      assert.equal((await send(kim.browser, form, fields, owned)).status, 403, form)
    }
    await web.signIn(kim)
  })
})
