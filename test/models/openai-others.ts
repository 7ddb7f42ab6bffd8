// The client of OpenAI: embeddings and failures.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { json } from '../model-server.ts'
import { testFailures } from './failures.ts'
import { EMBEDDING, LOCAL, type World } from './world.ts'

type Embedded = { index: number; embedding: number[] }

/** Numbers that have few digits in 32 bits. */
const vectorOf = (index: number, length: number) => Array.from({ length }, (_, n) => (n + 1 + index) / 8)
const bytesOf = (vector: number[]) => Buffer.from(new Float32Array(vector).buffer).toString('base64')

/** As OpenAI answers: as many vectors as there are texts, in the format and length that is asked for. */
export const embedding = (tokens: number) =>
  ((response, received) => {
    const { input, dimensions = 1536, encoding_format: format } = received.json
    const isOne = typeof input === 'string' || typeof input[0] === 'number'
    const data = Array.from({ length: isOne ? 1 : input.length }, (_, index) => {
      const vector = vectorOf(index, dimensions)
      return { object: 'embedding', index, embedding: format === 'base64' ? bytesOf(vector) : vector }
    })
    const usage = { prompt_tokens: tokens, total_tokens: tokens }
    return json({ object: 'list', data, model: 'embed-large-2026', usage })(response, received)
  }) satisfies ReturnType<typeof json>

export async function testOpenaiEmbeddings(world: World): Promise<void> {
  const OpenAI = (await world.load('openai/index.mjs')).default
  const open = async () => {
    const account = await world.account()
    return { ...account, client: new OpenAI({ apiKey: account.key, baseURL: world.baseURL, fetch: world.fetch }) }
  }

  it('come from a provider', async () => {
    const { client, settled } = await open()
    world.answers(...[5, 6, 7, 8, 9].map(embedding))
    const model = EMBEDDING
    const inputs = ['a desk', ['a desk', 'a lamp'], [[1, 2, 3], [4]]]
    for (const input of inputs) {
      const { data, usage } = await client.embeddings.create({ model, input })
      assert.equal(usage.prompt_tokens, 5 + inputs.indexOf(input))
      const right = (typeof input === 'string' ? [input] : input).map((_, index) => vectorOf(index, 1536))
      assert.deepEqual(
        data.map((one: Embedded) => [...one.embedding]),
        right,
      )
    }
    const short = await client.embeddings.create({ model, input: 'a desk', dimensions: 3 })
    const floats = await client.embeddings.create({ model, input: 'a desk', dimensions: 3, encoding_format: 'float' })
    assert.deepEqual([...short.data[0].embedding], floats.data[0].embedding)
    assert.deepEqual(
      world.asked().map(({ encoding_format: format }) => format),
      ['base64', 'base64', 'base64', 'base64', 'float'],
    )
    await settled(...[5, 6, 7, 8, 9].map(input => ({ model, wire: 'embeddings', input, output: 0 })))
  })

  it('are made here', async () => {
    const { client, settled } = await open()
    world.answers()
    const model = LOCAL
    const one = await client.embeddings.create({ model, input: 'a walnut desk' })
    const two = await client.embeddings.create({ model, input: ['a walnut desk', 'a table of oak'] })
    const floats = await client.embeddings.create({ model, input: 'a walnut desk', encoding_format: 'float' })
    const short = await client.embeddings.create({ model, input: 'a walnut desk', dimensions: 64 })
    const vector = [...one.data[0].embedding]
    assert.equal(vector.length, 512)
    assert.deepEqual([...two.data[0].embedding], vector)
    assert.deepEqual(floats.data[0].embedding, vector)
    assert.equal(short.data[0].embedding.length, 64)
    assert.deepEqual(
      two.data.map(({ index }: Embedded) => index),
      [0, 1],
    )
    const used = [one, two, floats, short].map(({ usage }) => usage.prompt_tokens)
    assert.ok(used[0] > 2 && used[1] > used[0], String(used))
    await settled(...used.map(input => ({ model, wire: 'embeddings', input, output: 0 })))
  })
}

export async function testOpenaiFailures(world: World, model: string, wire: 'chat' | 'responses'): Promise<void> {
  const OpenAI = (await world.load('openai/index.mjs')).default
  const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: world.baseURL, fetch: world.fetch, maxRetries: 1 })
  const messages = [{ role: 'user', content: 'Hello' }]
  testFailures(world, model, {
    wire,
    ask: ({ key, model }) =>
      wire === 'chat'
        ? clientOf(key).chat.completions.create({ model, messages })
        : clientOf(key).responses.create({ model, input: 'Hello' }),
    listen: async ({ key, model, signal }, heard) => {
      if (wire === 'chat') {
        const stream = await clientOf(key).chat.completions.create({ model, messages, stream: true }, { signal })
        for await (const { choices } of stream) heard(choices[0]?.delta.content ?? '')
      } else {
        const stream = await clientOf(key).responses.create({ model, input: 'Hello', stream: true }, { signal })
        for await (const event of stream) heard(event.type === 'response.output_text.delta' ? event.delta : '')
      }
    },
    read: error => [error.constructor.name, error.status, error.code, error.type],
    wrongKey: ['AuthenticationError', 401, 'credential_refused', 'authentication_error'],
    unknownModel: ['NotFoundError', 404, 'not_found', 'not_found_error'],
    noBudget: ['APIError', 402, 'key_budget', 'budget_error'],
    busy: ['RateLimitError', 429, 'upstream_busy', 'rate_limit_error'],
    refused: ['BadRequestError', 400, 'model_refused', 'invalid_request_error'],
    brokenOff: ['APIError', undefined, 'upstream_unreachable', 'api_error'],
  })
}
