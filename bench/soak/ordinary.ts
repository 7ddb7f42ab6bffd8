// The ordinary tenant: about twenty requests a second over a few kept connections, and a sign-in every few seconds.
import { Agent, request, fetch as undiciFetch } from 'undici'
import { openBrowser } from '../../test/identity.ts'
import type { Target } from './hosts.ts'

const REQUEST_MS = 50
const SIGN_IN_MS = 4_000
const CONNECTIONS = 4
const PROJECTS = 20
/** A request that takes this long fails every target. */
const TIMEOUT_MS = 30_000

export type Outcome = {
  kind: string
  /** Whether the answer was as expected: 2xx, or a sign-in that ends in a session. */
  ok: boolean
  status: number
  ms: number
  /** Null if there was no answer. */
  requestId: string | null
  /** The body of a refusal, or the error. */
  says: string
  at: Date
}

export type Ordinary = {
  prepare(): Promise<void>
  /** Begins the load. `started` is called at the start of each request, and what it returns at the end. */
  begin(started: () => (outcome: Outcome) => void): void
  /** Ends the load after the requests that run. */
  end(): Promise<void>
  close(): Promise<void>
}

type Send = { kind: string; method: 'GET' | 'POST' | 'PATCH'; path: string; body?: object }

export function openOrdinary(target: Target): Ordinary {
  const { baseUrl, ca, ordinary } = target
  const connect = { ca, localAddress: '127.0.0.1' }
  const agent = new Agent({ connect, connections: CONNECTIONS, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS })
  const running = new Set<Promise<void>>()
  const timers: NodeJS.Timeout[] = []
  let count = 0

  async function send({ kind, method, path, body }: Send): Promise<Outcome> {
    const at = new Date()
    const startMs = performance.now()
    const outcome = { kind, ok: false, status: 0, requestId: null, says: '', at }
    try {
      const answer = await request(baseUrl + path, {
        dispatcher: agent,
        method,
        headers: { authorization: `Bearer ${ordinary.key}`, ...(body && { 'content-type': 'application/json' }) },
        body: body ? JSON.stringify(body) : null,
      })
      const text = await answer.body.text()
      const { statusCode: status, headers } = answer
      const ok = status >= 200 && status < 300
      const requestId = String(headers['x-request-id'] ?? '')
      return { ...outcome, ok, status, ms: performance.now() - startMs, requestId, says: ok ? '' : text.slice(0, 300) }
    } catch (error) {
      return { ...outcome, ms: performance.now() - startMs, says: String(error) }
    }
  }

  const run = (work: Promise<Outcome>, report: (outcome: Outcome) => void) => {
    const done = work.then(report).finally(() => running.delete(done))
    running.add(done)
  }
  const stop = () => {
    for (const timer of timers.splice(0)) clearInterval(timer)
  }
  return {
    prepare: async () => {
      for (let at = 0; at < PROJECTS; at++) {
        const body = { slug: `shop-${at}`, name: `Shop ${at}` }
        const { ok, says } = await send({ kind: '', method: 'POST', path: '/v1/projects', body })
        if (!ok) throw new Error(says)
      }
    },
    begin: started => {
      timers.push(setInterval(() => run(send(requestAt(++count)), started()), REQUEST_MS))
      timers.push(setInterval(() => run(signIn(target, agent), started()), SIGN_IN_MS))
    },
    end: async () => {
      stop()
      await Promise.all(running)
    },
    close: () => {
      stop()
      return agent.destroy()
    },
  }
}

const KEYS = ['someone@example.com', '192.0.2.7', '2001:db8::7', 'mail.example.org', 'Mozilla/5.0 (X11) Firefox/140.0']

function requestAt(count: number): Send {
  const path = `/v1/projects/shop-${count % PROJECTS}`
  if (count % 40 === 0) {
    const body = { slug: `made-${process.pid}-${count}`, name: `Made ${count}` }
    return { kind: 'create a project', method: 'POST', path: '/v1/projects', body }
  }
  switch (count % 5) {
    case 0:
      return { kind: 'rename a project', method: 'PATCH', path, body: { name: `Renamed ${count}` } }
    case 1:
      return { kind: 'list projects', method: 'GET', path: '/v1/projects' }
    case 2:
      return { kind: 'get the caller', method: 'GET', path: '/v1/iam/me' }
    case 3:
      return { kind: 'resolve keys', method: 'POST', path: '/v1/risk/reference/resolve', body: { keys: KEYS } }
    default:
      return { kind: 'get a project', method: 'GET', path }
  }
}

/** The whole flow of a browser without cookies, from the login path to the first answer with its session. */
async function signIn({ baseUrl, iamUrl, ordinary }: Target, agent: Agent): Promise<Outcome> {
  const at = new Date()
  const startMs = performance.now()
  const fetch = ((url: string, init?: object) =>
    undiciFetch(url, { ...init, dispatcher: agent } as never)) as unknown as typeof globalThis.fetch
  const browser = openBrowser(fetch)
  const outcome = { kind: 'sign-in', requestId: null, at }
  try {
    const start = await browser.go(`${baseUrl}/v1/account/login?to=/v1/iam/me`)
    const form = start.url.startsWith(iamUrl) ? await browser.go(start.url) : start
    const { email, password } = ordinary
    const back = form.status === 200 ? await browser.submit(form, { email, password }) : form
    const end = back.url.startsWith(`${baseUrl}/`) && back.status === 303 ? await browser.go(back.url) : back
    const ok = end.status === 200 && end.text.includes(email)
    const says = ok ? '' : `${end.url} ${end.text.slice(0, 300)}`
    return { ...outcome, ok, status: end.status, ms: performance.now() - startMs, says }
  } catch (error) {
    return { ...outcome, ok: false, status: 0, ms: performance.now() - startMs, says: String(error) }
  }
}
