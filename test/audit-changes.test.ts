// The audit entries and events of every write of the product: a table with one real call per audited operation.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Changes, posting, type Written } from './audit-changes.ts'
import { aiWrites } from './audit-changes-ai.ts'
import { appWrites } from './audit-changes-apps.ts'
import { importWrites } from './audit-changes-imports.ts'
import { webhookWrites } from './audit-changes-webhooks.ts'
import { declaredSettings } from './declared-settings.ts'
import { allOperations, customerCall, insertDeadLetter, insertSignIn, keepMail } from './derive.ts'
import { type Answer, startHost } from './host.ts'
import { startIdentity } from './identity.ts'

const started = await startHost()
await startIdentity(started, { audience: started.baseUrl })
const { home, admin, emitted } = started
/** `emitted` has the events of the last call. */
const call: typeof started.call = (...request) => {
  emitted.length = 0
  return started.call(...request)
}
const host = { ...started, call }
const PASSWORD = 'walnut-desk-twelve-green'
const DAY_MS = 24 * 60 * 60_000
const inDays = (days: number) => new Date(host.clock.now().getTime() + days * DAY_MS).toISOString()

let made = 0
const next = (prefix: string) => `${prefix}${made++}`
const post = posting(host)
const project = async (name: string) => (await post('/v1/projects', { slug: next('p'), name })).body.slug
const domain = async () => {
  const [slug, name] = [await project('P'), `${next('d')}.example.com`]
  const { body } = await post(`/v1/projects/${slug}/domains`, { host: name })
  host.txt.set(`_stoa-verify.${name}`, [body.records[0].value])
  return { path: `/v1/projects/${slug}/domains/${name}`, on: `${slug}/${name}` }
}
const override = (key: string, verdict: string) =>
  host.call('PUT /v1/risk/reference/domain', { body: { entries: [{ key, verdict }] } })

const projects: Record<string, () => Promise<Written>> = {
  createProject: async () => {
    const answer = await post('/v1/projects', { slug: next('p'), name: 'Shop' })
    return { answer, on: answer.body.slug, changes: { name: { to: 'Shop' } } }
  },
  updateProject: async () => {
    const slug = await project('Before')
    const answer = await host.call(`PATCH /v1/projects/${slug}`, { body: { name: 'After' } })
    return { answer, on: slug, changes: { name: { from: 'Before', to: 'After' } } }
  },
  deleteProject: async () => {
    const slug = await project('Old')
    return { answer: await host.call(`DELETE /v1/projects/${slug}`), on: slug, changes: { name: { from: 'Old' } } }
  },
  attachDomain: async () => {
    const slug = await project('P')
    const answer = await post(`/v1/projects/${slug}/domains`, { host: 'Attached.example.com' })
    return { answer, on: `${slug}/attached.example.com`, changes: { status: { to: 'pending' } } }
  },
  verifyDomain: async () => {
    const { path, on } = await domain()
    const answer = await host.call(`POST ${path}/verify`)
    const changes = { status: { from: 'pending', to: 'live' } }
    return { answer, on, changes, emits: ['project.domain.verified'] }
  },
  detachDomain: async () => {
    const { path, on } = await domain()
    await host.call(`POST ${path}/verify`)
    return { answer: await host.call(`DELETE ${path}`), on, changes: { status: { from: 'live' } } }
  },
}

const account: Record<string, () => Promise<Written>> = {
  createKey: async () => {
    const given = { name: 'CI', limit: ['read:*'], budget: { month: 500, total: 0 }, rate: 5, expires: inDays(1) }
    const answer = await post('/v1/account/keys', given)
    const { limit, ...rest } = given
    const fields = { ...rest, type: 'secret', limits: limit }
    const changes = Object.fromEntries(Object.entries(fields).map(([name, to]) => [name, { to }]))
    return { answer, on: answer.body.id, changes }
  },
  updateKey: async () => {
    const before = { name: 'CI', limit: ['read:*'], budget: { month: 500, total: 0 }, rate: 5, expires: inDays(1) }
    const after = { name: 'CD', limit: [], budget: { month: 0, total: 900 }, rate: 9, expires: inDays(2) }
    const { id } = (await post('/v1/account/keys', before)).body
    const answer = await host.call(`PATCH /v1/account/keys/${id}`, { body: after })
    const names = ['name', 'budget', 'rate', 'expires'] as const
    const changes: Changes = Object.fromEntries(names.map(name => [name, { from: before[name], to: after[name] }]))
    return { answer, on: id, changes: { ...changes, limits: { from: ['read:*'], to: [] } } }
  },
  rotateKey: async () => {
    const { id, prefix } = (await post('/v1/account/keys', { name: 'CI' })).body
    const answer = await host.call(`POST /v1/account/keys/${id}/rotate`, { body: { overlap: 60 } })
    return { answer, on: id, changes: { prefix: { from: prefix, to: answer.body.prefix }, overlap: { to: 60 } } }
  },
  deleteKey: async () => {
    const { id } = (await post('/v1/account/keys', { name: 'CI' })).body
    const answer = await host.call(`DELETE /v1/account/keys/${id}`)
    return { answer, on: id, changes: { status: { from: 'active', to: 'revoked' } } }
  },
  logout: async () => {
    const browser = await host.signIn(home)
    const { csrfToken } = (await host.call('GET /v1/account/csrf', { as: null, headers: browser })).body
    const [grant] = await host.db<{ digest: string }>`select encode(digest, 'hex') as digest from oidc
      where model = 'Grant' and user_id = ${home.user} and client is null`
    const headers = { ...browser, 'x-csrf-token': csrfToken }
    const answer = await host.call('POST /v1/account/logout', { as: null, headers })
    return { answer, on: `sin_${grant?.digest.slice(0, 32)}`, changes: { user: { from: home.user } } }
  },
}

/** A member of `home` who is invited to `admin`, and signed in. */
const invited = async () => {
  const one = await host.member(home.org, 'member')
  const { id } = (await post('/v1/iam/invites', { email: one.email, role: 'member' }, admin.key)).body
  return { ...one, id, browser: await host.browser(one) }
}

const people: Record<string, () => Promise<Written>> = {
  createOrg: async () => {
    const [slug, email] = [next('org'), `${next('o')}@example.com`]
    const owner = { email, password: PASSWORD }
    const answer = await post('/v1/iam/orgs', { slug, name: 'New', owner }, admin.key)
    return { answer, on: slug, changes: { owner: { to: email } }, reader: admin.key, tenant: slug }
  },
  updateOrg: async () => {
    const { org, key } = await host.organisation(next('org'))
    const answer = await host.call(`PATCH /v1/iam/orgs/${org}`, { body: { name: 'Renamed' }, as: key })
    return { answer, on: org, changes: { name: { from: org, to: 'Renamed' } }, reader: key, tenant: org }
  },
  deleteOrg: async () => {
    const { org, key } = await host.organisation(next('org'))
    const answer = await host.call(`DELETE /v1/iam/orgs/${org}?confirm=${org}`, { as: key })
    return { answer, on: org, changes: { name: { from: org } }, reader: admin.key, tenant: org }
  },
  addMember: async () => {
    const email = `${next('m')}@example.com`
    const answer = await post('/v1/iam/members', { email, role: 'member', password: PASSWORD })
    return { answer, on: answer.body.user, changes: { email: { to: email }, role: { to: 'member' } } }
  },
  updateMember: async () => {
    const { user } = await host.member(home.org, 'admin')
    const answer = await host.call(`PATCH /v1/iam/members/${user}`, { body: { role: 'member' } })
    return { answer, on: user, changes: { role: { from: 'admin', to: 'member' } } }
  },
  removeMember: async () => {
    const { user, email } = await host.member(home.org, 'admin')
    const answer = await host.call(`DELETE /v1/iam/members/${user}`)
    return { answer, on: user, changes: { email: { from: email }, role: { from: 'admin' } } }
  },
  makeMemberUser: async () => {
    const { user } = await host.member(home.org, 'admin')
    const answer = await host.call(`POST /v1/iam/members/${user}/to-user`)
    const changes = { role: { from: 'admin', to: 'user' }, user: { to: answer.body.user } }
    return { answer, on: user, changes, told: [user, answer.body.user] }
  },
  createInvite: async () => {
    const email = `${next('i')}@example.com`
    const answer = await post('/v1/iam/invites', { email, role: 'admin' })
    return { answer, on: email, changes: { role: { to: 'admin' }, expires: { to: inDays(7) } } }
  },
  deleteInvite: async () => {
    const email = `${next('i')}@example.com`
    const { id } = (await post('/v1/iam/invites', { email, role: 'member' })).body
    const answer = await host.call(`DELETE /v1/iam/invites/${id}`)
    return { answer, on: id, changes: { email: { from: email }, role: { from: 'member' } } }
  },
  updateMe: async () => {
    const one = await host.member(home.org, 'member')
    const answer = await host.call('PATCH /v1/iam/me', { ...(await host.browser(one)), body: { name: 'Ada' } })
    return { answer, on: one.user, changes: { name: { from: '', to: 'Ada' } }, emits: [] }
  },
  createUser: async () => {
    const answer = await post('/v1/iam/users', { email: `${next('c')}@example.com`, name: 'Ada' })
    return { answer, on: answer.body.user, changes: null }
  },
  updateUser: async () => {
    const { user } = (await post('/v1/iam/users', { email: `${next('c')}@example.com` })).body
    const answer = await host.call(`PATCH /v1/iam/users/${user}`, { body: { name: 'Ada', blocked: true } })
    return { answer, on: user, changes: { name: {}, blocked: { from: false, to: true } } }
  },
  deleteUser: async () => {
    const { user } = (await post('/v1/iam/users', { email: `${next('c')}@example.com` })).body
    return { answer: await host.call(`DELETE /v1/iam/users/${user}`), on: user, changes: null }
  },
  deleteMe: async () => {
    const { as } = await customerCall(started, next('c'))
    const { user } = (await host.call('GET /v1/iam/me', { as })).body
    const answer = await host.call('DELETE /v1/iam/me', { as })
    return { answer, on: user, changes: null, emits: ['iam.user.deleted'] }
  },
  acceptInvitation: async () => {
    const { user, email, id, browser } = await invited()
    const answer = await host.call(`POST /v1/iam/me/invitations/${id}/accept`, browser)
    const changes = { email: { to: email }, role: { to: 'member' } }
    const emits = ['iam.invite.accepted', 'iam.member.added']
    return { answer, on: user, changes, reader: admin.key, tenant: admin.org, emits }
  },
  declineInvitation: async () => {
    const { email, id, browser } = await invited()
    const answer = await host.call(`POST /v1/iam/me/invitations/${id}/decline`, browser)
    return { answer, on: id, changes: { email: { from: email } }, reader: admin.key, tenant: admin.org }
  },
  changeEmail: async () => {
    const owner = await host.organisation(next('org'))
    const body = { email: 'moved@example.com', current: owner.password }
    const answer = await host.call('POST /v1/iam/me/email', { ...(await host.browser(owner)), body })
    return {
      answer,
      on: owner.user,
      changes: { email: { from: owner.email, to: 'moved@example.com' } },
      reader: owner.key,
    }
  },
  changePassword: async () => {
    const { key, password: current } = await host.organisation(next('org'))
    const answer = await host.call('POST /v1/iam/me/password', { body: { current, password: PASSWORD }, as: key })
    return { answer, on: 'password', changes: null, reader: key }
  },
  endSession: async () => {
    const id = await insertSignIn(host, next('app'))
    return { answer: await host.call(`DELETE /v1/iam/sessions/${id}`), on: id, changes: { user: { from: home.user } } }
  },
}

const risk: Record<string, () => Promise<Written>> = {
  setReference: async () => {
    const key = `${next('r')}.example.com`
    await override(key, 'deny')
    const answer = await override(key, 'allow')
    const verdicts = { from: { [key]: 'deny' }, to: { [key]: 'allow' } }
    return { answer, on: 'domain', changes: { verdicts, written: { to: 1 } } }
  },
  clearReference: async () => {
    const key = `${next('r')}.example.com`
    await override(key, 'deny')
    const answer = await host.call(`DELETE /v1/risk/reference/domain?key=${key}`)
    return { answer, on: 'domain', changes: { verdicts: { from: { [key]: 'deny' } } } }
  },
  refreshReference: async () => {
    const refresh = (version: string) => {
      const receipts = [{ source: 'OFAC', version, keys: 10 }]
      return host.call('POST /v1/risk/reference/refresh', { body: { set: 'sanction', receipts }, as: admin.key })
    }
    const { version: from } = (await refresh('one')).body
    const answer = await refresh('two')
    assert.notEqual(answer.body.version, from)
    const changes = { version: { from, to: answer.body.version } }
    return { answer, on: 'sanction', changes, reader: admin.key, tenant: admin.org }
  },
}

const settings: Record<string, () => Promise<Written>> = Object.fromEntries(
  declaredSettings.map(({ change, path, defaults, others }) => [
    change,
    async () => {
      const answer = await host.call(`PATCH ${path}`, { body: Object.fromEntries(others) })
      const changes = Object.fromEntries(others.map(([field, to]) => [field, { from: defaults[field], to }]))
      return { answer, on: 'settings', changes }
    },
  ]),
)

const o11y: Record<string, () => Promise<Written>> = {
  retryDeadLetter: async () => {
    const id = await insertDeadLetter(host)
    const answer = await host.call(`POST /v1/o11y/dead-letters/${id}/retry`, { as: admin.key })
    return { answer, on: id, changes: { status: { from: 'dead letter', to: 'waiting' } }, reader: admin.key }
  },
  getKeptMail: async () => {
    const id = await keepMail(host)
    const answer = await host.call(`GET /v1/o11y/mail/${id}`, { as: admin.key })
    return { answer, on: id, changes: { recipient: { to: 'ada@example.com' } }, reader: admin.key }
  },
}

const billing: Record<string, () => Promise<Written>> = {
  addCredit: async () => {
    const body = { org: home.org, amount: 500, reason: 'Paid' }
    const answer = await host.call('POST /v1/billing/credits', { as: admin.key, body })
    const changes = { org: { to: home.org }, amount: { to: 500 }, reason: { to: 'Paid' } }
    return { answer, on: answer.body.transactionId, changes, reader: admin.key }
  },
}

const ai = aiWrites(host, next)
const imports = importWrites(host)
const own = { ...projects, ...account, ...people, ...appWrites(host, next), ...risk, ...settings, ...o11y, ...billing }
const WRITES: Record<string, () => Promise<Written>> = { ...own, ...ai, ...imports, ...webhookWrites(host) }

/** Operations that emit nothing, because the change does not concern an organisation or happens later. */
const SILENT = [
  'changeEmail',
  'changePassword',
  'retryDeadLetter',
  'getKeptMail',
  'resendWebhookDelivery',
  'resendFailedWebhookDeliveries',
  ...Object.keys(ai),
  ...Object.keys(imports),
  ...Object.keys(settings),
]

/** What must not be in the trail or in an event. */
const secretsIn = ({ body }: Answer): string[] => {
  const issued = [body?.key, body?.secret, body?.token].filter(text => /^sk-|^.{40,}$/.test(text ?? ''))
  return [...issued, PASSWORD, home.password]
}

/** The events of the last call. */
function checkEvents({ answer, on, emits = [], tenant = home.org, told }: Written): void {
  assert.deepEqual(emitted.map(({ type }) => type).sort(), [...emits].sort())
  for (const event of emitted) {
    assert.equal(event.tenant, tenant)
    const named = Object.values(event.data as object)
    if (told) assert.ok(told.some(id => named.includes(id)))
    else for (const part of on.split('/')) assert.ok(named.includes(part), `${part} is missing`)
    for (const secret of secretsIn(answer)) assert.ok(!JSON.stringify(event).includes(secret))
  }
}

describe('the audit trail and the events report changes', () => {
  const audited = allOperations.filter(({ operation }) => operation.audit && operation.service !== 'specimen')

  it('for every audited operation', () => {
    const ids = new Set(audited.map(({ id }) => id))
    const missing = [...ids].filter(id => !(id in WRITES))
    assert.deepEqual(missing, [], 'add a call of each of these to WRITES in test/audit-changes.test.ts')
    const gone = Object.keys(WRITES).filter(id => !ids.has(id))
    assert.deepEqual(gone, [], 'these are no audited operations; remove them from WRITES')
  })

  it('and operations that change something of an organisation emit an event', () => {
    const silent = audited.filter(({ operation }) => Object.keys(operation.emits).length === 0).map(({ id }) => id)
    const unlisted = silent.filter(id => !SILENT.includes(id))
    assert.deepEqual(unlisted, [], 'declare what they emit, or add them to SILENT in test/audit-changes.test.ts')
    const gone = SILENT.filter(id => !silent.includes(id))
    assert.deepEqual(gone, [], 'these emit something; remove them from SILENT')
  })

  for (const { id, operation } of audited) {
    it(id, async () => {
      const write = WRITES[id]
      assert.ok(write, `add a call of ${id} to WRITES in test/audit-changes.test.ts`)
      const written = await write()
      const { answer, on, changes, reader = home.key } = written
      assert.equal(answer.status, operation.status, answer.text)
      const updates = emitted.map(({ data }) => data as { changed?: string[] })
      checkEvents({ emits: Object.keys(operation.emits), ...written })
      const { data } = (await host.call('GET /v1/iam/audit?limit=5', { as: reader })).body
      const entries = data.filter((entry: Answer['body']) => entry.requestId === answer.headers['x-request-id'])
      assert.equal(entries.length, 1)
      const [entry] = entries
      assert.deepEqual([entry.what, entry.on], [operation.audit, on])
      for (const secret of secretsIn(answer)) assert.ok(!JSON.stringify(entry).includes(secret))
      if (operation.method === 'PATCH') assert.ok(Object.keys(entry.changes ?? {}).length > 0, 'changes are missing')
      if (changes === null) assert.equal(entry.changes, undefined)
      else assert.partialDeepStrictEqual(entry.changes, changes)
      for (const { changed } of updates) {
        if (changed) assert.equal(changed.length, Object.keys(entry.changes).length)
      }
    })
  }

  it('and there is no entry and no event if nothing changed', async () => {
    const slug = await project('Same')
    const before = (await host.call('GET /v1/iam/audit?limit=1')).body.data
    assert.equal((await host.call(`PATCH /v1/projects/${slug}`, { body: { name: 'Same' } })).status, 200)
    assert.deepEqual(emitted, [])
    assert.deepEqual((await host.call('GET /v1/iam/audit?limit=1')).body.data, before)
  })

  it('and name the first of many overrides', async () => {
    const entries = Array.from({ length: 25 }, (_, n) => ({ key: `${n}.many.example`, verdict: 'deny' }))
    await host.call('PUT /v1/risk/reference/domain', { body: { entries } })
    const named = emitted.map(({ data }) => data as { keys: string[]; written: number })
    assert.deepEqual(
      named.map(({ keys, written }) => [keys.length, written]),
      [[20, 25]],
    )
    const [entry] = (await host.call('GET /v1/iam/audit?limit=1')).body.data
    assert.equal(Object.keys(entry.changes.verdicts.to).length, 20)
    assert.deepEqual(entry.changes.written, { to: 25 })
  })
})
