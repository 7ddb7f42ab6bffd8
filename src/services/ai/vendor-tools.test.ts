// Tools that vendors run, such as web search: refused in words where the provider cannot be asked for them, and passed where
// it can.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { PRICE, messages } = fixture
const { host, server, second, add } = await fixture.startModelCalls()
for (const [kind, baseUrl, id] of [
  ['openai', `${server.url}/v1`, 'gpt'],
  ['anthropic', server.url, 'claude'],
  ['ollama', `${server.url}/v1`, 'llama'],
  ['google', `${server.url}/v1`, 'gemini'],
  ['groq', `${second.url}/v1`, 'shared'],
]) {
  const priced = kind === 'groq' ? [] : [{ id: `${id}-priced`, price: PRICE }]
  const added = await add({ name: `by-${kind}`, kind, baseUrl, apiKey: 'secret', models: [{ id }, ...priced] })
  assert.equal(added.status, 201, added.text)
}

const PATHS = {
  '/v1/chat/completions': { messages },
  '/v1/responses': { input: 'Hello' },
  '/v1/messages': { messages, max_tokens: 10 },
}
type Path = keyof typeof PATHS
const [CHAT, RESPONSES, MESSAGES] = Object.keys(PATHS) as [Path, Path, Path]

const call = (path: Path, model: string, more: object) =>
  host.call(`POST ${path}`, { body: { ...PATHS[path], model, ...more } })
const tool = (type: string, more: object = {}) => ({ tools: [{ type, ...more }] })
const named = (type: string) => tool(type, { name: type.replace(/_\d+$/, '') })

const OTHER_FORMAT = /uses another format, in which it cannot be requested/
const LOCAL = /runs models on its own machine, without such a tool/
const NO_PRICE = /each use has costs besides the tokens of the model .* have no price here/

const REFUSED: [path: Path, model: string, body: object, field: string, asked: string, why: RegExp][] = [
  ...[
    'web_search',
    'web_search_preview',
    'file_search',
    'code_interpreter',
    'computer_use',
    'image_generation',
  ].flatMap((type): typeof REFUSED => [
    [RESPONSES, 'llama', tool(type), 'tools.0.type', type, OTHER_FORMAT],
    [RESPONSES, 'claude', tool(type), 'tools.0.type', type, OTHER_FORMAT],
    [RESPONSES, 'claude-priced', tool(type), 'tools.0.type', type, OTHER_FORMAT],
    [CHAT, 'claude', tool(type), 'tools.0.type', type, OTHER_FORMAT],
    [CHAT, 'llama', tool(type), 'tools.0.type', type, LOCAL],
    [CHAT, 'llama-priced', tool(type), 'tools.0.type', type, LOCAL],
    [RESPONSES, 'gpt-priced', tool(type), 'tools.0.type', type, NO_PRICE],
  ]),
  ...['web_search_20250305', 'web_fetch_20250910', 'code_execution_20250825'].flatMap((type): typeof REFUSED => [
    [MESSAGES, 'gpt', named(type), 'tools.0.type', type, OTHER_FORMAT],
    [MESSAGES, 'gpt-priced', named(type), 'tools.0.type', type, OTHER_FORMAT],
    [MESSAGES, 'llama', named(type), 'tools.0.type', type, OTHER_FORMAT],
    [MESSAGES, 'claude-priced', named(type), 'tools.0.type', type, NO_PRICE],
  ]),
  [CHAT, 'claude', { web_search_options: {} }, 'web_search_options', 'web_search_options', OTHER_FORMAT],
  [CHAT, 'claude-priced', { web_search_options: {} }, 'web_search_options', 'web_search_options', OTHER_FORMAT],
  [CHAT, 'llama', { web_search_options: {} }, 'web_search_options', 'web_search_options', LOCAL],
  [CHAT, 'gpt-priced', { web_search_options: {} }, 'web_search_options', 'web_search_options', NO_PRICE],
  [CHAT, 'llama', { tools: [{ google_search: {} }] }, 'tools.0.google_search', 'google_search', LOCAL],
  [CHAT, 'gemini-priced', { tools: [{ google_search: {} }] }, 'tools.0.google_search', 'google_search', NO_PRICE],
]

const FUNCTION = { type: 'function', name: 'f', function: { name: 'f', parameters: { type: 'object' } } }

describe('a tool of a vendor', () => {
  for (const [path, model, body, field, asked, why] of REFUSED) {
    it(`is rejected with a reason: ${asked} at ${path} for ${model}`, async () => {
      for (const stream of [false, true]) {
        const before = server.received.length
        const { status, headers, body: answer } = await call(path, model, { ...body, stream })
        const { message, param, type } = answer.error
        assert.deepEqual([status, type], [400, 'invalid_request_error'], message)
        assert.match(String(headers['content-type']), /^application\/json/)
        if (path !== MESSAGES) assert.equal(param, field)
        assert.ok(message.startsWith(`\`${field}\` asks for the vendor tool \`${asked}\`: `), message)
        assert.match(message, why)
        const provider = { gpt: 'openai', claude: 'anthropic', llama: 'ollama', gemini: 'google' }[
          model.split('-')[0] as 'gpt'
        ]
        assert.ok(message.includes(`model ${model} `) && message.includes(`provider by-${provider}`), message)
        assert.match(message, /declare a function tool of your own( instead)?\.$/)
        assert.equal(server.received.length, before, 'no provider was asked')
      }
    })
  }

  it('is named by its place among others', async () => {
    const { body } = await call(CHAT, 'claude', { tools: [FUNCTION, { type: 'web_search' }] })
    assert.equal(body.error.param, 'tools.1.type')
    const long = await call(CHAT, 'llama', tool('x'.repeat(100_000)))
    assert.ok(long.status === 400 && long.text.length < 1_000)
  })

  it('passes to a provider that speaks the format, as it was sent', async () => {
    for (const [path, model, body, answer] of [
      [RESPONSES, 'gpt', tool('web_search'), { id: 'resp_1', object: 'response', output: [], usage: null }],
      [CHAT, 'gpt', { web_search_options: {} }, upstream.chatCompletion()],
      [CHAT, 'gemini', { tools: [{ google_search: {} }] }, upstream.chatCompletion()],
      [MESSAGES, 'claude', named('web_search_20250305'), upstream.message()],
    ] as const) {
      server.state.answer = upstream.json(answer)
      const { status, text } = await call(path, model, body)
      assert.equal(status, 200, text)
      const { json } = server.received.at(-1) as upstream.Received
      for (const [name, value] of Object.entries(body)) assert.deepEqual(json[name], value)
    }
  })

  it('does not concern tools of the client, or what is turned off', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion())
    for (const body of [{ tools: [FUNCTION] }, { tools: [] }, { tools: null }, { web_search_options: null }]) {
      const { status, text } = await call(CHAT, 'llama', body)
      assert.equal(status, 200, text)
    }
    server.state.answer = upstream.json(upstream.message())
    const own = { name: 'web_search', input_schema: { type: 'object' } }
    for (const body of [{ tools: [own] }, { tools: [{ type: 'custom', ...own }] }]) {
      assert.equal((await call(MESSAGES, 'claude', body)).status, 200)
    }
  })

  it('passes over a provider that cannot have it, if another can', async () => {
    await add({ name: 'by-llamacpp', kind: 'llamacpp', baseUrl: `${server.url}/v1`, models: [{ id: 'shared' }] })
    second.state.answer = upstream.json(upstream.chatCompletion())
    const before = server.received.length
    const { status, text } = await call(CHAT, 'shared', tool('browser_search'))
    assert.deepEqual([status, server.received.length], [200, before], text)
    assert.deepEqual(second.received.at(-1)?.json.tools, [{ type: 'browser_search' }])
  })
})
