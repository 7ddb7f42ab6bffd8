// A page in the system's Chromium.
import { existsSync } from 'node:fs'
import { after } from 'node:test'
import { chromium, type Page } from 'playwright-core'

export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

/** Why tests in Chromium are skipped; false if they are not. */
export const NO_CHROMIUM = CHROMIUM ? false : 'no Chromium is installed (Debian: apt-get install chromium)'

/** A page whose document the test supplies has no address, so Chromium takes it for one of the Internet, which may not
 *  call servers on loopback. */
const ALLOW_LOOPBACK = '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests'

/** Not `ignoreHTTPSErrors`, which ends with a page: what a page that is left still sends would be lost. */
const ACCEPT_OUR_AUTHORITY = '--ignore-certificate-errors'

/** In a profile of its own. Closed after all tests of the file. */
export async function openChromium(): Promise<Page> {
  const args = ['--no-sandbox', ALLOW_LOOPBACK, ACCEPT_OUR_AUTHORITY]
  const browser = await chromium.launch({ executablePath: CHROMIUM as string, args })
  after(() => browser.close())
  const context = await browser.newContext()
  return context.newPage()
}
