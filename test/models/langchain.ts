// LangChain's client of OpenAI: chat completions, responses, embeddings.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  CALLS,
  formatIn,
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
import { testFailures } from './failures.ts'
import { embedding } from './openai-others.ts'
import { EMBEDDING, LOCAL, type World } from './world.ts'

type Called = { id: string; name: string; args: object }
const callsOf = (calls: Called[]) => calls.map(({ id, name, args }) => ({ id, name, input: args }))

/** What the tests of this file share. */
async function openLangchainSuite(world: World, model: string, wire: 'chat' | 'responses') {
  const { ChatOpenAI } = await world.load('@langchain/openai/dist/index.js')
  const { HumanMessage, SystemMessage, ToolMessage } = await world.load('@langchain/core/dist/messages/index.js')
  const { tool } = await world.load('@langchain/core/dist/tools/index.js')
  const zod = await world.load('zod/index.js')
  const chatOf = (apiKey: string, more: object = {}) =>
    new ChatOpenAI({
      ...{ model, apiKey, useResponsesApi: wire === 'responses', ...more },
      configuration: { baseURL: world.baseURL, fetch: world.fetch },
    })
  const open = async (more: object = {}) => {
    const account = await world.account()
    return { ...account, chat: chatOf(account.key, more) }
  }
  const one = { model, wire }
  const streamedOne = { ...one, streamed: true }
  const schema = zod.z.object({ city: zod.z.string(), days: zod.z.number().int() })
  const weather = tool(({ city }: { city: string }) => city, { ...WEATHER, schema })
  const resultsFor = (calls: Called[]) =>
    calls.map(({ id, name }) => new ToolMessage({ tool_call_id: id, name, content: RESULTS[id] }))
  return { world, model, wire, HumanMessage, SystemMessage, zod, chatOf, open, one, streamedOne, weather, resultsFor }
}
type LangchainSuite = Awaited<ReturnType<typeof openLangchainSuite>>

function testAnswers({ world, wire, HumanMessage, SystemMessage, open, one, streamedOne }: LangchainSuite): void {
  it('answers', async () => {
    const { chat, settled } = await open({ temperature: 0.5, maxTokens: 50 })
    world.answers({ text: TEXT, counts: { cached: 600 } })
    const answer = await chat.invoke([new SystemMessage('Be kind.'), new HumanMessage('Hello')])
    assert.equal(answer.text, TEXT)
    if (wire === 'chat') assert.equal(answer.response_metadata.finish_reason, 'stop')
    const { input_tokens: input, output_tokens: output, input_token_details: details } = answer.usage_metadata
    assert.deepEqual([input, output, details.cache_read], [1000, 200, 600])
    await settled({ ...one, cached: 600 })
  })

  for (const isReported of [true, false]) {
    it(`streams, ${isReported ? 'with' : 'without'} usage`, async () => {
      const { chat, settled } = await open({ streamUsage: isReported })
      world.answers({ text: TEXT })
      const texts: string[] = []
      let total = 0
      for await (const chunk of await chat.stream('Hello')) {
        texts.push(chunk.text)
        total += chunk.usage_metadata?.total_tokens ?? 0
      }
      assert.deepEqual([texts.join(''), texts.length > 5], [TEXT, true])
      // The responses format always reports it.
      assert.equal(total, isReported || wire === 'responses' ? 1200 : 0)
      await settled(streamedOne)
    })
  }
}

function testTools({ world, HumanMessage, open, one, streamedOne, weather, resultsFor }: LangchainSuite): void {
  it('calls tools in parallel, and reads their results', async () => {
    const { chat, settled } = await open()
    world.answers({ calls: CALLS }, { text: 'Sun and clouds.' })
    const bound = chat.bindTools([weather])
    const asked = new HumanMessage('Weather?')
    const first = await bound.invoke([asked])
    assert.deepEqual(callsOf(first.tool_calls), CALLS)
    const second = await bound.invoke([asked, first, ...resultsFor(first.tool_calls)])
    assert.equal(second.text, 'Sun and clouds.')
    assert.deepEqual(resultsIn(world.asked()[1]), RESULTS)
    await settled(one, one)
  })

  it('streams calls of tools, and reads their results', async () => {
    const { chat, settled } = await open()
    world.answers({ text: 'Let me look.', calls: CALLS }, { text: 'Sun and clouds.' })
    const bound = chat.bindTools([weather])
    const asked = new HumanMessage('Weather?')
    // biome-ignore lint/suspicious/noExplicitAny: see `load`
    let whole: any = null
    for await (const chunk of await bound.stream([asked])) whole = whole ? whole.concat(chunk) : chunk
    assert.deepEqual([whole.text, callsOf(whole.tool_calls)], ['Let me look.', CALLS])
    const texts: string[] = []
    for await (const chunk of await bound.stream([asked, whole, ...resultsFor(whole.tool_calls)]))
      texts.push(chunk.text)
    assert.equal(texts.join(''), 'Sun and clouds.')
    assert.deepEqual(resultsIn(world.asked()[1]), RESULTS)
    await settled(streamedOne, streamedOne)
  })
}

function testContent({ world, HumanMessage, zod, open, one }: LangchainSuite): void {
  it('answers in a schema, with a format and with a tool', async () => {
    const { chat, settled } = await open()
    world.answers({ text: PLACE_TEXT }, { calls: [{ id: 'call_1', name: 'place', input: PLACE }] })
    const place = placeSchema(zod)
    assert.deepEqual(await chat.withStructuredOutput(place, { name: 'place' }).invoke('Where?'), PLACE)
    assert.deepEqual(formatIn(world.asked()[0]).required, Object.keys(PLACE))
    const options = { name: 'place', method: 'functionCalling' }
    assert.deepEqual(await chat.withStructuredOutput(place, options).invoke('Where?'), PLACE)
    await settled(one, one)
  })

  it('reads an image', async () => {
    const { chat, settled } = await open()
    world.answers({ text: 'A red point.' })
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: PNG_URL } },
    ]
    await chat.invoke([new HumanMessage({ content })])
    assert.equal(imageIn(world.asked()[0]), PNG_URL)
    await settled(one)
  })
}

function testChatFailures({ world, model, wire, chatOf }: LangchainSuite): void {
  if (wire === 'chat') {
    testFailures(world, model, {
      wire,
      ask: ({ key, model }) => chatOf(key, { model, maxRetries: 1 }).invoke('Hello'),
      listen: async ({ key, model, signal }, heard) => {
        for await (const chunk of await chatOf(key, { model }).stream('Hello', { signal })) heard(chunk.text)
      },
      read: error => [error.constructor.name, error.status, error.code, error.lc_error_code],
      wrongKey: ['AuthenticationError', 401, 'credential_refused', 'MODEL_AUTHENTICATION'],
      unknownModel: ['NotFoundError', 404, 'not_found', 'MODEL_NOT_FOUND'],
      noBudget: ['APIError', 402, 'key_budget', undefined],
      busy: ['RateLimitError', 429, 'upstream_busy', 'MODEL_RATE_LIMIT'],
      refused: ['BadRequestError', 400, 'model_refused', undefined],
      brokenOff: ['APIError', undefined, 'upstream_unreachable', undefined],
    })
  }
}

export async function testLangchain(world: World, model: string, wire: 'chat' | 'responses'): Promise<void> {
  const opened = await openLangchainSuite(world, model, wire)
  testAnswers(opened)
  testTools(opened)
  testContent(opened)
  testChatFailures(opened)
}

export async function testLangchainEmbeddings(world: World): Promise<void> {
  const { OpenAIEmbeddings } = await world.load('@langchain/openai/dist/index.js')
  const embedder = (apiKey: string, more: object) =>
    new OpenAIEmbeddings({ apiKey, ...more, configuration: { baseURL: world.baseURL, fetch: world.fetch } })

  it('come from a provider', async () => {
    const { key, settled } = await world.account()
    world.answers(embedding(5), embedding(6))
    const model = EMBEDDING
    const vector = await embedder(key, { model }).embedQuery('a desk')
    const vectors = await embedder(key, { model, dimensions: 3 }).embedDocuments(['a desk', 'a lamp'])
    assert.equal(vector.length, 1536)
    assert.deepEqual(
      vectors.map((one: number[]) => [...one]),
      [
        [1 / 8, 2 / 8, 3 / 8],
        [2 / 8, 3 / 8, 4 / 8],
      ],
    )
    const one = { model, wire: 'embeddings', output: 0 }
    await settled({ ...one, input: 5 }, { ...one, input: 6 })
  })

  it('are made here', async () => {
    const { key, settled } = await world.account()
    const model = LOCAL
    const vector = await embedder(key, { model }).embedQuery('a walnut desk')
    const [same, other] = await embedder(key, { model }).embedDocuments(['a walnut desk', 'a table of oak'])
    assert.deepEqual([vector.length, [...same]], [512, [...vector]])
    assert.notDeepEqual([...other], [...same])
    // This client does not tell what was used.
    const used = async (input: unknown) =>
      (await world.host.call('POST /v1/embeddings', { body: { model, input } })).body.usage.prompt_tokens as number
    const one = { model, wire: 'embeddings', output: 0 }
    const inputs = [await used('a walnut desk'), await used(['a walnut desk', 'a table of oak'])]
    await settled(...inputs.map(input => ({ ...one, input })))
  })
}
