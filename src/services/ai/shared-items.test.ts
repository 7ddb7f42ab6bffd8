// Items of earlier responses, which a provider keeps for all organisations that share the operator's account: each refers
// only to its own, and pays for what it refers to.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from 'undici'
import { eventually } from '../../../test/eventually.ts'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { PRICE } = fixture
const postpaid = await fixture.startModelCalls()
const prepaid = await fixture.startModelCalls({ settings: { STOA_BILLING: 'prepaid' } })
for (const { add, server } of [postpaid, prepaid]) {
  const models = [{ id: 'gpt', price: PRICE }, { id: 'unpriced' }]
  const added = await add({ name: 'native', kind: 'openai', baseUrl: `${server.url}/v1`, models })
  assert.equal(added.status, 201, added.text)
}
const { host, server, newOrg, streamed } = postpaid

const usageOf = (input: number, output: number) => ({
  ...{ input_tokens: input, output_tokens: output, total_tokens: input + output },
})
const response = (id: string, items: readonly object[] = [], usage = usageOf(10, 5)) => ({
  ...{ id, object: 'response', status: 'completed', usage, output: items },
})
const said = (id: string) => ({
  ...{ id, type: 'message', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
})
const thought = (id: string) => ({ id, type: 'reasoning', summary: [] })
const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`

/** The status, the field that is named, and what the provider got. */
async function send(input: unknown, as: string, more: object = {}, to = postpaid) {
  to.server.state.answer = upstream.json(more === LARGE ? upstream.chatCompletion() : response('resp_next'))
  const before = to.server.received.length
  const body = { model: 'gpt', input, ...more }
  const answer = await to.host.call('POST /v1/responses', { as, body })
  const got = to.server.received.slice(before).map(({ bytes }) => bytes.toString())
  assert.deepEqual(got.length, answer.status === 200 ? 1 : 0, answer.text)
  return { status: answer.status, param: answer.body.error?.param, got: got[0], sent: JSON.stringify(body) }
}
const LARGE = { model: 'large' }
const user = { role: 'user', content: 'x' }

async function issue(response: object, as: string, more: object = {}, to = postpaid) {
  to.server.state.answer = upstream.json(response)
  const { status } = await to.host.call('POST /v1/responses', { as, body: { model: 'gpt', input: 'Hi', ...more } })
  assert.equal(status, 200)
}

describe('an item without content', () => {
  it('is referred to by the organisation that got it, of a whole answer and of a stream', async () => {
    const [mine, theirs] = [await newOrg(), await newOrg()]
    await issue(response('resp_whole', [thought('rs_whole'), said('msg_whole')]), mine.key)
    const items = [thought('rs_split'), said('msg_split')]
    const events = [
      event('response.created', { response: { ...response('resp_split'), usage: null } }),
      ...items.flatMap(item => [
        event('response.output_item.added', { item: { ...item, content: [] } }),
        event('response.output_text.delta', { delta: 'Hello' }),
        event('response.output_item.done', { item }),
      ]),
      event('response.completed', { response: response('resp_split') }),
    ].join('')
    for (const parts of [[events], events.split(/(?<=\n)/), events.match(/.{1,37}/gs) as string[]]) {
      server.state.answer = upstream.stream(parts)
      const body = { model: 'gpt', messages: undefined, input: 'Hi' }
      assert.equal((await streamed(body, mine.key, '/v1/responses')).text, events)
    }
    for (const name of ['whole', 'split']) {
      const input = [
        user,
        { type: 'item_reference', id: `rs_${name}` },
        { id: `msg_${name}` },
        { id: `msg_${name}`, role: 'assistant' },
        thought(`rs_${name}`),
      ]
      const { status, got, sent } = await send(input, mine.key)
      assert.deepEqual([status, got], [200, sent])
      assert.deepEqual((await send(input, theirs.key)).param, 'input.1')
    }
    assert.equal((await send([{ type: 'item_reference', id: 'resp_whole' }], mine.key)).param, 'input.0')
    const previous = { previous_response_id: 'msg_whole' }
    assert.equal((await send('Hi', mine.key, previous)).param, 'previous_response_id')
  })

  it('is not known if it was not stored, and of an endless response up to a thousand are', async () => {
    const { key } = await newOrg()
    await issue(response('resp_off', [said('msg_off')]), key, { store: false })
    assert.equal((await send([{ type: 'item_reference', id: 'msg_off' }], key)).param, 'input.0')
    const many = Array.from({ length: 1_005 }, (_, n) => said(`msg_${n}`))
    await issue(response('resp_many', many), key)
    assert.equal((await send([{ type: 'item_reference', id: 'msg_999' }], key)).status, 200)
    assert.equal((await send([{ type: 'item_reference', id: 'msg_1000' }], key)).param, 'input.0')
    const refs = many.slice(0, 1_000).map(({ id }) => ({ type: 'item_reference', id }))
    assert.equal((await send(refs, key)).status, 200)
    assert.equal((await send([...refs, ...refs, ...refs], key)).param, 'input')
  })

  for (const item of [
    thought('rs_of_others'),
    { ...thought('rs_of_others'), summary: [{ type: 'summary_text', text: 'x' }], encrypted_content: '' },
    { type: 'web_search_call', id: 'ws_of_others', status: 'completed' },
    { type: 'file_search_call', id: 'fs_of_others', queries: ['x'], status: 'completed', results: null },
    { type: 'message', id: 'msg_of_others', role: 'assistant' },
    { type: 'message', id: 'msg_of_others', role: 'assistant', content: [] },
    { type: 'function_call', id: 'fc_of_others', call_id: 'c' },
    { type: 'image_generation_call', id: 'ig_of_others', result: '' },
    { type: 'code_interpreter_call', id: 'ci_of_others', code: null, outputs: null },
    { type: 'compaction', id: 'cmp_of_others' },
    { type: 'item_reference\u200b', id: 'msg_of_others' },
    { type: ['item_reference'], id: 'msg_of_others' },
    { type: 'of_next_year', id: 'x_of_others', content: 'x' },
    { type: 'item_reference', id: 5 },
    { type: 'item_reference', id: 'x'.repeat(300) },
  ]) {
    it(`of others is refused: ${JSON.stringify(item).slice(0, 120)}`, async () => {
      const { key } = await newOrg()
      for (const model of ['gpt', 'unpriced']) assert.equal((await send([user, item], key, { model })).param, 'input.1')
    })
  }

  for (const [input, param] of [
    [{ type: 'item_reference', id: 'msg_of_others' }, 'input'],
    [[[{ type: 'item_reference', id: 'msg_of_others' }]], 'input.0'],
    [['msg_of_others'], 'input.0'],
    [[{ Type: 'item_reference', id: 'msg_of_others', role: 'user' }], 'input.0.Type'],
    [[{ type: 'message', Type: 'item_reference', id: 'msg_of_others' }], 'input.0.Type'],
    [[{ TYPE: 'item_reference', ID: 'msg_of_others' }], 'input.0.TYPE'],
    [[{ type: 'reasoning', encryptedContent: 'x', id: 'rs_of_others' }], 'input.0.encryptedContent'],
    [
      [{ type: 'mcp_approval_response', approval_request_id: 'mcpr_of_others', approve: true }],
      'input.0.approval_request_id',
    ],
  ] as const) {
    it(`is none in another form: ${JSON.stringify(input)}`, async () => {
      const { key } = await newOrg()
      for (const model of ['gpt', 'unpriced', 'large']) assert.equal((await send(input, key, { model })).param, param)
    })
  }

  it('of reasoning is left out for a model whose provider keeps nothing', async () => {
    const { key } = await newOrg()
    assert.equal((await send([user, thought('rs_translated')], key, LARGE)).status, 200)
    assert.equal((await send([user, { type: 'item_reference', id: 'rs_1' }], key, LARGE)).param, 'input.1')
  })
})

describe('an item with its content', () => {
  it('passes unchanged, whoever received it', async () => {
    const { key } = await newOrg()
    const status = 'completed'
    const input = [
      user,
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] },
      { ...thought('rs_any'), encrypted_content: 'gAAAA', content: null },
      { type: 'reasoning', summary: [], encrypted_content: 'gAAAA' },
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'x' }] },
      said('msg_any'),
      { role: 'assistant', content: [{ type: 'output_text', text: '' }], id: 'msg_any', phase: 'commentary' },
      { type: 'function_call', id: 'fc_any', call_id: 'c', name: 'f', arguments: '', status },
      { type: 'function_call_output', id: 'fco_any', call_id: 'c', output: '' },
      { type: 'custom_tool_call', id: 'ctc_any', call_id: 'd', name: 'g', input: '', status },
      { type: 'custom_tool_call_output', call_id: 'd', output: 'x' },
      { type: 'local_shell_call', id: 'lsh_any', call_id: 'e', status, action: { type: 'exec', command: ['ls'] } },
      { type: 'local_shell_call_output', id: 'e', output: '' },
      { type: 'shell_call', id: 'sh_any', call_id: 'h', status, action: { commands: ['ls'] } },
      { type: 'apply_patch_call', id: 'ap_any', call_id: 'i', status, operation: { type: 'delete_file', path: 'a' } },
      { type: 'apply_patch_call_output', id: 'apo_any', call_id: 'i', status },
      {
        type: 'computer_call',
        id: 'cu_any',
        call_id: 'j',
        status,
        actions: [{ type: 'wait' }],
        pending_safety_checks: [],
      },
      { type: 'web_search_call', id: 'ws_any', status, action: { type: 'search', query: 'x' } },
      { type: 'tool_search_call', id: 'ts_any', status, execution: 'server', call_id: null, arguments: {} },
      { type: 'tool_search_output', id: 'tso_any', status, execution: 'server', call_id: null, tools: [] },
      { type: 'compaction', id: 'cmp_any', encrypted_content: 'gAAAA' },
      { type: 'mcp_approval_request', id: 'mcpr_any', name: 'f', arguments: '{}', server_label: 'x' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_any', approve: true },
    ]
    const { got, sent } = await send(input, key, { store: false })
    assert.equal(got, sent)
  })
})

describe('another reference to what is stored', () => {
  const path = { chat: '/v1/chat/completions', messages: '/v1/messages', responses: '/v1/responses' }
  for (const [wire, more, field] of [
    [
      'responses',
      { prompt_cache_options: { comparison_response_id: 'resp_1' } },
      'prompt_cache_options.comparison_response_id',
    ],
    [
      'responses',
      { prompt_cache_options: { ComparisonResponseId: 'resp_1' } },
      'prompt_cache_options.ComparisonResponseId',
    ],
    ['messages', { diagnostics: { previous_message_id: 'msg_1' } }, 'diagnostics.previous_message_id'],
    ['messages', { diagnostics: { previousMessageId: 'msg_1' } }, 'diagnostics.previousMessageId'],
    ['responses', { conversation_id: 'conv_1' }, 'conversation_id'],
    ['responses', { conversationId: 'conv_1' }, 'conversationId'],
    ['chat', { thread_id: 'thread_1' }, 'thread_id'],
    ['chat', { threadId: 'thread_1' }, 'threadId'],
    ['chat', { assistant_id: 'asst_1' }, 'assistant_id'],
    ['responses', { tools: [{ type: 'collections_search', collection_ids: ['c'] }] }, 'tools.0.collection_ids'],
    ['responses', { tools: [{ type: 'file_search', VectorStoreId: 'vs_1' }] }, 'tools.0.VectorStoreId'],
    ['chat', { tools: [{ type: 'document_library', library_ids: ['l'] }] }, 'tools.0.library_ids'],
    ['chat', { library_ids: ['l'] }, 'library_ids'],
  ] as const) {
    it(`is refused at the wire of ${wire}: ${field}`, async () => {
      const before = server.received.length
      const body = {
        messages: [user],
        max_tokens: 5,
        input: 'Hi',
        model: wire === 'messages' ? 'claude-large' : 'unpriced',
      }
      const answer = await host.call(`POST ${path[wire]}`, { body: { ...body, ...more } })
      assert.equal(answer.status, 400, answer.text)
      assert.ok(answer.body.error.message.startsWith(`\`${field}\` `), answer.text)
      assert.equal(server.received.length, before)
    })
  }
})

describe('what is stored is paid', () => {
  const LONG = usageOf(80_000, 10_000)
  const credit = async (org: string, amount: number) => {
    const body = { org, amount, reason: 'Paid' }
    const { status, text } = await prepaid.host.call('POST /v1/billing/credits', { as: prepaid.host.admin.key, body })
    assert.ok(status < 300, text)
  }
  type Charge = { amount: number; metadata: { cappedFrom?: number } }
  const limit = { max_output_tokens: 16 }

  it('in advance: a call that goes on from long turns is held for them', async () => {
    const { org, key } = await prepaid.newOrg()
    await credit(org, 11)
    await issue(
      response('resp_long', [said('msg_a'), said('msg_b')], LONG),
      key,
      { max_output_tokens: 10_000 },
      prepaid,
    )
    await credit(org, 5)
    const previous = { ...limit, previous_response_id: 'resp_long' }
    assert.equal((await send('And?', key, previous, prepaid)).status, 402)
    await credit(org, 30)
    prepaid.server.state.answer = upstream.json(response('resp_more', [], usageOf(90_010, 10)))
    const body = { model: 'gpt', input: 'And?', ...previous }
    const { status } = await prepaid.host.call('POST /v1/responses', { as: key, body })
    assert.equal(status, 200)
    const { usage } = (await prepaid.host.call('GET /v1/billing/usage', { as: key })).body
    const costs = usage.map(({ amount, metadata }: Charge) => metadata.cappedFrom ?? amount)
    assert.ok(costs.includes(9.011), JSON.stringify(costs))
  })

  it('in advance: items are held as the output that they are in, once for each response', async () => {
    const { org, key } = await prepaid.newOrg()
    await credit(org, 11)
    await issue(
      response('resp_items', [said('msg_c'), said('msg_d')], LONG),
      key,
      { max_output_tokens: 10_000 },
      prepaid,
    )
    const refs = ['msg_c', 'msg_d'].map(id => ({ type: 'item_reference', id }))
    assert.equal((await send(refs, key, limit, prepaid)).status, 402)
    await credit(org, 1)
    assert.equal((await send(refs, key, limit, prepaid)).status, 200)
  })

  it('in advance: turns of unknown length are refused', async () => {
    const { org, key } = await prepaid.newOrg()
    await credit(org, 100)
    await issue(response('resp_old', [said('msg_old')]), key, {}, prepaid)
    await prepaid.host.db.autocommit`update ai_responses set input_tokens = null where id = 'resp_old'`
    const { param } = await send('And?', key, { ...limit, previous_response_id: 'resp_old' }, prepaid)
    assert.equal(param, 'previous_response_id')
    assert.equal((await send([{ id: 'msg_old' }], key, limit, prepaid)).param, 'input.0')
  })

  it('by a client that leaves before the usage is reported', async () => {
    const { key } = await newOrg()
    await issue(response('resp_left', [], LONG), key)
    const created = event('response.created', { response: { ...response('resp_cut'), usage: null } })
    server.state.answer = upstream.stream([created, event('response.output_text.delta', { delta: 'Hello' })], true)
    const leave = new AbortController()
    const answer = await request(`${host.baseUrl}/v1/responses`, {
      dispatcher: postpaid.dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt', input: 'And?', stream: true, previous_response_id: 'resp_left' }),
      signal: leave.signal,
    })
    answer.body.on('error', () => {})
    answer.body.once('data', () => leave.abort())
    const { error, inputTokens } = await eventually(
      () => postpaid.lastRequest(key),
      row => row?.error === 'interrupted',
    )
    assert.ok(inputTokens > 90_000 && inputTokens < 90_100, `${error} ${inputTokens}`)
  })
})
