// Pictures of every screen of the console, for `docs/screens/`: `npm run screens`.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { consoleSuite, NO_CONSOLE, WIDTHS } from '../console.ts'
import { fillShop } from './shop.ts'

const DIRECTORY = process.env.STOA_SCREENS ?? 'docs/screens'
const BYTES_MAX = 150 * 1024
const SETTINGS = {
  STOA_OUTBOUND_ALLOW: '127.0.0.1',
  STOA_OUTBOUND_CA: join(process.env.STOA_TEST_TLS as string, 'ca.pem'),
}

type Open = (page: Page) => Promise<unknown>
/** The name of a picture, the screen, and what is opened on it. */
type Picture = readonly [name: string, path: string, open?: Open]

const click =
  (name: string | RegExp): Open =>
  page =>
    page.getByRole('button', { name }).first().click()

const pictures = (endpoint: string): Picture[] => [
  ['home', 'home'],
  ['projects', 'projects'],
  ['project', 'projects/web-shop'],
  ['analytics', 'analytics'],
  ['events', 'events', page => page.locator('td .main').first().click()],
  ['events-names', 'events/names'],
  ['events-search', 'events/search', page => page.locator('td .main').nth(2).click()],
  ['events-sending', 'events/sending'],
  ['errors', 'errors'],
  ['keys', 'keys'],
  ['key', 'keys', click('ci-importer')],
  ['key-create', 'keys?open=new'],
  ['models', 'models', page => page.locator('td .main').first().click()],
  ['models-playground', 'models/playground'],
  ['models-catalogue', 'models/catalogue'],
  ['models-routing', 'models/routing'],
  ['tools', 'tools'],
  ['webhooks', 'webhooks'],
  ['webhook', `webhooks/${endpoint}`, page => page.locator('td .main').first().click()],
  ['signin', 'signin'],
  ['signin-app', 'signin', click('Meridian shop')],
  ['signin-sessions', 'signin/sessions'],
  ['signin-customers', 'signin/customers'],
  ['signin-import', 'signin/import'],
  ['signin-branding', 'signin/branding'],
  ['risk', 'risk'],
  ['risk-lookup', 'risk/lookup?keys=mailinator.example'],
  ['risk-set', 'risk/domain'],
  ['audit', 'audit', page => page.locator('td .main').nth(3).click()],
  ['members', 'members'],
  ['members-invitations', 'members/invitations'],
  ['members-workspaces', 'members/workspaces'],
  ['billing', 'billing'],
  ['billing-usage', 'billing/usage'],
  ['billing-alerts', 'billing/alerts'],
  ['me', '/me'],
  ['me-sessions', '/me/sessions'],
]

const OF_SUPERADMINS: Picture[] = [
  ['host-orgs', '/host/orgs'],
  ['host-providers', '/host/providers'],
  ['host-health', '/host/health'],
  ['host-tables', '/host/health/tables'],
  ['host-mail', '/host/health/mail'],
]
const ON_A_PHONE = ['home', 'analytics', 'errors', 'keys', 'webhook', 'models']

describe('pictures of the console', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()

  it('are taken of every screen', { timeout: 600_000 }, async t => {
    const world = await startConsole(t, SETTINGS)
    const { signIn, home, superadmin, org, baseUrl } = world
    const fresh = await signIn(home, 'home')
    await take(fresh.page, 'home-first')
    const { endpoint } = await fillShop(world, end => t.after(() => void end()))
    const light = await signIn(home, 'home')
    const phone = await signIn(home, 'home', { viewport: WIDTHS.phone, colorScheme: 'dark' })
    const dark = await signIn(home, 'home', { colorScheme: 'dark' })
    const admin = await signIn(superadmin, '/host/orgs')
    const all = pictures(endpoint)
    const named = (names: string[]) => all.filter(([name]) => names.includes(name))
    for (const [{ page }, of, suffix] of [
      [light, all, ''],
      [dark, named(['home', 'analytics']), '-dark'],
      [phone, named(ON_A_PHONE), '-phone'],
      [admin, OF_SUPERADMINS, ''],
    ] as const) {
      for (const [name, path, open] of of) {
        await page.goto(baseUrl + (path.startsWith('/') ? path : `/o/${org}/${path}`))
        await page.waitForLoadState('networkidle')
        await open?.(page)
        await take(page, name + suffix)
      }
    }
    for (const { errors } of [light, dark, phone, admin]) assert.deepEqual(errors(), [])
  })
})

async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(300) // Drawers come in.
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 90 })
  await session.detach()
  const bytes = Buffer.from(data, 'base64')
  assert.ok(bytes.length <= BYTES_MAX, `${name} has ${bytes.length} bytes`)
  writeFileSync(join(DIRECTORY, `${name}.webp`), bytes)
}
