import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startHost } from '../../../../test/host.ts'

const settings = { OPENAI_API_KEY: 'sk-from-the-environment', VLLM_BASE_URL: 'http://vllm.test/v1' }
const host = await startHost({ settings })

it('lists providers of the environment as fixed, without their keys, beside those that were added', async () => {
  const as = host.admin.key
  const added = { name: 'openai', baseUrl: 'http://models.test', apiKey: 'other-key', models: [{ id: 'gpt-5' }] }
  assert.equal((await host.call('POST /v1/ai/providers', { as, body: added })).status, 201)
  const { status, body, text } = await host.call('GET /v1/ai/providers', { as })
  assert.equal(status, 200)
  assert.deepEqual([body.data.length, body.data[0].name, body.data[0].models.length], [1, 'openai', 1])
  const [openai, vllm] = body.fixed
  assert.deepEqual(
    [openai.name, openai.from, openai.wire, openai.baseUrl, openai.hasApiKey],
    ['openai', 'environment', 'openai', 'https://api.openai.com/v1', true],
  )
  assert.ok(openai.models.length > 1)
  assert.ok(openai.models.every((one: { price?: { input: number } }) => one.price && one.price.input > 0))
  assert.deepEqual([vllm.name, vllm.hasApiKey, vllm.models], ['vllm', false, []])
  for (const key of ['sk-from-the-environment', 'other-key']) assert.ok(!text.includes(key))
})
