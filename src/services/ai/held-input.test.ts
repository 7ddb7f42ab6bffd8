// What is held for a call that is paid in advance covers its input, wherever in the body it is.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { PRICE, messages } = fixture
const { host, server, add, newOrg } = await fixture.startModelCalls({ settings: { STOA_BILLING: 'prepaid' } })
const added = await add({
  ...{ name: 'native', kind: 'openai', baseUrl: `${server.url}/v1` },
  models: [
    { id: 'gpt', price: PRICE },
    { id: 'gpt-4o-mini', price: { input: 15, output: 60 } },
    { id: 'painter', price: { ...PRICE, image: 4 } },
    { id: 'vectors-too', kind: 'embedding', price: PRICE },
  ],
})
assert.equal(added.status, 201, added.text)
/** About 18,000 tokens. */
const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(1_800)
const TOKENS = 18_000
const CHAT = '/v1/chat/completions'

/** What is charged in cents if the provider reports this usage, and what that would cost. */
async function charged(path: string, body: object, input: number, images = 0) {
  const { org, key } = await newOrg()
  await host.call('POST /v1/billing/credits', { as: host.admin.key, body: { org, amount: 1_000, reason: 'Paid' } })
  const drawn = Array.from({ length: images }, () => ({
    type: 'image_generation_call',
    status: 'completed',
    result: 'x',
  }))
  server.state.answer = upstream.json(
    path === '/v1/responses'
      ? {
          ...{ id: 'resp_1', object: 'response', status: 'completed', output: drawn },
          usage: { input_tokens: input, output_tokens: 10, total_tokens: input + 10 },
        }
      : { ...upstream.chatCompletion({ prompt_tokens: input, completion_tokens: 10 }), data: [] },
  )
  const { status, text } = await host.call(`POST ${path}`, { as: key, body })
  assert.equal(status, 200, text)
  const [row] = (await host.call('GET /v1/billing/usage', { as: key })).body.usage
  assert.equal(row.metadata.cappedFrom, undefined, `${row.amount} of ${row.metadata.cappedFrom}`)
}

const user = (...content: object[]) => [{ role: 'user', content }]
const base64 = Buffer.from(TEXT).toString('base64')

describe('what is held covers text', () => {
  const chat = (more: object) => ({ model: 'large', max_tokens: 10, messages, ...more })
  const schema = { type: 'object', properties: { a: { type: 'file', description: TEXT } } }
  const call = { id: TEXT, type: 'function', function: { name: 'f', arguments: '{}' } }
  const cases: [where: string, body: object][] = [
    ['of a message that says it is base64', chat({ messages: [{ role: 'user', type: 'base64', content: TEXT }] })],
    ['of a message that says it is an image', chat({ messages: [{ role: 'user', type: 'image', content: TEXT }] })],
    ['of a schema', chat({ tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] })],
    ['of a function', chat({ functions: [{ name: 'f', type: 'file', description: TEXT }] })],
    ['of documents', chat({ documents: [{ text: TEXT }] })],
    ['of an id', chat({ messages: [...messages, { role: 'assistant', tool_calls: [call] }] })],
    ['of a name', chat({ chat_template_kwargs: { [TEXT]: 1 } })],
    ['of an unknown field', chat({ something: [[{ type: 'image_url', image_url: { url: TEXT } }]] })],
    [
      'beside an image',
      chat({ messages: user({ type: 'image_url', image_url: { url: 'https://x' }, caption: TEXT }) }),
    ],
    ['where the data of an image should be', chat({ messages: user({ type: 'image_url', image_url: { url: TEXT } }) })],
    ['of a document', chat({ messages: user({ type: 'document', source: { type: 'text', data: TEXT } }) })],
    ['of a file', chat({ messages: user({ type: 'file', file: { filename: 'a.txt', file_data: base64 } }) })],
    [
      'that an image is not',
      chat({ messages: user({ type: 'image_url', image_url: { url: `data:text/plain;base64,${base64}` } }) }),
    ],
  ]
  for (const [where, body] of cases) it(where, () => charged(CHAT, body, TOKENS))

  it('of a file at the responses wire', async () => {
    const file = { type: 'input_file', filename: 'a.txt', file_data: `data:text/plain;base64,${base64}` }
    await charged('/v1/responses', { model: 'gpt', max_output_tokens: 16, input: user(file) }, TOKENS)
  })

  it('of objects that are embedded', async () => {
    await charged('/v1/embeddings', { model: 'vectors-too', input: [{ text: TEXT }] }, TOKENS)
  })
})

describe('what is held covers images', () => {
  const picture = { type: 'image_url', image_url: { url: 'https://example.com/1.png', detail: 'high' } }

  it('of a model that counts many tokens for them', async () => {
    const body = { model: 'gpt-4o-mini', max_tokens: 10, messages: user(picture, picture) }
    await charged(CHAT, body, 2 * 48_169 + 13)
  })

  it('and takes their data for no text', async () => {
    const { org, key } = await newOrg()
    await host.call('POST /v1/billing/credits', { as: host.admin.key, body: { org, amount: 3, reason: 'Paid' } })
    server.state.answer = upstream.json(upstream.chatCompletion({ prompt_tokens: 900, completion_tokens: 2 }))
    const data = 'QUJD'.repeat(100_000)
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    for (const content of [
      [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }],
      [{ type: 'tool_result', tool_use_id: 'a', content: [image] }],
      [image],
    ]) {
      const body = { model: 'gpt', max_tokens: 10, messages: user(...content) }
      const { status, text } = await host.call(`POST ${CHAT}`, { as: key, body })
      assert.equal(status, 200, text)
    }
  })

  const draw = { model: 'painter', max_output_tokens: 16, input: 'Draw', tools: [{ type: 'image_generation' }] }
  it('that the model makes with a tool', async () => {
    await charged('/v1/responses', { ...draw, max_tool_calls: 5 }, 10, 5)
    const { key } = await newOrg()
    for (const calls of [undefined, null, 0, '5', 1.5, 129]) {
      const { status, body } = await host.call('POST /v1/responses', {
        as: key,
        body: { ...draw, max_tool_calls: calls },
      })
      assert.deepEqual([status, body.error.param], [400, 'max_tool_calls'])
    }
  })
})

describe('a file at a URL', () => {
  const url = 'https://example.com/a.pdf'
  const cases: [path: string, body: object, param: string][] = [
    [
      '/v1/responses',
      { model: 'gpt', input: user({ type: 'input_file', file_url: url }) },
      'input.0.content.0.file_url',
    ],
    [
      '/v1/responses',
      {
        model: 'gpt',
        input: [{ type: 'function_call_output', call_id: 'a', output: [{ type: 'input_file', file_url: url }] }],
      },
      'input.0.output.0.file_url',
    ],
    [
      '/v1/messages',
      { model: 'claude-large', max_tokens: 5, messages: user({ type: 'document', source: { type: 'url', url } }) },
      'messages.0.content.0.source',
    ],
    [
      '/v1/messages',
      {
        ...{ model: 'claude-large', max_tokens: 5 },
        messages: user({
          type: 'tool_result',
          tool_use_id: 'a',
          content: [{ type: 'document', source: { type: 'url', url } }],
        }),
      },
      'messages.0.content.0.content.0.source',
    ],
    [
      CHAT,
      { model: 'gpt', messages: user({ type: 'file', file: { file_data: url } }) },
      'messages.0.content.0.file.file_data',
    ],
    [
      CHAT,
      { model: 'gpt', messages: user({ type: 'video_url', video_url: { url } }) },
      'messages.0.content.0.video_url',
    ],
  ]
  it('is refused, because nobody here knows what it costs', async () => {
    const { key } = await newOrg()
    const before = server.received.length
    for (const [path, body, param] of cases) {
      const { status, body: answer } = await host.call(`POST ${path}`, { as: key, body })
      assert.equal(status, 400, param)
      assert.ok(answer.error.message.startsWith(`\`${param}\` is a URL`), answer.error.message)
    }
    assert.equal(server.received.length, before)
  })

  it('may be named where it is data of the client', async () => {
    const { org, key } = await newOrg()
    await host.call('POST /v1/billing/credits', { as: host.admin.key, body: { org, amount: 100, reason: 'Paid' } })
    server.state.answer = upstream.json(upstream.chatCompletion())
    const parameters = { type: 'object', properties: { file_url: { type: 'string', default: url } } }
    const tools = [{ type: 'function', function: { name: 'f', parameters } }]
    const { status, text } = await host.call(`POST ${CHAT}`, { as: key, body: { model: 'gpt', messages, tools } })
    assert.equal(status, 200, text)
  })
})
