// An organisation like that of a small shop, for the pictures of the console: what its people and programs did today.
import assert from 'node:assert/strict'
import type { World } from '../console.ts'
import { withDatabase } from '../console-database.ts'
import { chatCompletion, json, startModelServer } from '../model-server.ts'
import { startReceiver } from '../webhook-receiver.ts'

type Call = World['owner']
const MINUTE_MS = 60_000

/** Fails unless the call succeeds. */
const sure =
  (call: Call): Call =>
  async (route, body, headers) => {
    const answer = await call(route, body, headers)
    assert.ok(answer.status < 300, `${route}: ${JSON.stringify(answer.body)}`)
    return answer
  }

export async function fillShop(world: World, close: (end: () => unknown) => void) {
  const [owner, operator] = [sure(world.owner), sure(world.operator)]
  await owner(`PATCH /v1/iam/orgs/${world.org}`, { name: 'Meridian Goods' })
  await operator('POST /v1/billing/credits', { org: world.org, amount: 40_000, reason: 'Invoice 2026-114' })
  const keys = await fillKeys(owner)
  await fillProjects(owner, world)
  await fillPeople(owner)
  await fillModels(world, operator, keys, close)
  await fillVisitors(owner)
  await fillEvents(owner)
  await fillRisk(owner)
  const endpoint = await fillWebhooks(owner, close)
  await fillRequests(world)
  return { endpoint }
}

async function fillKeys(owner: Call) {
  const make = async (name: string, more: object) => (await owner('POST /v1/account/keys', { name, ...more })).body.key
  const server = await make('checkout-api', { limit: ['product:event', 'product:ai'] })
  const importer = await make('ci-importer', { budget: { month: 5_000, total: 50_000 }, rate: 600 })
  await make('storefront', { type: 'publishable' })
  await make('night-report', { limit: ['read:*'], expires: new Date(Date.now() + 3 * 86_400_000).toISOString() })
  await make('support-bot', { limit: ['product:ai'], budget: { month: 20_000, total: 0 } })
  return { server, importer }
}

async function fillProjects(owner: Call, { org }: World) {
  for (const [slug, name] of [
    ['web-shop', 'Web shop'],
    ['checkout-api', 'Checkout API'],
    ['warehouse', 'Warehouse'],
  ]) {
    await owner('POST /v1/projects', { slug, name })
  }
  for (const host of [`shop.${org}.example`, `www.${org}.example`]) {
    await owner('POST /v1/projects/web-shop/domains', { host })
  }
}

async function fillPeople(owner: Call) {
  const password = 'walnut-desk-twelve-green'
  for (const name of ['ada', 'grace', 'linus']) {
    await owner('POST /v1/iam/members', { email: `${name}@meridian.example`, role: 'member', password })
  }
  await owner('POST /v1/iam/invites', { email: 'margaret@meridian.example', role: 'admin' })
  await owner('POST /v1/iam/workspaces', { name: 'Northwind Agency' })
  const app = { type: 'confidential', people: 'users', signUp: 'open', color: '#0f766e' }
  await owner('POST /v1/iam/apps', {
    ...{ app: 'shop', name: 'Meridian shop', redirectUris: ['https://shop.meridian.example/callback'] },
    ...app,
  })
  await owner('POST /v1/iam/apps', {
    ...{ app: 'office', name: 'Back office', redirectUris: ['https://office.meridian.example/callback'] },
    ...{ type: 'public', people: 'team' },
  })
  for (const [n, name] of ['Tove Lind', 'Omar Haddad', 'Ines Castro', 'Jun Mori', 'Leah Cohen'].entries()) {
    const email = `${name.toLowerCase().replace(' ', '.')}@example.com`
    await owner('POST /v1/iam/users', { email, name, metadata: { plan: n % 2 ? 'free' : 'pro' } })
  }
}

async function fillModels(
  world: World,
  operator: Call,
  keys: Record<string, string>,
  close: (end: () => unknown) => void,
) {
  const server = await startModelServer()
  close(server.close)
  await operator('POST /v1/ai/providers', {
    name: 'europe',
    baseUrl: `${server.url}/v1`,
    models: [
      { id: 'atlas-large', price: { input: 300, output: 1_500 } },
      { id: 'atlas-mini', price: { input: 15, output: 60 } },
      { id: 'atlas-reasoning', price: { input: 1_100, output: 4_400 } },
    ],
  })
  await world.owner('PATCH /v1/ai/settings', {
    aliases: [
      { name: 'support', model: 'atlas-large' },
      { name: 'fast', model: 'atlas-mini' },
    ],
    fallbacks: [{ model: 'atlas-large', to: ['atlas-mini'] }],
  })
  const models = ['support', 'fast', 'atlas-reasoning', 'fast']
  for (let n = 0; n < 24; n++) {
    const usage = { prompt_tokens: 18_000 + 900 * n, completion_tokens: 6_000 + 350 * n }
    server.state.answer =
      n % 11 === 7 ? json({ error: { message: 'Overloaded' } }, 503) : json({ ...chatCompletion(), usage })
    const as = n % 3 ? keys.server : keys.importer
    await world.owner(
      'POST /v1/chat/completions',
      { model: models[n % 4], messages: [{ role: 'user', content: `Where is order ${1_000 + n}?` }] },
      { authorization: `Bearer ${as}` },
    )
  }
  server.state.answer = json(chatCompletion())
}

const DAY_MINUTES = 1_440
const SOURCES = ['', 'search.example', 'search.example', 'letter', 'social.example', 'news.example']
const COUNTRIES = ['DE', 'DE', 'AT', 'CH', 'FR', 'NL']
const BROWSERS = ['Chrome', 'Safari', 'Chrome', 'Firefox']
const SYSTEMS = ['Windows', 'iOS', 'Android', 'macOS', 'Linux']
const EVENTS_AT_ONCE = 50

/** Visits of two months, more on some days than on others. */
async function fillVisitors(owner: Call) {
  const events = Array.from({ length: 60 }, (_, days) =>
    Array.from({ length: 14 + Math.round(6 * Math.sin(days / 2)) - Math.floor(days / 9) }, (_, n) => {
      const visitor = (31 * n + 17 * days) % 211
      const minute = days * DAY_MINUTES + ((n * 97) % 600) + 15
      const source = SOURCES[visitor % 6]
      return Array.from({ length: 1 + ((visitor + days) % 4) }, (_, view) => ({
        ...{ event: '$pageview', distinctId: `visitor_${visitor}` },
        timestamp: new Date(Date.now() - minute * MINUTE_MS + 40_000 * view).toISOString(),
        properties: {
          $current_url: `https://shop.meridian.example${PAGES[(view + visitor) % PAGES.length]}`,
          ...(source && { $referrer: `https://${source}/` }),
          ...(source === 'letter' && { utm_source: 'letter', utm_campaign: visitor % 2 ? 'spring' : 'autumn' }),
          ...{ country: COUNTRIES[visitor % 6], $browser: BROWSERS[visitor % 4], $os: SYSTEMS[visitor % 5] },
          $device_type: visitor % 3 ? 'desktop' : 'mobile',
        },
      }))
    }),
  ).flat(2)
  for (let n = 0; n < events.length; n += EVENTS_AT_ONCE) {
    await owner('POST /v1/event', events.slice(n, n + EVENTS_AT_ONCE))
  }
}

const PAGES = ['/', '/shoes', '/shoes/trail-runner', '/cart', '/checkout']

async function fillEvents(owner: Call) {
  const at = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString()
  const visits = Array.from({ length: 40 }, (_, n) => ({
    ...{
      event: n % 9 === 4 ? 'Order Completed' : '$pageview',
      timestamp: at(n % 12),
      distinctId: `user_${1_040 + (n % 7)}`,
    },
    ...(n % 9 === 4 && { revenue: 39.9 + n, currency: 'EUR' }),
    properties: { $current_url: `https://shop.meridian.example${PAGES[n % 5]}`, plan: n % 2 ? 'free' : 'pro' },
  }))
  await owner('POST /v1/event', visits)
  const kinds = [
    ['TypeError', "Cannot read properties of undefined (reading 'total')", 'confirmOrder', 'checkout/confirm.ts', 14],
    ['PaymentDeclined', 'The card was declined: insufficient_funds', 'charge', 'payments/charge.ts', 7],
    ['TimeoutError', 'The warehouse did not answer in 5 s', 'reserve', 'warehouse/reserve.ts', 4],
  ] as const
  for (const [type, value, name, file, count] of kinds) {
    const frame = (called: string, filename: string, lineno: number) => ({
      ...{ function: called, filename: `https://shop.meridian.example/${filename}`, lineno, colno: 12, in_app: true },
    })
    const frames = [
      frame('handle', 'server/routes.ts', 88),
      frame('submit', 'checkout/form.ts', 41),
      frame(name, file, 57),
    ]
    const errors = Array.from({ length: count }, (_, n) => ({
      ...{ event: '$exception', timestamp: at(3 + 11 * n), distinctId: `user_${1_040 + n}` },
      properties: {
        $exception_list: [{ type, value, mechanism: { handled: type !== 'TypeError' }, stacktrace: { frames } }],
        $release: '4.12.0',
        environment: 'production',
      },
    }))
    await owner('POST /v1/event', errors)
  }
}

async function fillRisk(owner: Call) {
  const overrides = [
    { key: 'mailinator.example', verdict: 'deny', note: 'Trial abuse in October' },
    { key: 'partner.example', verdict: 'allow', note: 'Our logistics partner' },
  ]
  await owner('PUT /v1/risk/reference/domain', { entries: overrides })
}

async function fillWebhooks(owner: Call, close: (end: () => unknown) => void): Promise<string> {
  const receiver = await startReceiver()
  close(receiver.close)
  receiver.state.answer = (response, { path }) =>
    void (path.startsWith('/orders')
      ? response.writeHead(503).end('{"error":"upstream timed out"}')
      : response.end('ok'))
  const events = ['event.order_completed', 'account.key.*']
  const { body } = await owner('POST /v1/webhooks', {
    ...{ url: `${receiver.url}/orders`, description: 'orders-fulfilment', events, retry: 'long' },
  })
  const { body: audit } = await owner('POST /v1/webhooks', {
    ...{ url: `${receiver.url}/audit`, description: 'audit-archive', events: ['iam.>', 'account.>', 'project.>'] },
  })
  for (let n = 0; n < 4; n++) {
    const properties = { order: `ord_${4_410 + n}`, items: 1 + n }
    await owner('POST /v1/event', {
      event: 'Order Completed',
      distinctId: `user_${n}`,
      revenue: 59.9,
      currency: 'EUR',
      properties,
    })
    await owner(`POST /v1/webhooks/${audit.id}/test`)
  }
  await owner(`POST /v1/webhooks/${body.id}/test`)
  return body.id
}

/** The hours before this one. */
const fillRequests = (world: World) =>
  withDatabase(
    world,
    db => db.autocommit`insert into request_counts (org, hour, requests, refused, failed)
      select ${world.org}, date_trunc('hour', now()) - make_interval(hours => n),
        1500 + (900 * sin(n / 3.8))::int + n % 5 * 31, 8 + n % 4 * 5,
        case when n in (1, 2) then 240 / n when n % 9 = 0 then 3 else 0 end
      from generate_series(1, 719) as n`,
  )
