// Bodies that are passed on and not stored: they reach the provider whatever text they have, and as they were written.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { messages } = fixture
const { host, server, add, newOrg, lastRequest } = await fixture.startModelCalls()
const prepaid = await fixture.startModelCalls({ settings: { STOA_BILLING: 'prepaid' } })
for (const one of [{ add, server }, prepaid]) {
  await one.add({
    ...{ name: 'native', kind: 'openai', baseUrl: `${one.server.url}/v1` },
    models: [
      { id: 'gpt', price: fixture.PRICE },
      { id: 'other', upstream: 'gpt', price: fixture.PRICE },
    ],
  })
}
const JSON_TYPE = { 'content-type': 'application/json' }
const ANSWERS: Record<string, object> = {
  large: upstream.chatCompletion(),
  'claude-large': upstream.message(),
  gpt: {
    ...upstream.chatCompletion(),
    ...{ id: 'resp_1', object: 'response', status: 'completed', output: [] },
    usage: { input_tokens: 10, output_tokens: 2, prompt_tokens: 10, completion_tokens: 2 },
  },
}
const TEXT = 'a\\u0000b \\ud83d c'
const READ = JSON.parse(`"${TEXT}"`) as string

/** Nested as deeply as the levels say. */
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

const chatBody = (text: string, schema: string) =>
  `{"messages":[{"role":"user","content":"${text}"}],"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]}`
const messagesBody = (text: string, schema: string) =>
  `{"max_tokens":9,"messages":[{"role":"user","content":"${text}"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":${schema}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"${text}"}]}],"tools":[{"name":"f","input_schema":${schema}}]}`
const responsesBody = (text: string, schema: string) =>
  `{"input":[{"role":"user","content":"${text}"}],"tools":[{"type":"function","name":"f","parameters":${schema},"strict":false}]}`

const WIRES: [path: string, model: string, body: (text: string, schema: string) => string][] = [
  ['/v1/chat/completions', 'large', chatBody],
  ['/v1/chat/completions', 'claude-large', chatBody],
  ['/v1/messages', 'claude-large', messagesBody],
  ['/v1/messages', 'large', messagesBody],
  ['/v1/responses', 'gpt', responsesBody],
  ['/v1/responses', 'large', responsesBody],
  ['/v1/responses', 'claude-large', responsesBody],
]

describe('a body', () => {
  for (const [path, model, bodyOf] of WIRES) {
    const send = async (
      text: string,
      schema: string,
      at: typeof prepaid | { host: typeof host } = { host },
      as?: string,
    ) => {
      const body = bodyOf(text, schema).replace('{', `{"model":"${model}",`)
      for (const one of [server, prepaid.server]) one.state.answer = upstream.json(ANSWERS[model])
      return at.host.call(`POST ${path}`, { body, headers: JSON_TYPE, ...(as && { as }) })
    }

    it(`may have any text at ${path} for ${model}`, async () => {
      const { key } = await newOrg()
      const schema = `{"type":"object","properties":{"constructor":{"type":"object","description":"${TEXT}"},"${TEXT}":{}}}`
      const { status, text } = await send(TEXT, schema, { host }, key)
      assert.equal(status, 200, text)
      const sent = JSON.stringify(server.received.at(-1)?.json)
      assert.ok(sent.includes(JSON.stringify(READ).slice(1, -1)), sent)
      assert.match(sent, /"?constructor\\?"?:/)
      assert.equal((await lastRequest(key)).error, undefined)
    })

    it(`may have any text at ${path} for ${model} if it is paid in advance`, async () => {
      const { org, key } = await prepaid.newOrg()
      const credit = { as: prepaid.host.admin.key, body: { org, amount: 100, reason: 'Paid' } }
      await prepaid.host.call('POST /v1/billing/credits', credit)
      const { status, text } = await send(TEXT, `{"type":"object","${TEXT}":"${TEXT}"}`, prepaid, key)
      assert.equal(status, 200, text)
    })

    it(`may be nested up to 128 levels at ${path} for ${model}`, async () => {
      const outside = path === '/v1/messages' ? 5 : path === '/v1/responses' ? 4 : 5
      const { status, text } = await send('a', nested(128 - outside), { host })
      assert.equal(status, 200, text)
      const deep = await send('a', nested(130), { host })
      assert.deepEqual([deep.status, deep.body.error.code], [400, 'invalid_input'], deep.text)
    })
  }

  it('keeps the rule for what is stored or looked up', async () => {
    const call = (path: string, body: string) => host.call(`POST ${path}`, { body, headers: JSON_TYPE })
    for (const model of ['large\\u0000', 'large\\ud83d']) {
      const { status, body } = await call('/v1/chat/completions', `{"model":"${model}","messages":[]}`)
      assert.deepEqual([status, body.error.param], [400, 'model'])
    }
    for (const id of ['resp_\\u0000', 'resp_\\ud83d']) {
      const { status, body } = await call('/v1/responses', `{"model":"gpt","input":"a","previous_response_id":"${id}"}`)
      assert.deepEqual([status, body.error.param], [400, 'previous_response_id'])
    }
    const { status, body } = await call('/v1/chat/completions', '{"model":"large","messages":[{"__proto__":{"a":1}}]}')
    assert.deepEqual([status, body.error.code], [400, 'invalid_input'])
    const own = await call('/v1/projects', '{"name":"a\\u0000b","slug":"a-b"}')
    assert.deepEqual([own.status, own.body.error.param], [400, 'name'])
  })

  it('may be repeated with its key, and fail, with any text', async () => {
    const body = `{"model":"large","messages":[{"role":"user","content":"${TEXT}"}],"user":"${TEXT}","metadata":{"${TEXT}":"${TEXT}"}}`
    const send = () =>
      host.call('POST /v1/chat/completions', { body, headers: { ...JSON_TYPE, 'idempotency-key': 'passed-on' } })
    server.state.answer = upstream.json({ error: { message: READ, param: READ, code: READ } }, 400)
    assert.equal((await send()).status, 400)
    server.state.answer = upstream.json(upstream.chatCompletion(undefined, READ))
    const [first, again] = [await send(), await send()]
    assert.deepEqual([first.status, again.status], [200, 200])
    assert.equal(again.text, first.text)
    assert.equal(again.body.choices[0].message.content, READ)
  })

  it('has no more fields than any provider has, and is read in linear time', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `"n${at}":1`).join(',')
    const call = (body: string) => host.call('POST /v1/chat/completions', { body, headers: JSON_TYPE })
    server.state.answer = upstream.json(upstream.chatCompletion())
    assert.equal((await call(`{"model":"large","messages":[],${many(400)}}`)).status, 200)
    const { status, body } = await call(`{"model":"large","messages":[],${many(60_000)}}`)
    assert.deepEqual([status, body.error.message], [400, '`body` must not have more than 500 fields.'])
    const twice = await call(`{"model":"large","messages":[],"x":{${many(90_000)},"n5":2}}`)
    assert.match(twice.body.error.message, /must not occur twice/)
  })

  it('may have any text for the model that is here', async () => {
    const body = `{"model":"local-embed-en","input":["${TEXT}"],"user":"${TEXT}"}`
    const { status, text } = await host.call('POST /v1/embeddings', { body, headers: JSON_TYPE })
    assert.equal(status, 200, text)
  })
})

describe('a number', () => {
  const LONG = '12345678901234567890'
  it('arrives as it was written where the host changes another field', async () => {
    server.state.answer = upstream.stream(upstream.chatChunks(['Hi']))
    const body = `{ "seed" : ${LONG}, "model":"other", "temperature":1.0,"x":{"a":[1e400,-0, 0.10]},"stream":true,"max_tokens" : 7 ,"messages":[{"role":"user","content":"\\u0041 {\\"model\\":1}"}]}`
    const { status, text } = await host.call('POST /v1/chat/completions', { body, headers: JSON_TYPE })
    assert.equal(status, 200, text)
    const sent = server.received.at(-1)?.bytes.toString() ?? ''
    for (const part of [`"seed" : ${LONG}`, '"temperature":1.0', '[1e400,-0, 0.10]', '\\u0041 {\\"model\\":1}']) {
      assert.ok(sent.includes(part), sent)
    }
    const { model, stream_options: options } = JSON.parse(sent)
    assert.deepEqual([model, options], ['gpt', { include_usage: true }])
  })

  it('arrives as it was written in the arguments of a tool that are translated', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion())
    const input = `{"id":${LONG},"small":1.5,"huge":1e400,"near":9007199254740993}`
    const body = `{"model":"large","max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":${input}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"b"}]}]}`
    const { status, text } = await host.call('POST /v1/messages', { body, headers: JSON_TYPE })
    assert.equal(status, 200, text)
    const { messages: sent } = server.received.at(-1)?.json ?? {}
    assert.equal(sent[1].tool_calls[0].function.arguments, input)
  })

  it('that a translation reads must be one', async () => {
    const body = `{"model":"claude-large","messages":${JSON.stringify(messages)},"max_tokens":${LONG}}`
    const { status } = await host.call('POST /v1/chat/completions', { body, headers: JSON_TYPE })
    assert.equal(status, 400)
  })
})
