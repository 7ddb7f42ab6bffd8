// The registry of endpoints, through the real host.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import { openHttp } from '../../engines/http/http.ts'
import { isPattern } from '../../engines/log/subjects.ts'

const host = await startHost()
const url = 'https://hooks.example.com/stoa'
let made = 0
const newOrg = () => host.organisation(`hooks-${made++}`)
const create = (as: string, body: object = {}) => host.call('POST /v1/webhooks', { as, body: { url, ...body } })

describe('an endpoint', () => {
  it('is created, read, changed, listed and deleted', async () => {
    const { key } = await newOrg()
    const { status, body } = await create(key, { events: ['commerce.order.>'], description: 'Orders' })
    assert.equal(status, 201)
    const { secret, ...made } = body
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    const record = { ...made, deliveries7d: 0, failures7d: 0 }
    assert.deepEqual(record, {
      ...{ id: record.id, url, events: ['commerce.order.>'], description: 'Orders', status: 'active' },
      retry: 'standard',
      ...{ created: record.created, updated: record.created, deliveries7d: 0, failures7d: 0 },
    })
    const path = `/v1/webhooks/${record.id}`
    assert.deepEqual((await host.call(`GET ${path}`, { as: key })).body, record)
    host.clock.advance(1_000)
    const changes = { events: [], status: 'disabled', retry: 'long' }
    const changed = (await host.call(`PATCH ${path}`, { as: key, body: changes })).body
    assert.deepEqual({ ...changed, updated: record.updated }, { ...record, ...changes })
    assert.notEqual(changed.updated, record.updated)
    const again = (await host.call(`PATCH ${path}`, { as: key, body: changes })).body
    assert.deepEqual(again, changed, 'the same again changes nothing')
    assert.deepEqual((await host.call('GET /v1/webhooks', { as: key })).body, { data: [changed], next: '' })
    assert.equal((await host.call(`DELETE ${path}`, { as: key })).status, 204)
    for (const call of [
      `GET ${path}`,
      `DELETE ${path}`,
      `GET ${path}/deliveries`,
      `POST ${path}/test`,
      `POST ${path}/secret`,
    ]) {
      assert.equal((await host.call(call, { as: key, ...(call.startsWith('POST') && { body: {} }) })).status, 404, call)
    }
  })

  it('belongs to one organisation, and is changed by admins', async () => {
    const [{ key, org }, other] = [await newOrg(), await newOrg()]
    const { id } = (await create(key)).body
    assert.equal((await host.call(`GET /v1/webhooks/${id}`, { as: other.key })).status, 404)
    assert.equal((await host.call(`PATCH /v1/webhooks/${id}`, { as: other.key, body: { events: [] } })).status, 404)
    assert.equal((await host.call(`DELETE /v1/webhooks/${id}`, { as: other.key })).status, 404)
    const member = await host.member(org, 'member')
    assert.equal((await create(member.key)).status, 403)
    assert.equal((await host.call('GET /v1/webhooks', { as: member.key })).body.data.length, 1)
  })

  it('has a secret that is shown twice at most, and is never listed', async () => {
    const { key } = await newOrg()
    const { id, secret } = (await create(key)).body
    const rotated = await host.call(`POST /v1/webhooks/${id}/secret`, { as: key, body: {} })
    assert.equal(rotated.status, 200)
    assert.notEqual(rotated.body.secret, secret)
    for (const call of ['GET /v1/webhooks', `GET /v1/webhooks/${id}`, 'GET /v1/iam/audit']) {
      const { text } = await host.call(call, { as: key })
      assert.ok(!text.includes('whsec_') && !text.includes(secret.slice(6)), call)
    }
    assert.ok(!host.logged.join('').includes(secret.slice(6)))
    assert.ok(!JSON.stringify(host.emitted).includes(secret.slice(6)))
    const late = await host.call(`POST /v1/webhooks/${id}/secret`, { as: key, body: { overlap: 86_401 } })
    assert.equal(late.status, 400)
  })

  it('is one of at most a thousand', async t => {
    const own = await startHost({ settings: { STOA_WEBHOOKS_MAX: '2' } }, t)
    const body = { url }
    for (const expected of [201, 201, 409])
      assert.equal((await own.call('POST /v1/webhooks', { body })).status, expected)
  })
})

describe('the URL of an endpoint', async () => {
  const guarded = await startHost({ http: openHttp({ allow: [] }) })
  const refused = [
    ...['http://hooks.example.com/', 'ftp://hooks.example.com/', 'hooks.example.com', '//hooks.example.com', ''],
    ...['https://user:secret@hooks.example.com/', 'https://hooks.example.com/#part', 'https://hooks.example.com/#'],
    ...[
      'https://hooks.example.com:0/',
      'https://127.0.0.1/',
      'https://127.1/',
      'https://0177.0.0.1/',
      'https://2130706433/',
      'https://0x7f000001/',
    ],
    ...['https://[::1]/', 'https://[::ffff:10.0.0.1]/', 'https://[64:ff9b::7f00:1]/', 'https://[2002:7f00:1::]/'],
    ...[
      'https://0.0.0.0/',
      'https://10.1.2.3/',
      'https://169.254.169.254/latest',
      'https://[fd00::1]/',
      'https://①②⑦.0.0.1/',
    ],
    ...[
      'https://localhost/',
      'https://localhost./',
      'https://api.localhost/',
      'https://intranet/',
      'https://db.internal/',
    ],
  ]
  for (const bad of refused) {
    it(`must be public and https: ${bad || 'nothing'}`, async () => {
      const answer = await guarded.call('POST /v1/webhooks', { body: { url: bad } })
      assert.deepEqual([answer.status, answer.body.error.param], [400, 'url'])
    })
  }

  it('is not that of Stoa itself', async () => {
    const { key } = await newOrg()
    for (const url of [host.baseUrl, host.baseUrl.replace('localhost', 'localhost.')]) {
      const own = await create(key, { url: `${url}/v1/event?n=1` })
      const fields = [{ path: 'url', says: 'must not be the address of Stoa itself' }]
      assert.deepEqual([own.status, own.body.error.fields], [400, fields])
    }
  })

  it('is checked when it is changed, too', async () => {
    const made = await guarded.call('POST /v1/webhooks', { body: { url: 'https://93.184.215.14/' } })
    assert.equal(made.status, 201)
    const path = `PATCH /v1/webhooks/${made.body.id}`
    assert.equal((await guarded.call(path, { body: { url: 'https://127.0.0.1/' } })).status, 400)
  })

  it('has at most 2,048 characters', async () => {
    const { key } = await newOrg()
    const of = (length: number) => `${url}?${'a'.repeat(length - url.length - 1)}`
    assert.equal((await create(key, { url: of(2_048) })).status, 201)
    assert.equal((await create(key, { url: of(2_049) })).status, 400)
  })
})

describe('the events of an endpoint', () => {
  it('are at most 64 patterns of subjects', async () => {
    const { key } = await newOrg()
    const patterns = ['>', '*.>', 'a.b', 'a.>', 'a.*.c', '*.b.>', `a.${'a'.repeat(64)}`, Array(16).fill('a').join('.')]
    assert.ok(patterns.every(isPattern))
    assert.equal((await create(key, { events: patterns })).status, 201)
    const wrong = [
      '',
      '.',
      'a.',
      '.a',
      'a..b',
      '>.a',
      'a.>.b',
      'a b',
      'a>',
      'ä',
      'a'.repeat(65),
      Array(17).fill('a').join('.'),
    ]
    assert.ok(!wrong.some(isPattern))
    for (const one of wrong) assert.equal((await create(key, { events: [one] })).status, 400, one)
    assert.equal((await create(key, { events: Array(64).fill('a.b') })).status, 201)
    assert.equal((await create(key, { events: Array(65).fill('a.b') })).status, 400)
    assert.equal((await create(key, { description: 'x'.repeat(1_025) })).status, 400)
  })

  it('are refused if they can match nothing, with what was probably meant', async () => {
    const { key } = await newOrg()
    const { id } = (await create(key)).body
    for (const [pattern, says] of Object.entries({
      '*': /use `>`/i,
      commerce: /`commerce\.>`/,
      'event.OrderCompleted': /`event\.ordercompleted`/,
      'event.order-completed': /`event\.order_completed`/,
      'event.order.completed': /`event\.order_completed`/,
      'event.*.*': /`event\.>`/,
      'Event.signup': /`event\.signup`/,
      'iam.user.signed_up': /`iam\.user\.created`.*`iam\.user\.signed_in`/,
      'IAM.>': /`iam\./,
      'project.*.*.*': /`project\.created`/,
    })) {
      const refused = await create(key, { events: ['commerce.order.>', pattern] })
      assert.equal(refused.status, 400, pattern)
      const [{ path, says: said }] = refused.body.error.fields
      assert.equal(path, 'events.1')
      assert.match(said, /^can match nothing: /)
      assert.match(said, says)
      assert.equal((await host.call(`PATCH /v1/webhooks/${id}`, { as: key, body: { events: [pattern] } })).status, 400)
    }
    const right = ['>', 'event.>', 'event.*', 'event.order_completed', 'iam.user.*', 'iam.>', 'task.>', '*.*.created']
    assert.equal((await create(key, { events: right })).status, 201)
  })

  it('of clients have a distinct subject for each name, whatever its letters', async () => {
    const { key } = await newOrg()
    const subjects: string[] = []
    for (const event of [
      'Order Completed',
      '$pageview',
      'Заказ',
      'Оплата',
      'Große Bestellung',
      'Caf\u00e9',
      'Cafe\u0301',
    ]) {
      host.emitted.length = 0
      assert.equal((await host.call('POST /v1/event', { as: key, body: { event, properties: {} } })).status, 200)
      subjects.push(host.emitted.at(-1)?.type as string)
    }
    assert.deepEqual(subjects.slice(0, 2), ['event.order_completed', 'event.pageview'])
    assert.match(subjects[2] as string, /^event\._{5}_[0-9a-f]{8}$/)
    assert.match(subjects[4] as string, /^event\.gro_e_bestellung_[0-9a-f]{8}$/)
    assert.equal(subjects[5], subjects[6])
    assert.equal(new Set(subjects).size, 6)
    assert.equal((await create(key, { events: subjects })).status, 201)
  })

  it('are listed with an example of each', async () => {
    const { key, org } = await newOrg()
    const { data } = (await host.call('GET /v1/webhooks/subjects', { as: key })).body
    const created = data.find(({ subject }: { subject: string }) => subject === 'project.created')
    assert.equal(created.what, 'A project was created')
    const { type, tenant, data: told } = created.example
    assert.deepEqual([type, tenant, Object.keys(told)], ['project.created', org, ['slug', 'name']])
  })
})
