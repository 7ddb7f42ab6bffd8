import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type JsonObject, Untranslatable } from '../translation.ts'
import { chatOverMessages } from './chat-over-messages.ts'
import { ANSWERS, REQUESTS } from './fixtures/calls.ts'
import { STREAMS } from './fixtures/streams.ts'

const about = { id: 'chatcmpl-own', created: 1_700_000_000, model: 'sonnet' }
const ask = (fields: JsonObject): JsonObject =>
  chatOverMessages.request({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields })

function refusedPath(fields: JsonObject): string {
  try {
    ask(fields)
  } catch (error) {
    assert.ok(error instanceof Untranslatable, String(error))
    // A sentence begins with the path, which is not repeated.
    assert.ok(!error.message.startsWith(`${error.path} `), error.message)
    return error.path
  }
  return 'accepted'
}

/** All events for the client, parsed. */
function play(events: JsonObject[], request: JsonObject = {}): (JsonObject | '[DONE]')[] {
  const stream = chatOverMessages.stream(request, about)
  const sent = [...events.flatMap(data => stream.next({ event: data.type as string, data: JSON.stringify(data) }))]
  return [...sent, ...stream.end(), ...stream.end()].map(({ event, data }) => {
    assert.equal(event, null)
    return data === '[DONE]' ? data : JSON.parse(data)
  })
}

describe('a chat request for an Anthropic model', () => {
  for (const { name, chat, messages } of REQUESTS) {
    it(name, () => assert.deepEqual(chatOverMessages.request(chat), messages))
  }

  it('translates choices of tools', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const choice = (fields: JsonObject) => ask({ tools, ...fields }).tool_choice
    assert.deepEqual(choice({ tool_choice: 'none', parallel_tool_calls: false }), { type: 'none' })
    assert.deepEqual(choice({ tool_choice: 'required' }), { type: 'any' })
    assert.deepEqual(
      choice({ tool_choice: { type: 'function', function: { name: 'f' } }, parallel_tool_calls: false }),
      {
        type: 'tool',
        name: 'f',
        disable_parallel_tool_use: true,
      },
    )
    assert.deepEqual(choice({ parallel_tool_calls: false }), { type: 'auto', disable_parallel_tool_use: true })
    assert.equal(choice({ parallel_tool_calls: true }), undefined)
    assert.equal('tool_choice' in ask({ tool_choice: 'auto', parallel_tool_calls: false, tools: [] }), false)
  })

  it('keeps the thinking budget below the limit of tokens', () => {
    const limits = (fields: JsonObject) => {
      const { max_tokens, thinking } = ask(fields)
      return [max_tokens, (thinking as JsonObject | undefined)?.budget_tokens]
    }
    assert.deepEqual(limits({ reasoning_effort: 'none' }), [4096, undefined])
    assert.deepEqual(limits({ reasoning_effort: 'minimal' }), [5120, 1024])
    assert.deepEqual(limits({ reasoning_effort: 'low' }), [6144, 2048])
    assert.deepEqual(limits({ reasoning_effort: 'medium' }), [12_288, 8192])
    assert.deepEqual(limits({ reasoning_effort: 'max' }), [28_672, 24_576])
    assert.deepEqual(limits({ reasoning_effort: 'high', max_tokens: 5000 }), [5000, 3976])
    assert.deepEqual(limits({ reasoning_effort: 'high', max_tokens: 2048 }), [2048, 1024])
    assert.equal(refusedPath({ reasoning_effort: 'low', max_tokens: 2047 }), 'reasoning_effort')
  })

  it('leaves out empty texts and messages', () => {
    const messages = [
      { role: 'user', content: 'A' },
      { role: 'assistant', content: '' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'B' },
        ],
      },
    ]
    assert.deepEqual(ask({ messages }).messages, [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'A' },
          { type: 'text', text: 'B' },
        ],
      },
    ])
  })

  it('refuses by name what Anthropic cannot express', () => {
    const one = (part: unknown) => ({ messages: [{ role: 'user', content: [part] }] })
    const called = (call: unknown) => ({ messages: [{ role: 'assistant', tool_calls: [call] }] })
    const image = (url: unknown, detail?: string) => one({ type: 'image_url', image_url: { url, detail } })
    const rows: [fields: JsonObject, path: string][] = [
      [{ n: 2 }, 'n'],
      [{ logprobs: true }, 'logprobs'],
      [{ top_logprobs: 3 }, 'top_logprobs'],
      [{ seed: 1 }, 'seed'],
      [{ frequency_penalty: 0.1 }, 'frequency_penalty'],
      [{ presence_penalty: -1 }, 'presence_penalty'],
      [{ logit_bias: { 50256: -100 } }, 'logit_bias'],
      [{ audio: { voice: 'alloy', format: 'wav' } }, 'audio'],
      [{ modalities: ['text', 'audio'] }, 'modalities'],
      [{ prediction: { type: 'content', content: 'x' } }, 'prediction'],
      [{ web_search_options: {} }, 'web_search_options'],
      [{ store: true }, 'store'],
      [{ verbosity: 'low' }, 'verbosity'],
      [{ service_tier: 'flex' }, 'service_tier'],
      [{ functions: [] }, 'functions'],
      [{ moderation: { model: 'x' } }, 'moderation'],
      [{ top_k: 3 }, 'top_k'],
      [JSON.parse('{"__proto__":{"n":1}}'), '__proto__'],
      [{ constructor: 1 }, 'constructor'],
      [{ ['x'.repeat(1000)]: 1 }, `${'x'.repeat(64)}…`],
      [{ temperature: 1.1 }, 'temperature'],
      [{ temperature: '1' }, 'temperature'],
      [{ reasoning_effort: 'extreme' }, 'reasoning_effort'],
      [{ reasoning_effort: '__proto__' }, 'reasoning_effort'],
      [{ reasoning_effort: 'low', temperature: 0.5 }, 'temperature'],
      [{ reasoning_effort: 'low', top_p: 0.5 }, 'top_p'],
      [{ reasoning_effort: 'low', tool_choice: 'required' }, 'tool_choice'],
      [{ max_tokens: 0 }, 'max_tokens'],
      [{ max_tokens: 1.5 }, 'max_tokens'],
      [{ max_tokens: 1, max_completion_tokens: 2 }, 'max_tokens'],
      [{ response_format: { type: 'json_object' } }, 'response_format.type'],
      [{ response_format: { type: 'json_schema', json_schema: { name: 'a' } } }, 'response_format.json_schema.schema'],
      [{ stream: 'yes' }, 'stream'],
      [{ stream_options: { include_usage: 1 } }, 'stream_options.include_usage'],
      [{ stream_options: { other: 1 } }, 'stream_options.other'],
      [{ stop: [1] }, 'stop[0]'],
      [{ user: 1 }, 'user'],
      [{ model: 1 }, 'model'],
      [{ tools: [{ type: 'custom', custom: { name: 'a' } }] }, 'tools[0].type'],
      [{ tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
      [{ tools: {} }, 'tools'],
      [{ tool_choice: { type: 'allowed_tools' } }, 'tool_choice.type'],
      [{ messages: 'x' }, 'messages'],
      [{ messages: [] }, 'messages'],
      [{ messages: [null] }, 'messages[0]'],
      [{ messages: [{ role: 'system', content: 'x' }] }, 'messages'],
      [{ messages: [{ role: 'function', name: 'f', content: 'x' }] }, 'messages[0].role'],
      [{ messages: [{ role: 'user', content: '' }] }, 'messages[0].content'],
      [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
      [{ messages: [{ role: 'user', content: 'a', name: 'Bob' }] }, 'messages[0].name'],
      [{ messages: [{ role: 'assistant', audio: { id: 'a' } }] }, 'messages[0].audio'],
      [{ messages: [{ role: 'tool', content: 'a' }] }, 'messages[0].tool_call_id'],
      [one({ type: 'input_audio', input_audio: { data: '', format: 'wav' } }), 'messages[0].content[0].type'],
      [one({ type: 'text', text: {} }), 'messages[0].content[0].text'],
      [one(7), 'messages[0].content[0]'],
      [image('http://example.com/a.png'), 'messages[0].content[0].image_url.url'],
      [image('data:image/bmp;base64,AA'), 'messages[0].content[0].image_url.url'],
      [image('data:image/png,AA'), 'messages[0].content[0].image_url.url'],
      [image({}), 'messages[0].content[0].image_url.url'],
      [image('https://example.com/a.png', 'low'), 'messages[0].content[0].image_url.detail'],
      [one({ type: 'file', file: { file_id: 'file-1' } }), 'messages[0].content[0].file.file_id'],
      [one({ type: 'file', file: { file_data: 'data:text/csv;base64,AA' } }), 'messages[0].content[0].file.file_data'],
      [called({ id: 'a', type: 'custom', custom: {} }), 'messages[0].tool_calls[0].type'],
      [called({ id: 'a', function: { name: 'f', arguments: '[1]' } }), 'messages[0].tool_calls[0].function.arguments'],
      [called({ id: 'a', function: { name: 'f', arguments: '{' } }), 'messages[0].tool_calls[0].function.arguments'],
      [called({ id: 'a', function: { name: 'f', arguments: {} } }), 'messages[0].tool_calls[0].function.arguments'],
      [called({ function: { name: 'f', arguments: '{}' } }), 'messages[0].tool_calls[0].id'],
    ]
    for (const [fields, path] of rows) assert.equal(refusedPath(fields), path, JSON.stringify(fields).slice(0, 200))
  })

  it('refuses deep nesting, also inside of tool arguments', () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    assert.equal(refusedPath({ metadata: JSON.parse(deep) }), 'metadata')
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: deep } }
    const messages = [{ role: 'assistant', tool_calls: [call] }]
    assert.equal(refusedPath({ messages }), 'messages[0].tool_calls[0].function.arguments')
  })

  it('takes as many messages and parts as a body holds', () => {
    const part = { type: 'text', text: 'a' }
    const many = (role: string) => ({ role, content: Array.from({ length: 200_000 }, () => part) })
    const singles = Array.from({ length: 200_000 }, () => ({ role: 'user', content: 'a' }))
    const { system, messages } = ask({ messages: [many('system'), many('user'), ...singles] })
    assert.equal((system as unknown[]).length, 200_000)
    assert.equal((messages as { content: unknown[] }[])[0]?.content.length, 400_000)
  })

  it('keeps __proto__ in tool arguments as a name', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"__proto__":{"x":1}}' } }
    const sent = ask({ messages: [{ role: 'assistant', tool_calls: [call] }] })
    assert.match(JSON.stringify(sent), /"input":\{"__proto__":\{"x":1\}\}/)
  })

  it('throws only Untranslatable, whatever the request', () => {
    const names = fc.constantFrom('model', 'messages', 'tools', 'tool_choice', 'stop', 'response_format', 'user')
    const inner = fc.constantFrom('role', 'content', 'type', 'text', 'function', 'tool_calls', 'image_url', 'file')
    const leaf = fc.constantFrom<unknown>('user', 'assistant', 'tool', 'text', 'function', 'image_url', 1, null, true)
    const { value } = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 6 },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(inner, tie('value')),
      ),
    }))
    const property = fc.property(fc.dictionary(names, value), fields => {
      try {
        ask(fields)
      } catch (error) {
        assert.ok(error instanceof Untranslatable, String(error))
      }
    })
    fc.assert(property, { numRuns: 500 })
  })
})

describe('an Anthropic answer for a chat client', () => {
  for (const { name, messages, chat } of ANSWERS) {
    it(name, () => assert.deepEqual(chatOverMessages.answer(messages, about), chat))
  }

  it('has all finish reasons', () => {
    const reason = (stop_reason: unknown) => {
      const { choices } = chatOverMessages.answer({ content: [], stop_reason }, about)
      return (choices as JsonObject[])[0]?.finish_reason
    }
    assert.equal(reason('stop_sequence'), 'stop')
    assert.equal(reason('pause_turn'), 'stop')
    assert.equal(reason('model_context_window_exceeded'), 'length')
    assert.equal(reason('added_later'), 'stop')
  })

  it('takes the id from the call when the upstream has none', () => {
    assert.equal(chatOverMessages.answer({ content: [], stop_reason: 'end_turn' }, about).id, 'chatcmpl-own')
  })

  it('is a plain error when malformed', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)
    const answers: JsonObject[] = [
      {},
      { content: 'text', stop_reason: 'end_turn' },
      { content: [null], stop_reason: 'end_turn' },
      { content: [{ type: 'text' }], stop_reason: 'end_turn' },
      { content: [{ type: 'server_tool_use', input: {} }], stop_reason: 'end_turn' },
      { content: [{ type: 'tool_use', id: 'a', name: 'f', input: 'x' }], stop_reason: 'tool_use' },
      { content: [{ type: 'tool_use', id: 'a', name: 'f', input: deep }], stop_reason: 'tool_use' },
      { content: [{ type: 'tool_use', name: 'f', input: {} }], stop_reason: 'tool_use' },
      { content: [], stop_reason: 7 },
    ]
    for (const answer of answers) assert.throws(() => chatOverMessages.answer(answer, about), plainError)
  })
})

describe('an Anthropic stream for a chat client', () => {
  for (const { name, request, upstream, client } of STREAMS) {
    it(name, () => assert.deepEqual(play(upstream, request), client))
  }

  it('is an error when it is empty', () => {
    assert.equal(Object.keys(play([])[0] as JsonObject)[0], 'error')
  })

  it('joins to the same text and arguments however they are cut', () => {
    const cuts = fc.array(fc.nat({ max: 60 }), { maxLength: 8 })
    const property = fc.property(fc.string({ maxLength: 40 }), fc.json(), cuts, (text, value, at) => {
      const input = JSON.stringify({ value })
      const block = (index: number, content_block: JsonObject, deltas: JsonObject[]) => [
        { type: 'content_block_start', index, content_block },
        ...deltas.map(delta => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]
      const texts = pieces(text, at).map(piece => ({ type: 'text_delta', text: piece }))
      const inputs = pieces(input, at).map(piece => ({ type: 'input_json_delta', partial_json: piece }))
      const chunks = play([
        { type: 'message_start', message: {} },
        ...block(0, { type: 'text', text: '' }, texts),
        ...block(1, { type: 'tool_use', id: 'a', name: 'f', input: {} }, inputs),
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
        { type: 'message_stop' },
      ])
      const deltas = chunks.flatMap(chunk => (chunk === '[DONE]' ? [] : [deltaOf(chunk)]))
      assert.equal(deltas.map(({ content }) => content ?? '').join(''), text)
      assert.equal(deltas.map(({ tool_calls }) => tool_calls?.[0]?.function.arguments ?? '').join(''), input)
    })
    fc.assert(property)
  })

  it('is a plain error when malformed', () => {
    const start = { type: 'message_start', message: {} }
    const text = { type: 'content_block_start', index: 0, content_block: { type: 'text' } }
    const streams: JsonObject[][] = [
      [{ type: 'message_start' }],
      [start, start],
      [text],
      [start, text, text],
      [start, { ...text, index: -1 }],
      [start, { ...text, index: 1e300 }],
      [start, { type: 'content_block_start', index: 0 }],
      [start, { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a' } }],
      [start, { type: 'content_block_start', index: 0, content_block: { type: '__proto__', text: 'a' } }],
      [start, { type: 'content_block_delta', index: 7, delta: { type: 'text_delta', text: 'a' } }],
      [start, text, { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 5 } }],
      [start, text, { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '' } }],
      [start, text, { type: 'content_block_delta', index: 0, delta: { type: 'new', text: 'a' } }],
      [start, { type: 'message_delta' }],
      [{ type: 'message_stop' }],
    ]
    for (const events of streams) assert.throws(() => play(events), plainError, JSON.stringify(events))
    const next = (data: string) => chatOverMessages.stream({}, about).next({ event: null, data })
    assert.throws(() => next('{'), plainError)
    assert.throws(() => next('null'), plainError)
  })
})

type Delta = { content?: string; tool_calls?: { function: { arguments: string } }[] }

function deltaOf(chunk: JsonObject): Delta {
  return (chunk.choices as { delta: Delta }[])[0]?.delta ?? {}
}

function pieces(text: string, at: number[]): string[] {
  const ends = [...at, text.length].sort((a, b) => a - b)
  return ends.map((end, i) => text.slice(ends[i - 1] ?? 0, end))
}

function plainError(error: unknown): boolean {
  assert.ok(error instanceof Error && error.constructor === Error, String(error))
  return /^The answer of the upstream is malformed: /.test(error.message)
}
