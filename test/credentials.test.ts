// Derived from the declarations: every kind of credential against every operation. What must come of each pair is
// worked out here from the rules of the interface alone.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isSafe } from '../src/host/faults.ts'
import { sectionsOf } from '../src/host/host.ts'
import type { Operation } from '../src/kit/operation.ts'
import { newKeyText } from '../src/services/account/public.ts'
import { services } from '../src/services/index.ts'
import { type Entry, exampleInput, fieldsOf, send } from './derive.ts'
import { type Ask, startHost } from './host.ts'
import { specimen } from './specimen.ts'

const all = [...services, specimen]
const host = await startHost({ services: all })
/** Specimens that never end, or fail whoever calls. */
const UNFIT = ['drip', 'crash', 'half']
const entries: Entry[] = sectionsOf(all)
  .flatMap(({ operations }) => Object.entries(operations).map(([id, operation]) => ({ id, operation })))
  .filter(({ id }) => !UNFIT.includes(id))

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
    if (operation.mints || (forbids(operation) && !operation.revokes)) return 403
    return asOwner(operation)
  }
const writes = ({ method }: Operation) => !isSafe(method)
const guarded =
  (outcome: Outcome, atIngest: Outcome = outcome) =>
  ({ access }: Operation) =>
    access === 'public' ? 'open' : access === 'ingest' ? atIngest : outcome

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
  "a workspace's token": { ask: { as: await workspaceToken({}) }, expects: guarded(403, 'open') },
  "a workspace's expired token": { ask: { as: endedToken }, expects: guarded(403) },
  "a member's key": { ask: { as: member.key }, expects: byRole('member') },
  "an owner's key": { ask: { as: host.home.key }, expects: asOwner },
  "an operator's key": { ask: { as: host.admin.key }, expects: byRole('superadmin') },
  'a key for this service': { ask: perService(name => [`product:${name}`]), expects: bounded(() => false) },
  'a key to read this service': { ask: perService(name => [`read:${name}`]), expects: bounded(writes) },
  'a key for another service': { ask: perService(name => [`product:${another(name)}`]), expects: bounded(() => true) },
  'a key to read another': { ask: perService(name => [`read:${another(name)}`]), expects: bounded(() => true) },
  'a key to read anything': { ask: { as: await keyWith({ limit: ['read:*'] }) }, expects: bounded(writes) },
  'a key for one model': { ask: { as: await keyWith({ limit: ['model:one'] }) }, expects: bounded(() => false) },
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
    expects: operation => (operation.faults.includes('key_budget') ? 402 : bounded(() => false)(operation)),
  },
  'a session': {
    ask: () => browser({ token: false }),
    expects: operation => (operation.access !== 'public' && writes(operation) ? 403 : asOwner(operation)),
  },
  'a session with its token': { ask: () => browser({ token: true }), expects: asOwner },
}

describe('every kind of credential', () => {
  for (const [kind, { ask, expects }] of Object.entries(kinds)) {
    describe(kind, () => {
      for (const entry of entries) {
        const { id, operation } = entry
        const expected = expects(operation)
        it(`is ${expected} at ${id}`, async () => {
          const input = exampleInput(operation, 'matrix')
          if ('slug' in fieldsOf(operation)) input.slug = PROJECT
          const asked = typeof ask === 'function' ? await ask(operation) : ask
          const { status, text } = await send(host, entry, input, asked)
          const outcome = [401, 402, 403, 429].includes(status) ? status : 'open'
          assert.equal(outcome, expected, `${status} ${text.slice(0, 300)}`)
          assert.ok(status < 500, text)
        })
      }
    })
  }

  it('meets every kind of operation', () => {
    const seen = new Set(entries.map(({ operation }) => operation.access))
    assert.deepEqual([...seen].sort(), ['admin', 'bearer', 'ingest', 'public', 'superadmin'])
    assert.ok(entries.some(({ operation }) => operation.mints) && entries.some(({ operation }) => operation.revokes))
  })
})
