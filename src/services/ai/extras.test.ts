// What costs more than its tokens by its place, by a header, or because the totals of the provider leave it out.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { PRICE, messages } = fixture
const prepaid = await fixture.startModelCalls({ settings: { STOA_BILLING: 'prepaid' } })
const postpaid = await fixture.startModelCalls()
const hourly = { ...PRICE, cacheWrite: 125, cacheWriteHour: 200 }
for (const { add, server } of [prepaid, postpaid]) {
  const gpt = [{ id: 'gpt', price: PRICE }, { id: 'painter', price: { ...PRICE, image: 1 } }, { id: 'unpriced' }]
  const claude = [{ id: 'claude-hour', price: hourly }, { id: 'claude-free' }]
  for (const provider of [
    { name: 'native', kind: 'openai', baseUrl: `${server.url}/v1`, models: gpt },
    { name: 'claudes', kind: 'anthropic', baseUrl: server.url, models: claude },
    { name: 'router', kind: 'openrouter', baseUrl: `${server.url}/v1`, models: [{ id: 'routed', price: hourly }] },
  ]) {
    const added = await add(provider)
    assert.equal(added.status, 201, added.text)
  }
}

const { host, server, newOrg, balanceOf, lastRequest, streamed } = postpaid

/** The status, the field that is named, and how many requests the provider got. */
async function call(path: string, body: object, headers: Record<string, string> = {}, to = postpaid, as?: string) {
  const before = to.server.received.length
  const answer = await to.host.call(`POST ${path}`, { body, headers, ...(as && { as }) })
  const [, param = null] = answer.body.error?.message.match(/^`([^`]+)`/) ?? []
  return { status: answer.status, param, reached: to.server.received.length - before, text: answer.text }
}

const REFUSED = (param: string) => ({ status: 400, param, reached: 0 })
const outcomeOf = async (answer: ReturnType<typeof call>) => {
  const { text: _, ...outcome } = await answer
  return outcome
}

describe('a tool that costs', () => {
  const item = (more: object) => ({ input: [{ role: 'user', content: 'x' }, more] })
  const added = (tools: unknown, more: object = {}) =>
    item({ type: 'additional_tools', role: 'developer', tools, ...more })

  for (const [body, param] of [
    [added([{ type: 'web_search' }]), 'input.1.tools.0.type'],
    [
      added([
        { type: 'function', name: 'f' },
        { type: 'mcp', server_url: 'https://x' },
      ]),
      'input.1.tools.1.type',
    ],
    [added([{ type: 'image_generation' }]), 'input.1.tools.0.type'],
    [added([{ type: 'namespace', tools: [{ type: 'web_search' }] }]), 'input.1.tools.0.tools.0.type'],
    [added([{ Type: 'web_search' }]), 'input.1.tools.0.Type'],
    [added(undefined, { Tools: [{ type: 'web_search' }] }), 'input.1.Tools'],
    [added({ type: 'web_search' }), 'input.1.tools'],
    [item({ type: 'tool_search_output', tools: [{ type: 'code_interpreter' }] }), 'input.1.tools.0.type'],
    [
      item({ role: 'user', content: [{ type: 'x', tools: [{ type: 'web_search' }] }] }),
      'input.1.content.0.tools.0.type',
    ],
    [item({ type: 'configuration_update', reasoning: { mode: 'pro' } }), 'input.1.reasoning.mode'],
  ] as const) {
    it(`is refused in the items of a response: ${JSON.stringify(body.input[1])}`, async () => {
      assert.deepEqual(await outcomeOf(call('/v1/responses', { model: 'gpt', ...body })), REFUSED(param))
    })
  }

  it('is refused in a message', async () => {
    const body = { model: 'gpt', messages: [{ role: 'system', tools: [{ type: 'builtin_function' }] }] }
    assert.deepEqual(await outcomeOf(call('/v1/chat/completions', body)), REFUSED('messages.0.tools.0.type'))
  })

  it('passes where it has a price or there is none, and those of the client always', async () => {
    server.state.answer = upstream.json({ id: 'resp_1', object: 'response', output: [], usage: null })
    const own = added([
      { type: 'function', name: 'f', parameters: { type: 'object', properties: { tools: {}, Type: {} } } },
    ])
    for (const body of [
      { model: 'painter', ...added([{ type: 'image_generation' }]) },
      { model: 'unpriced', ...added([{ type: 'web_search' }]) },
      { model: 'gpt', ...own },
    ]) {
      const { status, text } = await call('/v1/responses', body)
      assert.equal(status, 200, text)
    }
  })
})

describe('a header that turns on other prices', () => {
  const body = (model: string) => ({ model, messages, max_tokens: 10 })

  it('is refused for a model with a price, by its name', async () => {
    for (const beta of ['context-1m-2025-08-07', 'x,fast-mode-2026-02-01', 'interleaved-thinking, Context-1M']) {
      const answer = await outcomeOf(call('/v1/messages', body('claude-large'), { 'anthropic-beta': beta }))
      assert.deepEqual(answer, REFUSED('anthropic-beta'))
      assert.deepEqual(
        await outcomeOf(call('/v1/messages', { ...body('claude-large'), betas: beta.split(',') })),
        REFUSED('betas'),
      )
    }
  })

  it('passes otherwise', async () => {
    server.state.answer = upstream.json(upstream.message())
    for (const [model, beta] of [
      ['claude-large', 'interleaved-thinking-2025-05-14,compact-2026-01-12'],
      ['claude-free', 'context-1m-2025-08-07'],
    ] as const) {
      assert.equal((await call('/v1/messages', body(model), { 'anthropic-beta': beta })).status, 200)
      assert.equal(server.received.at(-1)?.headers['anthropic-beta'], beta)
    }
  })
})

describe('a compaction', () => {
  const edits = (type: string) => ({ context_management: { edits: [{ type }] } })
  const iterations = [
    { type: 'compaction', input_tokens: 100_000, output_tokens: 1_000 },
    { type: 'message', input_tokens: 1_000, output_tokens: 200 },
  ]
  /** Of 101,000 tokens of input and 1,200 of output. */
  const COST = 11.3
  const usage = { input_tokens: 1_000, output_tokens: 200, iterations }
  const body = { model: 'claude-large', messages, max_tokens: 300, ...edits('compact_20260112') }

  it('is charged, of a whole answer and of a stream', async () => {
    const { key } = await newOrg()
    server.state.answer = upstream.json({ ...upstream.message(), usage })
    assert.equal((await call('/v1/messages', body, {}, postpaid, key)).status, 200)
    assert.equal(await balanceOf(key), -COST)
    const events = upstream.messageEvents(['Hello'])
    const { iterations: _, ...totals } = usage
    for (const last of [usage, { output_tokens: 200, iterations }]) {
      const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: last }
      server.state.answer = upstream.stream([
        ...events.slice(0, -2),
        `event: message_delta\ndata: ${JSON.stringify(delta)}\n\n`,
        ...events.slice(-1),
      ])
      await streamed(body, key, '/v1/messages')
      const { inputTokens, outputTokens, cost } = await lastRequest(key)
      assert.deepEqual([inputTokens, outputTokens, cost], [101_000, 1_200, COST], JSON.stringify(totals))
    }
  })

  it('is refused where it must be paid in advance, and other edits are not', async () => {
    const { key, org } = await prepaid.newOrg()
    const credit = { org, amount: 1_000, reason: 'Paid' }
    await prepaid.host.call('POST /v1/billing/credits', { as: prepaid.host.admin.key, body: credit })
    prepaid.server.state.answer = upstream.json(upstream.message())
    const sent = (more: object, path = '/v1/messages') => outcomeOf(call(path, more, {}, prepaid, key))
    assert.deepEqual(await sent(body), REFUSED('context_management.edits.0.type'))
    const spelled = { ...body, context_management: { Edits: [{ type: 'compact_20260112' }] } }
    assert.deepEqual(await sent(spelled), REFUSED('context_management.Edits'))
    const compaction = { context_management: [{ type: 'compaction', compact_threshold: 1_000 }] }
    const responses = { model: 'gpt', input: 'Hi', max_output_tokens: 20 }
    assert.deepEqual(await sent({ ...responses, ...compaction }, '/v1/responses'), REFUSED('context_management.0.type'))
    const trigger = { ...responses, input: [{ type: 'compaction_trigger' }] }
    assert.deepEqual(await sent(trigger, '/v1/responses'), REFUSED('input.0.type'))
    assert.equal((await sent({ ...body, ...edits('clear_tool_uses_20250919') })).status, 200)
  })
})

describe('a cache for an hour', () => {
  const text = { type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }
  const asked = { messages: [{ role: 'user', content: [text] }], max_tokens: 300 }
  const usage = {
    ...{ input_tokens: 10, cache_read_input_tokens: 0, output_tokens: 10, cache_creation_input_tokens: 3_000 },
    cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
  }
  /** 10 tokens at 100, 1,000 at 125, 2,000 at 200 and 10 at 1,000 cents a million. */
  const COST = 0.536

  it('is charged by its price', async () => {
    const { key } = await newOrg()
    server.state.answer = upstream.json({ ...upstream.message(), usage })
    assert.equal((await call('/v1/messages', { model: 'claude-hour', ...asked }, {}, postpaid, key)).status, 200)
    assert.equal(await balanceOf(key), -COST)
    const [{ metadata }] = (await host.call('GET /v1/billing/usage', { as: key })).body.usage
    assert.deepEqual([metadata.cacheWriteTokens, metadata.cacheWriteHourTokens], [3_000, 2_000])
    assert.equal((await host.call('GET /v1/models/claude-hour')).body.price.cacheWriteHour, 200)
  })

  it('is refused without one, and where the usage does not tell it', async () => {
    const path = 'messages.0.content.0.cache_control.ttl'
    assert.deepEqual(await outcomeOf(call('/v1/messages', { model: 'claude-large', ...asked })), REFUSED(path))
    assert.deepEqual(await outcomeOf(call('/v1/chat/completions', { model: 'routed', ...asked })), REFUSED(path))
  })

  it('is held where it is paid in advance', async () => {
    const { key, org } = await prepaid.newOrg()
    const credit = { org, amount: 100, reason: 'Paid' }
    await prepaid.host.call('POST /v1/billing/credits', { as: prepaid.host.admin.key, body: credit })
    const words = 'word '.repeat(20_000)
    const write = 28_000
    const whole = { ...usage, cache_creation: { ephemeral_1h_input_tokens: write }, cache_creation_input_tokens: write }
    prepaid.server.state.answer = upstream.json({ ...upstream.message(), usage: whole })
    const long = { ...asked, messages: [{ role: 'user', content: [{ ...text, text: words }] }], max_tokens: 10 }
    const answer = await call('/v1/messages', { model: 'claude-hour', ...long }, {}, prepaid, key)
    assert.equal(answer.status, 200, answer.text)
    const [row] = (await prepaid.host.call('GET /v1/billing/usage', { as: key })).body.usage
    assert.deepEqual([row.amount, row.metadata.cappedFrom], [5.611, undefined])
  })
})
