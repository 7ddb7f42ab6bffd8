// posthog-js in Chromium. The page has an address of its own, which the test answers itself: its origin must be one that
// the host gives CORS headers to, so the organisation attaches and verifies its domain first. Otherwise posthog-js cannot
// read the answers, takes them for failures and sends again.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { chromium, type Request } from 'playwright-core'
import { type Delivery, packagesDirectory } from './deliver.ts'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
/** Why it cannot run; false if it can. */
export const NO_CHROMIUM = CHROMIUM ? false : 'no Chromium is installed (Debian: apt-get install chromium)'

/** posthog-js sends nothing from a browser that says it is automated. */
const LIKE_A_PERSON = [
  '--disable-blink-features=AutomationControlled',
  '--user-agent=Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
]
const ALLOW_LOOPBACK = '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests'

const SCRIPT = '/posthog.js'
const DELIVERED = ['$pageview', 'Order Completed', '$exception']
const DELIVERY_MS = 20_000

/** The document. `SCRIPT` is the file that PostHog's snippet loads, from the package. */
export const pageOf = ({ baseUrl, key }: Pick<Delivery, 'baseUrl' | 'key'>) => `<!doctype html>
<title>Cart</title>
<button>Pay</button>
<script src="${SCRIPT}"></script>
<script>
  posthog.init(${JSON.stringify(key)}, { api_host: ${JSON.stringify(`${baseUrl}/v1/event/posthog`)} })
  posthog.capture('Order Completed', { revenue: 12.5, currency: 'EUR' })
  posthog.captureException(new TypeError('cart is undefined'))
</script>`

export type Delivered = {
  /** Each request to the host: method, path with query, status. */
  requests: string[]
  /** What the page wrote to its console as an error. */
  errors: string[]
}

/** Loads the page at `origin` and resolves when its three events have been answered with 200. */
export async function deliverWithPosthogJs(origin: string, delivery: Omit<Delivery, 'ca'>): Promise<Delivered> {
  const args = ['--no-sandbox', ALLOW_LOOPBACK, ...LIKE_A_PERSON]
  const browser = await chromium.launch({ executablePath: CHROMIUM as string, args })
  try {
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const page = await context.newPage()
    const script = readFileSync(join(packagesDirectory, 'node_modules/posthog-js/dist/array.full.js'), 'utf8')
    await page.route(`${origin}/**`, route => {
      const isScript = new URL(route.request().url()).pathname === SCRIPT
      return isScript
        ? route.fulfill({ contentType: 'text/javascript', body: script })
        : route.fulfill({ contentType: 'text/html', body: pageOf(delivery) })
    })
    const delivered: Delivered = { requests: [], errors: [] }
    page.on('console', message => message.type() === 'error' && delivered.errors.push(message.text()))
    page.on('pageerror', error => delivered.errors.push(error.message))
    const names = new Set<string>()
    const isComplete = new Promise<void>(resolve => {
      page.on('response', response => {
        const request = response.request()
        if (!request.url().startsWith(delivery.baseUrl)) return
        const { pathname, search } = new URL(request.url())
        delivered.requests.push(`${request.method()} ${pathname}${search} ${response.status()}`)
        if (response.status() === 200) for (const name of namesIn(request)) names.add(name)
        if (DELIVERED.every(name => names.has(name))) resolve()
      })
    })
    await page.goto(`${origin}/cart`)
    await Promise.race([isComplete, page.waitForTimeout(DELIVERY_MS)])
    const missing = DELIVERED.filter(name => !names.has(name))
    if (missing.length > 0) throw new Error(`posthog-js has not delivered ${missing}: ${JSON.stringify(delivered)}`)
    return delivered
  } finally {
    await browser.close()
  }
}

function namesIn(request: Request): string[] {
  const body = request.postDataBuffer()
  if (!body || !new URL(request.url()).pathname.endsWith('/e/')) return []
  const text = (body[0] === 0x1f ? gunzipSync(body) : body).toString()
  return (JSON.parse(text) as { batch: { event: string }[] }).batch.map(one => one.event)
}
