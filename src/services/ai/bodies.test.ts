// Bodies that cost more than their tokens, or that a provider may read in another way than this host, in every spelling
// and on every wire: none reaches the provider.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { PRICE, messages } = fixture
const { host, server, second, add } = await fixture.startModelCalls()
const added = await add({
  ...{ name: 'native', kind: 'openai', baseUrl: `${server.url}/v1` },
  models: [
    { id: 'gpt', price: PRICE },
    { id: 'vectors', kind: 'embedding', price: PRICE },
    { id: 'painter', price: { ...PRICE, image: 1 } },
    { id: 'unpriced' },
    { id: 'given', price: { input: 0, output: 0 } },
  ],
})
assert.equal(added.status, 201, added.text)

const JSON_TYPE = { 'content-type': 'application/json' }
const received = () => server.received.length + second.received.length

/** The text of a body: the fields of the wire, then the others as they are. */
const bodyWith = (fields: object, more: string) => `${JSON.stringify(fields).slice(0, -1)},${more}}`

const WIRES: [path: string, fields: object][] = [
  ['/v1/chat/completions', { model: 'gpt', messages }],
  ['/v1/chat/completions', { model: 'claude-large', messages }],
  ['/v1/responses', { model: 'gpt', input: 'Hello' }],
  ['/v1/responses', { model: 'large', input: 'Hello' }],
  ['/v1/messages', { model: 'claude-large', messages, max_tokens: 10 }],
  ['/v1/messages', { model: 'large', messages, max_tokens: 10 }],
  ['/v1/embeddings', { model: 'vectors', input: 'Hello' }],
]

/** Refused on all wires; the path that is named. */
const REFUSED: [more: string, path: string][] = [
  ['"service_tier":"default","service_tier":"priority"', 'service_tier'],
  ['"service_tier":"priority","service_tier":"default"', 'service_tier'],
  ['"service_tier":"default","service_t\\u0069er":"priority"', 'service_tier'],
  ['"Service_Tier":"priority"', 'Service_Tier'],
  ['"serviceTier":"priority"', 'serviceTier'],
  ['"\u017fervice_tier":"priority"', '\u017fervice_tier'],
  ['"service_tier":"Priority"', 'service_tier'],
  ['"service_tier":" priority "', 'service_tier'],
  ['"service_tier":["priority"]', 'service_tier'],
  ['"service_tier":["default"]', 'service_tier'],
  ['"service_tier":{"type":"priority"}', 'service_tier'],
  ['"speed":"Fast"', 'speed'],
  ['"speed":["standard"]', 'speed'],
  ['"Speed":"fast"', 'Speed'],
  ['"inference_geo":"us"', 'inference_geo'],
  ['"Plugins":[{"id":"web"}]', 'Plugins'],
  ['"plugins":[{"id":"web"}]', 'plugins'],
  ['"web_search_options":{}', 'web_search_options'],
  ['"search_parameters":{"mode":"on"}', 'search_parameters'],
  ['"mcp_servers":[{"url":"https://x"}]', 'mcp_servers'],
  ['"provider":{"order":["dear"]}', 'provider'],
  ['"modalities":["text","audio"]', 'modalities'],
  ['"modalities":["Image"]', 'modalities'],
  ['"audio":{"voice":"alloy"}', 'audio'],
  ['"tools":[],"tools":[{"type":"web_search"}]', 'tools'],
  ['"Tools":[{"type":"web_search"}]', 'Tools'],
  ['"tools":{"type":"web_search"}', 'tools'],
  ['"tools":["web_search"]', 'tools.0'],
  ['"tools":[{"type":"Web_Search"}]', 'tools.0.type'],
  ['"tools":[{"type":"\uff57eb_search"}]', 'tools.0.type'],
  ['"tools":[{"type":" web_search_preview "}]', 'tools.0.type'],
  ['"tools":[{"type":["web_search"]}]', 'tools.0.type'],
  ['"tools":[{"type":"web_fetch_20250910","name":"web_fetch"}]', 'tools.0.type'],
  ['"tools":[{"type":"mcp","server_url":"https://x"}]', 'tools.0.type'],
  ['"tools":[{"type":"image_generation"}]', 'tools.0.type'],
  ['"tools":[{"type":"code_interpreter","container":{"type":"auto"}}]', 'tools.0.type'],
  ['"tools":[{"Type":"web_search","type":"function"}]', 'tools.0.Type'],
  ['"tools":[{"type":"function","t\\u0079pe":"web_search"}]', 'tools.0.type'],
  ['"tools":[{"type":"namespace","tools":[{"type":"file_search"}]}]', 'tools.0.tools.0.type'],
  ['"tools":[{"google_search":{}}]', 'tools.0.google_search'],
  ['"tools":[{"googleSearch":{}}]', 'tools.0.googleSearch'],
  ['"background":"true"', 'background'],
  ['"background":1', 'background'],
  ['"background":true', 'background'],
  ['"Background":true', 'Background'],
  ['"stream":false,"stream":true', 'stream'],
  ['"stream_options":{"Include_Usage":false}', 'stream_options.Include_Usage'],
  ['"stream_options":{"include_usage":true,"include_usage":false}', 'stream_options.include_usage'],
  ['"preset":"dear"', 'preset'],
  ['"model":"large"', 'model'],
  ['"Max_Tokens":5', 'Max_Tokens'],
  ['"unknown":{"a":[{"b":1,"b":2}]}', 'unknown.a.0.b'],
  ['"tools":[{"name":"f","input_schema":{"properties":{"a":{},"a":{}}}}]', 'tools.0.input_schema.properties.a'],
  ['"cache_control":{"type":"ephemeral","ttl":"1h"}', 'cache_control.ttl'],
  ['"cache_control":{"type":"ephemeral","TTL":"1h"}', 'cache_control.TTL'],
  ['"tools":[{"name":"f","cacheControl":{"ttl":"1h"}}]', 'tools.0.cacheControl'],
  ['"tools":[{"name":"f","cache_control":{"Ttl":"1h"}}]', 'tools.0.cache_control.Ttl'],
  [
    '"tools":[{"type":"function","function":{"name":"f","cache_control":{"ttl":"1h"}}}]',
    'tools.0.function.cache_control.ttl',
  ],
  ['"prompt_cache_options":{"ttl":"24h"}', 'prompt_cache_options.ttl'],
  ['"Prompt_Cache_Options":{"ttl":"24h"}', 'Prompt_Cache_Options'],
  ['"reasoning":{"mode":"pro"}', 'reasoning.mode'],
  ['"reasoning":{"mode":["pro"]}', 'reasoning.mode'],
  ['"reasoning":{"Mode":"pro"}', 'reasoning.Mode'],
]

for (const [path, fields] of WIRES) {
  describe(`POST ${path} for the model ${(fields as { model: string }).model}`, () => {
    const send = (body: string) => host.call(`POST ${path}`, { body, headers: JSON_TYPE })
    for (const [more, field] of REFUSED) {
      it(`refuses ${more}`, async () => {
        const before = received()
        const { status, body, text } = await send(bodyWith(fields, more))
        assert.equal(status, 400, text)
        assert.equal(body.error.code, 'invalid_input')
        assert.ok(body.error.message.startsWith(`\`${field}\` `), body.error.message)
        assert.equal(received(), before)
      })
    }
  })
}

describe('a body of the client', () => {
  const call = async (more: object, path = '/v1/chat/completions', fields: object = { model: 'gpt', messages }) => {
    server.state.answer = upstream.json(upstream.chatCompletion())
    const { status, text } = await host.call(`POST ${path}`, { body: { ...fields, ...more } })
    return [status, status === 200 ? '' : text]
  }

  it('may have names in any spelling where they are its own', async () => {
    const parameters = { type: 'object', properties: { Type: {}, type: {}, File_Id: {}, file_id: {}, Model: {} } }
    const tools = [{ type: 'function', function: { name: 'f', parameters } }]
    const format = { type: 'json_schema', json_schema: { name: 'x', schema: parameters } }
    assert.deepEqual(await call({ tools, response_format: format }), [200, ''])
    const responses = { tools: [{ type: 'function', name: 'f', parameters }], text: { format: { schema: parameters } } }
    assert.deepEqual(await call(responses, '/v1/responses', { model: 'gpt', input: 'Hi' }), [200, ''])
    server.state.answer = upstream.json(upstream.message())
    const { status } = await host.call('POST /v1/messages', {
      body: {
        model: 'claude-large',
        messages,
        max_tokens: 5,
        tools: [{ name: 'f', input_schema: parameters, input_examples: [{ file_id: 'own', Name: 1, name: 2 }] }],
      },
    })
    assert.equal(status, 200)
  })

  it('may contain options that cost nothing, in the format of any provider', async () => {
    for (const more of [
      { service_tier: 'Flex', speed: null, background: false, plugins: null, modalities: ['text'], audio: null },
      { service_tier: 'standard_only', speed: 'standard', tools: null, mcp_servers: [], inference_geo: 'global' },
      { tools: [{ type: 'custom', name: 'f' }, { name: 'g' }, { type: 'bash_20250124', name: 'bash' }] },
      { cache_control: { type: 'ephemeral', ttl: '5m' }, extra_body: { google: { thinking_config: {} } } },
      { model: 'painter', modalities: ['text', 'image'], tools: [{ type: 'image_generation' }] },
      { reasoning: { mode: 'Standard', effort: 'low' }, prompt_cache_options: { mode: 'explicit', ttl: '30m' } },
      { model: 'unpriced', reasoning: { mode: 'pro' }, cache_control: { ttl: '1h' } },
      { model: 'unpriced', service_tier: 'priority', tools: [{ type: 'web_search' }] },
      { model: 'given', service_tier: ['priority'], plugins: [{ id: 'web' }] },
    ]) {
      assert.deepEqual(await call(more), [200, ''], JSON.stringify(more))
    }
  })
})
