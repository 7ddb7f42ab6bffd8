// The requests with which a browser registers or signs in a customer and its app gets tokens, as generators that receive
// the answer to each request. Each ladder is a new browser at a new address.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PATHS } from '../src/identity/provider.ts'
import { requestBytes } from './harness.ts'
import { answerOf, type Script, wrong } from './load.ts'
import { PASSWORD } from './servers/customer-fill.ts'
import type { Customers } from './servers/serve.ts'

type Reply = { status: number; location: string; cookies: string[]; body: string }
export type Ladder<Result> = Generator<Buffer, Result, Reply>
export type Tokens = { access_token: string; refresh_token: string }

/** Repeats what `next` returns; each counts as one request of the load. */
export function ladderScript(next: () => Ladder<unknown>): Script {
  let ladder: Ladder<unknown> | null = null
  return {
    request: () => {
      ladder = next()
      return ladder.next().value as Buffer
    },
    isComplete: bytes => {
      const reply = replyIn(bytes)
      if (!reply || !ladder) return false
      if (reply.status > 399) throw wrong(bytes)
      const { done, value } = ladder.next(reply)
      return done ? true : (value as Buffer)
    },
  }
}

function replyIn(bytes: Buffer): Reply | null {
  const answer = answerOf(bytes)
  if (!answer) return null
  const { head, body } = answer
  return {
    status: Number(head.slice(9, 12)),
    location: head.match(/\r\nlocation: (.*)/i)?.[1] ?? '',
    cookies: [...head.matchAll(/\r\nset-cookie: ([^;\r]*)/gi)].map(([, pair]) => pair as string),
    body: body.toString(),
  }
}

let clients = 0

/** As a proxy in front of the host would report a new client. */
const fromNewClient = () => {
  const n = ++clients
  return { 'x-forwarded-proto': 'https', 'x-forwarded-for': `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` }
}

const formOf = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

function newBrowser() {
  const jar = new Map<string, string>()
  const client = fromNewClient()
  function* send(method: 'GET' | 'POST', path: string, form?: Record<string, string>): Ladder<Reply> {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...client, ...(cookie !== '' && { cookie }), ...(form && FORM) }
    const reply = yield requestBytes(method, path, { headers, ...(form && { body: formOf(form) }) })
    for (const pair of reply.cookies) {
      const [, name = '', value = ''] = pair.match(/^([^=]*)=(.*)$/s) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return reply
  }
  const pathOf = ({ location }: Reply) => {
    const { pathname, search } = new URL(location, 'https://localhost')
    return pathname + search
  }
  return {
    get: (path: string) => send('GET', path),
    follow: (reply: Reply) => send('GET', pathOf(reply)),
    post: (path: string, form: Record<string, string>) => send('POST', path, form),
  }
}

const VERIFIER = 'a'.repeat(43)
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

const authorizePath = ({ app }: Customers) =>
  `${PATHS.authorize}?${formOf({
    client_id: app.id,
    redirect_uri: app.redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    state: 'state',
    nonce: 'nonce',
  })}`

/** Opens the sign-in of the app; returns the path of its page. */
function* open(browser: ReturnType<typeof newBrowser>, customers: Customers): Ladder<string> {
  const begun = yield* browser.get(authorizePath(customers))
  yield* browser.follow(begun)
  return new URL(begun.location, 'https://localhost').pathname
}

/** From the answer to the last form to the tokens. */
function* redeem(browser: ReturnType<typeof newBrowser>, { app }: Customers, last: Reply): Ladder<Tokens> {
  const back = yield* browser.follow(last)
  const code = new URL(back.location).searchParams.get('code') ?? ''
  const body = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: app.redirectUri,
    code_verifier: VERIFIER,
  }
  return yield* tokensFor(app, body)
}

function* tokensFor(app: Customers['app'], form: Record<string, string>): Ladder<Tokens> {
  const basic = Buffer.from(`${app.id}:${app.secret}`).toString('base64')
  const headers = { ...fromNewClient(), ...FORM, authorization: `Basic ${basic}` }
  const { body } = yield requestBytes('POST', PATHS.token, { headers, body: formOf(form) })
  return JSON.parse(body) as Tokens
}

export function* register(customers: Customers, email: string, name: string): Ladder<Tokens> {
  const browser = newBrowser()
  const path = yield* open(browser, customers)
  yield* browser.get(`${path}/register`)
  const asked = yield* browser.post(`${path}/register`, { email, name, password: PASSWORD })
  yield* browser.follow(asked)
  const code = readFileSync(join(customers.mails, email), 'utf8')
  return yield* redeem(browser, customers, yield* browser.post(`${path}/enter`, { code }))
}

export function* signIn(customers: Customers, email: string): Ladder<Tokens> {
  const browser = newBrowser()
  const path = yield* open(browser, customers)
  return yield* redeem(browser, customers, yield* browser.post(path, { email, password: PASSWORD }))
}

export const refresh = ({ app }: Customers, token: string): Ladder<Tokens> =>
  tokensFor(app, { grant_type: 'refresh_token', refresh_token: token })

export function* userInfo(token: string): Ladder<void> {
  yield requestBytes('GET', PATHS.userinfo, {
    headers: { ...fromNewClient(), authorization: `Bearer ${token}` },
  })
}
