// Derived from the declarations: every kind of credential against every operation, over HTTP, in-process and through MCP.
// The expected outcome of each pair follows only from the documented rules, and is the same for all three.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { isSafe } from '../src/host/faults.ts'
import { Fault } from '../src/kit/fault.ts'
import type { Operation, RequestFacts } from '../src/kit/operation.ts'
import { newKeyText } from '../src/services/account/public.ts'
import { isWithheld, toolName } from '../src/services/mcp/tools.ts'
import { allOperations, allServices, type Entry, exampleInput, fieldsOf, type Input, methodOf, send } from './derive.ts'
import { type RequestOptions, startHost } from './host.ts'
import { addPerson, registerApp, startIdentity } from './identity.ts'
import { FAILING_OR_ENDLESS, SLOW_OPERATIONS } from './specimen.ts'

// Every operation refuses many credentials within the same minute of the test's clock.
const host = await startHost({ services: allServices, settings: { STOA_REFUSED_PER_MINUTE: 100_000 } })
const entries = allOperations.filter(({ id }) => !FAILING_OR_ENDLESS.includes(id) && !SLOW_OPERATIONS.includes(id))

async function keyWith(bounds: object, as = host.home.key): Promise<string> {
  const answer = await host.call('POST /v1/account/keys', { as, body: { name: 'kind', ...bounds } })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.key
}

const PROJECT = 'the-one'
const member = await host.member(host.home.org, 'member')
const revoked = await keyWith({})
await host.db`update keys set revoked_at = now() where prefix = ${revoked.slice(0, 11)}`
const expired = await keyWith({ expires: new Date(host.clock.now().getTime() + 1).toISOString() })
host.clock.advance(1)
/** The old text of a rotated key of another owner: each account allows only a few wrong passwords. */
const formerText = async (overlap: number): Promise<string> => {
  const { key: as } = await host.member(host.home.org, 'owner')
  const { id, key } = (await host.call('POST /v1/account/keys', { as, body: { name: 'kind' } })).body
  await host.call(`POST /v1/account/keys/${id}/rotate`, { as, body: { overlap } })
  return key
}
const exhausted = await keyWith({ rate: 1 })
await host.call('GET /v1/projects', { as: exhausted })
const broke = await keyWith({ budget: { total: 1 } })
await host.call('POST /v1/specimen/spend', { as: broke, body: { units: 1_000_000 } })
/** A new browser session for each call, because one of the operations signs out. */
const browser = async (more: { token: boolean }) =>
  more.token ? host.browser(host.home) : { as: null, headers: await host.signIn(host.home) }

const workspace = (await host.call('POST /v1/iam/workspaces', { body: { name: 'Team' } })).body.id
const tokenBody = { expires: new Date(host.clock.now().getTime() + 1_000).toISOString() }
const workspaceToken = async (body: object) =>
  (await host.call(`POST /v1/iam/workspaces/${workspace}/tokens`, { body })).body.token
const endedToken = await workspaceToken(tokenBody)
host.clock.advance(1_000)

const identity = await startIdentity(host, { audience: host.baseUrl })
const appOf = (app: string, more: object) => registerApp(host, identity, { app, more: { ...more } })
const [shop, staff, former] = [
  await appOf('shop', { people: 'users' }),
  await appOf('staff', {}),
  await appOf('former', {}),
]
await host.db`update apps set may_write = true where id = ${former.id}`
const ada = await addPerson(host, 'ada@example.com')
const password = 'walnut-desk-twelve-green'
const tokenOf = (app: typeof shop, who: { email: string; password: string }) => async () =>
  (await app.signIn(who)).tokens.access_token
/** A token ends with its sign-in, which some operations end: those get one of their own. */
const reused = (make: () => Promise<string>) => {
  let shared: Promise<string> | null = null
  return async ({ admits, endsCredential }: Operation) => {
    if (admits.length > 0 || endsCredential) return { as: await make() }
    shared ??= make()
    return { as: await shared }
  }
}
let customers = 0
/** Of a new customer, because one of the operations deletes them. */
async function customerToken() {
  const who = { email: `customer${++customers}@example.com`, password }
  await host.call('POST /v1/iam/users', { body: { ...who, emailVerified: true } })
  return tokenOf(shop, who)()
}
const asCustomer = ({ access, admits }: Operation): Outcome =>
  access === 'public' || admits.includes('users') ? 'open' : 403
/** The token of an app that is not trusted reads and writes events. */
const asApp = (operation: Operation): Outcome => {
  const { access, admits } = operation
  const mayWrite = access === 'public' || access === 'ingest' || admits.includes('apps')
  return mayWrite || !writes(operation) ? asFormerApp(operation) : 403
}
const asFormerApp = (operation: Operation): Outcome => {
  if (operation.access === 'person' || operation.access === 'superadmin') return 403
  const { issuesCredential, endsCredential, admits } = operation
  return issuesCredential || (endsCredential && !admits.includes('apps')) ? 403 : byRole('member')(operation)
}

type Outcome = 'open' | 401 | 402 | 403 | 429
/** For a valid key of a person with this role. */
const byRole =
  (role: 'member' | 'owner' | 'superadmin') =>
  (operation: Operation): Outcome => {
    if (operation.access === 'person') return 403
    if (operation.access === 'superadmin') return role === 'superadmin' ? 'open' : 403
    return operation.access === 'admin' && role === 'member' ? 403 : 'open'
  }
const asOwner = byRole('owner')
const signedIn = (operation: Operation): Outcome => (operation.access === 'person' ? 'open' : asOwner(operation))
/** For an owner's key with limits: it may not call what `forbids` matches, except to end credentials, and may never issue one. */
const bounded =
  (forbids: (operation: Operation) => boolean) =>
  (operation: Operation): Outcome => {
    if (operation.access === 'public') return 'open'
    if (operation.issuesCredential || (forbids(operation) && !operation.endsCredential)) return 403
    return asOwner(operation)
  }
const writes = ({ access, method }: Operation) => access === 'ingest' || !isSafe(method)
const guarded =
  (outcome: Outcome, atIngest: Outcome = outcome, atReader: Outcome = outcome) =>
  ({ access }: Operation): Outcome => {
    if (access === 'public') return 'open'
    if (access === 'ingest') return atIngest
    return access === 'reader' ? atReader : outcome
  }

/** For callers without a valid credential; an expired key is recognised and reported as such. */
const unvalidated =
  (expects: (operation: Operation) => Outcome) =>
  (operation: Operation): Outcome =>
    operation.withoutCredential === null ? expects(operation) : 403

type Kind = {
  ask: RequestOptions | ((operation: Operation) => Promise<RequestOptions>)
  expects: (operation: Operation) => Outcome
}
const perService = (limit: (service: string) => string[]) => {
  const made = new Map<string, Promise<string>>()
  return async ({ service }: Operation) => {
    const key = made.get(service) ?? keyWith({ limit: limit(service || 'iam') })
    made.set(service, key)
    return { as: await key }
  }
}
const another = (service: string) => (service === 'event' ? 'risk' : 'event')

const kinds: Record<string, Kind> = {
  'no credential': { ask: { as: null }, expects: unvalidated(guarded(401)) },
  'another spelling': { ask: { as: `tk-${host.home.key.slice(3)}` }, expects: unvalidated(guarded(401, 403)) },
  'an unknown secret key': {
    ask: { as: newKeyText(host.engines.random, 'secret') },
    expects: unvalidated(guarded(401, 403)),
  },
  'an unknown publishable key': { ask: { as: newKeyText(host.engines.random, 'publishable') }, expects: guarded(403) },
  'an expired key': { ask: { as: expired }, expects: guarded(401) },
  'a revoked key': { ask: { as: revoked }, expects: guarded(401) },
  'a replaced key': { ask: { as: await formerText(0) }, expects: guarded(401) },
  'a key that is being replaced': { ask: { as: await formerText(604_800) }, expects: asOwner },
  'a publishable key': { ask: { as: await keyWith({ type: 'publishable' }) }, expects: guarded(403, 'open') },
  "a workspace's token": { ask: { as: await workspaceToken({}) }, expects: guarded(403, 'open', 'open') },
  "a workspace's expired token": { ask: { as: endedToken }, expects: unvalidated(guarded(403, 403, 401)) },
  "a member's key": { ask: { as: member.key }, expects: byRole('member') },
  "an owner's key": { ask: { as: host.home.key }, expects: asOwner },
  "a superadmin's key": { ask: { as: host.admin.key }, expects: byRole('superadmin') },
  'a key for this service': { ask: perService(name => [`product:${name}`]), expects: bounded(() => false) },
  'a key to read this service': { ask: perService(name => [`read:${name}`]), expects: bounded(writes) },
  'a key for another service': { ask: perService(name => [`product:${another(name)}`]), expects: bounded(() => true) },
  'a key to read another': { ask: perService(name => [`read:${another(name)}`]), expects: bounded(() => true) },
  'a key to read anything': { ask: { as: await keyWith({ limit: ['read:*'] }) }, expects: bounded(writes) },
  'a key for one model': { ask: { as: await keyWith({ limit: ['model:one'] }) }, expects: bounded(() => false) },
  'a key for another model': {
    ask: { as: await keyWith({ limit: ['model:another'] }) },
    expects: bounded(({ model }) => model !== null),
  },
  'a key for this project': {
    ask: { as: await keyWith({ limit: [`project:${PROJECT}`] }) },
    expects: bounded(({ project }) => project === null),
  },
  'a key for another project': {
    ask: { as: await keyWith({ limit: ['project:another'] }) },
    expects: bounded(({ project }) => project !== 'chosen'),
  },
  'a key within its rate': { ask: { as: await keyWith({ rate: 10_000 }) }, expects: bounded(() => false) },
  'a key beyond its rate': { ask: { as: exhausted }, expects: guarded(429) },
  'a key within its budget': { ask: { as: await keyWith({ budget: { month: 9 } }) }, expects: bounded(() => false) },
  'a key beyond its budget': {
    ask: { as: broke },
    expects: operation => (operation.metered ? 402 : bounded(() => false)(operation)),
  },
  "a customer's token": { ask: reused(customerToken), expects: asCustomer },
  'the token of an app': { ask: reused(tokenOf(staff, ada)), expects: asApp },
  'the token of an app with former rights': { ask: reused(tokenOf(former, ada)), expects: asFormerApp },
  'a session': {
    ask: () => browser({ token: false }),
    expects: operation => (operation.access !== 'public' && writes(operation) ? 403 : signedIn(operation)),
  },
  'a session with its token': { ask: () => browser({ token: true }), expects: signedIn },
}

/** `open` if the credential allows the call, whatever the operation then answers. */
type Verdict = { outcome: Outcome; detail: string }
const refusals = [401, 402, 403, 429]
const verdictOf = (status: number, detail: string): Verdict => ({
  outcome: refusals.includes(status) ? (status as Outcome) : 'open',
  detail: `${status} ${detail.slice(0, 300)}`,
})

async function overHttp(entry: Entry, input: Input, request: RequestOptions): Promise<Verdict> {
  const { status, text } = await send(host, entry, input, request)
  assert.ok(status < 500, text)
  return verdictOf(status, text)
}

/** Like operations that call others. */
async function inProcess(
  { id, operation }: Entry,
  input: Input,
  { as, headers = {} }: RequestOptions,
): Promise<Verdict> {
  const method = methodOf(operation)
  const { cookie, 'x-csrf-token': csrfToken } = headers
  const authorization = as === null ? undefined : `Bearer ${as}`
  const signal = new AbortController().signal
  const facts = { id: 'req_test', method, url: '', headers: {}, ip: '::1', peer: '::1' }
  const request: RequestFacts = { ...facts, isForeignPage: false, signal }
  try {
    const presented = { address: '127.0.0.1', authorization, cookie, csrfToken, isSafe: !writes(operation) }
    const caller = await host.calls.identify(operation, presented)
    await host.calls.call(id, caller, { ...input, ...bodyFor(operation) }, request)
    return verdictOf(operation.status, '')
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    assert.ok(error.status < 500, error.message)
    return verdictOf(error.status, error.message)
  }
}

/** As a model calls it. */
async function throughDoor({ operation }: Entry, input: Input, request: RequestOptions): Promise<Verdict> {
  const call = { name: toolName(operation), arguments: input }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }
  const answer = await host.call('POST /v1/mcp', { ...request, body })
  assert.equal(answer.status, 200, answer.text)
  const { isError = false, content, _meta } = answer.body.result
  return verdictOf(isError ? _meta['stoa/error'].status : operation.status, content[0].text)
}

/** A tool call needs a credential of an organisation, even where HTTP needs none. */
const throughDoorTo =
  (kind: string, expects: Kind['expects']) =>
  (operation: Operation): Outcome => {
    if (operation.access !== 'public') return expects(operation)
    return REFUSED.includes(kind) ? 401 : 'open'
  }
const REFUSED = [
  'no credential',
  'another spelling',
  'an unknown secret key',
  'an unknown publishable key',
  'an expired key',
  'a revoked key',
  'a replaced key',
  "a workspace's expired token",
]

function bodyFor({ bodyKind }: Operation): object {
  if (bodyKind === 'bytes') return { body: Buffer.from('{}') }
  if (bodyKind === 'parsed') return { body: { bytes: Buffer.from('{}'), json: {} } }
  return bodyKind === 'stream' ? { body: Readable.from([]) } : {}
}

describe('every kind of credential', () => {
  for (const entry of entries) {
    const { id, operation } = entry
    it(`is accepted or refused by ${id} as expected, through every door`, async () => {
      for (const [kind, { ask, expects }] of Object.entries(kinds)) {
        const ways = [
          ['HTTP', overHttp, expects],
          ['in-process', inProcess, expects],
          ...(isWithheld(operation) ? [] : [['tool', throughDoor, throughDoorTo(kind, expects)] as const]),
        ] as const
        for (const [way, call, expected] of ways) {
          const input = exampleInput(operation, `matrix-${way.toLowerCase()}`)
          if ('slug' in fieldsOf(operation)) input.slug = PROJECT
          if (operation.model) input[operation.model] = 'one'
          const request = typeof ask === 'function' ? await ask(operation) : ask
          const { outcome, detail } = await call(entry, input, request)
          assert.equal(outcome, expected(operation), `${kind}, ${way}: ${detail}`)
        }
      }
    })
  }

  it('is tried on every kind of operation', () => {
    const seen = new Set(entries.map(({ operation }) => operation.access))
    assert.deepEqual([...seen].sort(), ['admin', 'bearer', 'ingest', 'person', 'public', 'reader', 'superadmin'])
    for (const flag of ['issuesCredential', 'endsCredential', 'metered'] as const)
      assert.ok(
        entries.some(({ operation }) => operation[flag]),
        flag,
      )
    assert.ok(entries.some(({ operation }) => operation.model !== null))
  })
})
