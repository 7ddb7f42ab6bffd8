// The pages in Chromium, checked with axe, in light and dark mode and at the width of a phone. With
// STOA_TEST_SCREENSHOTS=<directory>, each is saved as an image.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import axe, { type AxeResults } from 'axe-core'
import { chromium, type Page } from 'playwright-core'
import { customersOf, PASSWORD } from '../customers.ts'
import { eventually } from '../eventually.ts'
import { startHost } from '../host.ts'
import { addPerson, plantPerson, registerApp, startIdentity } from '../identity.ts'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
const skip = CHROMIUM ? false : 'no Chromium is installed (Debian: apt-get install chromium)'
const SCREENSHOTS = process.env.STOA_TEST_SCREENSHOTS

describe('the pages', { skip }, async () => {
  if (skip) return
  const files = [{ path: '', directory: new URL('../../src/pages/', import.meta.url) }]
  const host = await startHost({ now: 'real', files })
  const identity = await startIdentity(host, { audience: host.baseUrl })
  const web = await registerApp(host, identity, { app: 'web' })
  const ada = await addPerson(host, 'ada@home.test')
  const store = await registerApp(host, identity, {
    app: 'store',
    more: { name: 'Example Store', people: 'users', signUp: 'open' },
  })
  // A colour that is hard to read on both backgrounds, and a logo of one grey square.
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="40"><rect width="160" height="40" rx="8" fill="#888"/></svg>'
  const logo = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
  await host.call('PATCH /v1/iam/settings', { body: { color: '#ffd54a', logo } })
  const customers = customersOf(host, identity, store)
  const accountUrl = `${identity.issuer}/account?client_id=${store.id}`
  const customerAccount = async (page: Page, email: string) => {
    await page.goto(accountUrl)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await submit(page)
    assert.equal(page.url(), accountUrl)
  }
  const customer = async (page: Page, step: string) => {
    await page.goto((await store.begin()).url)
    if (step !== '') await page.goto(`${page.url()}/${step}`)
  }
  const asCustomer = async (page: Page, step: string, email: string) => {
    await customer(page, step)
    await page.getByLabel('E-mail address').fill(email)
    await submit(page)
    assert.match((await page.locator('h1').textContent()) ?? '', /Check your e-mail/)
  }
  const browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ['--no-sandbox'] })
  after(() => browser.close())

  const linkTo = async (email: string) => {
    const mail = await eventually(
      async () => host.mails.findLast(({ to }) => to === email),
      found => found !== undefined,
    )
    return mail?.text.match(/https:\S+/)?.[0] ?? ''
  }
  const submit = (page: Page) => page.locator('form button').first().click()
  const account = async (page: Page, email: string) => {
    await page.goto(`${identity.issuer}/account`)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(ada.password)
    await submit(page)
    assert.equal(page.url(), `${identity.issuer}/account`)
  }
  const invitation = async () => {
    await host.call('POST /v1/iam/invites', { body: { email: 'new@example.com', role: 'admin' } })
    return linkTo('new@example.com')
  }

  /** How to get to each page. */
  const pages: Record<string, (page: Page) => Promise<unknown>> = {
    'sign-in': async page => page.goto((await web.begin()).url),
    'wrong-password': async page => {
      await page.goto((await web.begin()).url)
      await page.getByLabel('E-mail address').fill(ada.email)
      await page.getByLabel('Password').fill('not the right one')
      await submit(page)
    },
    forgotten: page => page.goto(`${identity.issuer}/sign-in/forgotten`),
    sent: async page => {
      await page.goto((await web.begin()).url)
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await page.getByLabel('E-mail address').fill(ada.email)
      await submit(page)
    },
    reset: async page => page.goto(await linkTo(ada.email)),
    'common-password': async page => {
      await page.goto(await linkTo(ada.email))
      await page.getByLabel('New password').fill('1qaz2wsx3edc')
      await submit(page)
    },
    'reset-done': async page => {
      await page.goto(await linkTo(ada.email))
      await page.getByLabel('New password').fill('a-password-of-her-own')
      await submit(page)
      assert.match((await page.locator('h1').textContent()) ?? '', /Your password was changed/)
    },
    'link-used': async page => page.goto((await linkTo(ada.email)) || `${identity.issuer}/sign-in/resets/x`),
    invitation: async page => page.goto(await invitation()),
    account: async page => {
      const { user } = await addPerson(host, 'grace@home.test')
      await host.db`update users set name = 'Grace Hopper' where id = ${user}`
      const body = { email: 'grace@home.test', role: 'member' }
      await host.call('POST /v1/iam/invites', { as: host.other.key, body })
      await web.signIn({ email: 'grace@home.test', password: ada.password })
      await account(page, 'grace@home.test')
    },
    'account-problem': async page => {
      await account(page, 'grace@home.test')
      await page.getByText('Change password').first().click()
      await page.getByLabel('Current password').fill('not the right one')
      await page.getByLabel('New password').fill('a-password-of-her-own')
      await page.getByRole('button', { name: 'Change password' }).click()
      assert.equal(await page.getByRole('alert').count(), 1)
    },
    'account-planted': async page => {
      await plantPerson(host, 'kim@home.test')
      await account(page, 'kim@home.test')
    },
    'customer-sign-in': page => customer(page, ''),
    'customer-register': page => customer(page, 'register'),
    'customer-code': page => customer(page, 'code'),
    'customer-enter': page => asCustomer(page, 'code', 'enter@example.com'),
    'customer-enter-password': page => asCustomer(page, 'reset', 'reset@example.com'),
    'customer-wrong-code': async page => {
      await asCustomer(page, 'register', 'wrong@example.com')
      await page.getByLabel('Code from the e-mail').fill('000000')
      await submit(page)
      assert.equal(await page.getByRole('alert').count(), 1)
    },
    'customer-account': async page => {
      const { email } = await customers.register('grace@example.com')
      await store.signIn({ email, password: PASSWORD })
      await customerAccount(page, email)
    },
    'customer-account-open': async page => {
      await customerAccount(page, 'grace@example.com')
      for (const summary of await page.locator('summary').all()) await summary.click()
    },
    'customer-account-problem': async page => {
      await customerAccount(page, 'grace@example.com')
      await page.locator('summary', { hasText: 'Delete account' }).click()
      await page.locator('#current-delete').fill('not the right one')
      await page.getByLabel('Yes, delete my account').check()
      await page.getByRole('button', { name: 'Delete account' }).click()
      assert.equal(await page.getByRole('alert').count(), 1)
    },
    'customer-account-again': async page => {
      const { email, claims } = await customers.registerByCode('alan@example.com')
      await page.goto(accountUrl)
      const path = new URL(page.url()).pathname
      await page.goto(`${identity.issuer}${path}/code`)
      await page.getByLabel('E-mail address').fill(email)
      await submit(page)
      await page.getByLabel('Code from the e-mail').fill(customers.codeTo(email))
      await submit(page)
      await customers.ageSignIns(claims.sub, 16)
      await page.goto(accountUrl)
      for (const summary of await page.locator('summary').all()) await summary.click()
      assert.equal(await page.getByRole('link', { name: 'Sign in again' }).count(), 3)
    },
    'customer-signed-out': async page => {
      await customerAccount(page, 'grace@example.com')
      await page.getByRole('button', { name: 'Sign out everywhere' }).click()
      assert.match((await page.locator('h1').textContent()) ?? '', /You are signed out/)
    },
    'customer-failed': page => page.goto(`${accountUrl}&error=access_denied`),
    'customer-address': async page => {
      await customerAccount(page, 'grace@example.com')
      await page.getByText('Change e-mail address').click()
      await page.locator('#current-email').fill(PASSWORD)
      await page.getByLabel('New e-mail address').fill('new.grace@example.com')
      await page.getByRole('button', { name: 'Send a link to this address' }).click()
      await page.goto(await linkTo('new.grace@example.com'))
    },
    home: page => page.goto(host.baseUrl),
    'nothing-here': page => page.goto(`${identity.issuer}/`),
  }

  for (const [name, open] of Object.entries(pages)) {
    it(`${name} is accessible, and fits a phone`, async () => {
      const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 360, height: 740 } })
      const page = await context.newPage()
      await open(page)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        assert.deepEqual(await violationsIn(page), [], colorScheme)
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'it is too wide')
        if (SCREENSHOTS) {
          mkdirSync(SCREENSHOTS, { recursive: true })
          await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}.png`), fullPage: true })
        }
      }
      await context.close()
    })
  }
})

/** Evaluated by the debugger, to which the content security policy does not apply. */
async function violationsIn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`)
}
