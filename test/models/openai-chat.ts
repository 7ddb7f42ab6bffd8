// The client of OpenAI, chat completions.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  CALLS,
  formatIn,
  INPUTS,
  imageIn,
  PLACE,
  PLACE_TEXT,
  PNG_URL,
  placeSchema,
  RESULTS,
  resultsIn,
  TEXT,
  WEATHER,
} from './cases.ts'
import { CLAUDE, type World } from './world.ts'

type Chunk = {
  choices: { delta: { content?: string | null }; finish_reason: string | null }[]
  usage?: { total_tokens: number } | null
}
type Called = { id: string; type: string; function: { name: string; arguments: string } }

const { name, description, schema: parameters } = WEATHER
const tools = [{ type: 'function', function: { name, description, parameters } }]
const messages = [{ role: 'user', content: 'Hello' }]
const inputsOf = (calls: Called[]) =>
  calls.map(call => [call.id, call.function.name, JSON.parse(call.function.arguments)])
const RIGHT_CALLS = CALLS.map(({ id, name, input }) => [id, name, input])

/** What the tests of this file share. */
async function openChatSuite(world: World, model: string) {
  const { default: OpenAI } = await world.load('openai/index.mjs')
  const { zodResponseFormat } = await world.load('openai/helpers/zod.mjs')
  const zod = await world.load('zod/index.js')
  const open = async () => {
    const account = await world.account()
    const client = new OpenAI({ apiKey: account.key, baseURL: world.baseURL, fetch: world.fetch })
    return { ...account, client }
  }
  const one = { model, wire: 'chat' }
  const streamedOne = { ...one, streamed: true }
  return { world, model, OpenAI, zodResponseFormat, zod, open, one, streamedOne }
}
type ChatSuite = Awaited<ReturnType<typeof openChatSuite>>

function testAnswers({ world, model, open, one, streamedOne }: ChatSuite): void {
  it('answers', async () => {
    const { client, settled } = await open()
    world.answers({ text: TEXT, counts: { cached: 600 } })
    const answer = await client.chat.completions.create({
      model,
      messages,
      temperature: 0.5,
      max_completion_tokens: 50,
    })
    const { message, finish_reason: finish } = answer.choices[0]
    assert.deepEqual([message.role, message.content, finish], ['assistant', TEXT, 'stop'])
    const { prompt_tokens: input, completion_tokens: output, total_tokens: total, prompt_tokens_details } = answer.usage
    assert.deepEqual([input, output, total, prompt_tokens_details.cached_tokens], [1000, 200, 1200, 600])
    await settled({ ...one, cached: 600 })
  })

  it('reports that the answer is truncated', async () => {
    const { client, settled } = await open()
    world.answers({ text: 'Hel', isCut: true, counts: { output: 1 } })
    const { choices } = await client.chat.completions.create({ model, messages, max_tokens: 1 })
    assert.equal(choices[0].finish_reason, 'length')
    await settled({ ...one, output: 1 })
  })

  for (const [what, options, reported] of [
    ['with usage', { stream_options: { include_usage: true } }, [1200]],
    ['without usage', {}, []],
  ] as const) {
    it(`streams, ${what}`, async () => {
      const { client, settled } = await open()
      world.answers({ text: TEXT })
      const stream = await client.chat.completions.create({ model, messages, stream: true, ...options })
      const chunks: Chunk[] = []
      for await (const chunk of stream) chunks.push(chunk)
      const choices = chunks.flatMap(chunk => chunk.choices)
      assert.equal(choices.map(({ delta }) => delta.content ?? '').join(''), TEXT)
      assert.ok(choices.length > 5)
      assert.deepEqual(
        choices.flatMap(({ finish_reason: finish }) => finish ?? []),
        ['stop'],
      )
      assert.deepEqual(
        chunks.flatMap(({ usage }) => usage?.total_tokens ?? []),
        reported,
      )
      if (reported.length > 0) assert.deepEqual(chunks.at(-1)?.choices, [])
      await settled(streamedOne)
    })
  }
}

function testTools({ world, model, open, one, streamedOne }: ChatSuite): void {
  it('calls tools in parallel, and reads their results', async () => {
    const { client, settled } = await open()
    world.answers({ calls: CALLS }, { text: 'Sun and clouds.', counts: { input: 1300, output: 20 } })
    const first = await client.chat.completions.create({ model, messages, tools, tool_choice: 'auto' })
    const { message, finish_reason: finish } = first.choices[0]
    assert.equal(finish, 'tool_calls')
    assert.deepEqual(inputsOf(message.tool_calls), RIGHT_CALLS)
    const results = message.tool_calls.map(({ id }: Called) => ({
      role: 'tool',
      tool_call_id: id,
      content: RESULTS[id],
    }))
    const second = await client.chat.completions.create({ model, messages: [...messages, message, ...results], tools })
    assert.equal(second.choices[0].message.content, 'Sun and clouds.')
    assert.deepEqual(resultsIn(world.asked()[1]), RESULTS)
    await settled(one, { ...one, input: 1300, output: 20 })
  })

  it('streams calls of tools, and runs them', async () => {
    const { client, settled } = await open()
    world.answers({ text: 'Let me look.', calls: CALLS }, { text: 'Sun and clouds.' })
    const seen: unknown[] = []
    const run = (input: object) => {
      seen.push(input)
      return Object.values(RESULTS)[seen.length - 1]
    }
    const runner = client.chat.completions.runTools({
      ...{ model, messages, stream: true },
      tools: [{ type: 'function', function: { name, description, parameters, parse: JSON.parse, function: run } }],
    })
    assert.equal(await runner.finalContent(), 'Sun and clouds.')
    assert.deepEqual(seen, INPUTS)
    const { tool_calls: calls, content } = runner.messages[1]
    assert.equal(content, 'Let me look.')
    assert.deepEqual(inputsOf(calls), RIGHT_CALLS)
    assert.deepEqual(resultsIn(world.asked()[1]), RESULTS)
    await settled(streamedOne, streamedOne)
  })
}

function testContent({ world, model, OpenAI, zodResponseFormat, zod, open, one, streamedOne }: ChatSuite): void {
  it('answers in a schema', async () => {
    const { client, settled } = await open()
    world.answers({ text: PLACE_TEXT }, { text: PLACE_TEXT })
    const asked = { model, messages, response_format: zodResponseFormat(placeSchema(zod), 'place') }
    const { choices } = await client.chat.completions.parse(asked)
    assert.deepEqual(choices[0].message.parsed, PLACE)
    const stream = client.chat.completions.stream({ ...asked, stream_options: { include_usage: true } })
    const final = await stream.finalChatCompletion()
    assert.deepEqual([final.choices[0].message.parsed, final.usage.total_tokens], [PLACE, 1200])
    for (const body of world.asked()) assert.deepEqual(formatIn(body).required, Object.keys(PLACE))
    await settled(one, streamedOne)
  })

  it('reads an image', async () => {
    const { client, settled } = await open()
    world.answers({ text: 'A red point.' })
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: PNG_URL, detail: 'auto' } },
    ]
    await client.chat.completions.create({ model, messages: [{ role: 'user', content }] })
    assert.equal(imageIn(world.asked()[0]), PNG_URL)
    await settled(one)
  })

  if (model === CLAUDE) {
    it('names what the model cannot do', async () => {
      const { client, settled } = await open()
      world.answers()
      const refused = (error: { param: string }) =>
        error instanceof OpenAI.BadRequestError && error.param === 'logprobs'
      await assert.rejects(client.chat.completions.create({ model, messages, logprobs: true }), refused)
      await settled()
    })
  }
}

export async function testOpenaiChat(world: World, model: string): Promise<void> {
  const opened = await openChatSuite(world, model)
  testAnswers(opened)
  testTools(opened)
  testContent(opened)
}
