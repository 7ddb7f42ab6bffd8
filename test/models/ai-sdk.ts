// The AI SDK of Vercel, with its clients of OpenAI, of Anthropic, and of any server that speaks chat completions.
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
import { embedding } from './openai-others.ts'
import { EMBEDDING, LOCAL, type World } from './world.ts'

export type AiClient = 'openai.chat' | 'openai.responses' | 'openai-compatible' | 'anthropic'
const WIRES: Record<AiClient, string> = {
  'openai.chat': 'chat',
  'openai.responses': 'responses',
  'openai-compatible': 'chat',
  anthropic: 'messages',
}
type Called = { toolCallId: string; toolName: string; input: object }
const callsOf = (calls: Called[]) => calls.map(({ toolCallId: id, toolName: name, input }) => ({ id, name, input }))

/** Gives the models of a client. */
async function modelsOf(world: World, name: AiClient) {
  // Its warnings go to the console.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  const { createOpenAI } = await world.load('@ai-sdk/openai/dist/index.js')
  const { createOpenAICompatible } = await world.load('@ai-sdk/openai-compatible/dist/index.js')
  const { createAnthropic } = await world.load('@ai-sdk/anthropic/dist/index.js')
  const at = { baseURL: world.baseURL, fetch: world.fetch }
  return (apiKey: string, model: string) => {
    if (name === 'anthropic') return createAnthropic({ ...at, apiKey })(model)
    if (name === 'openai-compatible') {
      const options = { name: 'stoa', includeUsage: true, supportsStructuredOutputs: true }
      return createOpenAICompatible({ ...at, apiKey, ...options })(model)
    }
    const openai = createOpenAI({ ...at, apiKey })
    return name === 'openai.chat' ? openai.chat(model) : openai.responses(model)
  }
}

/** What the tests of this file share. */
async function openAiSuite(world: World, id: string, name: AiClient) {
  const { generateText, streamText, tool, Output, isStepCount } = await world.load('ai/dist/index.js')
  const zod = await world.load('zod/index.js')
  const modelOf = await modelsOf(world, name)
  const open = async () => {
    const account = await world.account()
    return { ...account, model: modelOf(account.key, id) }
  }
  const one = { model: id, wire: WIRES[name] }
  const streamedOne = { ...one, streamed: true }
  /** It writes errors to the console otherwise. */
  const quiet = { onError: () => {} }
  /** A tool that keeps what it is called with. */
  const toolsInto = (seen: object[]) => ({
    [WEATHER.name]: tool({
      description: WEATHER.description,
      inputSchema: zod.z.object({ city: zod.z.string(), days: zod.z.number().int() }),
      execute: (input: object, { toolCallId }: { toolCallId: string }) => {
        seen.push(input)
        return RESULTS[toolCallId]
      },
    }),
  })
  return { world, name, generateText, streamText, Output, isStepCount, zod, open, one, streamedOne, quiet, toolsInto }
}
type AiSuite = Awaited<ReturnType<typeof openAiSuite>>

function testAnswers({ world, generateText, streamText, open, one, streamedOne, quiet }: AiSuite): void {
  it('answers', async () => {
    const { model, settled } = await open()
    world.answers({ text: TEXT, counts: { cached: 600 } })
    const instructions = 'Be kind.'
    const { text, finishReason, usage } = await generateText({
      model,
      instructions,
      prompt: 'Hello',
      maxOutputTokens: 50,
    })
    assert.deepEqual([text, finishReason], [TEXT, 'stop'])
    assert.deepEqual([usage.inputTokens, usage.outputTokens, usage.inputTokenDetails.cacheReadTokens], [1000, 200, 600])
    await settled({ ...one, cached: 600 })
  })

  it('streams', async () => {
    const { model, settled } = await open()
    world.answers({ text: TEXT }, { text: 'Hel', isCut: true })
    const result = streamText({ model, prompt: 'Hello', ...quiet })
    const texts: string[] = []
    for await (const text of result.textStream) texts.push(text)
    assert.deepEqual([texts.join(''), texts.length > 5, await result.finishReason], [TEXT, true, 'stop'])
    const { inputTokens, outputTokens } = await result.usage
    assert.deepEqual([inputTokens, outputTokens], [1000, 200])
    const cut = streamText({ model, prompt: 'Hello', ...quiet })
    assert.deepEqual([await cut.text, await cut.finishReason], ['Hel', 'length'])
    await settled(streamedOne, streamedOne)
  })
}

function testTools({
  world,
  name,
  generateText,
  streamText,
  isStepCount,
  open,
  one,
  streamedOne,
  quiet,
  toolsInto,
}: AiSuite): void {
  it('calls tools in parallel, and reads their results', async () => {
    const { model, settled } = await open()
    world.answers({ calls: CALLS }, { text: 'Sun and clouds.' })
    const seen: object[] = []
    const options = { model, prompt: 'Weather?', tools: toolsInto(seen), stopWhen: isStepCount(3) }
    const { text, steps, totalUsage } = await generateText(options)
    assert.deepEqual([text, seen, callsOf(steps[0].toolCalls)], ['Sun and clouds.', INPUTS, CALLS])
    assert.equal(totalUsage.totalTokens, 2400)
    assert.deepEqual(resultsIn(world.asked()[1]), RESULTS)
    await settled(one, one)
  })

  it('streams calls of tools, and reads their results', async () => {
    const { model, settled } = await open()
    world.answers({ text: 'Let me look.', calls: CALLS }, { text: 'Sun and clouds.' })
    const seen: object[] = []
    // Otherwise the client of responses refers to what it believes to be stored. It asks for the encrypted reasoning too
    // if it knows the model as one that reasons.
    const providerOptions = { openai: { store: false, include: ['reasoning.encrypted_content'] } }
    const options = { model, prompt: 'Weather?', tools: toolsInto(seen), stopWhen: isStepCount(3) }
    const result = streamText({ ...options, ...(name === 'openai.responses' && { providerOptions }), ...quiet })
    const texts: string[] = []
    for await (const text of result.textStream) texts.push(text)
    assert.deepEqual([texts.join(''), seen], ['Let me look.Sun and clouds.', INPUTS])
    assert.deepEqual(callsOf((await result.steps)[0].toolCalls), CALLS)
    assert.deepEqual(resultsIn(world.asked()[1]), RESULTS)
    await settled(streamedOne, streamedOne)
  })

  if (name === 'openai.responses') {
    it('says that nothing is stored', async () => {
      const { model, settled } = await open()
      world.answers({ text: 'Let me look.', calls: CALLS })
      const options = { model, prompt: 'Weather?', tools: toolsInto([]), stopWhen: isStepCount(3) }
      await assert.rejects(generateText(options), /none are stored: send the whole conversation/)
      await settled(one)
    })
  }
}

/** By default it refers to what the provider has stored. */
export async function testAiSdkItems(world: World, id: string): Promise<void> {
  const suite = await openAiSuite(world, id, 'openai.responses')
  const { generateText, streamText, isStepCount, open, one, streamedOne, quiet, toolsInto } = suite
  it('refers to items of its own', async () => {
    const { model, settled } = await open()
    const turns = [{ text: 'Let me look.', calls: CALLS }, { text: 'Sun and clouds.' }]
    const options = { model, prompt: 'Weather?', tools: toolsInto([]), stopWhen: isStepCount(3) }
    const answers = [
      async () => (await generateText(options)).text,
      async () => (await streamText({ ...options, ...quiet }).steps).at(-1).text,
    ]
    for (const answer of answers) {
      world.answers(...turns)
      assert.equal(await answer(), 'Sun and clouds.')
      const { input } = world.asked()[1]
      assert.ok(
        input.some(({ type }: { type: unknown }) => type === 'item_reference'),
        JSON.stringify(input),
      )
    }
    await settled(one, one, streamedOne, streamedOne)
  })
}

function testContent({ world, generateText, streamText, Output, zod, open, one, streamedOne, quiet }: AiSuite): void {
  it('answers in a schema', async () => {
    const { model, settled } = await open()
    world.answers({ text: PLACE_TEXT }, { text: PLACE_TEXT })
    // For a model that it does not know, the client of Anthropic would make a tool of the schema.
    const providerOptions = { anthropic: { structuredOutputMode: 'outputFormat' } }
    const options = { model, prompt: 'Where?', output: Output.object({ schema: placeSchema(zod) }), providerOptions }
    assert.deepEqual((await generateText(options)).output, PLACE)
    assert.deepEqual(await streamText({ ...options, ...quiet }).output, PLACE)
    for (const body of world.asked()) assert.deepEqual(formatIn(body).required, Object.keys(PLACE))
    await settled(one, streamedOne)
  })

  it('reads an image', async () => {
    const { model, settled } = await open()
    world.answers({ text: 'A red point.' })
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'file', data: Buffer.from(PNG, 'base64'), mediaType: 'image/png' },
    ]
    await generateText({ model, messages: [{ role: 'user', content }] })
    assert.equal(imageIn(world.asked()[0]), PNG_URL)
    await settled(one)
  })
}

export async function testAiSdk(world: World, id: string, name: AiClient): Promise<void> {
  const opened = await openAiSuite(world, id, name)
  testAnswers(opened)
  testTools(opened)
  testContent(opened)
}

export async function testAiSdkFailures(world: World, id: string, name: AiClient): Promise<void> {
  const { generateText, streamText } = await world.load('ai/dist/index.js')
  const modelOf = await modelsOf(world, name)
  testFailures(world, id, {
    wire: WIRES[name],
    ask: ({ key, model }) => generateText({ model: modelOf(key, model), prompt: 'Hello', maxRetries: 1 }),
    listen: async ({ key, model, signal }, heard) => {
      const options = { model: modelOf(key, model), prompt: 'Hello', abortSignal: signal, onError: () => {} }
      for await (const part of streamText(options).fullStream) {
        if (part.type === 'error') throw part.error
        heard(part.type === 'text-delta' ? part.text : '')
      }
    },
    read: ({ name, lastError, statusCode, isRetryable }) =>
      name === 'AI_StreamProviderError' ? name : [name, lastError?.statusCode ?? statusCode, isRetryable],
    wrongKey: ['AI_APICallError', 401, false],
    unknownModel: ['AI_APICallError', 404, false],
    noBudget: ['AI_APICallError', 402, false],
    busy: ['AI_RetryError', 429, undefined],
    refused: ['AI_APICallError', 400, false],
    brokenOff: 'AI_StreamProviderError',
  })
}

export async function testAiSdkEmbeddings(world: World): Promise<void> {
  const { embed, embedMany } = await world.load('ai/dist/index.js')
  const { createOpenAI } = await world.load('@ai-sdk/openai/dist/index.js')
  const modelOf = (apiKey: string, model: string) =>
    createOpenAI({ baseURL: world.baseURL, fetch: world.fetch, apiKey }).embeddingModel(model)

  it('come from a provider', async () => {
    const { key, settled } = await world.account()
    world.answers(embedding(5), embedding(6))
    const model = modelOf(key, EMBEDDING)
    const first = await embed({ model, value: 'a desk' })
    const providerOptions = { openai: { dimensions: 3 } }
    const both = await embedMany({ model, values: ['a desk', 'a lamp'], providerOptions })
    assert.deepEqual([first.embedding.length, first.usage.tokens, both.usage.tokens], [1536, 5, 6])
    assert.deepEqual(both.embeddings, [
      [1 / 8, 2 / 8, 3 / 8],
      [2 / 8, 3 / 8, 4 / 8],
    ])
    const one = { model: EMBEDDING, wire: 'embeddings', output: 0 }
    await settled({ ...one, input: 5 }, { ...one, input: 6 })
  })

  it('are made here', async () => {
    const { key, settled } = await world.account()
    const model = modelOf(key, LOCAL)
    const first = await embed({ model, value: 'a walnut desk' })
    const both = await embedMany({ model, values: ['a walnut desk', 'a table of oak'] })
    assert.deepEqual([first.embedding.length, both.embeddings[0]], [512, first.embedding])
    const one = { model: LOCAL, wire: 'embeddings', output: 0 }
    await settled({ ...one, input: first.usage.tokens }, { ...one, input: both.usage.tokens })
  })
}
