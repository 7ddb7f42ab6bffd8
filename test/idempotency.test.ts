// Derived from the declarations: every operation that creates something can be repeated with an Idempotency-Key.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as derive from './derive.ts'
import { allOperations, allServices, type Entry, fieldsOf, type ValidCall, validCall } from './derive.ts'
import { eventually } from './eventually.ts'
import { startHost } from './host.ts'
import { startIdentity } from './identity.ts'

const host = await startHost({ services: allServices, runsBackground: true })
await startIdentity(host)
const entries = allOperations.filter(({ operation }) => operation.creates)

const send = (entry: Entry, { input, as, headers = {} }: ValidCall, key: string) =>
  derive.send(host, entry, input, { as, headers: { ...headers, 'idempotency-key': key } })
const entriesOf = async () => Number((await host.db<{ count: number }>`select count(*) from audit`)[0]?.count)

describe('every operation that creates something', () => {
  assert.ok(entries.length > 8)
  for (const [n, entry] of entries.entries()) {
    const { id, operation } = entry
    it(`${id} is carried out once for each Idempotency-Key`, async () => {
      const call = await validCall(host, entry, `once${n}`)
      const first = await send(entry, call, `key-of-${id}`)
      assert.equal(first.status, operation.status, first.text)
      const recorded = await entriesOf()
      const again = await send(entry, call, `key-of-${id}`)
      if (operation.disclosesSecret) {
        assert.deepEqual([again.status, again.body.error.param], [409, 'Idempotency-Key'], again.text)
        const { message } = again.body.error
        const made = message.match(/(?:for|created) `([^`]+)`/)?.[1] ?? ''
        const isOlder = operation.pathFields.some(field => call.input[field] === made)
        assert.equal(message.includes('delete'), !isOlder, 'nothing that was there before is to be deleted')
        const named = JSON.stringify([first.body, call.input])
        assert.ok(made !== '' && named.includes(made.split(' ')[0]), `${made} is none of ${named}`)
        for (const value of Object.values(first.body)) {
          if (typeof value === 'string' && value.length > 30)
            assert.ok(!again.text.includes(value), 'it shows no secret')
        }
      } else assert.deepEqual([again.status, again.text], [operation.status, first.text])
      assert.equal(await entriesOf(), recorded, 'nothing was done again')
      const field = Object.keys(fieldsOf(operation)).find(name => !(name in call.input)) ?? ''
      const other = changed(entry, call, field)
      if (other === null) return
      const refused = await send(entry, other, `key-of-${id}`)
      assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'], refused.text)
      assert.match(refused.body.error.message, /was already used/)
    })
  }
})

/** The same call with another valid value of some field of the body; null if it has none. */
function changed({ operation }: Entry, call: ValidCall, absent: string): ValidCall | null {
  const fields = fieldsOf(operation)
  const text = Object.keys(call.input).find(name => ['name', 'slug', 'app', 'reason'].includes(name))
  if (text !== undefined && !operation.pathFields.includes(text)) {
    return { ...call, input: { ...call.input, [text]: `${call.input[text]}2` } }
  }
  const example = fields[absent]?.examples?.[0]
  return example === undefined ? null : { ...call, input: { ...call.input, [absent]: example } }
}

const create = (slug: string, key: string, more: { as?: string; on?: typeof host; name?: string } = {}) => {
  const { as = host.home.key, on = host, name = 'Shop' } = more
  return on.call('POST /v1/projects', { as, body: { slug, name }, headers: { 'idempotency-key': key } })
}

describe('an Idempotency-Key', () => {
  it('gives twenty concurrent requests one answer, even at two processes', async t => {
    const beside = await startHost({ beside: host, services: allServices }, t)
    for (const round of [1, 2, 3]) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => create(`raced${round}`, `raced${round}`, { on: n % 2 ? host : beside })),
      )
      assert.deepEqual([...new Set(answers.map(({ status, text }) => `${status} ${text}`))].length, 1, answers[0]?.text)
      assert.equal(answers[0]?.status, 201)
    }
    const workspaces = () => host.db`select from workspaces where name = 'Raced'`
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (n % 2 ? host : beside).call('POST /v1/iam/workspaces', {
          body: { name: 'Raced' },
          headers: { 'idempotency-key': 'raced' },
        }),
      ),
    )
    assert.deepEqual([...new Set(answers.map(({ status, text }) => `${status} ${text}`))].length, 1)
    assert.equal((await workspaces()).length, 1)
  })

  it('belongs to one organisation and one operation', async () => {
    assert.equal((await create('own', 'shared')).status, 201)
    assert.equal((await create('theirs', 'shared', { as: host.other.key })).status, 201)
    const headers = { 'idempotency-key': 'shared' }
    assert.equal((await host.call('POST /v1/iam/workspaces', { body: { name: 'Own' }, headers })).status, 201)
  })

  it('gives the answer to no other caller, not even to the same person with another role', async () => {
    const headers = { 'idempotency-key': 'owner-only' }
    const body = { email: 'ola@example.com', role: 'owner' }
    const owner = await host.member(host.home.org, 'owner')
    assert.equal((await host.call('POST /v1/iam/invites', { as: owner.key, body, headers })).status, 201)
    const admin = await host.member(host.home.org, 'admin')
    const refused = await host.call('POST /v1/iam/invites', { as: admin.key, body, headers })
    assert.equal(refused.status, 409)
    await host.call(`PATCH /v1/iam/members/${owner.user}`, { body: { role: 'admin' } })
    assert.equal((await host.call('POST /v1/iam/invites', { as: owner.key, body, headers })).status, 409)
    const secret = { body: { name: 'same' }, headers: { 'idempotency-key': 'same-key' } }
    const { id } = (await host.call('POST /v1/account/keys', secret)).body
    const other = await host.call('POST /v1/account/keys', { ...secret, as: admin.key })
    assert.deepEqual([other.status, other.text.includes(id)], [409, false])
  })

  it('counts the same fields in another order as the same request', async () => {
    const headers = { 'idempotency-key': 'order' }
    const first = await host.call('POST /v1/projects', { body: { slug: 'order', name: 'Order' }, headers })
    const again = await host.call('POST /v1/projects', { body: { name: 'Order', slug: 'order' }, headers })
    assert.deepEqual([again.status, again.body], [201, first.body])
  })

  it('counts also if the thing existed already', async () => {
    await create('attached', 'attached')
    const attach = (name: string, key: string) =>
      host.call('POST /v1/projects/attached/domains', { body: { host: name }, headers: { 'idempotency-key': key } })
    assert.equal((await attach('a.example.com', 'first')).status, 201)
    const again = await attach('a.example.com', 'second')
    assert.equal(again.status, 201)
    assert.deepEqual((await attach('a.example.com', 'second')).text, again.text)
    assert.equal((await attach('b.example.com', 'second')).status, 409)
  })

  it('repeats an answer that could contain a secret but does not', async () => {
    const make = (app: string, type: string) =>
      host.call('POST /v1/iam/apps', {
        body: { app, type, people: 'team', redirectUris: ['https://a.example/'] },
        headers: { 'idempotency-key': app },
      })
    const first = await make('public1', 'public')
    assert.equal(first.status, 201, first.text)
    const again = await make('public1', 'public')
    assert.deepEqual([again.status, again.text], [201, first.text])
    assert.equal((await make('secret1', 'confidential')).status, 201)
    assert.equal((await make('secret1', 'confidential')).status, 409)
  })

  it('keeps no answer of a request that failed', async () => {
    await create('taken', 'first')
    assert.equal((await create('taken', 'failed')).status, 409)
    assert.equal((await create('free', 'failed')).status, 201)
  })

  it('is refused if it is not a valid key, and ignored where nothing is created', async () => {
    for (const key of ['', ' ', 'x'.repeat(256), 'ünicode']) {
      const bytes = Buffer.from(key).toString('latin1')
      const { status, body } = await create('never', bytes)
      assert.deepEqual([status, body.error.param], [400, 'Idempotency-Key'], key)
    }
    const headers = { 'idempotency-key': 'x'.repeat(256) }
    assert.equal((await host.call('GET /v1/projects', { headers })).status, 200)
  })

  it('ends after a day, and stores neither the key nor a password', async () => {
    const secret = 'walnut-desk-twelve-green'
    const body = { email: 'stored@example.com', role: 'member', password: secret }
    await host.call('POST /v1/iam/members', { body, headers: { 'idempotency-key': 'very-visible-key' } })
    const rows = await host.db<{ text: string }>`select idempotency_records::text as text from idempotency_records`
    assert.ok(rows.length > 10)
    for (const { text } of rows) assert.ok(!text.includes(secret) && !text.includes('very-visible-key'))
    await create('daily', 'daily')
    await host.call('DELETE /v1/projects/daily')
    host.clock.advance(24 * 60 * 60_000 - 1)
    assert.equal((await create('daily', 'daily')).status, 201, 'the kept answer, although it is gone')
    assert.equal((await host.call('GET /v1/projects/daily')).status, 404)
    host.clock.advance(1)
    assert.equal((await create('daily', 'daily')).status, 201)
    assert.equal((await host.call('GET /v1/projects/daily')).status, 200)
    host.clock.advance(10 * 60_000)
    await eventually(
      async () => (await host.db`select from idempotency_records`).length,
      count => count <= 1,
    )
  })
})
