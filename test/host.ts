// Starts the product itself for a test: the real host over TLS on a database of its own, with a clock the test moves
// and an outgoing network that is sealed. Every answer is held against its declaration.
import assert from 'node:assert/strict'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { Agent, type Dispatcher, MockAgent, request } from 'undici'
import { manualClock } from '../src/engines/clock/clock.ts'
import { DATABASE_USER } from '../src/engines/db/embedded/server.ts'
import { openPostgres } from '../src/engines/db/postgres.ts'
import { type Database, type Engines, EngineUnavailable, type Http } from '../src/engines/engines.ts'
import { httpOver } from '../src/engines/http/http.ts'
import { systemRandom } from '../src/engines/random/random.ts'
import { openSeal } from '../src/engines/seal/seal.ts'
import { HOST_FAULTS } from '../src/host/faults.ts'
import { type HostOptions, openHost } from '../src/host/host.ts'
import { logInto } from '../src/host/log.ts'
import type { Identity } from '../src/identity/origin.ts'
import type { OrgId, Role } from '../src/kit/caller.ts'
import { compileCheck } from '../src/kit/check.ts'
import { SESSION_COOKIE } from '../src/kit/credentials.ts'
import { nothing, type Operation, stream } from '../src/kit/operation.ts'
import type { SignIn } from '../src/kit/sign-in.ts'
import { beginSession, keepKey, newKeyText, openKeyring } from '../src/services/account/public.ts'
import { auditTrail, foundOrganisation } from '../src/services/iam/public.ts'
import { services } from '../src/services/index.ts'
import { openVerifiedHosts } from '../src/services/projects/public.ts'

export type TestOptions = Partial<
  Pick<HostOptions, 'services' | 'upstreams' | 'trusted' | 'timeouts' | 'hsts'> & {
    http: Http
    now: string
    riskMirror: string
    works: boolean
    dbConnections: number
    dbQueue: number
  }
>
/** A test reads what it expects, and fails on what is not there. */
// biome-ignore lint/suspicious/noExplicitAny: answers are as various as the operations
export type Answer = { status: number; headers: Record<string, string>; body: any; text: string }
export type Ask = { as?: string | null; body?: unknown; headers?: Record<string, string> }
export type TestHost = Awaited<ReturnType<typeof startHost>>

type SentMail = Parameters<Engines['mail']['send']>[0]

/** How the test host is called from outside. */
export const OWN_ORIGINS = ['https://stoa.example', 'https://id.stoa.example']

const tlsDirectory = () => env('STOA_TEST_TLS')
export const CA = () => readFileSync(join(tlsDirectory(), 'ca.pem'), 'utf8')

/** Called at the top of a test file, or with the context of the one test that needs a host of its own kind. */
export async function startHost(options: TestOptions = {}, t?: TestContext) {
  const { db, at, drop } = await testDatabase(options)
  const { engines, clock, sealed, txt, mails, post } = testEngines(db, options)
  const broken: string[] = []
  const logged: string[] = []
  const pem = readFileSync(join(tlsDirectory(), 'server.pem'), 'utf8')
  const { keyring, signIn: ownSignIn, acceptSignIns } = await testKeyring(engines)
  const host = await openHost({
    services,
    upstreams: new Map(),
    trusted: null,
    hsts: false,
    ...options,
    engines,
    credentials: keyring,
    signIn: ownSignIn,
    ownOrigins: () => OWN_ORIGINS,
    isVerified: await openVerifiedHosts(db, clock),
    audit: auditTrail,
    settings: { riskMirror: options.riskMirror ?? null },
    works: options.works ?? false,
    address: { host: '127.0.0.1', port: 0, metricsHost: '127.0.0.1', metricsPort: 0 },
    tls: { key: pem, cert: pem },
    log: logInto('info', clock, { write: line => void logged.push(line) }),
    inspect: (id, operation, outcome) => inspect(id, operation, outcome, broken),
  })
  const baseUrl = `https://localhost:${host.port}`
  const agent = new Agent({ connect: { ca: CA(), timeout: 60_000 } }) // A thousand handshakes at once take their time.
  const { organisation, member, signIn } = people(engines)
  const [home, other, admin] = [await organisation('home'), await organisation('other'), await organisation('admin')]

  const call = caller(baseUrl, agent, home.key)
  const stop = async () => {
    await agent.destroy()
    await host.drain(0)
    await keyring.close()
    await drop()
    assert.deepEqual(broken, [], 'answers that break their own declaration')
  }
  if (t) t.after(stop)
  else after(stop)
  const everybody = { home, other, admin, organisation, member, signIn }
  const inside = { clock, db, database: at, engines, keyring, acceptSignIns, logged, sealed, txt, mails, post }
  return { ...host, baseUrl, call, ...everybody, ...inside }
}

/** The outside world, in the hands of the test. */
function testEngines(db: Database, options: TestOptions) {
  const clock = manualClock(options.now ?? '2026-11-15T09:00:00.000Z')
  const sealed = new MockAgent()
  sealed.disableNetConnect()
  /** The TXT records of the world; null where the name servers do not answer. */
  const txt = new Map<string, string[] | null>()
  const mails: SentMail[] = []
  /** A test makes the mail server refuse by throwing here. */
  const post = { take: (mail: SentMail) => void mails.push(mail) }
  const engines = {
    db,
    clock,
    random: systemRandom,
    http: options.http ?? httpOver({ public: sealed, operator: sealed }),
    seal: openSeal(systemRandom.bytes(32), systemRandom),
    mail: { send: async (mail: SentMail) => post.take(mail) },
    dns: { txt: async (name: string) => (txt.has(name) ? (txt.get(name) ?? null) : []) },
  }
  return { engines, clock, sealed, txt, mails, post }
}

/** Nobody signs in at a host without an identity origin; `startIdentity` gives it one. */
async function testKeyring({ db, clock, seal }: Engines) {
  let accepted: Pick<Identity, 'verifyToken' | 'signIn'> | null = null
  const keyring = await openKeyring({
    ...{ db, clock, seal },
    // A database that a test has closed is no failure of ours.
    warn: error => assert.ok(error instanceof EngineUnavailable, error as Error),
    verifyToken: async text => (await accepted?.verifyToken(text)) ?? null,
  })
  const nowhere: SignIn = {
    issuer: 'https://id.stoa.example',
    url: step => `https://id.stoa.example/?${new URLSearchParams(step)}`,
    redeem: async () => null,
    invitationUrl: token => `https://id.stoa.example/sign-in/invitations/${token}`,
  }
  const signIn = () => accepted?.signIn ?? nowhere
  const acceptSignIns = (identity: Pick<Identity, 'verifyToken' | 'signIn'>) => {
    accepted = identity
  }
  return { keyring, signIn, acceptSignIns }
}

/** Makes who calls. */
function people(engines: Pick<Engines, 'db' | 'clock' | 'random'>) {
  const { db, clock } = engines
  const organisation = async (slug: string) => {
    const org = slug as OrgId
    const owner = { email: `owner@${slug}.test`, password: 'not used by any test' }
    const user = await foundOrganisation(engines, { org, name: slug, owner })
    return { org, user, key: await mint(org, user), ...owner }
  }
  const mint = async (org: OrgId, user: string) => {
    const text = newKeyText(engines.random, 'secret')
    await keepKey(engines, { org, user, name: 'test', type: 'secret', text })
    return text
  }
  /** A further person in an organisation, with a key. */
  const member = async (org: OrgId, role: Role) => {
    const user = `usr_${engines.random.token(24)}`
    const email = `${user.toLowerCase()}@${org}.test`
    await db`insert into users (id, email, created) values (${user}, ${email}, ${clock.now().toISOString()})`
    await db`insert into members (org, user_id, role, created) values (${org}, ${user}, ${role}, ${clock.now().toISOString()})`
    return { org, user, email, key: await mint(org, user) }
  }
  /** Headers of a browser in which that person is signed in. */
  const signIn = async ({ org, user }: { org: OrgId; user: string }, lastsMs = 3_600_000) => ({
    cookie: `theme=dark; ${SESSION_COOKIE}=${await beginSession(engines, { org, user, signIn: null, lastsMs })}`,
  })
  return { organisation, member, signIn }
}

/** Calls routes, `GET /v1/projects`, with home's key unless told otherwise. */
function caller(baseUrl: string, dispatcher: Agent, key: string) {
  return async (route: string, { as = key, body, headers }: Ask = {}): Promise<Answer> => {
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

/** A database cloned from the migrated template, dropped afterwards. */
export async function testDatabase({ dbConnections = 5, dbQueue = 50 }: TestOptions = {}): Promise<{
  db: Database
  at: { socketDirectory: string; database: string; user: string }
  drop(): Promise<void>
}> {
  const socketDirectory = env('STOA_TEST_SOCKETS')
  const open = (database: string, connectionsMax: number, queueMax: number) =>
    openPostgres({ at: { socketDirectory, database, user: DATABASE_USER }, connectionsMax, queueMax })
  const name = `test_${systemRandom.token(12).toLowerCase()}`
  const script = async (text: string) => {
    const maintenance = open('postgres', 1, 1)
    await maintenance.script(text)
    await maintenance.close()
  }
  await script(`create database ${name} template template_stoa`)
  const db = open(name, dbConnections, dbQueue)
  return {
    db,
    at: { socketDirectory, database: name, user: DATABASE_USER },
    drop: async () => {
      await db.close()
      await script(`drop database ${name} with (force)`)
    },
  }
}

const isBytes = (body: unknown): body is string | Uint8Array =>
  typeof body === 'string' ||
  (typeof body === 'object' && body !== null && (body instanceof Uint8Array || Symbol.asyncIterator in body))

const outputChecks = new WeakMap<Operation, ReturnType<typeof compileCheck>>()

/** Holds an answer against its declaration, and notes which faults were produced: `tools/test.ts` reads the notes. */
const inspect = (
  id: string,
  operation: Operation,
  outcome: Parameters<NonNullable<HostOptions['inspect']>>[2],
  broken: string[],
) => {
  if ('fault' in outcome) {
    const { code, cause } = outcome.fault
    const record = process.env.STOA_TEST_RECORD
    if (record) appendFileSync(record, `${id} ${code}\n`)
    if (!operation.faults.includes(code) && !HOST_FAULTS.includes(code)) broken.push(`${id} raised ${code}: ${cause}`)
  } else if (operation.output === nothing) {
    if (outcome.output !== undefined) broken.push(`${id} declares no output and answered some`)
  } else if (operation.output !== stream) {
    const check = outputChecks.get(operation) ?? compileCheck(operation.output)
    outputChecks.set(operation, check)
    if (!check.passes(outcome.output)) broken.push(`${id}: ${JSON.stringify(check.faults(outcome.output))}`)
  }
}

function env(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error('Run tests with `npm test`, or `npm test -- path/to/one.test.ts`: it starts the database')
  return value
}
