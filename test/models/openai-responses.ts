// The client of OpenAI, responses.
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
import { CLAUDE, RESPONDING, type World } from './world.ts'

type Item = { type: string; call_id: string; name: string; arguments: string }

const tools = [{ type: 'function', name: WEATHER.name, parameters: WEATHER.schema, strict: true }]
const callsIn = (output: Item[]) =>
  output
    .filter(({ type }) => type === 'function_call')
    .map(item => [item.call_id, item.name, JSON.parse(item.arguments)])
const RIGHT_CALLS = CALLS.map(({ id, name, input }) => [id, name, input])

/** What the tests of this file share. */
async function openResponsesSuite(world: World, model: string) {
  const { default: OpenAI } = await world.load('openai/index.mjs')
  const { zodTextFormat } = await world.load('openai/helpers/zod.mjs')
  const { toResponseInputItems } = await world.load('openai/lib/responses/ResponseInputItems.mjs')
  const zod = await world.load('zod/index.js')
  const open = async () => {
    const account = await world.account()
    const client = new OpenAI({ apiKey: account.key, baseURL: world.baseURL, fetch: world.fetch })
    return { ...account, client }
  }
  const one = { model, wire: 'responses' }
  const streamedOne = { ...one, streamed: true }
  /** A provider that speaks responses gets the body of the client. */
  const isTranslated = model !== RESPONDING
  return { world, model, OpenAI, zodTextFormat, toResponseInputItems, zod, open, one, streamedOne, isTranslated }
}
type ResponsesSuite = Awaited<ReturnType<typeof openResponsesSuite>>

function testAnswers({ world, model, open, one, streamedOne }: ResponsesSuite): void {
  it('answers', async () => {
    const { client, settled } = await open()
    world.answers({ text: TEXT, counts: { cached: 600 } })
    const asked = { model, instructions: 'Be kind.', input: 'Hello', max_output_tokens: 50 }
    const { output_text: text, status, usage } = await client.responses.create(asked)
    assert.deepEqual([text, status], [TEXT, 'completed'])
    assert.deepEqual([usage.input_tokens, usage.output_tokens, usage.total_tokens], [1000, 200, 1200])
    assert.equal(usage.input_tokens_details.cached_tokens, 600)
    await settled({ ...one, cached: 600 })
  })

  it('reports that the answer is truncated', async () => {
    const { client, settled } = await open()
    world.answers({ text: 'Hel', isCut: true, counts: { output: 1 } }, { text: 'Hel', isCut: true })
    const { status, incomplete_details } = await client.responses.create({ model, input: 'Hello' })
    assert.deepEqual([status, incomplete_details.reason], ['incomplete', 'max_output_tokens'])
    const streamed = await client.responses.stream({ model, input: 'Hello' }).finalResponse()
    assert.deepEqual([streamed.status, streamed.output_text], ['incomplete', 'Hel'])
    await settled({ ...one, output: 1 }, streamedOne)
  })

  it('streams', async () => {
    const { client, settled } = await open()
    world.answers({ text: TEXT }, { text: TEXT })
    const types = new Set<string>()
    const deltas: string[] = []
    for await (const event of await client.responses.create({ model, input: 'Hello', stream: true })) {
      types.add(event.type)
      if (event.type === 'response.output_text.delta') deltas.push(event.delta)
    }
    assert.deepEqual([deltas.join(''), deltas.length > 5], [TEXT, true])
    assert.deepEqual([[...types][0], [...types].at(-1)], ['response.created', 'response.completed'])
    const final = await client.responses.stream({ model, input: 'Hello' }).finalResponse()
    assert.deepEqual([final.output_text, final.usage.total_tokens], [TEXT, 1200])
    await settled(streamedOne, streamedOne)
  })
}

function testTools({ world, model, toResponseInputItems, open, one, streamedOne, isTranslated }: ResponsesSuite): void {
  it('calls tools in parallel, and reads their results', async () => {
    const { client, settled } = await open()
    world.answers({ calls: CALLS }, { text: 'Sun and clouds.' })
    const first = await client.responses.create({ model, input: 'Weather?', tools })
    assert.deepEqual(callsIn(first.output), RIGHT_CALLS)
    await answerCalls(client, first.output)
    await settled(one, one)
  })

  it('streams calls of tools, and reads their results', async () => {
    const { client, settled } = await open()
    world.answers({ text: 'Let me look.', calls: CALLS }, { text: 'Sun and clouds.' })
    const stream = client.responses.stream({ model, input: 'Weather?', tools })
    const pieces = new Map<number, string>()
    stream.on(
      'response.function_call_arguments.delta',
      ({ output_index: at, delta }: { output_index: number; delta: string }) => {
        pieces.set(at, (pieces.get(at) ?? '') + delta)
      },
    )
    const { output, output_text: text } = await stream.finalResponse()
    assert.equal(text, 'Let me look.')
    assert.deepEqual(callsIn(output), RIGHT_CALLS)
    assert.deepEqual(
      [...pieces.values()].map(joined => JSON.parse(joined)),
      CALLS.map(({ input }) => input),
    )
    await answerCalls(client, output)
    await settled(streamedOne, one)
  })

  // biome-ignore lint/suspicious/noExplicitAny: see `load`
  async function answerCalls(client: any, output: Item[]): Promise<void> {
    const results = Object.entries(RESULTS).map(([call_id, result]) => ({
      ...{ type: 'function_call_output', call_id, output: result },
    }))
    const input = [{ role: 'user', content: 'Weather?' }, ...toResponseInputItems(output), ...results]
    const { output_text: text } = await client.responses.create({ model, input, tools })
    assert.equal(text, 'Sun and clouds.')
    if (isTranslated) assert.deepEqual(resultsIn(world.asked()[1]), RESULTS)
  }
}

function testContent({
  world,
  model,
  OpenAI,
  zodTextFormat,
  zod,
  open,
  one,
  streamedOne,
  isTranslated,
}: ResponsesSuite): void {
  it('answers in a schema', async () => {
    const { client, settled } = await open()
    world.answers({ text: PLACE_TEXT }, { text: PLACE_TEXT })
    const asked = { model, input: 'Where?', text: { format: zodTextFormat(placeSchema(zod), 'place') } }
    assert.deepEqual((await client.responses.parse(asked)).output_parsed, PLACE)
    assert.deepEqual((await client.responses.stream(asked).finalResponse()).output_parsed, PLACE)
    if (isTranslated) assert.deepEqual(formatIn(world.asked()[0]).required, Object.keys(PLACE))
    await settled(one, streamedOne)
  })

  it('reads an image', async () => {
    const { client, settled } = await open()
    world.answers({ text: 'A red point.' })
    const content = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url: PNG_URL, detail: 'auto' },
    ]
    await client.responses.create({ model, input: [{ role: 'user', content }] })
    if (isTranslated) assert.equal(imageIn(world.asked()[0]), PNG_URL)
    await settled(one)
  })

  if (model === CLAUDE) {
    it('names what the model cannot do', async () => {
      const { client, settled } = await open()
      world.answers()
      const text = { format: { type: 'json_object' } }
      const refused = (error: { param: string }) =>
        error instanceof OpenAI.BadRequestError && error.param === 'text.format.type'
      await assert.rejects(client.responses.create({ model, input: 'Hello', text }), refused)
      await settled()
    })
  }
}

export async function testOpenaiResponses(world: World, model: string): Promise<void> {
  const opened = await openResponsesSuite(world, model)
  testAnswers(opened)
  testTools(opened)
  testContent(opened)
}
