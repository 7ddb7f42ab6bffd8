// Limits of the output: each provider gets them under a name that it knows, and what is paid in advance has only those that
// every provider reads alike.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { PRICE, messages } = fixture
const { host, server, add, newOrg } = await fixture.startModelCalls({ settings: { STOA_BILLING: 'prepaid' } })
const postpaid = await fixture.startModelCalls()
const { org, key } = await newOrg()
await host.call('POST /v1/billing/credits', { as: host.admin.key, body: { org, amount: 1_000_000, reason: 'Paid' } })
const KINDS = ['openai', 'azure', 'groq', 'bedrock', 'mistral', 'ollama', 'vllm', 'together', 'openrouter', 'google']
for (const kind of KINDS) {
  await add({ name: kind, kind, baseUrl: server.url, models: [{ id: `by-${kind}`, price: PRICE }] })
}
await add({
  ...{ name: 'declared', baseUrl: `${server.url}/v1` },
  models: [
    { id: 'gpt-4o', price: PRICE },
    { id: 'mine', upstream: 'gpt-4.1', price: PRICE },
    { id: 'short', upstream: 'gpt-4o', price: PRICE, outputMax: 777 },
  ],
})
server.state.answer = upstream.json(upstream.chatCompletion({ prompt_tokens: 10, completion_tokens: 2 }))

const WIRES: [path: string, fields: object][] = [
  ['/v1/chat/completions', { messages, max_completion_tokens: 16 }],
  ['/v1/chat/completions', { messages, max_tokens: 16 }],
  ['/v1/messages', { messages, max_tokens: 16 }],
  ['/v1/responses', { input: 'Hello', max_output_tokens: 16 }],
]
const sentTo = async (path: string, fields: object) => {
  const { status, text, headers } = await host.call(`POST ${path}`, { as: key, body: fields })
  assert.equal(status, 200, text)
  const { max_tokens: old, max_completion_tokens: current } = server.received.at(-1)?.json ?? {}
  return { old, current, told: headers['x-max-tokens'] }
}

describe('the limit of a call', () => {
  for (const kind of ['mistral', 'ollama', 'together', 'openrouter', 'google']) {
    for (const [path, fields] of WIRES) {
      it(`is max_tokens for ${kind}, from ${path} with ${Object.keys(fields)[1]}`, async () => {
        const { old, current } = await sentTo(path, { model: `by-${kind}`, ...fields })
        assert.deepEqual([old, current], [16, undefined])
      })
    }
  }

  it('is max_completion_tokens for OpenAI, Azure and Bedrock, unless the client said max_tokens and they know it', async () => {
    for (const kind of ['openai', 'azure', 'bedrock']) {
      const [newer, older] = [WIRES[0], WIRES[1]] as [[string, object], [string, object]]
      const first = await sentTo(newer[0], { model: `by-${kind}`, ...newer[1] })
      assert.deepEqual([first.old, first.current], [undefined, 16])
      const second = await sentTo(older[0], { model: `by-${kind}`, ...older[1] })
      assert.deepEqual([second.old, second.current], kind === 'bedrock' ? [undefined, 16] : [16, undefined])
      const third = await sentTo('/v1/messages', { model: `by-${kind}`, messages, max_tokens: 16 })
      assert.deepEqual([third.old, third.current], [undefined, 16])
    }
  })

  it('is what the answer says where the host sets it, also in translation', async () => {
    for (const [path, fields] of [
      ['/v1/chat/completions', { messages }],
      ['/v1/responses', { input: 'Hello' }],
    ] as const) {
      const { old, current, told } = await sentTo(path, { model: 'by-mistral', ...fields })
      assert.deepEqual([old, current, told], [4_096, undefined, '4096'], path)
    }
  })

  it('is that of the declaration, or of the known model of that name', async () => {
    for (const [model, limit] of [
      ['gpt-4o', 16_384],
      ['mine', 32_768],
      ['short', 777],
    ] as const) {
      assert.equal((await sentTo('/v1/chat/completions', { model, messages })).old, limit)
    }
  })

  it('must not be given twice with different values', async () => {
    const { status, body } = await postpaid.chat({ max_tokens: 5, max_completion_tokens: 6 })
    assert.deepEqual([status, body.error.param], [400, 'max_tokens'])
    const { old, current } = await sentTo('/v1/chat/completions', {
      ...{ model: 'by-mistral', messages, max_tokens: 5, max_completion_tokens: 5 },
    })
    assert.deepEqual([old, current], [5, undefined])
  })

  it('has no other name if it is paid in advance', async () => {
    const OTHERS = ['n_predict', 'max_new_tokens', 'max_length', 'num_predict', 'max_tokens_to_sample', 'min_tokens']
    for (const name of [...OTHERS, 'maxNewTokens', 'max_output_tokens']) {
      const body = { model: 'large', messages, max_tokens: 1, [name]: 9_000 }
      const { status, body: answer } = await host.call('POST /v1/chat/completions', { as: key, body })
      assert.deepEqual([status, answer.error.param], [400, name])
      assert.match(answer.error.message, /`max_tokens`/)
    }
    postpaid.server.state.answer = upstream.json(upstream.chatCompletion())
    assert.equal((await postpaid.chat({ n_predict: 5, min_tokens: 1 })).status, 200)
  })
})

describe('the number of choices', () => {
  for (const name of ['n', 'best_of']) {
    it(`must be a whole number from 1 to 128: ${name}`, async () => {
      for (const value of ['100', 1.5, 0, -1, 129, 1e12, 1e300, [2], true]) {
        for (const [path, fields] of WIRES) {
          const body = { model: 'large', ...fields, [name]: value }
          const paid = await host.call(`POST ${path}`, { as: key, body })
          assert.equal(paid.status, 400, JSON.stringify(value))
          assert.ok(paid.body.error.message.startsWith(`\`${name}\` `), paid.body.error.message)
          const { status } = await postpaid.host.call(`POST ${path}`, { body })
          assert.equal(status, 400)
        }
      }
      assert.equal((await postpaid.chat({ [name]: 2 })).status, 200)
      assert.equal((await postpaid.chat({ [name]: null })).status, 200)
    })
  }

  it('may have the highest limit that is taken', async () => {
    const call = (limit: number) =>
      host.call('POST /v1/chat/completions', { as: key, body: { model: 'large', messages, n: 128, max_tokens: limit } })
    assert.equal((await call(100_000_000)).status, 402)
    assert.equal((await call(100_000_001)).status, 400)
  })
})
