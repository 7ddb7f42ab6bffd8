// What an organisation and the operator choose: aliases, fallbacks, and bounds of models.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import * as upstream from '../../../test/model-server.ts'
import { openHttp } from '../../engines/http/http.ts'

const server = await upstream.startModelServer()
const http = openHttp({ allow: [] })
const host = await startHost({ http })
const advancing = setInterval(() => host.clock.advance(10), 5)
after(async () => {
  clearInterval(advancing)
  await http.close()
  server.close()
})

const price = { input: 100, output: 1_000 }
const cheap = { input: 1, output: 10 }
const models = [
  { id: 'large', price },
  { id: 'small', price: cheap },
  { id: 'free' },
  { id: 'quick', price, beginMs: 50, gapMs: 50 },
  { id: 'rare', price, rate: 2 },
  { id: 'vectors', kind: 'embedding', price },
]
await host.call('POST /v1/ai/providers', { as: host.admin.key, body: { name: 'first', baseUrl: server.url, models } })
const other = { id: 'claude', upstream: 'claude-x', price }
await host.call('POST /v1/ai/providers', {
  as: host.admin.key,
  body: { name: 'second', wire: 'anthropic', baseUrl: server.url, models: [other] },
})

let made = 0
const newOrg = () => host.organisation(`chosen-${made++}`)
const choose = (as: string, body: object) => host.call('PATCH /v1/ai/settings', { as, body })
const messages = [{ role: 'user', content: 'Hello' }]
const chat = (model: string, as: string, more: object = {}) =>
  host.call('POST /v1/chat/completions', { as, body: { model, messages, ...more } })
const lastOf = async (as: string) => (await host.call('GET /v1/ai/requests?limit=1', { as })).body.data[0]
/** Fails for these models of the provider, and answers for others. */
const failFor = (names: readonly string[], status = 503, body: object = {}) => {
  server.state.answer = (response, received) => {
    const isFailing = names.includes(received.json.model)
    const answer = received.path === '/v1/messages' ? upstream.message() : upstream.chatCompletion()
    return upstream.json(isFailing ? body : answer, isFailing ? status : 200)(response, received)
  }
}

describe('an alias', () => {
  it('names a model for its organisation only, takes effect immediately, and is billed as that model', async () => {
    const { key } = await newOrg()
    failFor([])
    assert.deepEqual((await host.call('GET /v1/ai/settings', { as: key })).body, { aliases: [], fallbacks: [] })
    assert.equal((await chat('fast', key)).status, 404)
    const chosen = { aliases: [{ name: 'fast', model: 'small' }], fallbacks: [] }
    assert.deepEqual((await choose(key, chosen)).body, chosen)
    assert.equal((await chat('fast', key)).status, 200)
    assert.equal(server.received.at(-1)?.json.model, 'small')
    const { model, answeredModel } = await lastOf(key)
    assert.deepEqual([model, answeredModel], ['fast', 'small'])
    const { usage } = (await host.call('GET /v1/billing/usage?model=small', { as: key })).body
    assert.deepEqual([usage.length, usage[0].metadata.namedModel, usage[0].metadata.price], [1, 'fast', cheap])
    assert.equal((await chat('fast', (await newOrg()).key)).status, 404, 'it is of one organisation')
    await choose(key, { aliases: [] })
    assert.equal((await chat('fast', key)).status, 404)
  })

  it('is called by a limited key only if the limit names it', async () => {
    const { key } = await newOrg()
    await choose(key, { aliases: [{ name: 'fast', model: 'small' }] })
    const keyWith = async (limit: string) =>
      (await host.call('POST /v1/account/keys', { as: key, body: { name: 'k', limit: [limit] } })).body.key
    assert.equal((await chat('fast', await keyWith('model:fast'))).status, 200)
    assert.equal((await chat('fast', await keyWith('model:small'))).status, 403)
  })

  it('is not set by a limited key, which could then call what it may not', async () => {
    const { key } = await newOrg()
    const made = await host.call('POST /v1/account/keys', { as: key, body: { name: 'k', limit: ['model:small'] } })
    const aliases = [{ name: 'small', model: 'large' }]
    assert.deepEqual((await choose(made.body.key, { aliases })).body.error.code, 'key_limit')
  })

  it('of a model that is not there is refused by both names', async () => {
    const { key } = await newOrg()
    const as = host.admin.key
    const provider = { name: 'leaving', baseUrl: server.url, models: [{ id: 'gone' }] }
    await host.call('POST /v1/ai/providers', { as, body: provider })
    await choose(key, { aliases: [{ name: 'fast', model: 'gone' }] })
    await host.call('DELETE /v1/ai/providers/leaving', { as })
    const { status, body } = await chat('fast', key)
    assert.equal(status, 404)
    assert.match(body.error.message, /gone.*fast/)
  })
})

describe('fallbacks', () => {
  it('are called in their order, at another wire too, and billed at their price', async () => {
    const { key } = await newOrg()
    await choose(key, { fallbacks: [{ model: 'large', to: ['small', 'claude'] }] })
    failFor(['large', 'small'])
    assert.equal((await chat('large', key)).status, 200)
    const { model, answeredModel, provider, attempts } = await lastOf(key)
    assert.deepEqual([model, answeredModel, provider, attempts], ['large', 'claude', 'second', 5])
    host.clock.advance(60_000)
    failFor(['large'])
    await chat('large', key)
    assert.equal((await lastOf(key)).answeredModel, 'small')
    const { usage } = (await host.call('GET /v1/billing/usage?model=small', { as: key })).body
    assert.deepEqual(usage[0].metadata.price, cheap)
  })

  it('that cannot express a request are skipped, also while the model is skipped', async () => {
    const { key } = await newOrg()
    await choose(key, { fallbacks: [{ model: 'large', to: ['claude', 'small'] }] })
    failFor(['large'])
    for (let n = 0; n < 5; n++) {
      assert.equal((await chat('large', key, { n: 2 })).status, 200)
      assert.equal((await lastOf(key)).answeredModel, 'small')
    }
    await choose(key, { fallbacks: [{ model: 'large', to: ['claude'] }] })
    assert.equal((await chat('large', key, { n: 2 })).body.error.code, 'upstream_unreachable')
    assert.deepEqual((await chat('claude', key, { n: 2 })).body.error.param, 'n')
  })

  it('are not called for errors of the request, of the account, or of money', async () => {
    const { key } = await newOrg()
    await choose(key, { fallbacks: [{ model: 'large', to: ['small'] }] })
    for (const [status, code] of [
      [400, 'model_refused'],
      [401, 'upstream_refused'],
      [402, 'upstream_refused'],
    ] as const) {
      failFor(['large'], status)
      assert.equal((await chat('large', key)).body.error.code, code)
    }
    failFor(['large'], 429, { error: { code: 'insufficient_quota' } })
    assert.equal((await chat('large', key)).body.error.code, 'upstream_refused')
  })

  it('are only those that the key may call, and that its budget can be held to', async () => {
    const { key } = await newOrg()
    await choose(key, { fallbacks: [{ model: 'large', to: ['free', 'small'] }] })
    const keyWith = async (bounds: object) =>
      (await host.call('POST /v1/account/keys', { as: key, body: { name: 'k', ...bounds } })).body.key
    failFor(['large'])
    const unlimited = await chat('large', key)
    assert.deepEqual([unlimited.status, server.received.at(-1)?.json.model], [200, 'free'])
    host.clock.advance(60_000)
    const budgeted = await chat('large', await keyWith({ budget: { month: 100 } }))
    assert.deepEqual([budgeted.status, server.received.at(-1)?.json.model], [200, 'small'])
    host.clock.advance(60_000)
    const limited = await chat('large', await keyWith({ limit: ['model:large'] }))
    assert.equal(limited.body.error.code, 'upstream_unreachable')
  })

  it('are chosen by admins, each name once', async () => {
    const { org, key } = await newOrg()
    const member = await host.member(org, 'member')
    assert.equal((await choose(member.key, { aliases: [] })).status, 403)
    const twice = { name: 'fast', model: 'small' }
    const { status, body } = await choose(key, { aliases: [twice, twice] })
    assert.deepEqual([status, body.error.param], [400, 'aliases.1.name'])
    const again = await choose(key, {
      fallbacks: [
        { model: 'a', to: ['b'] },
        { model: 'a', to: ['c'] },
      ],
    })
    assert.deepEqual([again.status, again.body.error.param], [400, 'fallbacks.1.model'])
  })
})

describe('a fallback of another kind', () => {
  it('is rejected with the kind that is needed, also behind an alias', async () => {
    const { key } = await newOrg()
    const aliases = [
      { name: 'fast', model: 'small' },
      { name: 'search', model: 'local-embed-en' },
    ]
    for (const [model, wrong, kind] of [
      ['small', 'vectors', 'chat'],
      ['fast', 'vectors', 'chat'],
      ['fast', 'local-embed-en', 'chat'],
      ['vectors', 'small', 'embedding'],
      ['search', 'small', 'embedding'],
    ] as const) {
      const fallbacks = [{ model, to: ['unknown', wrong] }]
      const { status, body } = await choose(key, { aliases, fallbacks })
      assert.deepEqual([status, body.error.param], [400, 'fallbacks.0.to.1'], model)
      assert.match(body.error.fields[0].says, new RegExp(`is not of the kind \`${kind}\`.*${model}`))
    }
    assert.equal((await choose(key, { aliases })).status, 200)
    const again = await choose(key, { fallbacks: [{ model: 'fast', to: ['vectors'] }] })
    assert.equal(again.status, 400, 'the aliases that were chosen before count')
    for (const fallbacks of [
      [{ model: 'fast', to: ['large', 'unknown'] }],
      [{ model: 'search', to: ['vectors'] }],
      [{ model: 'unknown', to: ['vectors', 'small'] }],
    ])
      assert.equal((await choose(key, { fallbacks })).status, 200)
  })
})

describe('bounds of a model', () => {
  it('are given up when its answer does not begin in time', async () => {
    const { key } = await newOrg()
    server.state.answer = () => {}
    const { status, body } = await chat('quick', key)
    assert.deepEqual([status, body.error.code], [504, 'upstream_timeout'])
  })

  it('break off an answer that stops in between, and what was produced is paid', async () => {
    const { key } = await newOrg()
    server.state.answer = upstream.stream(upstream.chatChunks(['one', 'two']).slice(0, 3), true)
    const { text } = await chat('quick', key, { stream: true })
    assert.match(text, /two.*upstream_timeout/s)
    const { error, estimated, outputTokens } = await lastOf(key)
    assert.deepEqual([error, estimated, outputTokens], ['upstream_timeout', true, 2])
    assert.ok((await host.call('GET /v1/billing/balance', { as: key })).body.balance < 0)
    server.state.answer = response => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    }
    assert.equal((await chat('quick', key)).body.error.code, 'upstream_timeout')
  })

  it('count the calls of a minute for each organisation', async () => {
    const [{ key }, { key: another }] = [await newOrg(), await newOrg()]
    clearInterval(advancing)
    failFor([])
    assert.deepEqual([(await chat('rare', key)).status, (await chat('rare', key)).status], [200, 200])
    const refused = await chat('rare', key)
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'model_limit'])
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.equal((await chat('rare', another)).status, 200)
    host.clock.advance(60_000)
    assert.equal((await chat('rare', key)).status, 200)
  })
})

describe('the key of a client of the messages format', () => {
  const post = (headers: Record<string, string>, path = '/v1/messages') =>
    host.call(`POST ${path}`, { as: null, headers, body: { model: 'claude', messages, max_tokens: 10 } })

  it('may be in the header x-api-key there, and nowhere else', async () => {
    failFor([])
    assert.equal((await post({ 'x-api-key': host.home.key, 'anthropic-beta': 'a-2026' })).status, 200)
    const { headers } = server.received.at(-1) as upstream.Received
    assert.deepEqual([headers['x-api-key'], headers['anthropic-beta']], [undefined, 'a-2026'])
    const refused = await post({ 'x-api-key': 'sk-wrong' })
    assert.deepEqual([refused.status, refused.body.error.type], [401, 'authentication_error'])
    assert.equal((await post({ 'x-api-key': host.home.key }, '/v1/chat/completions')).status, 401)
    const both = await post({ 'x-api-key': host.home.key, authorization: 'Bearer sk-wrong' })
    assert.equal(both.status, 401, 'the bearer counts first')
  })
})
