import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startHost } from '../../test/host.ts'
import { addPerson, type Browser, type RegisteredApp, registerApp, startIdentity } from '../../test/identity.ts'

const host = await startHost()
const identity = await startIdentity(host)
const [web, till] = [
  await registerApp(host, identity, { app: 'web', trusted: true }),
  await registerApp(host, identity, { app: 'till', trusted: true }),
]
let count = 0
const newPerson = () => addPerson(host, `person${count++}@home.test`)
const me = (token: string) => host.call('GET /v1/iam/me', { as: token })

/** Signs in with prompt=none; `code` is null if that is refused. */
async function silently(browser: Browser, app: RegisteredApp) {
  const begun = await app.begin({ prompt: 'none' })
  const { url } = await browser.go(begun.url)
  return { ...begun, code: new URL(url).searchParams.get('code') }
}

async function signOut(browser: Browser): Promise<void> {
  const page = await browser.go(`${identity.issuer}/v1/iam/oauth/logout`, { headers: { accept: 'text/html' } })
  const done = await browser.submit(page, { logout: 'yes' })
  assert.match(done.text, /[Ss]igned out/)
}

describe('ending a sign-in', () => {
  const methods: [name: string, end: (person: Person, signedIn: SignedIn) => Promise<void>][] = [
    [
      'by changing the password',
      async ({ password }) => {
        const { tokens } = await web.signIn({ email: `person${count - 1}@home.test`, password })
        const body = { current: password, password: 'another-walnut-desk' }
        assert.equal((await host.call('POST /v1/iam/me/password', { as: tokens.access_token, body })).status, 204)
      },
    ],
    [
      'through the list of sign-ins',
      async ({ user }) => {
        const { data } = (await host.call('GET /v1/iam/sessions')).body
        for (const session of data.filter((listed: { user: string }) => listed.user === user)) {
          assert.equal((await host.call(`DELETE /v1/iam/sessions/${session.id}`)).status, 204)
        }
      },
    ],
    [
      'with its token',
      async (_, { tokens }) => {
        assert.equal((await host.call('POST /v1/account/logout', { as: tokens.access_token })).status, 204)
      },
    ],
    ['in its browser', (_, { browser }) => signOut(browser)],
  ]
  type Person = Awaited<ReturnType<typeof newPerson>>
  type SignedIn = Awaited<ReturnType<typeof web.signIn>>

  for (const [name, end] of methods) {
    it(`${name} is not undone by concurrent use`, async () => {
      const person = await newPerson()
      const signedIn = await web.signIn(person)
      const copies = Array.from({ length: 4 }, () => identity.copyOf(signedIn.browser))
      let isOver = false
      const using = copies.map(async (copy, at) => {
        while (!isOver) await silently(copy, at % 2 ? web : till)
      })
      await wait(50)
      await end(person, signedIn)
      isOver = true
      await Promise.all(using)
      for (const app of [web, till]) assert.equal((await silently(identity.copyOf(signedIn.browser), app)).code, null)
      assert.equal((await me(signedIn.tokens.access_token)).status, 401)
      assert.deepEqual(identity.failures.splice(0), [])
    })
  }

  it('by changing the password also ends a concurrent sign-in with the old password', async () => {
    for (let round = 0; round < 16; round++) {
      const person = await newPerson() // Whoever signs in after the change has a wrong password, of which ten are allowed.
      const begun = await web.begin()
      const browser = identity.browser()
      const page = await browser.go(begun.url)
      const next = `another-walnut-desk-${round}`
      const { tokens } = await web.signIn(person)
      const body = { current: person.password, password: next }
      const changed = host.call('POST /v1/iam/me/password', { as: tokens.access_token, body })
      await wait(round)
      const [{ url }, { status }] = await Promise.all([browser.submit(page, person), changed])
      assert.equal(status, 204)
      const code = new URL(url).searchParams.get('code')
      const redeemed = code ? await web.redeem(code, begun.verifier) : null
      if (redeemed?.status === 200) assert.equal((await me(redeemed.body.access_token)).status, 401)
      assert.equal((await silently(browser, web)).code, null, `round ${round}`)
    }
    assert.deepEqual(identity.failures.splice(0), [])
  })
})

describe('two tabs that sign in at the same time', () => {
  for (const [name, apps] of [
    ['to two apps', [web, till]],
    ['to one app', [web, web]],
  ] as const) {
    it(`${name} both succeed, and are signed out together`, async () => {
      for (let round = 0; round < 8; round++) {
        const other = await registerApp(host, identity, { app: `other${count}` })
        const { browser } = await other.signIn(await newPerson())
        const entered = await Promise.all(
          apps.map(async (app, at) => {
            await wait(at * (round % 4) * 3)
            return silently(browser, app)
          }),
        )
        const tokens: string[] = []
        for (const [at, { code, verifier }] of entered.entries()) {
          const { body } = await (apps[at] as RegisteredApp).redeem(code, verifier)
          const again = await (apps[at] as RegisteredApp).refresh(body.refresh_token)
          assert.equal(again.status, 200, `round ${round}: ${JSON.stringify(body)}`)
          tokens.push(again.body.access_token)
        }
        for (const token of tokens) assert.equal((await me(token)).status, 200)
        await signOut(browser)
        for (const token of tokens) assert.equal((await me(token)).status, 401)
      }
      assert.deepEqual(identity.failures.splice(0), [])
    })
  }
})
