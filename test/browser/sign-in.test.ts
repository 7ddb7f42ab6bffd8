// Sign-in in Chromium: the pages must work with scripts disabled and under their content security policy.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import * as client from 'openid-client'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { startHost } from '../host.ts'
import { addPerson, startIdentity } from '../identity.ts'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
const skip = CHROMIUM ? false : 'no Chromium is installed (Debian: apt-get install chromium)'

describe('sign-in in Chromium', { skip }, async () => {
  if (skip) return
  const host = await startHost({ now: 'real' })
  const identity = await startIdentity(host, { audience: host.baseUrl })
  const shop = await appServer()
  const logoutUris = [`${shop}/bye`]
  const registered = {
    app: 'web',
    name: 'The walnut shop',
    type: 'public',
    people: 'team',
    redirectUris: [`${shop}/callback`],
    logoutUris,
  }
  const { id } = (await host.call('POST /v1/iam/apps', { body: registered })).body
  const configuration = await client.discovery(new URL(identity.issuer), id, undefined, client.None(), {
    [client.customFetch]: identity.fetch as never,
  })
  const [ada, eve] = [await addPerson(host, 'ada@home.test'), await addPerson(host, 'eve@home.test')]
  const browser: Browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ['--no-sandbox'] })
  after(() => browser.close())

  /** Opens a page in a new profile without scripts. `errors` collects console errors such as policy violations. */
  async function openPage(): Promise<{ context: BrowserContext; page: Page; errors: string[] }> {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled: false })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('console', message => message.type() === 'error' && errors.push(message.text()))
    return { context, page, errors }
  }

  async function begin(page: Page, more: Record<string, string> = {}) {
    const verifier = client.randomPKCECodeVerifier()
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: `${shop}/callback`,
      scope: 'openid email',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...more,
    })
    await page.goto(url.href)
    return {
      tokens: () => client.authorizationCodeGrant(configuration, new URL(page.url()), { pkceCodeVerifier: verifier }),
    }
  }

  async function fill(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  it('gets a token that the API accepts, and signs out', async () => {
    const { page, errors } = await openPage()
    const { tokens } = await begin(page)
    assert.match((await page.locator('main').textContent()) ?? '', /Sign in.*to The walnut shop/)
    await fill(page, ada)
    assert.ok(page.url().startsWith(`${shop}/callback?`), page.url())
    const { access_token, id_token } = await tokens()
    assert.equal((await host.call('GET /v1/iam/me', { as: access_token })).body.email, 'ada@home.test')

    const again = await begin(page)
    assert.ok(page.url().startsWith(`${shop}/callback?`), 'the second sign-in shows no form')
    await again.tokens()

    const endSession = client.buildEndSessionUrl(configuration, {
      id_token_hint: id_token as string,
      post_logout_redirect_uri: `${shop}/bye`,
    })
    await page.goto(endSession.href)
    await page.getByRole('button', { name: 'Sign out' }).click()
    assert.equal(page.url(), `${shop}/bye`)
    await begin(page)
    assert.equal(await page.getByLabel('Password').count(), 1, 'the form is shown again')
    assert.deepEqual(errors, [])
  })

  it('reports a wrong password, and then accepts the right one', async () => {
    const { page } = await openPage()
    await begin(page)
    await fill(page, { ...ada, password: 'not the right one' })
    assert.match((await page.getByRole('alert').textContent()) ?? '', /address or the password is wrong/)
    await fill(page, ada)
    assert.ok(page.url().startsWith(`${shop}/callback?`), page.url())
  })

  it('lets a member of two organisations choose one when signing in to Stoa itself, and signs out', async () => {
    await host.join(host.other.org, ada.user, 'admin')
    const { page, errors } = await openPage()
    const me = async () => JSON.parse((await page.locator('body').textContent()) ?? '')
    const login = `${host.baseUrl}/v1/account/login?to=/v1/iam/me`
    await page.goto(login)
    await fill(page, ada)
    await page.getByRole('button', { name: 'other' }).click()
    assert.equal(page.url(), `${host.baseUrl}/v1/iam/me`)
    const { email, org, role, credential } = await me()
    assert.deepEqual([email, org, role, credential.kind], ['ada@home.test', 'other', 'admin', 'session'])

    await page.goto(login)
    await page.getByRole('button', { name: 'home' }).click()
    assert.equal((await me()).org, 'home', 'without the password again')

    const { csrfToken } = await (await page.request.get(`${host.baseUrl}/v1/account/csrf`)).json()
    const headers = { 'x-csrf-token': csrfToken }
    assert.equal((await page.request.post(`${host.baseUrl}/v1/account/logout`, { headers })).status(), 204)
    assert.equal((await page.goto(`${host.baseUrl}/v1/iam/me`))?.status(), 401)
    await page.goto(login)
    assert.equal(await page.getByLabel('Password').count(), 1, 'the form is shown again')
    assert.deepEqual(
      errors.filter(text => !text.startsWith('Failed to load resource')), // The API has no icon for browsers.
      [],
    )
  })

  it('accepts an invitation, and then signs in the new user', async () => {
    assert.equal(
      (await host.call('POST /v1/iam/invites', { body: { email: 'new@example.com', role: 'member' } })).status,
      201,
    )
    const { page, errors } = await openPage()
    await page.goto(host.mails.at(-1)?.text.match(/https:\S+/)?.[0] ?? '')
    const password = 'a-new-long-password'
    await page.getByLabel('Choose a password').fill(password)
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await fill(page, { email: 'new@example.com', password })
    // The console, which this host does not have.
    assert.equal(new URL(page.url()).pathname, '/')
    assert.notEqual(new URL(page.url()).origin, identity.issuer)
    assert.deepEqual(
      errors.filter(text => !text.includes('404')),
      [],
    )
  })

  it('lets people manage their account by keyboard, and signs out', async () => {
    const ivy = await addPerson(host, 'ivy@home.test')
    const invite = { as: host.other.key, body: { email: ivy.email, role: 'member' } }
    assert.equal((await host.call('POST /v1/iam/invites', invite)).status, 201)
    const { page, errors } = await openPage()
    const { page: elsewhere } = await openPage()
    for (const one of [page, elsewhere]) {
      await one.goto(`${identity.issuer}/account`)
      await fill(one, ivy)
      assert.equal(one.url(), `${identity.issuer}/account`)
    }
    await page.reload() // The second browser has signed in since.
    const status = () => page.getByRole('status').textContent()

    await page.getByLabel('Name').fill('Ivy')
    await page.keyboard.press('Enter')
    assert.match((await status()) ?? '', /Your name was saved/)

    await page.getByRole('button', { name: 'Join other' }).press('Enter')
    assert.match((await status()) ?? '', /You have joined/)
    assert.equal(await page.getByText('other, member').count(), 1)

    await page.getByText('Change password').first().press('Enter')
    await page.getByLabel('Current password').fill('not the right one')
    await page.getByLabel('New password').fill('a-password-of-her-own')
    await page.keyboard.press('Enter')
    assert.match((await page.getByRole('alert').textContent()) ?? '', /current password is wrong/)
    const focused = page.locator(':focus')
    assert.equal(await focused.getAttribute('id'), 'current', 'the form is open, with the focus where it was wrong')
    await focused.fill(ivy.password)
    await page.getByLabel('New password').fill('a-password-of-her-own')
    await page.keyboard.press('Enter')
    assert.match((await status()) ?? '', /Your password was changed/)
    await elsewhere.goto(`${identity.issuer}/account`)
    assert.equal(await elsewhere.getByLabel('Password').count(), 1, 'the other browser is signed out')

    await page.getByRole('button', { name: 'Sign out' }).press('Enter')
    await page.getByRole('button', { name: 'Sign out' }).press('Enter')
    assert.match((await page.locator('h1').textContent()) ?? '', /Signed out/)
    await page.goto(`${identity.issuer}/account`)
    assert.equal(await page.getByLabel('Password').count(), 1, 'the form is shown again')
    assert.deepEqual(
      errors.filter(text => !text.startsWith('Failed to load resource')),
      [],
    )
  })

  it('signs in another user in the same browser after a confirmation', async () => {
    const { page, errors } = await openPage()
    await begin(page)
    await fill(page, ada)
    const { tokens } = await begin(page, { prompt: 'login' })
    await fill(page, eve)
    await page.getByRole('button', { name: 'Continue' }).click()
    assert.ok(page.url().startsWith(`${shop}/callback?`), page.url())
    assert.equal((await tokens()).claims()?.sub, eve.user)
    assert.deepEqual(errors, [])
  })
})

/** The app that users sign in to. It answers every request alike. */
async function appServer(): Promise<string> {
  const pem = readFileSync(join(process.env.STOA_TEST_TLS as string, 'server.pem'))
  const server = createServer({ key: pem, cert: pem }, (_request, response) => response.end('the app'))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `https://localhost:${(server.address() as AddressInfo).port}`
}
