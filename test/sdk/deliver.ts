// Sends events with the SDKs that people use, through their public functions, with nothing changed but the host and the
// key. Each delivers a page view, `Order Completed` with a revenue of 12.50 EUR, and an exception, or what the SDK says
// about a person where it knows no exceptions. It resolves when the SDK has been answered, and rejects if the SDK reports
// a failure.
//
// The SDKs for Node have no option for the certificate authority of a test, so they run in a process of their own, which
// trusts it. That process runs this file. posthog-js runs in Chromium (posthog-js.ts).
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPackages } from '../packages.ts'

export type Delivery = {
  /** Such as `https://localhost:8443`. */
  baseUrl: string
  /** A publishable key. */
  key: string
  /** The certificate authority, as PEM. */
  ca: string
}

type Send = (delivery: Pick<Delivery, 'baseUrl' | 'key'>) => Promise<void>

const installed = installPackages(new URL('./', import.meta.url))
/** Why there are no SDKs; false if there are. */
export const skip = installed.skip
export const packagesDirectory = installed.directory
// biome-ignore lint/suspicious/noExplicitAny: these packages are not dependencies, so there are no types of them here
const load = (name: string): any => createRequire(join(installed.directory, 'package.json'))(name)

const PAGE = 'https://shop.example/cart'
const ORDER = { order_id: 'o-1', revenue: 12.5, currency: 'EUR' }

const SENDERS = {
  'posthog-node': async ({ baseUrl, key }) => {
    const { PostHog } = load('posthog-node')
    const client = new PostHog(key, { host: `${baseUrl}/v1/event/posthog` })
    const failures: unknown[] = []
    client.on('error', (error: unknown) => failures.push(error))
    client.capture({ distinctId: 'u-1', event: '$pageview', properties: { $current_url: PAGE } })
    client.capture({ distinctId: 'u-1', event: 'Order Completed', properties: ORDER })
    client.captureException(new TypeError('cart is undefined'), 'u-1')
    await client.shutdown()
    if (failures.length > 0) throw failures[0]
  },

  '@segment/analytics-node': async ({ baseUrl, key }) => {
    const { Analytics } = load('@segment/analytics-node')
    const client = new Analytics({ writeKey: key, host: baseUrl, path: '/v1/event/segment/v1/batch', maxRetries: 0 })
    const failures: unknown[] = []
    client.on('error', (error: unknown) => failures.push(error))
    client.page({ userId: 'u-1', anonymousId: 'a-1', name: 'Cart', properties: { url: PAGE } })
    client.track({ userId: 'u-1', event: 'Order Completed', properties: ORDER })
    client.identify({ userId: 'u-1', traits: { plan: 'pro' } })
    await client.closeAndFlush()
    if (failures.length > 0) throw failures[0]
  },

  '@rudderstack/rudder-sdk-node': async ({ baseUrl, key }) => {
    const Analytics = load('@rudderstack/rudder-sdk-node')
    const client = new Analytics(key, { dataPlaneUrl: `${baseUrl}/v1/event/rudderstack` })
    const answers = [
      called(done => client.page({ userId: 'u-1', name: 'Cart', properties: { url: PAGE } }, done)),
      called(done => client.track({ userId: 'u-1', event: 'Order Completed', properties: ORDER }, done)),
      called(done => client.identify({ userId: 'u-1', traits: { plan: 'pro' } }, done)),
    ]
    await client.flush()
    await Promise.all(answers)
  },

  '@amplitude/analytics-node': async ({ baseUrl, key }) => {
    const { createInstance, Identify } = load('@amplitude/analytics-node')
    const client = createInstance()
    // By itself it sends every ten seconds. An explicit flush would not: it never sends again, whatever is answered.
    const options = { serverUrl: `${baseUrl}/v1/event/amplitude`, flushIntervalMillis: 100 }
    await client.init(key, options).promise
    const results = [
      client.track('[Amplitude] Page Viewed', { '[Amplitude] Page URL': PAGE }, { user_id: 'u-1' }),
      client.track('Order Completed', ORDER, { user_id: 'u-1', device_id: 'd-1' }),
      client.identify(new Identify().set('plan', 'pro'), { user_id: 'u-1' }),
    ]
    for (const { promise } of results) {
      const { code, message } = await promise
      if (code !== 200) throw new Error(`${code}: ${message}`)
    }
  },

  mixpanel: async ({ baseUrl, key }) => {
    const { host, protocol } = new URL(baseUrl)
    const options = { host, protocol: protocol.slice(0, -1), path: '/v1/event/mixpanel', keepAlive: false }
    const client = load('mixpanel').init(key, options)
    const order = { event: 'Order Completed', properties: { distinct_id: 'u-1', time: new Date(), ...ORDER } }
    await called(done => client.track('$mp_web_page_view', { distinct_id: 'u-1', current_url: PAGE }, done))
    await called(done => client.track_batch([order], done))
    await called(done => client.people.set('u-1', { plan: 'pro' }, done))
  },
} satisfies Record<string, Send>

export type Sdk = keyof typeof SENDERS

/** A thousand events in one turn of the event loop. */
const BURST = 1_000
const inBurst = <T>(send: (name: string) => T): T[] => Array.from({ length: BURST }, (_, n) => send(`burst ${n}`))

/** The SDKs with default settings, but for the host and the key. */
const BURSTS: Record<Sdk, Send> = {
  'posthog-node': async ({ baseUrl, key }) => {
    const { PostHog } = load('posthog-node')
    const client = new PostHog(key, { host: `${baseUrl}/v1/event/posthog` })
    const failures: unknown[] = []
    client.on('error', (error: unknown) => failures.push(error))
    inBurst(event => client.capture({ distinctId: 'u-1', event }))
    await client.shutdown()
    if (failures.length > 0) throw failures[0]
  },

  '@segment/analytics-node': async ({ baseUrl, key }) => {
    const { Analytics } = load('@segment/analytics-node')
    const client = new Analytics({ writeKey: key, host: baseUrl, path: '/v1/event/segment/v1/batch' })
    const failures: unknown[] = []
    client.on('error', (error: unknown) => failures.push(error))
    inBurst(event => client.track({ userId: 'u-1', event }))
    await client.closeAndFlush()
    if (failures.length > 0) throw failures[0]
  },

  '@rudderstack/rudder-sdk-node': async ({ baseUrl, key }) => {
    const Analytics = load('@rudderstack/rudder-sdk-node')
    const client = new Analytics(key, { dataPlaneUrl: `${baseUrl}/v1/event/rudderstack` })
    await Promise.all(inBurst(event => called(done => client.track({ userId: 'u-1', event }, done))))
  },

  '@amplitude/analytics-node': async ({ baseUrl, key }) => {
    const { createInstance } = load('@amplitude/analytics-node')
    const client = createInstance()
    await client.init(key, { serverUrl: `${baseUrl}/v1/event/amplitude` }).promise
    for (const { promise } of inBurst(event => client.track(event, {}, { user_id: 'u-1' }))) {
      const { code, message } = await promise
      if (code !== 200) throw new Error(`${code}: ${message}`)
    }
  },

  mixpanel: async ({ baseUrl, key }) => {
    const { host, protocol } = new URL(baseUrl)
    const client = load('mixpanel').init(key, { host, protocol: protocol.slice(0, -1), path: '/v1/event/mixpanel' })
    await Promise.all(inBurst(event => called(done => client.track(event, { distinct_id: 'u-1' }, done))))
  },
}
export const SDKS = Object.keys(SENDERS) as Sdk[]

/** Longer than any of them needs, shorter than their retries. */
const DELIVERY_MS = 30_000

export async function deliver(sdk: Sdk, what: 'some' | 'burst', { ca, ...delivery }: Delivery): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'stoa-sdk-'))
  const authority = join(directory, 'ca.pem')
  writeFileSync(authority, ca)
  try {
    const child = spawn(process.execPath, [import.meta.filename, sdk, what, JSON.stringify(delivery)], {
      env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: authority },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: DELIVERY_MS,
    })
    let errors = ''
    child.stderr.on('data', chunk => {
      errors += chunk
    })
    const code = await new Promise<number | null>(resolve => child.once('close', resolve))
    if (code !== 0) throw new Error(`${sdk} has not delivered: ${code === null ? 'it takes too long' : errors}`)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The result of a function that takes a callback. */
function called(call: (done: (error: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => call(error => (error ? reject(error) : resolve())))
}

if (import.meta.main) {
  const [sdk, what, delivery] = process.argv.slice(2) as [Sdk, string, string]
  const send: Send = (what === 'burst' ? BURSTS : SENDERS)[sdk]
  await send(JSON.parse(delivery))
  // Some keep timers and connections.
  process.exit(0)
}
