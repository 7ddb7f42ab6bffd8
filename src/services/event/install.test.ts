// The operation that tells how to add the tag: which key it shows to whom, and whether events have arrived.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import { catchUp } from '../../../test/warehouse.ts'
import { EngineUnavailable } from '../../engines/engines.ts'

const host = await startHost()
let count = 0
const organisation = () => host.organisation(`shop-${count++}`)
const install = async (as: string, headers: Record<string, string> = {}) => {
  const { status, body, text } = await host.call('GET /v1/event/install', { as, headers })
  assert.equal(status, 200, text)
  return body
}
const createKey = async (as: string, body: object) => {
  const { status, body: key, text } = await host.call('POST /v1/account/keys', { as, body: { name: 'Web', ...body } })
  assert.equal(status, 201, text)
  return key as { id: string; key: string }
}
const publishable = (as: string, more: object = {}) => createKey(as, { type: 'publishable', ...more })
const limited = async (as: string, ...limit: string[]) => (await createKey(as, { limit })).key

describe('the lines to paste', () => {
  it('have the address with its hash and the newest publishable key, and a policy for the first', async () => {
    const { key: as } = await organisation()
    await publishable(as)
    host.clock.advance(1_000)
    const { id, key } = await publishable(as)
    const { html, tag, policy, ...rest } = await install(as)
    assert.deepEqual(rest, { key: { id, name: 'Web', key }, received: false })
    const lines = html.split('\n')
    assert.equal(lines.length, 2)
    assert.equal(lines[1], `<script async src="${tag}" data-key="${key}"></script>`)
    assert.match(tag, new RegExp(`^${host.baseUrl}/v1/event/tag\\.js\\?v=[\\w-]{16}$`))
    const stub = lines[0].match(/^<script>(.*)<\/script>$/)[1]
    const digest = createHash('sha256').update(stub).digest('base64')
    assert.equal(policy, `script-src 'sha256-${digest}' ${host.baseUrl}; connect-src ${host.baseUrl}`)
  })

  it('are missing until there is a key that works and may send events', async () => {
    const { key: as } = await organisation()
    const expires = new Date(host.clock.now().getTime() + 60_000).toISOString()
    await publishable(as, { expires })
    const { id } = await publishable(as)
    await host.call(`DELETE /v1/account/keys/${id}`, { as })
    await publishable(as, { limit: ['product:search'] })
    await publishable(as, { limit: ['read:event'] })
    assert.ok((await install(as)).html)
    host.clock.advance(61_000)
    const { html, key, create, tag } = await install(as)
    assert.deepEqual([html, key, typeof tag], [undefined, undefined, 'string'])
    const [, body] = create.match(/POST \/v1\/account\/keys (\{.*?\});/) ?? []
    await createKey(as, JSON.parse(body))
    const found = await install(as)
    assert.ok(found.html && found.create === undefined)
  })

  it('prefer a key that does not expire', async () => {
    const { key: as } = await organisation()
    const { id } = await publishable(as)
    host.clock.advance(1_000)
    await publishable(as, { expires: new Date(host.clock.now().getTime() + 60_000).toISOString() })
    assert.equal((await install(as)).key.id, id)
  })

  it('never have a secret key, or a key of another organisation', async () => {
    const [{ key: as }, other] = [await organisation(), await organisation()]
    await createKey(as, {})
    await publishable(other.key)
    const text = JSON.stringify(await install(as))
    assert.doesNotMatch(text, /[sp]k-\w/)
  })

  it('show members their own keys alone, and admins all', async () => {
    const { org, key: as } = await organisation()
    const [member, admin] = [await host.member(org, 'member'), await host.member(org, 'admin')]
    const { id } = await publishable(as)
    assert.equal((await install(member.key)).key, undefined)
    assert.equal((await install(admin.key)).key.id, id)
    host.clock.advance(1_000)
    const own = await publishable(member.key)
    assert.equal((await install(member.key)).key.id, own.id)
  })

  it('have the key of the project in which the caller acts, and no other', async () => {
    const { key: as } = await organisation()
    for (const slug of ['web', 'app']) await host.call('POST /v1/projects', { as, body: { slug, name: slug } })
    const ofProject = await limited(as, 'project:web')
    const ofBoth = await publishable(as, { limit: ['project:web', 'project:app'] })
    const ofAll = await publishable(as)
    const missing = await install(ofProject)
    assert.equal(missing.key, undefined)
    assert.match(missing.create, /"limit":\["project:web"\]/)
    const web = await publishable(as, { limit: ['project:web'] })
    await publishable(as, { limit: ['project:app'] })
    assert.equal((await install(ofProject)).key.id, web.id)
    assert.equal((await install(as, { 'x-project-id': 'web' })).key.id, web.id)
    assert.equal((await install(as)).key.id, ofAll.id)
    assert.notEqual(ofBoth.id, ofAll.id)
    const refused = await host.call('GET /v1/event/install', { as: ofProject, headers: { 'x-project-id': 'app' } })
    assert.equal(refused.status, 403)
  })

  it('show no key to a key that may not write events', async () => {
    const { key: as } = await organisation()
    const { id, key } = await publishable(as)
    for (const limit of ['read:event', 'read:*']) {
      const answer = await install(await limited(as, limit))
      assert.ok(!JSON.stringify(answer).includes(key), limit)
      assert.match(answer.create, /may not write events/)
    }
    assert.equal((await install(await limited(as, 'product:event'))).key.id, id)
    const other = await host.call('GET /v1/event/install', { as: await limited(as, 'product:search') })
    assert.equal(other.status, 403)
  })

  it('are refused to a publishable key', async () => {
    const { key: as } = await organisation()
    const { key } = await publishable(as)
    assert.equal((await host.call('GET /v1/event/install', { as: key })).status, 403)
  })
})

describe('the first event', () => {
  it('is told with its time, for the organisation and the project', async () => {
    const { key: as } = await organisation()
    for (const slug of ['web', 'app']) await host.call('POST /v1/projects', { as, body: { slug, name: slug } })
    const { key: pk } = await publishable(as, { limit: ['project:web'] })
    const firstEvent = host.clock.now().toISOString()
    await host.call(`POST /v1/event?ingest_key=${pk}`, { as: null, body: { event: '$pageview' } })
    host.clock.advance(1_000)
    await host.call(`POST /v1/event?ingest_key=${pk}`, { as: null, body: { event: '$pageview' } })
    await catchUp(host)
    const told = async (project?: string) => {
      const { received, firstEvent: at } = await install(as, project ? { 'x-project-id': project } : {})
      return [received, at]
    }
    assert.deepEqual(await told(), [true, firstEvent])
    assert.deepEqual(await told('web'), [true, firstEvent])
    assert.deepEqual(await told('app'), [false, undefined])
    const other = await organisation()
    assert.equal((await install(other.key)).received, false)
  })

  it('is 503 while the warehouse cannot be reached', async t => {
    const own = await startHost({}, t)
    own.engines.warehouse.lenses.first = () => Promise.reject(new EngineUnavailable('warehouse', 'down'))
    const { status, body } = await own.call('GET /v1/event/install')
    assert.deepEqual([status, body.error.code], [503, 'warehouse_unreachable'])
  })
})
