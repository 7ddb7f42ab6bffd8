// Starts the identity origin for a test host, and provides a minimal browser: cookies, redirects and forms.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after } from 'node:test'
import * as client from 'openid-client'
import { Agent, fetch as undiciFetch } from 'undici'
import { type IdentityOptions, openIdentity } from '../src/identity/identity.ts'
import { openPasswordLimiter } from '../src/identity/password-limiter.ts'
import { openBounds } from '../src/kit/tables/bounds.ts'
import { CALLBACK_PATH, LOGIN_PATH } from '../src/services/account/public.ts'
import { OWN_CLIENT, openDirectory, syncBrands } from '../src/services/iam/public.ts'
import { type Answer, CA, type TestHost } from './host.ts'

export const AUDIENCE = 'https://stoa.example'

type StartOptions = Partial<Pick<IdentityOptions, 'audience' | 'corsHeaders' | 'starts'> & { brand: string }>

export async function startIdentity(host: TestHost, options: StartOptions = {}): Promise<Identity> {
  const { brand = 'default', audience = AUDIENCE, corsHeaders = async () => null, starts = () => 0 } = options
  const pem = readFileSync(join(process.env.STOA_TEST_TLS as string, 'server.pem'))
  const server = createServer({ key: pem, cert: pem })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`
  const failures: unknown[] = []
  const own = { client: OWN_CLIENT, callback: audience + CALLBACK_PATH, loginUrl: audience + LOGIN_PATH }
  const brands = [...new Set([...(brandsOf.get(host) ?? []), brand])]
  brandsOf.set(host, brands)
  const issuers = new Map(brands.map(name => [name, `https://${name}.example`]))
  await syncBrands(host.engines, issuers, new Map(), own.callback)
  const opened = await openIdentity({
    engines: host.engines,
    directory: await openDirectory(host.engines, brand, {
      bounds: openBounds(host.engines.clock, host.settings),
      source: audience,
    }),
    issuer,
    audience,
    own,
    limiter: openPasswordLimiter(host.engines),
    starts,
    addressOf: request => String(request.headers['x-test-address'] ?? request.socket.remoteAddress),
    corsHeaders,
    isDisposable: host.isDisposable,
    onError: error => failures.push(error),
    onTooMany: () => {},
  })
  const { handle } = opened
  server.on('request', handle)
  const agent = new Agent({ connect: { ca: CA() } })
  after(async () => {
    await agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  const fetch = ((url: string, init?: object) =>
    undiciFetch(url, { ...init, dispatcher: agent } as never)) as unknown as typeof globalThis.fetch
  host.acceptSignIns(opened)
  const identity = {
    issuer,
    brand,
    fetch,
    failures,
    verifyToken: opened.verifyToken,
    browser: () => openBrowser(fetch),
    copyOf: ({ jar }: Browser) => openBrowser(fetch, jar),
  }
  started.set(host, identity)
  return identity
}

const started = new WeakMap<TestHost, Identity>()
const brandsOf = new WeakMap<TestHost, string[]>()

/** The identity origin that was started for a host. */
export function identityOf(host: TestHost): Identity {
  const identity = started.get(host)
  assert.ok(identity, 'call startIdentity(host) first')
  return identity
}

export type Page = { url: string; status: number; text: string; headers: Headers }

type Cookie = { value: string; path: string }

/** Sends cookies by path prefix, follows redirects on the same origin, and stops at redirects to another one (the app).
 *  */
export function openBrowser(fetch: typeof globalThis.fetch, cookies: Iterable<[string, Cookie]> = []) {
  const jar = new Map(cookies)

  async function go(
    url: string,
    init: { method?: string; body?: string; headers?: Record<string, string> } = {},
  ): Promise<Page> {
    const { origin, pathname } = new URL(url)
    const cookie = [...jar]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
    const form = init.body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...form, ...init.headers, cookie } })
    for (const line of response.headers.getSetCookie()) storeCookie(line, pathname)
    const location = response.headers.get('location')
    const next = location === null ? null : new URL(location, url)
    if (next && next.origin === origin) {
      await response.arrayBuffer()
      return go(next.href, { headers: init.headers ?? {} })
    }
    return { url: next?.href ?? url, status: response.status, text: await response.text(), headers: response.headers }
  }

  function storeCookie(line: string, pathname: string): void {
    const [pair = '', ...attributes] = line.split(/; */)
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const path = attributes.find(attribute => /^path=/i.test(attribute))?.slice(5) ?? pathname
    if (value === '' || attributes.some(attribute => /^expires=Thu, 01 Jan 1970/i.test(attribute))) jar.delete(name)
    else jar.set(name, { value, path })
  }

  /** Submits the form of the page, including its hidden fields. */
  const submit = (page: Page, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const action = page.text.match(/<form[^>]* action="([^"]+)"/)?.[1] ?? ''
    const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name, value]) => [name, value] as [string, string],
    )
    const body = new URLSearchParams([...hidden, ...Object.entries(fields)]).toString()
    return go(new URL(action, page.url).href, { method: 'POST', body, headers })
  }

  return { go, submit, jar }
}

export type Identity = {
  issuer: string
  brand: string
  fetch: typeof globalThis.fetch
  failures: unknown[]
  verifyToken: (text: string) => Promise<unknown>
  browser: () => Browser
  /** A second browser with the same cookies: another tab, or an attacker who copied them. */
  copyOf: (browser: Browser) => Browser
}
export type Browser = ReturnType<typeof openBrowser>
export type RegisteredApp = Awaited<ReturnType<typeof registerApp>>
type Credentials = { email: string; password: string }
type AppOptions = {
  app: string
  type?: 'confidential' | 'public'
  as?: string
  logoutUris?: string[]
  trusted?: boolean
  /** Whom it admits, and what else its registration says. */
  more?: Record<string, unknown>
}

/** Registers an app and plays its part: sends a browser to sign in, and requests tokens. */
export async function registerApp(host: TestHost, identity: Identity, options: AppOptions) {
  const {
    app,
    type = 'confidential',
    as = host.home.key,
    logoutUris = [],
    trusted = false,
    more: chosen = {},
  } = options
  const callback = `https://${app}.example.com/callback`
  const { brand } = identity
  const body = {
    app,
    brand,
    name: `The ${app}`,
    type,
    redirectUris: [callback],
    logoutUris,
    trusted,
    people: 'team',
    ...chosen,
  }
  const { id, secret } = (await host.call('POST /v1/iam/apps', { as, body })).body
  const authentication = secret ? client.ClientSecretBasic(secret) : client.None()
  const configuration = await client.discovery(new URL(identity.issuer), id, undefined, authentication, {
    [client.customFetch]: identity.fetch as never,
  })

  /** Builds an authorization request; parameters in `more` are changed, or removed if null. */
  async function begin(more: Record<string, string | null> = {}) {
    const [verifier, state, nonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()]
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: 'openid profile email',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    })
    for (const [name, value] of Object.entries(more)) {
      if (value === null) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
    }
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce }
    return { url: url.href, checks, verifier, state, nonce }
  }

  /** Signs in up to the redirect to the app with a code; submits the form if one is shown. */
  async function enter(who: Credentials, browser = identity.browser(), more: Record<string, string | null> = {}) {
    const begun = await begin(more)
    const page = await browser.go(begun.url)
    const back = page.text.includes('<form') ? await browser.submit(page, who) : page
    assert.ok(back.url.startsWith(`${callback}?`), `${back.status} ${back.url} ${back.text}`)
    return { ...begun, browser, sawForm: page !== back, url: back.url, query: new URL(back.url).searchParams }
  }

  /** Signs a person in and redeems the code for tokens. */
  async function signIn(who: Credentials, browser?: Browser, more?: Record<string, string | null>) {
    const entered = await enter(who, browser, more)
    const tokens = await client.authorizationCodeGrant(configuration, new URL(entered.url), entered.checks)
    return { ...entered, tokens, claims: tokens.claims() as Record<string, unknown> & { sub: string } }
  }

  const endpoint = tokenEndpoint(identity, { id, secret, callback })
  return { id, secret: secret as string, callback, configuration, begin, enter, signIn, ...endpoint }
}

/** Calls the token endpoint directly, with the app's secret unless other headers are given. */
function tokenEndpoint(identity: Identity, app: { id: string; secret?: string; callback: string }) {
  const { id, secret, callback } = app
  const basic = { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }

  async function token(form: Record<string, string>, headers: Record<string, string> = secret ? basic : {}) {
    const body = new URLSearchParams(secret ? form : { client_id: id, ...form })
    const response = await identity.fetch(`${identity.issuer}/v1/iam/oauth/token`, { method: 'POST', body, headers })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }
  }
  const redeem = (code: string | null, verifier: string, more: Record<string, string> = {}) => {
    const form = { code: `${code}`, redirect_uri: callback, code_verifier: verifier, ...more }
    return token({ grant_type: 'authorization_code', ...form })
  }
  const refresh = (refreshToken: string | undefined, more: Record<string, string> = {}) =>
    token({ grant_type: 'refresh_token', refresh_token: `${refreshToken}`, ...more })
  return { token, redeem, refresh }
}

/** Adds a member with a password that an admin set. */
export async function plantPerson(host: TestHost, email: string, as = host.home.key) {
  const password = 'walnut-desk-twelve-green'
  const { user } = (await host.call('POST /v1/iam/members', { as, body: { email, role: 'member', password } })).body
  return { email, password, user: user as string }
}

/** Adds a member with a password, as if they had chosen it. */
export async function addPerson(host: TestHost, email: string, as = host.home.key) {
  const person = await plantPerson(host, email, as)
  await host.db`update users set password_by = null where id = ${person.user}`
  return person
}
