// Derived from the declarations: every kind of credential against every operation, over HTTP and called in-process. What must
// come of each pair is worked out here from the rules of the interface alone, and both ways must come to it.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { isSafe } from '../src/host/faults.ts'
import { Fault } from '../src/kit/fault.ts'
import type { Operation, RequestFacts } from '../src/kit/operation.ts'
import { newKeyText } from '../src/services/account/public.ts'
import { type Entry, every, everyService, exampleInput, fieldsOf, type Input, methodOf, send } from './derive.ts'
import { type Ask, startHost } from './host.ts'
import { SLOW, UNFIT } from './specimen.ts'

const host = await startHost({ services: everyService })
const entries = every.filter(({ id }) => !UNFIT.includes(id) && !SLOW.includes(id))

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
const exhausted = await keyWith({ rate: 1 })
await host.call('GET /v1/projects', { as: exhausted })
const broke = await keyWith({ budget: { total: 1 } })
await host.call('POST /v1/specimen/spend', { as: broke, body: { units: 1_000_000 } })
/** A browser of its own for each call: one of them signs out. */
const browser = async (more: { token: boolean }) => {
  const session = await host.signIn(host.home)
  if (!more.token) return { as: null, headers: session }
  const { csrfToken } = (await host.call('GET /v1/account/csrf', { as: null, headers: session })).body
  return { as: null, headers: { ...session, 'x-csrf-token': csrfToken } }
}

const workspace = (await host.call('POST /v1/iam/workspaces', { body: { name: 'Team' } })).body.id
const tokenBody = { expires: new Date(host.clock.now().getTime() + 1_000).toISOString() }
const workspaceToken = async (body: object) =>
  (await host.call(`POST /v1/iam/workspaces/${workspace}/tokens`, { body })).body.token
const endedToken = await workspaceToken(tokenBody)
host.clock.advance(1_000)

type Outcome = 'open' | 401 | 402 | 403 | 429
/** Who holds a credential that is good as such. */
const byRole =
  (role: 'member' | 'owner' | 'superadmin') =>
  (operation: Operation): Outcome => {
    if (operation.access === 'superadmin') return role === 'superadmin' ? 'open' : 403
    return operation.access === 'admin' && role === 'member' ? 403 : 'open'
  }
const asOwner = byRole('owner')
/** An owner's key with some bound, which forbids what `forbids` says, revoking excepted, and minting in any case. */
const bounded =
  (forbids: (operation: Operation) => boolean) =>
  (operation: Operation): Outcome => {
    if (operation.access === 'public') return 'open'
    if (operation.issuesCredential || (forbids(operation) && !operation.endsCredential)) return 403
    return asOwner(operation)
  }
const writes = ({ method }: Operation) => !isSafe(method)
const guarded =
  (outcome: Outcome, atIngest: Outcome = outcome, atReader: Outcome = outcome) =>
  ({ access }: Operation): Outcome => {
    if (access === 'public') return 'open'
    if (access === 'ingest') return atIngest
    return access === 'reader' ? atReader : outcome
  }

type Kind = { ask: Ask | ((operation: Operation) => Promise<Ask>); expects: (operation: Operation) => Outcome }
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
  'no credential': { ask: { as: null }, expects: guarded(401) },
  'another spelling': { ask: { as: `tk-${host.home.key.slice(3)}` }, expects: guarded(401, 403) },
  'an unknown secret key': { ask: { as: newKeyText(host.engines.random, 'secret') }, expects: guarded(401, 403) },
  'an unknown publishable key': { ask: { as: newKeyText(host.engines.random, 'publishable') }, expects: guarded(403) },
  'an expired key': { ask: { as: expired }, expects: guarded(401) },
  'a revoked key': { ask: { as: revoked }, expects: guarded(401) },
  'a publishable key': { ask: { as: await keyWith({ type: 'publishable' }) }, expects: guarded(403, 'open') },
  "a workspace's token": { ask: { as: await workspaceToken({}) }, expects: guarded(403, 'open', 'open') },
  "a workspace's expired token": { ask: { as: endedToken }, expects: guarded(403, 403, 401) },
  "a member's key": { ask: { as: member.key }, expects: byRole('member') },
  "an owner's key": { ask: { as: host.home.key }, expects: asOwner },
  "an operator's key": { ask: { as: host.admin.key }, expects: byRole('superadmin') },
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
  'a session': {
    ask: () => browser({ token: false }),
    expects: operation => (operation.access !== 'public' && writes(operation) ? 403 : asOwner(operation)),
  },
  'a session with its token': { ask: () => browser({ token: true }), expects: asOwner },
}

/** What comes of a call: `open` when the credential did not stand in its way. */
type Verdict = { outcome: Outcome; detail: string }
const refusals = [401, 402, 403, 429]
const verdictOf = (status: number, detail: string): Verdict => ({
  outcome: refusals.includes(status) ? (status as Outcome) : 'open',
  detail: `${status} ${detail.slice(0, 300)}`,
})

async function overHttp(entry: Entry, input: Input, asked: Ask): Promise<Verdict> {
  const { status, text } = await send(host, entry, input, asked)
  assert.ok(status < 500, text)
  return verdictOf(status, text)
}

/** As a door of the product does it. */
async function inProcess({ id, operation }: Entry, input: Input, { as, headers = {} }: Ask): Promise<Verdict> {
  const method = methodOf(operation)
  const { cookie, 'x-csrf-token': csrfToken } = headers
  const authorization = as === null ? undefined : `Bearer ${as}`
  const signal = new AbortController().signal
  const request: RequestFacts = { id: 'req_test', method, url: '', headers: {}, ip: '::1', peer: '::1', signal }
  try {
    const presented = { authorization, cookie, csrfToken, isSafe: isSafe(method) }
    const caller = await host.calls.identify(operation.access, presented)
    await host.calls.call(id, caller, { ...input, ...bodyFor(operation) }, request)
    return verdictOf(operation.status, '')
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    assert.ok(error.status < 500, error.message)
    return verdictOf(error.status, error.message)
  }
}

function bodyFor({ bodyKind }: Operation): object {
  if (bodyKind === 'bytes') return { body: Buffer.from('{}') }
  if (bodyKind === 'parsed') return { body: { bytes: Buffer.from('{}'), json: {} } }
  return bodyKind === 'stream' ? { body: Readable.from([]) } : {}
}

describe('every kind of credential', () => {
  for (const entry of entries) {
    const { id, operation } = entry
    it(`gets its verdict at ${id}, over HTTP and in-process`, async () => {
      for (const [kind, { ask, expects }] of Object.entries(kinds)) {
        for (const [door, call] of [
          ['HTTP', overHttp],
          ['in-process', inProcess],
        ] as const) {
          const input = exampleInput(operation, 'matrix')
          if ('slug' in fieldsOf(operation)) input.slug = PROJECT
          if (operation.model) input[operation.model] = 'one'
          const asked = typeof ask === 'function' ? await ask(operation) : ask
          const { outcome, detail } = await call(entry, input, asked)
          assert.equal(outcome, expects(operation), `${kind}, ${door}: ${detail}`)
        }
      }
    })
  }

  it('meets every kind of operation', () => {
    const seen = new Set(entries.map(({ operation }) => operation.access))
    assert.deepEqual([...seen].sort(), ['admin', 'bearer', 'ingest', 'public', 'reader', 'superadmin'])
    for (const flag of ['issuesCredential', 'endsCredential', 'metered'] as const)
      assert.ok(
        entries.some(({ operation }) => operation[flag]),
        flag,
      )
    assert.ok(entries.some(({ operation }) => operation.model !== null))
  })
})
