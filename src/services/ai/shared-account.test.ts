// Organisations share the operator's account at a provider: none reaches what another one has there.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'
import { deleteOld, purgeOrg } from '../../../test/removal.ts'

const { PRICE, messages } = fixture
const { host, server, second, add, newOrg, streamed } = await fixture.startModelCalls()
const models = [{ id: 'gpt', price: PRICE }, { id: 'vectors', kind: 'embedding', price: PRICE }, { id: 'unpriced' }]
const added = await add({ name: 'native', kind: 'openai', baseUrl: `${server.url}/v1`, models })
assert.equal(added.status, 201, added.text)

const received = () => server.received.length + second.received.length
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
const response = (id: string) => ({
  ...{ id, object: 'response', status: 'completed', usage },
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }],
})
const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
const events = (id: string) => [
  ': begin\n\n',
  event('response.created', { response: { ...response(id), output: [], usage: null } }),
  event('response.output_text.delta', { delta: 'Hello' }),
  event('response.completed', { response: response(id) }),
]

/** The answer to a call that goes on from the response. */
async function goOn(id: unknown, as: string, more: object = {}) {
  server.state.answer = upstream.json(response('resp_next'))
  const before = received()
  const body = { model: 'gpt', input: 'And?', previous_response_id: id, ...more }
  const { status, body: answer } = await host.call('POST /v1/responses', { as, body })
  assert.equal(received() - before, status === 200 ? 1 : 0, 'only what is answered has reached the provider')
  return { status, error: answer.error }
}

async function respond(id: string, as: string, more: object = {}) {
  server.state.answer = upstream.json(response(id))
  const { status, body } = await host.call('POST /v1/responses', { as, body: { model: 'gpt', input: 'Hi', ...more } })
  assert.deepEqual([status, body.id], [200, id])
}

describe('a response', () => {
  it('is gone on from by the organisation that got it, and to others it is as unknown as any', async () => {
    const [mine, theirs] = [await newOrg(), await newOrg()]
    await respond('resp_whole', mine.key)
    assert.equal((await goOn('resp_whole', mine.key)).status, 200)
    assert.equal(server.received.at(-1)?.json.previous_response_id, 'resp_whole')
    const other = await goOn('resp_whole', theirs.key)
    const { request_id: _, ...unknown } = (await goOn('resp_none', theirs.key)).error
    const { request_id: __, ...refused } = other.error
    assert.deepEqual([other.status, refused.param], [400, 'previous_response_id'])
    assert.deepEqual(refused, unknown)
    assert.equal((await goOn('resp_next', mine.key)).status, 200, 'the answer to that, too')
  })

  it('that is streamed is known before its first event is sent, wherever the stream is split', async () => {
    const { key } = await newOrg()
    const bytes = Buffer.from(events('resp_split').join(''))
    server.state.answer = async to => {
      to.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let at = 0; at < bytes.length; at += 11) {
        to.write(bytes.subarray(at, at + 11))
        await new Promise(resolve => setTimeout(resolve, 1))
      }
      to.end()
    }
    const body = { model: 'gpt', messages: undefined, input: 'Hi' }
    const { text } = await streamed(body, key, '/v1/responses')
    assert.equal(text, bytes.toString())
    assert.equal((await goOn('resp_split', key)).status, 200)

    // The database stands still: the event with the id must not pass before it is noted.
    const noted = () => host.db`select from ai_responses where id = 'resp_held'`
    server.state.answer = upstream.stream(events('resp_held'))
    let isAnswered = false
    let reading = Promise.resolve()
    await host.db.transaction(async tx => {
      await tx`lock table ai_responses in share mode`
      reading = streamed(body, key, '/v1/responses').then(() => {
        isAnswered = true
      })
      await new Promise(resolve => setTimeout(resolve, 100))
      assert.deepEqual([isAnswered, (await noted()).length], [false, 0])
    })
    await reading
    assert.equal((await noted()).length, 1)
  })

  it('that is not stored is not gone on from', async () => {
    const { key } = await newOrg()
    await respond('resp_unstored', key, { store: false })
    assert.equal((await goOn('resp_unstored', key)).status, 400)
    server.state.answer = upstream.stream(events('resp_unstored'))
    await streamed({ model: 'gpt', messages: undefined, input: 'Hi', store: false }, key, '/v1/responses')
    assert.equal((await goOn('resp_unstored', key)).status, 400)
  })

  it('is refused by name where the provider speaks another wire, and at other paths', async () => {
    const { key } = await newOrg()
    await respond('resp_mine', key)
    for (const model of ['large', 'claude-large']) {
      const { status, error } = await goOn('resp_mine', key, { model })
      assert.deepEqual([status, error.param], [400, 'previous_response_id'])
    }
    for (const id of ['x'.repeat(300), 5, ['resp_mine'], { id: 'resp_mine' }, true]) {
      assert.deepEqual((await goOn(id, key)).error?.param, 'previous_response_id')
    }
    const before = received()
    for (const [path, model] of [
      ['/v1/chat/completions', 'gpt'],
      ['/v1/messages', 'claude-large'],
      ['/v1/embeddings', 'vectors'],
    ] as const) {
      const body = { model, messages, max_tokens: 5, input: 'Hi', previous_response_id: 'resp_mine' }
      const { status, text } = await host.call(`POST ${path}`, { as: key, body })
      assert.ok(status === 400 && text.includes('`previous_response_id`'), text)
    }
    assert.equal(received(), before)
  })

  it('is forgotten after 30 days, and with its organisation', async () => {
    const [{ key, org }, gone] = [await newOrg(), await newOrg()]
    await respond('resp_new', key)
    await respond('resp_old', key)
    await respond('resp_gone', gone.key)
    await host.db.autocommit`update ai_responses set created = created - interval '31 days' where id = 'resp_old'`
    await deleteOld(host, 'ai')
    const kept = async (of: string) =>
      (await host.db<{ id: string }>`select id from ai_responses where org = ${of}`).map(({ id }) => id)
    assert.deepEqual(await kept(org), ['resp_new'])
    await host.call(`DELETE /v1/iam/orgs/${gone.org}?confirm=${gone.org}`, { as: host.admin.key })
    // Its last call is settled first.
    await eventually(() => purgeOrg(host, gone.org), Boolean)
    assert.deepEqual([await kept(gone.org), await kept(org)], [[], ['resp_new']])
  })
})

const part = (more: object) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }, more] }] })
const item = (more: object) => ({ input: [{ role: 'user', content: 'x' }, more] })

/** On which wire; the path that is named. */
const REFERENCES: [wire: 'chat' | 'responses' | 'messages', more: object, path: string][] = [
  ['chat', part({ type: 'file', file: { file_id: 'file-1' } }), 'messages.0.content.1.file.file_id'],
  ['chat', part({ type: 'file', file: { File_Id: 'file-1' } }), 'messages.0.content.1.file.File_Id'],
  ['chat', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }, 'messages.0.audio'],
  ['chat', { conversation: 'conv_1' }, 'conversation'],
  ['chat', { data_sources: [{ type: 'azure_search' }] }, 'data_sources'],
  ['chat', { cached_content: 'cachedContents/1' }, 'cached_content'],
  ['chat', { extra_body: { google: { cached_content: 'cachedContents/1' } } }, 'extra_body'],
  ['responses', { conversation: { id: 'conv_1' } }, 'conversation'],
  ['responses', { prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['responses', item({ type: 'item_reference', id: 'msg_1' }), 'input.1'],
  ['responses', item({ type: 'Item_Reference', id: 'msg_1' }), 'input.1'],
  ['responses', item({ id: 'msg_1' }), 'input.1'],
  ['responses', item({ type: 'image_generation_call', id: 'ig_1' }), 'input.1'],
  ['responses', item({ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }), 'input.1.content.0.file_id'],
  ['responses', item({ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }), 'input.1.content.0.file_id'],
  [
    'responses',
    item({ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_file', file_id: 'f' }] }),
    'input.1.output.0.file_id',
  ],
  ['responses', item({ type: 'computer_call_output', output: { file_id: 'f' } }), 'input.1.output.file_id'],
  ['responses', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }, 'tools.0.vector_store_ids'],
  ['responses', { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, 'tools.0.container'],
  [
    'responses',
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['f'] } }] },
    'tools.0.container.file_ids',
  ],
  ['messages', { container: 'container_1' }, 'container'],
  ['messages', { container: { skills: [] } }, 'container'],
  ['messages', { thread: { type: 'continue', id: 'thread_1' } }, 'thread'],
  [
    'messages',
    part({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
    'messages.0.content.1.source.file_id',
  ],
  ['messages', part({ type: 'container_upload', file_id: 'file_1' }), 'messages.0.content.1.file_id'],
  [
    'messages',
    part({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: { file_id: 'f' } }] }),
    'messages.0.content.1.content.0.source.file_id',
  ],
  ['messages', { system: [{ type: 'text', text: 'x', file_id: 'f' }] }, 'system.0.file_id'],
]
const WIRES = {
  chat: ['/v1/chat/completions', { messages }, ['unpriced', 'claude-large']],
  responses: ['/v1/responses', { input: 'Hi' }, ['unpriced', 'free', 'claude-large']],
  messages: ['/v1/messages', { messages, max_tokens: 5 }, ['claude-large', 'free']],
} as const

describe('a reference to what is stored at the provider', () => {
  for (const [wire, more, path] of REFERENCES) {
    it(`is refused at the wire of ${wire}: ${path} of ${JSON.stringify(more)}`, async () => {
      const [route, fields, ofModels] = WIRES[wire]
      for (const model of ofModels) {
        const before = received()
        const { status, body, text } = await host.call(`POST ${route}`, { body: { model, ...fields, ...more } })
        assert.equal(status, 400, text)
        assert.ok(body.error.message.startsWith(`\`${path}\` `), body.error.message)
        assert.equal(received(), before)
      }
    })
  }

  it('is ignored in contents of the client: arguments, results, schemas', async () => {
    const own = { file_id: 'mine', vector_store_ids: ['mine'], container: 'mine' }
    const text = JSON.stringify(own)
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: text } }
    const parameters = { type: 'object', properties: { file_id: {}, container: {} } }
    for (const [path, body, answer] of [
      [
        '/v1/chat/completions',
        {
          model: 'gpt',
          messages: [...messages, { role: 'assistant', tool_calls: [call] }, { role: 'tool', content: text }],
          tools: [{ type: 'function', function: { name: 'f', parameters } }],
          metadata: { file_id: 'mine' },
        },
        upstream.chatCompletion(),
      ],
      [
        '/v1/responses',
        {
          model: 'gpt',
          input: [
            { type: 'function_call', call_id: 'c', name: 'f', arguments: text, id: 'fc_1' },
            { type: 'function_call_output', call_id: 'c', output: text },
          ],
          tools: [{ type: 'function', name: 'f', parameters }],
          prompt: null,
          conversation: null,
        },
        response('resp_own'),
      ],
      [
        '/v1/messages',
        {
          ...{
            model: 'claude-large',
            max_tokens: 5,
            tools: [{ name: 'f', input_schema: parameters }],
            container: null,
          },
          messages: [
            { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: own }] },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: text }] },
          ],
        },
        upstream.message(),
      ],
    ] as const) {
      server.state.answer = upstream.json(answer)
      const answered = await host.call(`POST ${path}`, { body })
      assert.equal(answered.status, 200, answered.text)
    }
  })
})
