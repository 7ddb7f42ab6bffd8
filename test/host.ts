// Starts the real host over TLS for a test, with its own database, a manual clock and a mocked outgoing network. Every
// answer and event is checked against its declaration.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { Agent, type Dispatcher, MockAgent, request } from 'undici'
import { readConfig } from '../src/config.ts'
import { manualClock } from '../src/engines/clock/clock.ts'
import type { Database, Engines, Envelope, Http, Mail } from '../src/engines/engines.ts'
import { httpOver } from '../src/engines/http/http.ts'
import { openLog } from '../src/engines/log/log.ts'
import { openPasswords } from '../src/engines/passwords/passwords.ts'
import { systemRandom } from '../src/engines/random/random.ts'
import { openSeal } from '../src/engines/seal/seal.ts'
import { openWarehouse } from '../src/engines/warehouse/warehouse.ts'
import { CONNECTION_LIMITS, type ConnectionLimits, openConnections } from '../src/host/connections.ts'
import { type HostOptions, openHost } from '../src/host/host.ts'
import { type ListenerOptions, openListener } from '../src/host/listener.ts'
import { type Log, logInto } from '../src/host/log.ts'
import { openRefusals } from '../src/host/refusals.ts'
import { requestIds } from '../src/host/server.ts'
import type { OrgId, Role } from '../src/kit/caller.ts'
import { SESSION_COOKIE } from '../src/kit/host/credentials.ts'
import type { IdentityProvider, SignIn } from '../src/kit/host/sign-in.ts'
import { type Service, settingsOf } from '../src/kit/service.ts'
import { beginSession, type Keyring, keepKey, newKeyText } from '../src/services/account/public.ts'
import { createOrganisation } from '../src/services/iam/public.ts'
import { services } from '../src/services/index.ts'
import { CHEAP_HASH, type DatabaseAt, env, OWNER_PASSWORD, sameDatabase, testDatabase } from './database.ts'
import { checkedLog, checkOutcome } from './declared.ts'
import { testMail } from './mail.ts'
import { recordStart } from './start-times.ts'

export type TestOptions = Partial<
  Pick<
    HostOptions,
    | 'services'
    | 'upstreams'
    | 'trusted'
    | 'hsts'
    | 'files'
    | 'pages'
    | 'runsBackground'
    | 'bodyBytesMax'
    | 'answerBytesMax'
    | 'ownOrigins'
  > &
    Pick<ListenerOptions, 'timeouts'> & {
      http: Http
      /** Instead of the mail that is kept in files; mail still goes to `mails`. */
      mail: Omit<Mail, 'send'>
      /** The time of the test's clock; `real` follows the system's, as oidc-provider does. */
      now: string
      riskMirror: string
      connections: Partial<ConnectionLimits>
      /** Settings of services that differ from their defaults. */
      settings: Record<string, unknown>
      /** Wraps the database that the host uses. */
      wrapDb: (db: Database) => Database
      dbConnections: number
      dbQueue: number
      /** Starts another process on the database of this host, with its clock and organisations. */
      beside: Running
    }
>
type Organisation = { org: OrgId; user: string; key: string; email: string; password: string }
type Running = Record<'home' | 'other' | 'admin', Organisation> & {
  clock: ReturnType<typeof manualClock>
  engines: Pick<Engines, 'seal'>
  database: DatabaseAt
  /** Stop the processes on its database, which end before it is dropped. */
  besides: (() => Promise<void>)[]
}
// biome-ignore lint/suspicious/noExplicitAny: each operation answers another type
export type Answer = { status: number; headers: Record<string, string>; body: any; text: string }
/** `as` is the bearer credential; null sends none. */
export type RequestOptions = { as?: string | null; body?: unknown; headers?: Record<string, string> }
export type TestHost = Awaited<ReturnType<typeof startHost>>

/** The public origins of the test host. */
export const OWN_ORIGINS = ['https://stoa.example', 'https://id.stoa.example']

const tlsDirectory = () => env('STOA_TEST_TLS')
export const CA = () => readFileSync(join(tlsDirectory(), 'ca.pem'), 'utf8')

/** Stops the host after the test of the given context; without one, after all tests of the file. */
export async function startHost(options: TestOptions = {}, t?: TestContext) {
  const [startedMs, cpuBefore] = [performance.now(), process.cpuUsage()]
  const host = await openTestHost(options, t)
  recordStart(startedMs, cpuBefore)
  return host
}

async function openTestHost(options: TestOptions, t?: TestContext) {
  const { db, at, drop } = options.beside ? sameDatabase(options.beside.database) : await testDatabase(options)
  const violations: string[] = []
  const world = testEngines(options.wrapDb?.(db) ?? db, options, violations)
  const { engines, clock } = world
  const logged: string[] = []
  const { identity, acceptSignIns } = testIdentity()
  const write = (line: string) => {
    logged.push(line)
    if (OF_BACKGROUND.test(line)) world.warnings.push(line)
  }
  const log = logInto('info', clock, { write })
  const opened = await testListener(log, options)
  const { listener, connections } = opened
  const baseUrl = `https://localhost:${listener.port}`
  const { capturing, keyringOf } = captureKeyring(withProviders(options.services ?? services))
  const settings = settingValues(capturing, options)
  const host = await openHost({
    ...hostDefaults(),
    ...options,
    ...opened,
    engines,
    baseUrl,
    identity,
    services: capturing,
    ownOrigins: options.ownOrigins ?? OWN_ORIGINS,
    settings,
    metricsAddress: { host: '127.0.0.1', port: 0 },
    log,
    inspect: (id, operation, outcome) => checkOutcome(id, operation, outcome, violations),
  }).catch(async error => {
    await listener.drain(0)
    await drop()
    throw error
  })
  host.serve()
  const keyring = keyringOf()
  const agent = new Agent({ connect: { ca: CA(), timeout: 60_000 } }) // A thousand simultaneous handshakes take long.
  const accounts = testAccounts(engines)
  const { home, other, admin } = options.beside ?? (await firstOrganisations(accounts.organisation))

  const call = createCall(baseUrl, agent, home.key)
  const besides: Running['besides'] = []
  const stop = once(async () => {
    for (const stopOther of besides) await stopOther()
    await agent.destroy()
    await host.drain(0)
    await engines.log.close()
    connections.close()
    world.keptMail.remove()
    await drop()
    assert.deepEqual(violations, [], 'answers or events that do not match their declaration')
    assert.deepEqual(world.warnings, [], 'warnings of background work')
  })
  options.beside?.besides.push(stop)
  if (t) t.after(stop)
  else after(stop)
  return {
    ...host,
    ...world,
    ...accounts,
    port: listener.port,
    baseUrl,
    call,
    home,
    other,
    admin,
    browser: browserOf(call, accounts.signIn),
    db,
    database: at,
    settings,
    keyring,
    acceptSignIns,
    logged,
    besides,
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => {
    done ??= work()
    return done
  }
}

const hostDefaults = () => ({
  version: '0.0.0-test',
  upstreams: new Map(),
  hsts: false,
  bodyBytesMax: 64 * 1024 * 1024,
  answerBytesMax: 128 * 1024 * 1024,
  files: [],
  runsBackground: false,
  isAlone: false,
})

/** Log lines about failures of consumers and queues. */
const OF_BACKGROUND = /"msg":"(a consumer failed|consumers|queues|the log)"/

const firstOrganisations = async (create: (slug: string) => Promise<Organisation>) => ({
  home: await create('home'),
  other: await create('other'),
  admin: await create('admin'),
})

/** The defaults, and what the test sets. */
function settingValues(all: readonly Service[], { riskMirror = '', settings }: TestOptions): Record<string, unknown> {
  return {
    ...readConfig([], settingsOf(all), {}).services,
    STOA_RISK_MIRROR: riskMirror || null,
    STOA_AI_LOCAL: 'off',
    ...settings,
  }
}

/** Adds the services that the host itself needs. */
function withProviders(chosen: readonly Service[]): readonly Service[] {
  const needed = services.filter(({ name }) => ['iam', 'account', 'projects', 'billing'].includes(name))
  return [...needed.filter(one => !chosen.some(({ name }) => name === one.name)), ...chosen]
}

/** Gives tests access to the keyring that the account service opens. */
function captureKeyring(all: readonly Service[]) {
  const opened: { keyring?: Keyring } = {}
  const capturing = all.map(one => {
    const { open } = one
    if (one.name !== 'account' || !open) return one
    const openAndCapture: Service['open'] = async opening => {
      const account = await open(opening)
      opened.keyring = account.provides?.credentials as Keyring
      return account
    }
    return { ...one, open: openAndCapture }
  })
  return { capturing, keyringOf: () => opened.keyring as Keyring }
}

/** A listener on any free port, with what the rest of its server needs to know of it. */
export async function testListener(log: Log, options: Pick<TestOptions, 'trusted' | 'timeouts' | 'connections'> = {}) {
  const { trusted = null, timeouts = {} } = options
  const pem = readFileSync(join(tlsDirectory(), 'server.pem'), 'utf8')
  const requestId = requestIds(systemRandom, 'req')
  const refusals = openRefusals(log)
  const connections = openConnections({ ...CONNECTION_LIMITS, ...options.connections }, trusted, refusals)
  const [tls, address] = [
    { key: pem, cert: pem },
    { host: '127.0.0.1', port: 0 },
  ]
  const listener = await openListener({ tls, trusted, timeouts, requestId, address, connections, refusals })
  return { listener, requestId, refusals, connections, trusted }
}

/** Engines whose clock, network, DNS and mail server the test controls. */
function testEngines(db: Database, options: TestOptions, violations: string[]) {
  const { now = '2026-11-15T09:00:00.000Z', beside } = options
  const clock = beside?.clock ?? manualClock(now === 'real' ? undefined : now)
  const mockAgent = new MockAgent({ enableCallHistory: true })
  mockAgent.disableNetConnect()
  /** TXT records by name; null if the name servers do not answer. */
  const txt = new Map<string, string[] | null>()
  /** The emitted events, even if their transaction failed afterwards. */
  const emitted: Envelope[] = []
  /** Of background work. A test that expects some removes them. */
  const warnings: unknown[] = []
  const log = openLog({
    random: systemRandom,
    db,
    warn: (...all) => {
      // Partitions of the log are made by the clock of the test, and its events have the time of the database.
      if ((all[0] as { code?: string } | null)?.code !== '23514') warnings.push(all)
    },
  })
  const mail = testMail(clock, options.mail)
  const engines = {
    db,
    log: checkedLog(log, withProviders(options.services ?? services), emitted, violations),
    warehouse: openWarehouse(),
    clock,
    random: systemRandom,
    http: options.http ?? httpOver({ public: mockAgent, configured: mockAgent }),
    seal: beside?.engines.seal ?? openSeal(systemRandom.bytes(32), systemRandom),
    mail: mail.engine,
    passwords: openPasswords(undefined, CHEAP_HASH, 1),
    dns: { txt: async (name: string) => (txt.has(name) ? (txt.get(name) ?? null) : []) },
  }
  return { engines, clock, mockAgent, txt, ...mail.shown, emitted, warnings }
}

/** The host starts without an identity origin, so that sign-in fails; `startIdentity` adds one. */
function testIdentity() {
  let current: IdentityProvider | null = null
  const withoutOrigin: SignIn = {
    issuer: 'https://id.stoa.example',
    url: ({ state, challenge }) => `https://id.stoa.example/?${new URLSearchParams({ state, challenge })}`,
    redeem: async () => null,
    accountUrl: 'https://id.stoa.example/account',
    invitationUrl: token => `https://id.stoa.example/sign-in/invitations/${token}`,
    addressUrl: token => `https://id.stoa.example/sign-in/addresses/${token}`,
    customerMails: () => Promise.reject(new Error('there is no identity origin')),
  }
  const signIn = (): SignIn => current?.signIn ?? withoutOrigin
  const identity: IdentityProvider = {
    verifyToken: async text => (await current?.verifyToken(text)) ?? null,
    signIn: {
      get issuer() {
        return signIn().issuer
      },
      get accountUrl() {
        return signIn().accountUrl
      },
      url: step => signIn().url(step),
      redeem: callback => signIn().redeem(callback),
      invitationUrl: token => signIn().invitationUrl(token),
      addressUrl: token => signIn().addressUrl(token),
      customerMails: org => signIn().customerMails(org),
    },
  }
  const acceptSignIns = (provider: IdentityProvider) => {
    current = provider
  }
  return { identity, acceptSignIns }
}

/** Creates organisations, members and sessions. */
function testAccounts(opened: Pick<Engines, 'db' | 'clock' | 'random' | 'passwords'>) {
  const { db, clock } = opened
  const digest = env('STOA_TEST_DIGEST')
  const engines = { ...opened, passwords: { ...opened.passwords, hash: async () => digest } }
  const organisation = async (slug: string) => {
    const org = slug as OrgId
    const owner = { email: `owner@${slug}.test`, password: OWNER_PASSWORD }
    const user = await db.transaction(tx => createOrganisation({ ...engines, db: tx }, { org, name: slug, owner }))
    return { org, user, key: await issueKey(org, user), ...owner }
  }
  const issueKey = async (org: OrgId, user: string) => {
    const text = newKeyText(engines.random, 'secret')
    await db.transaction(tx => keepKey({ ...engines, db: tx }, { org, user, name: 'test', type: 'secret', text }))
    return text
  }
  /** Adds a user with a key to an organisation. */
  const member = async (org: OrgId, role: Role) => {
    const user = `usr_${engines.random.token(24)}`
    const email = `${user.toLowerCase()}@${org}.test`
    await db`insert into users (id, email, password, created)
      values (${user}, ${email}, ${digest}, ${clock.now().toISOString()})`
    await join(org, user, role)
    return { org, user, email, key: await issueKey(org, user) }
  }
  /** Makes an existing user a member, as if they had accepted an invitation and chosen their password. */
  const join = async (org: OrgId, user: string, role: Role) => {
    await db`update users set password_by = null where id = ${user}`
    await db`insert into members (org, user_id, email, role, created)
      select ${org}, id, email, ${role}, ${clock.now().toISOString()} from users where id = ${user}`
  }
  /** The headers of a browser with a session of that user. */
  const signIn = async ({ org, user }: { org: OrgId; user: string }, lastsMs = 3_600_000) => {
    const grant = engines.random.token(43)
    await db`insert into oidc (brand, model, digest, payload, user_id, org, consumed)
      values ('default', 'Grant', sha256(convert_to(${grant}, 'UTF8')), '{"iat": 1794733200}', ${user}, ${org}, now())`
    const session = await db.transaction(tx =>
      beginSession({ ...engines, db: tx }, { org, user, signIn: grant, lastsMs }),
    )
    return { cookie: `theme=dark; ${SESSION_COOKIE}=${session}` }
  }
  return { organisation, member, join, signIn }
}

/** Signs a user in; returns the options of their browser's requests. */
function browserOf(call: ReturnType<typeof createCall>, signIn: ReturnType<typeof testAccounts>['signIn']) {
  return async (user: { org: OrgId; user: string }) => {
    const session = await signIn(user)
    const { csrfToken } = (await call('GET /v1/account/csrf', { as: null, headers: session })).body
    return { as: null, headers: { ...session, 'x-csrf-token': csrfToken as string } }
  }
}

/** Calls a route such as `GET /v1/projects`, by default with the key of `home`. */
function createCall(baseUrl: string, dispatcher: Agent, key: string) {
  return async (route: string, { as = key, body, headers }: RequestOptions = {}): Promise<Answer> => {
    const [method, path] = route.split(/ (.*)/s) as [Dispatcher.HttpMethod, string]
    const response = await request(baseUrl + path, {
      dispatcher,
      method,
      headers: {
        ...(as !== null && { authorization: `Bearer ${as}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isBytes(body) ? body : body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.body.text()
    const json = String(response.headers['content-type']).startsWith('application/json')
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
      body: json && text ? JSON.parse(text) : null,
      text,
    }
  }
}

const isBytes = (body: unknown): body is string | Uint8Array =>
  typeof body === 'string' ||
  (typeof body === 'object' && body !== null && (body instanceof Uint8Array || Symbol.asyncIterator in body))
