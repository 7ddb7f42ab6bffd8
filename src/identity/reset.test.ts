import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { startHost } from '../../test/host.ts'
import { addPerson, plantPerson, registerApp, startIdentity } from '../../test/identity.ts'

const host = await startHost({ now: 'real', runsBackground: true })
const identity = await startIdentity(host)
const web = await registerApp(host, identity, { app: 'web' })
const FORGOTTEN = `${identity.issuer}/sign-in/forgotten`
const HOUR_MS = 60 * 60_000
const NEW = 'a-password-of-her-own'

/** Each call comes from an address of its own, unless one is given. */
let clients = 0
const askFor = async (email: string, from = `198.51.100.${++clients}`) => {
  const browser = identity.browser()
  const headers = { 'x-test-address': from }
  return browser.submit(await browser.go(FORGOTTEN, { headers }), { email }, headers)
}
const mailsTo = (email: string) => host.mails.filter(({ to }) => to === email)
const linksTo = (email: string) => mailsTo(email).filter(({ text }) => text.includes('https:'))
async function linkFor(email: string): Promise<string> {
  const before = linksTo(email).length
  assert.equal((await askFor(email)).status, 200)
  const mails = await eventually(
    async () => linksTo(email),
    found => found.length > before,
  )
  return mails.at(-1)?.text.match(/https:\S+/)?.[0] ?? ''
}
async function choose(link: string, password: string) {
  const browser = identity.browser()
  return browser.submit(await browser.go(link), { password })
}

describe('a forgotten password', () => {
  it('is replaced once by the person who reads the mail, which signs out everywhere', async () => {
    const ada = await addPerson(host, 'ada@home.test')
    const { tokens, browser, claims } = await web.signIn(ada)
    assert.equal(claims.email_verified, false)
    const signInForm = await identity.browser().go((await web.begin()).url)
    assert.match(signInForm.text, /<a href="\/sign-in\/forgotten">Forgot your password\?<\/a>/)
    const link = await linkFor('ADA@home.test'.toLowerCase())
    assert.ok(link.startsWith(`${identity.issuer}/sign-in/resets/`), link)
    assert.match((await identity.browser().go(link)).text, /Choose a new password.*ada@home\.test/s)
    assert.match((await choose(link, 'too short')).text, /role="alert".*12 to 256 characters/)
    assert.match((await choose(link, '1qaz2wsx3edC')).text, /role="alert".*most common passwords/)
    assert.match((await choose(link, NEW)).text, /Your password was changed/)
    for (const used of [await identity.browser().go(link), await identity.browser().go(`${link}x`)]) {
      assert.equal(used.status, 404)
      assert.match(used.text, /not valid/)
    }
    assert.equal((await web.refresh(tokens.refresh_token)).body.error, 'invalid_grant')
    const again = await browser.go((await web.begin()).url)
    assert.match(again.text, /name="password"/, 'the browser is signed out')
    await assert.rejects(web.signIn(ada))
    const later = await web.signIn({ email: ada.email, password: NEW })
    assert.equal(later.claims.email_verified, true, 'the mailbox was proved')
    await eventually(
      async () => mailsTo(ada.email).at(-1)?.subject,
      subject => subject === 'Your password was changed',
    )
    const [entry] = (await host.call('GET /v1/iam/audit')).body.data
    assert.deepEqual([entry.what, entry.email, entry.user], ['password.reset', ada.email, ada.user])
  })

  it('is then the choice of the person, who can become an admin', async () => {
    const bea = await plantPerson(host, 'bea@home.test')
    const promote = () => host.call(`PATCH /v1/iam/members/${bea.user}`, { body: { role: 'admin' } })
    assert.equal((await promote()).status, 409)
    await choose(await linkFor(bea.email), NEW)
    assert.equal((await promote()).status, 200)
  })

  it('has a link that expires after an hour, or when another one is used', async () => {
    const cleo = await addPerson(host, 'cleo@home.test')
    const [first, second] = [await linkFor(cleo.email), await linkFor(cleo.email)]
    await choose(second, NEW)
    assert.equal((await identity.browser().go(first)).status, 404)
    const third = await linkFor(cleo.email)
    host.clock.advance(HOUR_MS - 60_000)
    assert.equal((await identity.browser().go(third)).status, 200)
    host.clock.advance(60_000)
    assert.equal((await identity.browser().go(third)).status, 404)
    const rows = await host.db`select row_to_json(resets)::text as row from resets`
    assert.ok(!JSON.stringify(rows).includes(third.split('/').at(-1) as string), 'only its digest is stored')
  })

  it('is answered the same for an unknown address, without waiting for the mail', async t => {
    const dana = await addPerson(host, 'dana@home.test')
    const { accept } = host.mailServer
    let isWaiting = false
    t.after(() => {
      host.mailServer.accept = accept
    })
    host.mailServer.accept = () => {
      isWaiting = true
      return new Promise(() => {}) as never
    }
    const known = await askFor(dana.email)
    const unknown = await askFor('nobody@home.test')
    assert.deepEqual([known.status, known.text], [unknown.status, unknown.text])
    assert.match(known.text, /If this address has an account/)
    await eventually(
      async () => isWaiting,
      waits => waits,
    )
  })

  it('is mailed three times an hour for an account, and ten times for a client', async () => {
    const eli = await addPerson(host, 'eli@home.test')
    for (let times = 0; times < 3; times++) await linkFor(eli.email)
    for (let times = 0; times < 3; times++) assert.equal((await askFor(eli.email)).status, 200)
    await linkFor((await addPerson(host, 'fay@home.test')).email) // After the others.
    assert.equal(mailsTo(eli.email).length, 3)
    host.clock.advance(HOUR_MS)
    await linkFor(eli.email)
    const statuses: number[] = []
    for (let times = 0; times < 12; times++) statuses.push((await askFor(`x${times}@home.test`, '203.0.113.7')).status)
    assert.deepEqual([...new Set(statuses)], [200, 429])
    assert.equal(statuses.indexOf(429), 10)
    assert.equal((await askFor('y@home.test')).status, 200, 'other clients are not concerned')
  })

  it('asks again if the input is not an address', async () => {
    assert.match((await askFor('nobody')).text, /role="alert".*e-mail address/)
  })
})

describe('a browser that signed in before', () => {
  it('has attempts of its own only until the password changes', async () => {
    const gil = await addPerson(host, 'gil@home.test')
    const { browser } = await web.signIn(gil)
    const wrong = async (from = identity.browser()) =>
      (await from.submit(await from.go((await web.begin({ prompt: 'login' })).url), { ...gil, password: 'wrong' }))
        .status
    for (let times = 0; times < 10; times++) assert.equal(await wrong(), 401)
    assert.equal(await wrong(), 429, 'the account is locked for strangers')
    assert.equal(await wrong(browser), 401, 'but not for this browser')
    await choose(await linkFor(gil.email), NEW)
    assert.equal(await wrong(browser), 429)
  })
})
