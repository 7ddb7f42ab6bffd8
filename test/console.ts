// The console in the system's Chromium, served by the product as a person starts it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { after, type TestContext } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { CHROMIUM, NO_CHROMIUM } from './client/chromium.ts'
import { UNREACHABLE } from './packages.ts'
import { client, firstRunOf, freshDirectory, start, up } from './process.ts'

const built = spawnSync(process.execPath, ['src/console/build.ts'], { encoding: 'utf8' })
const NO_BUILD = built.status !== 0 && UNREACHABLE.test(built.stderr) ? 'no npm registry' : false
/** Why tests of the console are skipped; false if they are not. */
export const NO_CONSOLE = NO_CHROMIUM || NO_BUILD
if (!NO_BUILD) assert.equal(built.status, 0, built.stderr)

export const WIDTHS = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }

type Person = { email: string; password: string }
type Settings = Record<string, string>
type Ends = Pick<TestContext, 'after'>
type Host = Awaited<ReturnType<typeof openHost>>

const openHost = async (t: Ends, settings: Settings) => {
  const data = freshDirectory(t)
  const started = start({ STOA_DATA: data, STOA_CONSOLE: 'built', STOA_AI_LOCAL: 'off', ...settings })
  const baseUrl = await up(started)
  const { superadmin } = firstRunOf(data)
  const operator = client(data, baseUrl, superadmin.key)
  t.after(operator.close)
  return { baseUrl, data, started, superadmin, operator: operator.call, orgs: 0 }
}

/** Otherwise the browser waits for the frames of a display at times, for ever, and what waits for a frame does too. */
const WITHOUT_DISPLAY = ['--disable-gpu', '--disable-gpu-vsync', '--disable-frame-rate-limit']

/** Starts the console for the tests of a suite: each gets an organisation of its own. Those with the same settings share a
 *  host, which ends with the suite. */
export function consoleSuite() {
  const hosts = new Map<string, Promise<Host>>()
  const ends: (() => unknown)[] = []
  const suite: Ends = { after: end => void ends.push(end as () => unknown) }
  let browser: Promise<Browser> | undefined
  after(async () => {
    for (const end of ends.toReversed()) await end()
    await (await browser)?.close()
  })
  return async (t: TestContext, settings: Settings = {}) => {
    const kind = JSON.stringify(settings)
    const host = hosts.get(kind) ?? openHost(suite, settings)
    hosts.set(kind, host)
    browser ??= chromium.launch({
      executablePath: CHROMIUM as string,
      args: ['--no-sandbox', '--ignore-certificate-errors', '--disable-lcd-text', ...WITHOUT_DISPLAY],
    })
    return organisationOn(t, await host, await browser)
  }
}

async function organisationOn(t: TestContext, host: Host, browser: Browser) {
  const { baseUrl, data, superadmin, operator } = host
  const org = `shop-${++host.orgs}`
  const person = { email: `owner@${org}.example`, password: 'correct horse battery staple 9' }
  const made = await operator('POST /v1/iam/orgs', { slug: org, name: 'Home', owner: person })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const home = { org, ...person, key: made.body.key as string }
  const owner = client(data, baseUrl, home.key)
  const contexts: BrowserContext[] = []
  t.after(async () => {
    for (const context of contexts) await context.close()
    await owner.close()
  })

  /** Opens a screen of the organisation, or an address from the root, as a person, in a profile of its own. Its pages may
   *  report no error and no violation of the policy. */
  async function signIn(who: Person = home, screen = '/', options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext({ viewport: WIDTHS.desktop, locale: 'en-GB', ...options })
    contexts.push(context)
    const page = await context.newPage()
    const errors: string[] = []
    page.on('console', message => message.type() === 'error' && errors.push(message.text()))
    page.on('pageerror', error => errors.push(error.message))
    await page.goto(screen.startsWith('/') ? baseUrl + screen : `${baseUrl}/o/${org}/${screen}`)
    await page.getByLabel('E-mail address').fill(who.email)
    await page.getByLabel('Password').fill(who.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(url => url.origin === baseUrl && url.pathname !== '/')
    return { context, page, errors: () => errors.filter(text => !IS_SIGN_IN.test(text)) }
  }

  return { ...host, org, home, superadmin, owner: owner.call, operator, signIn }
}

export type World = Awaited<ReturnType<typeof organisationOn>>
export type Signed = { context: BrowserContext; page: Page; errors: () => string[] }

/** The first request finds no session. */
const IS_SIGN_IN = /status of 401/

/** What axe finds, as short lines. */
export async function violations(page: Page): Promise<string[]> {
  const path = new URL(import.meta.resolve('axe-core')).pathname
  assert.ok(existsSync(path))
  // Through the debugger, because the policy of the page allows no other script.
  await page.evaluate(await (await import('node:fs/promises')).readFile(path, 'utf8'))
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then(one => one.violations)',
  )
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
}
