// Answers that are slightly out of the norm are translated: the provider has been paid for them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chatOverMessages } from './chat-over-messages/chat-over-messages.ts'
import { messagesOverChat } from './messages-over-chat/messages-over-chat.ts'
import { responsesOverChat } from './responses-over-chat/responses-over-chat.ts'
import type { JsonObject, Translation } from './translation.ts'

const about = { id: 'own', created: 1_700_000_000, model: 'm' }
const chat = (message: JsonObject, finish_reason: unknown = 'stop', usage?: unknown) => ({
  choices: [{ index: 0, message, finish_reason }],
  usage,
})
const chunk = (delta: JsonObject, finish_reason: unknown = null, usage?: unknown) => ({
  choices: [{ index: 0, delta, finish_reason }],
  usage,
})
const call = (given: unknown) => ({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: given } }] })
const TEXTS = [
  { type: 'text', text: 'Hel' },
  { type: 'text', text: 'lo' },
]
const REFUSAL = [{ type: 'refusal', refusal: 'No.' }]
const BAD_COUNTS = ['5', 5.5, -5, null, {}, [5], 1e300]

/** The events for the client, parsed. */
function play(translation: Translation, upstream: (JsonObject | '[DONE]')[], request: JsonObject = {}): JsonObject[] {
  const stream = translation.stream(request, about)
  const next = (data: JsonObject | '[DONE]') =>
    stream.next({ event: null, data: data === '[DONE]' ? data : JSON.stringify(data) })
  return [...upstream.flatMap(next), ...stream.end()].flatMap(({ data }) =>
    data === '[DONE]' ? [] : [JSON.parse(data)],
  )
}

describe('an unusual chat answer for an Anthropic client', () => {
  const whole = (...given: Parameters<typeof chat>) => messagesOverChat.answer(chat(...given), about)
  const streamed = (...chunks: (JsonObject | '[DONE]')[]) => play(messagesOverChat, chunks)
  const deltas = (events: JsonObject[]) =>
    events.flatMap(({ type, delta }) => (type === 'content_block_delta' ? [delta] : []))
  const stopOf = (events: JsonObject[]) =>
    events.flatMap(({ type, delta }) => (type === 'message_delta' ? [(delta as JsonObject).stop_reason] : []))[0]

  it('has an empty input where the limit cut the arguments', () => {
    const { content, stop_reason } = whole(call('{"city":"Pa'), 'length')
    assert.deepEqual(content, [{ type: 'tool_use', id: 'a', name: 'f', input: {} }])
    assert.equal(stop_reason, 'max_tokens')
    assert.deepEqual(whole(call('{"a":1}'), 'length').content, [
      { type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } },
    ])
    for (const reason of ['stop', 'tool_calls', null]) assert.throws(() => whole(call('{"city":"Pa'), reason))
    assert.throws(() => whole(call('[1]'), 'length'))
  })

  it('has the text of parts', () => {
    assert.deepEqual(whole({ content: TEXTS }).content, [{ type: 'text', text: 'Hello' }])
    const { content, stop_reason } = whole({ content: REFUSAL })
    assert.deepEqual([content, stop_reason], [[{ type: 'text', text: 'No.' }], 'refusal'])
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }
    assert.deepEqual(whole({ content: [thinking, ...TEXTS] }).content, [
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'Hello' },
    ])
  })

  it('has the text of parts in deltas', () => {
    const texts = deltas(streamed(chunk({ content: TEXTS }), chunk({ content: '!' }, 'stop')))
    assert.deepEqual(
      texts,
      ['Hel', 'lo', '!'].map(text => ({ type: 'text_delta', text })),
    )
    const refused = streamed(chunk({ content: REFUSAL }, 'stop'))
    assert.deepEqual([deltas(refused), stopOf(refused)], [[{ type: 'text_delta', text: 'No.' }], 'refusal'])
  })

  it('ends without a finish reason', () => {
    for (const reason of [null, undefined, '']) {
      assert.equal(messagesOverChat.answer(chat({ content: 'a' }, reason), about).stop_reason, 'end_turn')
      assert.equal(whole(call('{}'), reason ?? null).stop_reason, 'tool_use')
      assert.equal(stopOf(streamed(chunk({ content: 'a' }, reason), '[DONE]')), 'end_turn')
      assert.equal(stopOf(streamed(chunk(call('{}'), reason), '[DONE]')), 'tool_use')
      // Without a reason and without an end, it was cut.
      assert.equal(streamed(chunk({ content: 'a' }, reason)).at(-1)?.type, 'error')
    }
    assert.equal(streamed('[DONE]').at(-1)?.type, 'error')
  })

  it('has zeros for counts that are none', () => {
    const none = {
      input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 0,
    }
    for (const bad of BAD_COUNTS) {
      const usage = {
        prompt_tokens: bad,
        completion_tokens: 6,
        prompt_tokens_details: { cached_tokens: bad, cache_write_tokens: bad },
        completion_tokens_details: { reasoning_tokens: bad },
      }
      const expected = { ...none, output_tokens: 6 }
      assert.deepEqual(whole({ content: 'a' }, 'stop', usage).usage, expected)
      assert.deepEqual(streamed(chunk({ content: 'a' }, 'stop', usage)).at(-2)?.usage, expected)
    }
    for (const usage of ['none', [], 7, { prompt_tokens_details: 7, completion_tokens_details: 'x' }]) {
      assert.deepEqual(whole({ content: 'a' }, 'stop', usage).usage, none)
      assert.deepEqual(streamed(chunk({ content: 'a' }, 'stop', usage)).at(-2)?.usage, none)
    }
  })

  it('has arguments that are an object', () => {
    const [block] = whole(call({ a: 1 }), 'tool_calls').content as JsonObject[]
    assert.deepEqual(block?.input, { a: 1 })
    const partial = { type: 'input_json_delta', partial_json: '{"a":1}' }
    assert.deepEqual(deltas(streamed(chunk(call({ a: 1 }), 'tool_calls'))), [partial])
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)
    assert.throws(() => whole(call(deep)), /nested/)
  })
})

describe('an unusual chat answer as a response', () => {
  const whole = (...given: Parameters<typeof chat>) => responsesOverChat.answer(chat(...given), about)
  const streamed = (...chunks: (JsonObject | '[DONE]')[]) =>
    play(responsesOverChat, chunks).at(-1)?.response as JsonObject
  const both = (said: JsonObject, usage?: unknown) => [
    whole(said, 'stop', usage),
    streamed(chunk(said, 'stop', usage), '[DONE]'),
  ]

  it('has refusals among parts', () => {
    for (const { output } of both({ content: [...TEXTS, ...REFUSAL] })) {
      const [{ content }] = output as [{ content: JsonObject[] }]
      assert.deepEqual(
        content.map(({ text, refusal }) => text ?? refusal),
        ['Hello', 'No.'],
      )
    }
  })

  it('ends without a finish reason', () => {
    for (const reason of [null, '']) {
      assert.equal(streamed(chunk({ content: 'a' }, reason), '[DONE]').status, 'completed')
      const { status, output } = streamed(chunk(call('{}'), reason), '[DONE]')
      assert.deepEqual([status, (output as JsonObject[])[0]?.status], ['completed', 'completed'])
      assert.equal(streamed(chunk({ content: 'a' }, reason)).status, 'failed')
    }
    assert.equal(streamed({ choices: [] }, '[DONE]').status, 'failed')
  })

  it('has zeros for counts that are none', () => {
    for (const bad of BAD_COUNTS) {
      const usage = {
        prompt_tokens: bad,
        completion_tokens: 6,
        total_tokens: bad,
        prompt_tokens_details: { cached_tokens: bad },
        completion_tokens_details: bad,
      }
      for (const answer of both({ content: 'a' }, usage)) {
        assert.deepEqual(answer.usage, {
          input_tokens: 0,
          input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
          output_tokens: 6,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 6,
        })
      }
    }
    for (const usage of ['none', [], 7])
      for (const answer of both({ content: 'a' }, usage)) assert.equal(answer.usage, null)
  })

  it('has arguments that are an object', () => {
    for (const { output } of both(call({ a: 1 }))) assert.equal((output as JsonObject[])[0]?.arguments, '{"a":1}')
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)
    assert.throws(() => whole(call(deep)), /nested/)
  })
})

describe('an unusual Anthropic answer for a chat client', () => {
  const TOOL = { type: 'tool_use', id: 'a', name: 'f', input: {} }
  const TEXT = { type: 'text', text: 'Hi' }
  const whole = (content: JsonObject[], stop_reason: unknown = 'end_turn', usage?: unknown) =>
    chatOverMessages.answer({ content, stop_reason, usage }, about)
  const choiceOf = ({ choices }: JsonObject) => (choices as JsonObject[])[0] as JsonObject
  const block = (content_block: JsonObject, ...deltas: JsonObject[]) => [
    { type: 'content_block_start', index: 0, content_block },
    ...deltas.map(delta => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
  ]
  const streamed = (blocks: JsonObject[], stop_reason: unknown = 'end_turn', usage: unknown = undefined) =>
    play(
      chatOverMessages,
      [
        { type: 'message_start', message: { usage: { input_tokens: 5 } } },
        ...blocks,
        { type: 'message_delta', delta: { stop_reason }, usage },
        { type: 'message_stop' },
      ],
      { stream_options: { include_usage: true } },
    )
  const said = (events: JsonObject[]) =>
    events.map(event => (choiceOf(event)?.delta as JsonObject | undefined)?.content ?? '').join('')

  it('ends without a stop reason', () => {
    for (const reason of [null, '']) {
      assert.equal(choiceOf(whole([TEXT], reason)).finish_reason, 'stop')
      assert.equal(choiceOf(whole([TEXT, TOOL], reason)).finish_reason, 'tool_calls')
      assert.equal(choiceOf(streamed(block(TEXT), reason).at(-2) as JsonObject).finish_reason, 'stop')
      assert.equal(choiceOf(streamed(block(TOOL), reason).at(-2) as JsonObject).finish_reason, 'tool_calls')
    }
  })

  it('has zeros for counts that are none', () => {
    for (const bad of BAD_COUNTS) {
      const usage = {
        input_tokens: bad,
        output_tokens: 6,
        cache_read_input_tokens: bad,
        cache_creation_input_tokens: bad,
        output_tokens_details: { thinking_tokens: bad },
      }
      const counts = (prompt: number) => ({
        prompt_tokens: prompt,
        completion_tokens: 6,
        total_tokens: prompt + 6,
        prompt_tokens_details: { cached_tokens: 0 },
      })
      assert.deepEqual(whole([TEXT], 'end_turn', usage).usage, counts(0))
      // The first event has the input.
      assert.deepEqual(streamed(block(TEXT), 'end_turn', usage).at(-1)?.usage, counts(5))
    }
    for (const usage of ['none', [], 7]) {
      assert.equal('usage' in whole([TEXT], 'end_turn', usage), false)
      const last = streamed(block(TEXT), 'end_turn', usage).at(-1) as { usage: JsonObject }
      assert.equal(last.usage.prompt_tokens, 5)
    }
  })

  it('leaves out blocks and deltas of unknown types that have no text and no call', () => {
    const added = { type: 'added_later', data: 'x', text: '' }
    assert.equal((choiceOf(whole([added, TEXT])).message as JsonObject).content, 'Hi')
    const delta = { type: 'later_delta', data: 'x' }
    assert.equal(
      said(streamed([...block(added, delta), ...block({ ...TEXT, text: '' }, delta, { ...TEXT, type: 'text_delta' })])),
      'Hi',
    )
    const losing = [{ text: 'a' }, { content: 'a' }, { content: [TEXT] }, { input: {} }]
    for (const fields of losing) {
      assert.throws(() => whole([{ type: 'added_later', ...fields }]), /added_later/)
      assert.throws(() => streamed(block({ type: 'added_later', ...fields })), /added_later/)
    }
    for (const fields of [{ text: 'a' }, { content: 'a' }, { partial_json: '{' }]) {
      assert.throws(() => streamed(block(TEXT, { type: 'later_delta', ...fields })), /later_delta/)
    }
  })
})
