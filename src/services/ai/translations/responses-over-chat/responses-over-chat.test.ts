import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type OpenAI from 'openai'
import type { JsonObject } from '../translation.ts'
import { responsesOverChat } from './responses-over-chat.ts'

const ABOUT = { id: 'req-1', created: 1_700_000_000, model: 'client-model' }
const HEAD = { id: 'chatcmpl-A1', object: 'chat.completion', created: 1_700_000_001, model: 'upstream-model' }
const USAGE = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 2 },
}

function answer(message: JsonObject, choice: JsonObject = {}, body: JsonObject = {}): JsonObject {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...choice }]
  return responsesOverChat.answer({ ...HEAD, choices, usage: USAGE, ...body }, ABOUT)
}
const outputOf = (message: JsonObject, choice?: JsonObject) => answer(message, choice).output

const textItem = (n: number, text: string, status = 'completed') => {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }]
  return { id: `msg_A1_${n}`, type: 'message', status, role: 'assistant', content }
}

/** Fails to compile if the client's types require a field that the object does not have. `output_text` is the client's. */
const WHOLE: Omit<OpenAI.Responses.Response, 'output_text' | 'user'> & { store: false; user: null } = {
  id: 'resp_A1',
  object: 'response',
  created_at: 1_700_000_001,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'client-model',
  output: [
    {
      id: 'msg_A1_0',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello!', annotations: [], logprobs: [] }],
    },
  ],
  usage: {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 15,
  },
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  prompt_cache_key: null,
  safety_identifier: null,
  service_tier: 'default',
  temperature: null,
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: null,
  user: null,
  text: { format: { type: 'text' } },
  reasoning: { effort: null, summary: null },
  access_programs: null,
  background: false,
  previous_response_id: null,
  store: false,
  truncation: 'disabled',
}

describe('an answer of chat completions as a response', () => {
  it('has all fields', () => {
    assert.deepEqual(answer({ content: 'Hello!' }, {}, { service_tier: 'default' }), WHOLE)
  })

  it('has an id and a time of our own where the provider has none', () => {
    const { id, created_at } = answer({ content: 'a' }, {}, { id: '', created: 0 })
    assert.deepEqual([id, created_at], ['resp_req-1', 1_700_000_000])
  })

  it('has reasoning, text and calls as items', () => {
    const calls = ['Rome', 'Oslo'].map((city, at) => {
      return { id: `call_${at}`, type: 'function', function: { name: 'get_weather', arguments: `{"city":"${city}"}` } }
    })
    const message = { reasoning_content: 'Hm.', reasoning: 'Hm.', content: 'Let me look.', tool_calls: calls }
    const call = (n: number, city: string) => {
      const rest = { call_id: `call_${n - 2}`, name: 'get_weather', arguments: `{"city":"${city}"}` }
      return { id: `fc_A1_${n}`, type: 'function_call', status: 'completed', ...rest }
    }
    const reasoning = { type: 'reasoning_text', text: 'Hm.' }
    assert.deepEqual(outputOf(message, { finish_reason: 'tool_calls' }), [
      { id: 'rs_A1_0', type: 'reasoning', status: 'completed', summary: [], content: [reasoning] },
      textItem(1, 'Let me look.'),
      call(2, 'Rome'),
      call(3, 'Oslo'),
    ])
  })

  it('has the reasoning of a provider that answers with parts', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Hello!' },
    ]
    const [reasoning, message] = outputOf({ content }) as JsonObject[]
    assert.deepEqual(reasoning?.content, [{ type: 'reasoning_text', text: 'Hm.' }])
    assert.deepEqual(message, textItem(1, 'Hello!'))
  })

  it('has a refusal as a part', () => {
    const content = [{ type: 'refusal', refusal: 'I cannot.' }]
    const item = { id: 'msg_A1_0', type: 'message', status: 'completed', role: 'assistant', content }
    assert.deepEqual(outputOf({ content: null, refusal: 'I cannot.' }), [item])
  })

  it('has log probabilities', () => {
    const token = { token: 'Hi', logprob: -0.1, bytes: [72, 105] }
    const top = { token: 'Yo', logprob: -3, bytes: null }
    const logprobs = { content: [{ ...token, top_logprobs: [top] }], refusal: null }
    const [item] = outputOf({ content: 'Hi' }, { logprobs }) as { content: JsonObject[] }[]
    assert.deepEqual(item?.content[0]?.logprobs, [{ ...token, top_logprobs: [{ ...top, bytes: [] }] }])
  })

  it('is incomplete when the provider stopped early', () => {
    const reasons = { length: 'max_output_tokens', content_filter: 'content_filter' }
    for (const [finish_reason, reason] of Object.entries(reasons)) {
      const { status, incomplete_details, output } = answer({ content: 'He' }, { finish_reason })
      assert.deepEqual([status, incomplete_details], ['incomplete', { reason }])
      assert.deepEqual(output, [textItem(0, 'He', 'incomplete')])
    }
  })

  it('has ids for calls without one, or with the same one', () => {
    const call = { function: { name: 'now', arguments: '' } }
    const calls = [call, { ...call, id: 'a' }, { ...call, id: 'a' }]
    const items = outputOf({ tool_calls: calls }) as JsonObject[]
    const found = items.map(item => [item.call_id, item.arguments])
    assert.deepEqual(found.sort(), [
      ['a', '{}'],
      ['call_A1_0', '{}'],
      ['call_A1_1', '{}'],
    ])
  })

  it('has no usage where the provider reports none', () => {
    assert.equal(answer({ content: 'a' }, {}, { usage: undefined }).usage, null)
  })

  const hostile: [name: string, body: unknown][] = [
    ['nothing', null],
    ['an error', { error: { message: 'overloaded' } }],
    ['no choices', { choices: [] }],
    ['choices of another type', { choices: {} }],
    ['a choice of another type', { choices: [7] }],
    ['no message', { choices: [{}] }],
    ['content of another type', { choices: [{ message: { content: 7 } }] }],
    ['a part of another type', { choices: [{ message: { content: [{ type: 'image' }] } }] }],
    ['reasoning of another type', { choices: [{ message: { reasoning: {} } }] }],
    ['calls of another type', { choices: [{ message: { tool_calls: 7 } }] }],
    ['a call of another type', { choices: [{ message: { tool_calls: [null] } }] }],
    ['a call of a custom tool', { choices: [{ message: { tool_calls: [{ id: 'a', type: 'custom' }] } }] }],
    ['a call without a name', { choices: [{ message: { tool_calls: [{ id: 'a', function: {} }] } }] }],
    [
      'arguments of another type',
      { choices: [{ message: { tool_calls: [{ function: { name: 'a', arguments: [] } }] } }] },
    ],
    ['a finish reason of another type', { choices: [{ message: {}, finish_reason: 7 }] }],
    ['an error as the finish reason', { choices: [{ message: {}, finish_reason: 'error' }] }],
    ['log probabilities of another type', { choices: [{ message: { content: 'a' }, logprobs: { content: [7] } }] }],
    ['a prototype', JSON.parse('{"__proto__":{"choices":[{"message":{"content":"a"}}]}}')],
  ]
  for (const [name, body] of hostile) {
    it(`is an error with a message for ${name}`, () => {
      assert.throws(
        () => responsesOverChat.answer(body as JsonObject, ABOUT),
        (error: unknown) => error instanceof Error && error.name === 'Error' && error.message.length > 0,
      )
    })
  }
})

describe('whatever a provider answers', () => {
  const names = [
    'index',
    'id',
    'type',
    'function',
    'name',
    'arguments',
    'content',
    'text',
    'logprobs',
    'usage',
    '__proto__',
  ]
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>(null, 0, -1, 1e300, true, '', 'text', 'function'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
    ),
  }))
  const said = fc.dictionary(fc.constantFrom('content', 'tool_calls', 'reasoning', 'refusal'), value, { maxKeys: 2 })
  const choice = fc.record({ message: said, delta: said, logprobs: value, finish_reason: value })

  it('the error is a plain one, and a stream ends with one last event', () => {
    fc.assert(
      fc.property(fc.array(choice, { maxLength: 3 }), value, (choices, usage) => {
        const body = JSON.parse(JSON.stringify({ choices, usage }))
        const stream = responsesOverChat.stream({}, ABOUT)
        const next = () => stream.next({ event: null, data: JSON.stringify(body) })
        for (const attempt of [() => responsesOverChat.answer(body, ABOUT), next, next]) {
          try {
            attempt()
          } catch (error) {
            assert.ok(error instanceof Error && error.name === 'Error' && error.message !== '', String(error))
          }
        }
        assert.match(String(stream.end().at(-1)?.event), /^response\.(completed|incomplete|failed)$/)
        assert.deepEqual(stream.end(), [])
      }),
      { numRuns: 500 },
    )
  })
})
