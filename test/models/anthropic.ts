// The client of Anthropic, messages.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  CALLS,
  formatIn,
  INPUTS,
  imageIn,
  PLACE,
  PLACE_TEXT,
  PNG,
  PNG_URL,
  placeSchema,
  RESULTS,
  resultsIn,
  TEXT,
  WEATHER,
} from './cases.ts'
import { testFailures } from './failures.ts'
import { CHAT, type World } from './world.ts'

type Block = { type: string; id: string; name: string; input: object; text?: string }

const tools = [{ name: WEATHER.name, description: WEATHER.description, input_schema: WEATHER.schema }]
const messages = [{ role: 'user', content: 'Hello' }]
const callsIn = (content: Block[]) =>
  content.filter(({ type }) => type === 'tool_use').map(({ id, name, input }) => ({ id, name, input }))
const textIn = (content: Block[]) => content.map(({ text = '' }) => text).join('')

/** What the tests of this file share. */
async function openMessagesSuite(world: World, model: string) {
  const { default: Anthropic } = await world.load('@anthropic-ai/sdk/index.mjs')
  const { zodOutputFormat } = await world.load('@anthropic-ai/sdk/helpers/zod.mjs')
  const { betaZodTool } = await world.load('@anthropic-ai/sdk/helpers/beta/zod.mjs')
  const zod = await world.load('zod/index.js')
  // It adds `/v1` by itself.
  const at = { baseURL: world.host.baseUrl, fetch: world.fetch }
  const open = async () => {
    const account = await world.account()
    return { ...account, client: new Anthropic({ ...at, apiKey: null, authToken: account.key }) }
  }
  const one = { model, wire: 'messages' }
  const streamedOne = { ...one, streamed: true }
  const usual = { model, max_tokens: 1024, messages }
  return { world, model, Anthropic, zodOutputFormat, betaZodTool, zod, at, open, one, streamedOne, usual }
}
type MessagesSuite = Awaited<ReturnType<typeof openMessagesSuite>>

function testAnswers({ world, model, Anthropic, at, open, one, streamedOne, usual }: MessagesSuite): void {
  it('answers', async () => {
    const { client, settled } = await open()
    world.answers({ text: TEXT, counts: { cached: 600 } })
    const answer = await client.messages.create({ ...usual, system: 'Be kind.', temperature: 0.5 })
    assert.deepEqual([answer.type, answer.role, answer.stop_reason], ['message', 'assistant', 'end_turn'])
    assert.equal(textIn(answer.content), TEXT)
    const { input_tokens: input, cache_read_input_tokens: cached, output_tokens: output } = answer.usage
    assert.deepEqual([input, cached, output], [400, 600, 200])
    await settled({ ...one, cached: 600 })
  })

  it('answers to the key as an API key', async () => {
    const { key, settled } = await world.account()
    world.answers({ text: 'Hello' })
    const client = new Anthropic({ ...at, apiKey: key })
    assert.equal(textIn((await client.messages.create(usual)).content), 'Hello')
    await settled(one)
  })

  it('reports that the answer is truncated', async () => {
    const { client, settled } = await open()
    world.answers({ text: 'Hel', isCut: true, counts: { output: 1 } })
    assert.equal((await client.messages.create({ ...usual, max_tokens: 1 })).stop_reason, 'max_tokens')
    await settled({ ...one, output: 1 })
  })

  it('streams', async () => {
    const { client, settled } = await open()
    world.answers({ text: TEXT, counts: { cached: 600 } }, { text: TEXT })
    const texts: string[] = []
    const types = new Set<string>()
    for await (const event of await client.messages.create({ ...usual, stream: true })) {
      types.add(event.type)
      if (event.type === 'content_block_delta') texts.push(event.delta.text)
      if (event.type === 'message_delta') {
        assert.deepEqual([event.delta.stop_reason, event.usage.output_tokens], ['end_turn', 200])
      }
    }
    assert.deepEqual([texts.join(''), texts.length > 5], [TEXT, true])
    assert.deepEqual(
      [...types],
      [
        ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'],
        ...['message_delta', 'message_stop'],
      ],
    )
    const stream = client.messages.stream(usual)
    let text = ''
    stream.on('text', (delta: string) => {
      text += delta
    })
    const { content, stop_reason: reason, usage } = await stream.finalMessage()
    assert.deepEqual([text, textIn(content), reason], [TEXT, TEXT, 'end_turn'])
    assert.deepEqual([usage.input_tokens, usage.output_tokens], [1000, 200])
    await settled({ ...streamedOne, cached: 600 }, streamedOne)
  })

  it('lists the models', async () => {
    const { client } = await open()
    const ids: string[] = []
    for await (const { id } of client.models.list()) ids.push(id)
    assert.ok(ids.includes(model), String(ids))
  })
}

function testTools({ world, betaZodTool, zod, open, one, streamedOne, usual }: MessagesSuite): void {
  it('calls tools in parallel, and reads their results', async () => {
    const { client, settled } = await open()
    world.answers({ calls: CALLS }, { text: 'Sun and clouds.', counts: { input: 1300, output: 20 } })
    const first = await client.messages.create({ ...usual, tools, tool_choice: { type: 'auto' } })
    assert.equal(first.stop_reason, 'tool_use')
    assert.deepEqual(callsIn(first.content), CALLS)
    const content = callsIn(first.content).map(({ id }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: RESULTS[id],
    }))
    const turns = [...messages, { role: 'assistant', content: first.content }, { role: 'user', content }]
    const second = await client.messages.create({ ...usual, tools, messages: turns })
    assert.equal(textIn(second.content), 'Sun and clouds.')
    assert.deepEqual(resultsIn(world.asked()[1]), RESULTS)
    await settled(one, { ...one, input: 1300, output: 20 })
  })

  /** A tool that keeps what it is called with. */
  const runnable = (seen: object[]) => {
    const run = (input: object) => {
      seen.push(input)
      return Object.values(RESULTS)[seen.length - 1]
    }
    const inputSchema = zod.z.object({ city: zod.z.string(), days: zod.z.number().int() })
    return betaZodTool({ name: WEATHER.name, description: WEATHER.description, inputSchema, run })
  }

  it('streams calls of tools, and runs them', async () => {
    const { client, settled } = await open()
    world.answers({ text: 'Let me look.', calls: CALLS }, { text: 'Sun and clouds.' })
    const seen: object[] = []
    const asked = { ...usual, tools: [runnable(seen)], stream: true, thread: false }
    const finals: { content: Block[] }[] = []
    for await (const stream of client.beta.messages.toolRunner(asked)) finals.push(await stream.finalMessage())
    assert.deepEqual(seen, INPUTS)
    assert.deepEqual(
      finals.map(({ content }) => textIn(content)),
      ['Let me look.', 'Sun and clouds.'],
    )
    assert.deepEqual(callsIn(finals[0]?.content ?? []), CALLS)
    assert.deepEqual(resultsIn(world.asked()[1]), RESULTS)
    await settled(streamedOne, streamedOne)
  })

  // By itself it lets the provider keep the conversation, and sends all of it only if told that this cannot be had.
  it('runs tools without a thread', async () => {
    const { client, settled } = await open()
    world.answers({ calls: CALLS }, { text: 'Sun and clouds.' })
    const seen: object[] = []
    const final = await client.beta.messages.toolRunner({ ...usual, tools: [runnable(seen)] })
    assert.deepEqual([seen, textIn(final.content)], [INPUTS, 'Sun and clouds.'])
    assert.deepEqual(resultsIn(world.asked()[1]), RESULTS)
    await settled(one, one)
  })
}

function testContent({ world, model, zodOutputFormat, zod, open, one, streamedOne, usual }: MessagesSuite): void {
  it('answers in a schema', async () => {
    const { client, settled } = await open()
    world.answers({ text: PLACE_TEXT }, { text: PLACE_TEXT })
    const asked = { ...usual, output_config: { format: zodOutputFormat(placeSchema(zod)) } }
    assert.deepEqual((await client.messages.parse(asked)).parsed_output, PLACE)
    assert.deepEqual((await client.messages.stream(asked).finalMessage()).parsed_output, PLACE)
    for (const body of world.asked()) assert.deepEqual(formatIn(body).required, Object.keys(PLACE))
    await settled(one, streamedOne)
  })

  it('reads an image', async () => {
    const { client, settled } = await open()
    world.answers({ text: 'A red point.' })
    const content = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      { type: 'text', text: 'What is this?' },
    ]
    await client.messages.create({ ...usual, messages: [{ role: 'user', content }] })
    assert.equal(imageIn(world.asked()[0]), PNG_URL)
    await settled(one)
  })

  if (model === CHAT) {
    it('names what the model cannot do', async () => {
      const { client, settled } = await open()
      world.answers()
      await assert.rejects(client.messages.create({ ...usual, top_k: 3 }), /`top_k` cannot be expressed for the model/)
      await settled()
    })
  }
}

export async function testAnthropic(world: World, model: string): Promise<void> {
  const opened = await openMessagesSuite(world, model)
  testAnswers(opened)
  testTools(opened)
  testContent(opened)
}

export async function testAnthropicFailures(world: World, model: string): Promise<void> {
  const { default: Anthropic } = await world.load('@anthropic-ai/sdk/index.mjs')
  const clientOf = (authToken: string) =>
    new Anthropic({ apiKey: null, authToken, baseURL: world.host.baseUrl, fetch: world.fetch, maxRetries: 1 })
  testFailures(world, model, {
    wire: 'messages',
    ask: ({ key, model }) => clientOf(key).messages.create({ model, max_tokens: 1024, messages }),
    listen: async ({ key, model, signal }, heard) => {
      const asked = { model, max_tokens: 1024, messages, stream: true }
      const stream = await clientOf(key).messages.create(asked, { signal })
      for await (const event of stream) heard(event.type === 'content_block_delta' ? event.delta.text : '')
    },
    read: error => [error.constructor.name, error.status, error.type],
    wrongKey: ['AuthenticationError', 401, 'authentication_error'],
    unknownModel: ['NotFoundError', 404, 'not_found_error'],
    noBudget: ['APIError', 402, 'billing_error'],
    busy: ['RateLimitError', 429, 'rate_limit_error'],
    refused: ['BadRequestError', 400, 'invalid_request_error'],
    brokenOff: ['APIError', undefined, 'api_error'],
  })
}
