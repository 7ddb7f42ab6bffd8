// The other wires, keys and providers, through the real host.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { COST, PRICE, messages } = fixture
const { host, server, add, lastRequest, newOrg, chat, balanceOf, streamed } = await fixture.startModelCalls()

describe('a key', () => {
  const keyWith = async (body: object) =>
    (await host.call('POST /v1/account/keys', { body: { name: 'k', ...body } })).body.key as string

  it('calls only the models of its limit, and sees no others', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion())
    const key = await keyWith({ limit: ['model:renamed'] })
    assert.equal((await chat({ model: 'renamed' }, key)).status, 200)
    for (const model of ['large', 'first/renamed']) assert.equal((await chat({ model }, key)).status, 403)
    const { data } = (await host.call('GET /v1/models', { as: key })).body
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      ['renamed'],
    )
  })

  it('is refused when its budget is used up, whatever the wire', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion({ prompt_tokens: 10_000, completion_tokens: 0 }))
    const key = await keyWith({ budget: { month: 1 } })
    assert.equal((await chat({}, key)).status, 200)
    const before = server.received.length
    for (const [path, body] of [
      ['/v1/chat/completions', { model: 'large', messages }],
      ['/v1/messages', { model: 'large', messages, max_tokens: 5 }],
      ['/v1/responses', { model: 'large', input: 'x' }],
      ['/v1/embeddings', { model: 'local-embed-en', input: 'x' }],
    ] as const) {
      const answer = await host.call(`POST ${path}`, { as: key, body })
      assert.deepEqual([path, answer.status], [path, 402])
    }
    assert.equal(server.received.length, before)
  })

  it('with a budget cannot call a model without a price; others can, and it is counted', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion())
    const refused = await chat({ model: 'free' }, await keyWith({ budget: { total: 100 } }))
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'model_unpriced'])
    const { key } = await newOrg()
    assert.equal((await chat({ model: 'free' }, key)).status, 200)
    const [row] = (await host.call('GET /v1/billing/usage', { as: key })).body.usage
    assert.deepEqual([row.amount, row.metadata.unpriced, row.metadata.inputTokens], [0, true, 1000])
  })
})

describe('a field that changes what a call costs', () => {
  const refused = async (body: object, path = '/v1/chat/completions') => {
    const before = server.received.length
    const answer = await host.call(`POST ${path}`, {
      body: { model: 'large', messages, max_tokens: 5, input: 'Hi', ...body },
    })
    assert.equal(server.received.length, before)
    return [answer.status, answer.body.error.param ?? answer.body.error.message]
  }

  it('is refused if it names other models', async () => {
    for (const name of ['models', 'fallbacks', 'route', 'Models']) {
      assert.deepEqual(await refused({ [name]: ['dear'] }), [400, name])
    }
    assert.equal((await refused({ fallbacks: [{ model: 'dear' }] }, '/v1/messages'))[0], 400)
  })

  it('is refused if it costs more than tokens, for a model with a price', async () => {
    for (const [field, value, param = field] of [
      ['service_tier', 'priority'],
      ['speed', 'fast'],
      ['web_search_options', {}],
      ['plugins', [{ id: 'web' }]],
      ['tools', [{ type: 'function', function: { name: 'f' } }, { type: 'web_search' }], 'tools.1.type'],
    ] as const) {
      assert.deepEqual(await refused({ [field]: value }), [400, param])
    }
    server.state.answer = upstream.json(upstream.chatCompletion())
    assert.equal((await chat({ service_tier: 'flex', speed: null })).status, 200)
    assert.equal((await chat({ model: 'free', service_tier: 'priority' })).status, 200)
  })
})

describe('the other wires', () => {
  it('are translated for a provider of chat completions', async () => {
    const { key } = await newOrg()
    server.state.answer = upstream.json(upstream.chatCompletion())
    const body = { model: 'large', max_tokens: 50, messages, system: 'Be kind' }
    const { content, usage, type } = (await host.call('POST /v1/messages', { as: key, body })).body
    assert.deepEqual([type, content[0].text, usage.output_tokens], ['message', 'Hello', 200])
    assert.deepEqual(server.received.at(-1)?.json.messages[0], { role: 'system', content: 'Be kind' })
    const asked = { model: 'large', input: 'Hi', instructions: 'Be kind' }
    const { output, instructions } = (await host.call('POST /v1/responses', { as: key, body: asked })).body
    assert.deepEqual([output.at(-1).content[0].text, instructions], ['Hello', 'Be kind'])
    assert.equal(await balanceOf(key), -0.6)
  })

  it('are streamed for a provider of chat completions', async () => {
    const { key } = await newOrg()
    server.state.answer = upstream.stream(upstream.chatChunks(['Hel', 'lo']))
    const { text } = await streamed({ max_tokens: 50 }, key, '/v1/messages')
    assert.match(text, /event: message_start[\s\S]*text_delta[\s\S]*event: message_stop/)
    const responses = await streamed({ messages: undefined, input: 'Hi' }, key, '/v1/responses')
    assert.match(responses.text, /response\.created[\s\S]*output_text\.delta[\s\S]*response\.completed/)
    assert.equal(await balanceOf(key), -0.6)
  })

  it('reach a provider of messages', async () => {
    const { key } = await newOrg()
    server.state.answer = upstream.json(upstream.message())
    const claude = { model: 'claude-large' }
    assert.equal((await chat(claude, key)).body.choices[0].message.content, 'Hello')
    const { headers, path } = server.received.at(-1) as upstream.Received
    assert.deepEqual([path, headers['x-api-key']], ['/v1/messages', 'provider-secret'])
    assert.equal(await balanceOf(key), -0.291)
    server.state.answer = upstream.stream(upstream.messageEvents(['Hel', 'lo']))
    const { text } = await streamed(claude, key)
    assert.match(text, /"content":"Hel"[\s\S]*"content":"lo"[\s\S]*"finish_reason":"stop"[\s\S]*\[DONE\]/)
    const responses = await streamed({ ...claude, messages: undefined, input: 'Hi' }, key, '/v1/responses')
    assert.match(responses.text, /response\.completed/)
    assert.ok(Math.abs((await balanceOf(key)) + 0.291 + 2 * COST) < 1e-9)
  })

  it('refuse by name what the provider cannot express', async () => {
    const answer = await chat({ model: 'claude-large', logprobs: true })
    assert.deepEqual([answer.status, answer.body.error.param], [400, 'logprobs'])
    const { status, body } = await host.call('POST /v1/messages', {
      body: { model: 'large', messages, max_tokens: 5, top_k: 3 },
    })
    assert.deepEqual([status, body.type, /top_k/.test(body.error.message)], [400, 'error', true])
  })

  it('of messages answers faults as its clients read them', async () => {
    const { status, body } = await host.call('POST /v1/messages', { body: { model: 'none', messages, max_tokens: 5 } })
    assert.deepEqual([status, body.type, body.error.type], [404, 'error', 'not_found_error'])
  })
})

describe('a body that a provider may read in another way', () => {
  for (const [what, more, field] of [
    ['a text for a boolean', { stream: 'true' }, 'stream'],
    ['a number for a boolean', { stream: 1 }, 'stream'],
    ['options that are no object', { stream: true, stream_options: 5 }, 'stream_options'],
    ['a text for an option', { stream: true, stream_options: { include_usage: '0' } }, 'stream_options.include_usage'],
    ['the name of a field in another case', { Model: 'free' }, 'Model'],
    ['the name of a field with letters that look alike', { '\u017ftream': true }, '\u017ftream'],
    ['a model of control characters', { model: 'a\u0000b' }, 'model'],
    ['a model of half a character', { model: '\ud800' }, 'model'],
  ] as const) {
    it(`is refused: ${what}`, async () => {
      const { status, body } = await chat(more)
      assert.deepEqual([status, body.error.param], [400, field])
    })
  }
})

describe('embeddings', () => {
  it('are made here without a provider', async () => {
    const { key } = await newOrg()
    const embed = (more: object) =>
      host.call('POST /v1/embeddings', { as: key, body: { model: 'local-embed-en', input: 'a walnut desk', ...more } })
    const { body } = await embed({})
    assert.equal(body.data[0].embedding.length, 512)
    const short = (await embed({ dimensions: 64, encoding_format: 'base64' })).body.data[0].embedding
    assert.equal(Buffer.from(short, 'base64').length, 256)
    for (const [more, field] of [
      [{ input: '' }, 'input.0'],
      [{ input: [1, 2] }, 'input'],
      [{ dimensions: 100 }, 'dimensions'],
      [{ encoding_format: 'x' }, 'encoding_format'],
    ] as const) {
      const { status, body: refused } = await embed(more)
      assert.deepEqual([status, refused.error.param], [400, field])
    }
    const { provider, inputTokens, cost } = await lastRequest(key).then(() => lastSuccess(key))
    assert.deepEqual([provider, cost, inputTokens > 2], ['stoa', 0, true])
  })

  it('pass through to a provider', async () => {
    server.state.answer = upstream.json({ object: 'list', data: [], usage: { prompt_tokens: 5, total_tokens: 5 } })
    const body = { model: 'vectors', input: [[1, 2], [3]], dimensions: 3, encoding_format: 'base64' }
    assert.equal((await host.call('POST /v1/embeddings', { body })).status, 200)
    assert.deepEqual(server.received.at(-1)?.json, body)
  })
})

const lastSuccess = async (as: string) =>
  (await host.call('GET /v1/ai/requests', { as })).body.data.find((one: { error?: string }) => !one.error)

describe('providers', () => {
  it('show no keys, are changed and deleted immediately, and belong to the superadmin', async () => {
    const as = host.admin.key
    const list = async () => (await host.call('GET /v1/ai/providers', { as })).text
    assert.ok(!(await list()).includes('provider-secret'))
    const [row] = await host.db<{
      key: string
    }>`select encode(api_key, 'escape') as key from ai_providers where name = 'first'`
    assert.ok(row && !row.key.includes('provider-secret'))
    assert.equal((await add({ name: 'first', baseUrl: server.url, models: [] })).status, 409)
    await add({ name: 'third', baseUrl: `${server.url}/v1/`, models: [{ id: 'third-model', price: PRICE }] })
    server.state.answer = upstream.json(upstream.chatCompletion())
    assert.equal((await chat({ model: 'third-model' })).status, 200)
    assert.equal(server.received.at(-1)?.headers.authorization, undefined)
    const path = '/v1/ai/providers/third'
    await host.call(`PATCH ${path}`, { as, body: { apiKey: 'other', models: [{ id: 'renamed-model' }] } })
    assert.equal((await chat({ model: 'third-model' })).status, 404)
    assert.equal((await chat({ model: 'renamed-model' })).status, 200)
    assert.equal(server.received.at(-1)?.headers.authorization, 'Bearer other')
    assert.equal((await host.call(`DELETE ${path}`, { as })).status, 204)
    assert.equal((await chat({ model: 'renamed-model' })).status, 404)
    for (const call of [`PATCH ${path}`, `DELETE ${path}`])
      assert.equal((await host.call(call, { as, ...(call.startsWith('PATCH') && { body: {} }) })).status, 404)
    assert.equal((await host.call('GET /v1/ai/providers')).status, 403)
  })

  it('are refused if their URL or models are wrong', async () => {
    for (const [body, field] of [
      [{ name: 'x', baseUrl: 'ftp://x', models: [] }, 'baseUrl'],
      [{ name: 'x', models: [] }, 'baseUrl'],
      [{ name: 'x', baseUrl: server.url, models: [{ id: 'a' }, { id: 'a' }] }, 'models.1.id'],
    ] as const) {
      const { status, body: answer } = await add(body)
      assert.deepEqual([status, answer.error.param], [400, field])
    }
  })
})

describe('an organisation that pays in advance', () => {
  it('calls no model without a price', async t => {
    const own = await startHost({ http: host.engines.http, settings: { STOA_BILLING: 'prepaid' } }, t)
    const models = [{ id: 'free' }, { id: 'large', price: PRICE }]
    const as = own.admin.key
    await own.call('POST /v1/ai/providers', { as, body: { name: 'first', baseUrl: server.url, models } })
    await own.call('POST /v1/billing/credits', { as, body: { org: own.home.org, amount: 1, reason: 'Paid' } })
    server.state.answer = upstream.json(upstream.chatCompletion())
    const call = (model: string) => own.call('POST /v1/chat/completions', { body: { model, messages } })
    assert.deepEqual([(await call('free')).body.error.code, (await call('large')).status], ['model_unpriced', 200])
  })
})

describe('without a provider', () => {
  it('a call says in one sentence how to add one, and the local model is listed', async t => {
    const own = await startHost({}, t)
    const answer = await own.call('POST /v1/chat/completions', { body: { model: 'gpt-5-mini', messages } })
    assert.equal(answer.status, 404)
    assert.match(answer.body.error.message, /OPENAI_API_KEY.*\/v1\/ai\/providers/)
    const { data } = (await own.call('GET /v1/models')).body
    assert.deepEqual(data, [
      {
        id: 'local-embed-en',
        object: 'model',
        created: 0,
        owned_by: 'stoa',
        kind: 'embedding',
        price: { input: 0, output: 0 },
      },
    ])
    assert.equal((await own.call('GET /v1/models/local-embed-en')).body.id, 'local-embed-en')
    assert.equal((await own.call('GET /v1/models/none')).status, 404)
  })
})
