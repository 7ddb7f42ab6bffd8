// The console in the system's Chromium, served by the product as a person starts it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { TestContext } from 'node:test'
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

/** `signIn` opens the console as a person, in a profile of its own. Its pages may report no error and no violation of the policy. */
export async function startConsole(t: TestContext, settings: Record<string, string> = {}) {
  const data = freshDirectory(t)
  const started = start({ STOA_DATA: data, STOA_CONSOLE: 'built', STOA_AI_LOCAL: 'off', ...settings })
  const baseUrl = await up(started)
  const { home, superadmin } = firstRunOf(data)
  const owner = client(data, baseUrl, home.key)
  const operator = client(data, baseUrl, superadmin.key)
  const browser: Browser = await chromium.launch({
    executablePath: CHROMIUM as string,
    args: ['--no-sandbox', '--ignore-certificate-errors'],
  })
  t.after(async () => {
    await browser.close()
    await owner.close()
    await operator.close()
  })

  async function signIn(who: Person = home, path = '/', options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext({ viewport: WIDTHS.desktop, locale: 'en-GB', ...options })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('console', message => message.type() === 'error' && errors.push(message.text()))
    page.on('pageerror', error => errors.push(error.message))
    await page.goto(baseUrl + path)
    await page.getByLabel('E-mail address').fill(who.email)
    await page.getByLabel('Password').fill(who.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(url => url.origin === baseUrl && url.pathname !== '/')
    return { context, page, errors: () => errors.filter(text => !IS_SIGN_IN.test(text)) }
  }

  return { baseUrl, data, started, home, superadmin, owner: owner.call, operator: operator.call, signIn }
}

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
