import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { NO_USAGE, type Usage } from './usage.ts'
import { laterUsage, usageOfChat, usageOfEmbeddings, usageOfMessages, usageOfResponses } from './usage-in.ts'

const used = (usage: Partial<Usage>): Usage => ({ ...NO_USAGE, ...usage })

describe('the usage of the chat wire', () => {
  for (const [what, json, expected] of [
    [
      'OpenAI, with details',
      {
        usage: {
          prompt_tokens: 2_006,
          completion_tokens: 300,
          total_tokens: 2_306,
          prompt_tokens_details: { cached_tokens: 1_920, audio_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 192, accepted_prediction_tokens: 0 },
        },
      },
      used({ input: 2_006, output: 300, cachedInput: 1_920, reasoning: 192 }),
    ],
    [
      'OpenRouter, with cache writes and an image',
      {
        choices: [{ message: { images: [{ type: 'image_url' }] } }],
        usage: {
          prompt_tokens: 194,
          completion_tokens: 2,
          prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 50 },
        },
      },
      used({ input: 194, output: 2, cachedInput: 100, cacheWrite: 50, images: 1 }),
    ],
    [
      'xAI, whose output is without reasoning',
      {
        usage: {
          prompt_tokens: 32,
          completion_tokens: 9,
          total_tokens: 135,
          completion_tokens_details: { reasoning_tokens: 94 },
        },
      },
      used({ input: 32, output: 103, reasoning: 94 }),
    ],
    [
      'Gemini, whose total alone has the reasoning',
      { usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 530 } },
      used({ input: 10, output: 520, reasoning: 500 }),
    ],
    [
      'Groq, in a stream',
      { choices: [], x_groq: { id: 'req', usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 } } },
      used({ input: 5, output: 7 }),
    ],
    [
      'DeepSeek',
      { usage: { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 5 } },
      used({ input: 9, output: 1, cachedInput: 4 }),
    ],
    [
      'Moonshot',
      { usage: { prompt_tokens: 9, completion_tokens: 1, cached_tokens: 8 } },
      used({ input: 9, output: 1, cachedInput: 8 }),
    ],
    ['a total instead of the output', { usage: { prompt_tokens: 9, total_tokens: 12 } }, used({ input: 9, output: 3 })],
    [
      'a total instead of the input',
      { usage: { completion_tokens: 9, total_tokens: 12 } },
      used({ input: 3, output: 9 }),
    ],
    [
      'more cached than there is',
      { usage: { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } } },
      used({ input: 5, output: 1, cachedInput: 5 }),
    ],
    ['null, as in the chunks of a stream', { choices: [], usage: null }, null],
    ['none', { choices: [] }, null],
    ['a text', { usage: 'many' }, null],
    ['an array', { usage: [1] }, null],
  ] as [string, unknown, Usage | null][]) {
    it(`is read from ${what}`, () => assert.deepEqual(usageOfChat(json), expected))
  }

  for (const odd of [-1, 1.5, '12', 1e15, null, Number.NaN, {}, true]) {
    it(`is absent if it is ${JSON.stringify(odd)}`, () => {
      assert.equal(usageOfChat({ usage: { prompt_tokens: odd, completion_tokens: odd } }), null)
      const details = { cached_tokens: odd }
      const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: odd, prompt_tokens_details: details }
      assert.deepEqual(usageOfChat({ usage }), used({ input: 3, output: 4 }))
    })
  }
})

describe('the usage of the embeddings wire', () => {
  for (const [json, expected] of [
    [{ usage: { prompt_tokens: 8, total_tokens: 8 } }, used({ input: 8 })],
    [{ usage: { total_tokens: 8 } }, used({ input: 8 })],
    [{ usage: {} }, null],
    [{}, null],
  ] as [unknown, Usage | null][]) {
    it(JSON.stringify(json), () => assert.deepEqual(usageOfEmbeddings(json), expected))
  }
})

describe('the usage of the responses wire', () => {
  const usage = {
    input_tokens: 36,
    input_tokens_details: { cached_tokens: 20 },
    output_tokens: 87,
    output_tokens_details: { reasoning_tokens: 60 },
    total_tokens: 123,
  }
  const expected = used({ input: 36, output: 87, cachedInput: 20, reasoning: 60 })

  it('is read from an answer', () => assert.deepEqual(usageOfResponses({ output: [], usage }), expected))
  it('is read from the last event of a stream', () =>
    assert.deepEqual(usageOfResponses({ type: 'response.completed', response: { usage } }), expected))
  it('is absent from the first event', () =>
    assert.equal(usageOfResponses({ type: 'response.created', response: { usage: null } }), null))
  it('counts the images that were generated', () => {
    const output = ['completed', 'failed'].map(status => ({ type: 'image_generation_call', status }))
    assert.equal(usageOfResponses({ output, usage })?.images, 1)
  })
})

describe('the usage of the messages wire', () => {
  const usage = {
    input_tokens: 3,
    cache_creation_input_tokens: 20,
    cache_read_input_tokens: 100,
    cache_creation: { ephemeral_5m_input_tokens: 15, ephemeral_1h_input_tokens: 5 },
    output_tokens: 1,
  }
  const expected = used({ input: 123, output: 1, cachedInput: 100, cacheWrite: 20, cacheWriteHour: 5 })

  it('adds the tokens of the cache to the input', () => assert.deepEqual(usageOfMessages({ usage }), expected))
  it('is read from the first event of a stream', () =>
    assert.deepEqual(usageOfMessages({ type: 'message_start', message: { usage } }), expected))
  it('sums the cache writes by their time if they are not summed', () => {
    const { cache_creation_input_tokens: _, ...others } = usage
    assert.deepEqual(usageOfMessages({ usage: others }), expected)
  })
  it('is joined from the events of a stream', () => {
    const start = usageOfMessages({ type: 'message_start', message: { usage } })
    const delta = usageOfMessages({ type: 'message_delta', delta: {}, usage: { output_tokens: 15 } })
    assert.deepEqual(laterUsage(laterUsage(null, start), delta), { ...expected, output: 15 })
    assert.deepEqual(laterUsage(start, null), expected)
  })
  it('has what iterations add to the totals', () => {
    const iterations = [
      { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500, cache_read_input_tokens: 7 },
      { type: 'message', input_tokens: 23_000, output_tokens: 1_000 },
      ...[null, 5, {}, { type: 'message', input_tokens: -1 }],
    ]
    const expected = used({ input: 203_007, output: 4_500, cachedInput: 7 })
    const totals = { input_tokens: 23_000, output_tokens: 1_000 }
    assert.deepEqual(usageOfMessages({ usage: { ...totals, iterations } }), expected)
    // The last event of a stream may have no input of its own.
    assert.deepEqual(usageOfMessages({ usage: { output_tokens: 1_000, iterations } }), expected)
    assert.deepEqual(
      usageOfMessages({ usage: { ...totals, iterations: iterations.slice(1) } }),
      used({ input: 23_000, output: 1_000 }),
    )
    const endless = Array.from({ length: 50 }, () => ({ type: 'compaction', input_tokens: 99_000_000 }))
    assert.deepEqual(
      usageOfMessages({ usage: { ...totals, iterations: endless } }),
      used({ input: 23_000, output: 1_000 }),
    )
  })
  it('is absent from other events', () => assert.equal(usageOfMessages({ type: 'ping' }), null))
})

it('whatever an upstream sends, usage is whole numbers whose parts fit', () => {
  const odd = fc.oneof(fc.nat(50), fc.constantFrom(-1, 0.5, 1e300, '7', null, true, []), fc.anything())
  const details = fc.record(
    { cached_tokens: odd, cache_write_tokens: odd, reasoning_tokens: odd },
    { requiredKeys: [] },
  )
  const fields = {
    ...{ prompt_tokens: odd, completion_tokens: odd, total_tokens: odd, input_tokens: odd, output_tokens: odd },
    ...{ cache_read_input_tokens: odd, cache_creation_input_tokens: odd, cached_tokens: odd },
    cache_creation: fc.record({ ephemeral_5m_input_tokens: odd, ephemeral_1h_input_tokens: odd }, { requiredKeys: [] }),
    ...{ prompt_tokens_details: details, completion_tokens_details: details },
    ...{ input_tokens_details: details, output_tokens_details: details },
  }
  const json = fc.oneof(fc.anything(), fc.record({ usage: fc.record(fields, { requiredKeys: [] }) }))
  fc.assert(
    fc.property(json, value => {
      for (const read of [usageOfChat, usageOfEmbeddings, usageOfResponses, usageOfMessages]) {
        const usage = read(value)
        if (!usage) continue
        for (const count of Object.values(usage)) assert.ok(Number.isSafeInteger(count) && count >= 0)
        assert.ok(usage.cachedInput + usage.cacheWrite <= usage.input && usage.cacheWriteHour <= usage.cacheWrite)
        assert.ok(usage.reasoning <= usage.output)
      }
    }),
  )
})
