// Pages with the browser tag, in Chromium, under a strict content security policy. An edge in front of the real host serves
// them and passes everything else on; a test may have it answer otherwise, or close the connection.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { Agent, request } from 'undici'
import { CHROMIUM } from '../client/chromium.ts'
import { CA, startHost, type TestHost } from '../host.ts'
import { catchUp } from '../warehouse.ts'

/** What the edge does with the next requests that send events, instead of passing them on. `isPassed`: the host
 *  stores the events, and the answer is replaced. */
export type Fault = { status?: number; retryAfter?: number; closes?: true; isPassed?: true; delayMs?: number }
export type Sent = { atMs: number; bytes: number; events: { event: string; messageId: string }[]; cookie: unknown }
export type Stored = {
  event: string
  distinct_id: string | null
  anonymous_id: string | null
  session_id: string | null
  timestamp: string
  properties: Record<string, never>
}
export type Site = Awaited<ReturnType<typeof openSite>>

/** Longer than the tag waits between attempts. */
const STORED_MS = 25_000
const NONCE = 'bm9uY2U'
const HTML = { 'content-type': 'text/html; charset=utf-8' }
const ARGS = ['--no-sandbox', '--ignore-certificate-errors', '--disable-gpu']

export async function tagWorld() {
  const listening = async (handle: (request: IncomingMessage, response: ServerResponse) => void) => {
    const server = createServer(handle)
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    after(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://localhost:${(server.address() as AddressInfo).port}`
  }
  const pages = new Map<string, { html: string; policy: string }>()
  const sites = new Map<string, Site>()
  const servePage = ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    const page = pages.get(new URL(url, 'http://x').pathname)
    if (!page) return void response.writeHead(404, HTML).end('<p>Nothing')
    response.writeHead(200, { ...HTML, 'content-security-policy': page.policy }).end(page.html)
  }
  const away = await listening(servePage)
  const allowed = await listening(servePage)
  const host = await startHost({ now: 'real', ownOrigins: [allowed], settings: { STOA_EVENTS_PER_CLIENT: 100_000 } })
  const edge = await listening((incoming, response) => {
    if (!incoming.url?.startsWith('/v1/')) return servePage(incoming, response)
    passOn(host, sites, incoming, response).catch(() => response.destroy())
  })
  const browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ARGS })
  after(() => browser.close())
  let count = 0
  const site = (t: TestContext, from: 'edge' | 'away' | 'allowed' = 'edge', attributes = '') => {
    const number = count++
    const origin = { edge, away, allowed }[from]
    return openSite(t, {
      host,
      browser,
      pages,
      sites,
      origin,
      number,
      attributes,
      edge: from === 'allowed' ? null : edge,
    })
  }
  return { host, browser, edge, away, allowed, site }
}

const agents = new WeakMap<TestHost, Agent>()
function agentOf(host: TestHost): Agent {
  const agent = agents.get(host) ?? new Agent({ connect: { ca: CA() } })
  agents.set(host, agent)
  return agent
}
const NOT_PASSED = ['host', 'connection', 'content-length', 'transfer-encoding']

async function passOn(host: TestHost, sites: Map<string, Site>, incoming: IncomingMessage, response: ServerResponse) {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const { method = '', url = '', headers } = incoming
  const site = sites.get(new URL(url, 'http://x').searchParams.get('ingest_key') ?? '')
  let fault: Fault | undefined
  if (site && method === 'POST') {
    const { events } = JSON.parse(body.toString()) as Sent
    site.sent.push({ atMs: Date.now(), bytes: body.length, events, cookie: headers.cookie })
    fault = site.faults.length > 1 ? site.faults.shift() : site.faults[0]
    if (site.faults.length === 1 && !site.isDown) site.faults.pop()
  }
  if (fault?.delayMs) await wait(fault.delayMs)
  if (fault && !fault.isPassed) return answerWith(fault, response)
  const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED.includes(name)))
  const answer = await request(host.baseUrl + url, {
    method: method as 'GET',
    headers: passed,
    body: method === 'POST' ? body : null,
    dispatcher: agentOf(host),
  })
  const bytes = Buffer.from(await answer.body.arrayBuffer())
  if (fault) return answerWith(fault, response)
  response.writeHead(answer.statusCode, answer.headers as Record<string, string>).end(bytes)
}

function answerWith({ status = 503, retryAfter, closes }: Fault, response: ServerResponse): void {
  if (closes) response.destroy()
  else response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }).end('{}')
}

type Opening = {
  host: TestHost
  browser: Browser
  pages: Map<string, { html: string; policy: string }>
  sites: Map<string, Site>
  origin: string
  number: number
  attributes: string
  /** Null if the pages talk to the host itself. */
  edge: string | null
}

/** A site of its own organisation. `attributes` are those of the tag's script element. */
async function openSite(t: TestContext, opening: Opening) {
  const { host, browser, pages, sites, origin, number, attributes, edge } = opening
  const { org, key: as } = await host.organisation(`site-${number}`)
  await host.call('POST /v1/account/keys', { as, body: { name: 'Web', type: 'publishable' } })
  const install = (await host.call('GET /v1/event/install', { as })).body
  const atEdge = (text: string) => (edge === null ? text : text.replaceAll(host.baseUrl, edge))
  const context = await browser.newContext()
  t.after(() => context.close())
  const troubles: string[] = []
  const policy = atEdge(install.policy).replace('script-src', `default-src 'none'; script-src 'nonce-${NONCE}'`)
  const strict = `${policy}; require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action *`
  const lines = atEdge(install.html).replace(' data-key', ` ${attributes} data-key`)

  /** Makes a page; `before` is script before the two lines, `after` behind them. */
  const page = (name: string, body = '', scripts: { before?: string; after?: string } = {}) => {
    const script = (text = '') => (text ? `<script nonce="${NONCE}">${text}</script>` : '')
    const html = `<!doctype html><html lang="en"><head><title>${name}</title>${script(scripts.before)}${lines}${script(scripts.after)}</head><body>${body}</body></html>`
    pages.set(`/${number}/${name}`, { html, policy: strict })
    return `${origin}/${number}/${name}`
  }
  const open = async (in_: BrowserContext = context): Promise<Page> => {
    const tab = await in_.newPage()
    tab.on('pageerror', error => troubles.push(`thrown: ${error.message}`))
    tab.on('console', message => {
      if (/Content Security Policy|TrustedTypes|Trusted Type/.test(message.text())) troubles.push(message.text())
    })
    return tab
  }
  /** In the order of arrival: times are corrected by request, and a busy machine sends late. */
  const stored = async (): Promise<Stored[]> => {
    await catchUp(host)
    const rows = await host.db<Stored>`select event, distinct_id, anonymous_id, session_id, timestamp, properties
      from events where org = ${org} order by arrival`
    return [...rows]
  }
  /** The log of events, which consumers and webhooks read. */
  const log = () => host.db<{ envelope: string }>`select envelope from bus_log where tenant = ${org}`
  /** What is stored, once that many events are. */
  const storedAfter = async (events: number) => {
    const untilMs = performance.now() + STORED_MS
    let all = await stored()
    while (all.length < events && performance.now() < untilMs) {
      await wait(50)
      all = await stored()
    }
    assert.equal(all.length, events, JSON.stringify(all.map(({ event }) => event)))
    return all
  }
  const faults: Fault[] = []
  const found = {
    org,
    as,
    key: install.key.key as string,
    install,
    context,
    origin,
    page,
    open,
    stored,
    log,
    storedAfter,
  }
  const site = { ...found, troubles, faults, sent: [] as Sent[], isDown: false }
  sites.set(site.key, site)
  return site
}
