// What both wires express survives the way there and back.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { chatOverMessages } from './chat-over-messages/chat-over-messages.ts'
import { messagesOverChat } from './messages-over-chat/messages-over-chat.ts'
import type { JsonObject } from './translation.ts'

const about = { id: 'own', created: 1_700_000_000, model: 'm' }
const text = fc.string({ minLength: 1, maxLength: 20 })
const name = fc.stringMatching(/^[a-z_]{1,12}$/)
const args = fc.jsonValue().map(value => JSON.stringify(JSON.parse(JSON.stringify({ value }))))

const image = fc.constantFrom('https://example.com/a.png', 'data:image/png;base64,iVBORw0KGgo=').map(url => ({
  type: 'image_url',
  image_url: { url },
}))
const file = fc.constant({
  type: 'file',
  file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQK' },
})
const textPart = text.map(value => ({ type: 'text', text: value }))
const parts = fc
  .tuple(fc.array(textPart, { maxLength: 2 }), fc.oneof(image, file))
  .map(([texts, part]) => [...texts, part])
const user = fc.oneof(text, parts).map(content => ({ role: 'user', content }))

const calls = fc.array(fc.tuple(name, args, text), { minLength: 1, maxLength: 3 })
/** An assistant's calls, their results, and what the user says with them. */
const toolTurn = fc.tuple(fc.option(text), calls, fc.option(user)).map(([content, made, says]) => [
  {
    role: 'assistant',
    content,
    tool_calls: made.map(([called, input], i) => ({
      id: `call_${i}`,
      type: 'function',
      function: { name: called, arguments: input },
    })),
  },
  ...made.map(([, , result], i) => ({ role: 'tool', tool_call_id: `call_${i}`, content: result })),
  ...(says ? [says] : []),
])
const textTurn = fc.tuple(text, user).map(([content, says]) => [{ role: 'assistant', content }, says])

const messages = fc
  .tuple(fc.option(text), user, fc.array(fc.oneof(toolTurn, textTurn), { maxLength: 3 }))
  .map(([system, first, turns]) => [...(system ? [{ role: 'system', content: system }] : []), first, ...turns.flat()])

const tools = fc.array(
  fc.record(
    { name, description: text, parameters: fc.constant({ type: 'object', properties: {} }), strict: fc.constant(true) },
    { requiredKeys: ['name', 'parameters'] },
  ),
  { minLength: 1, maxLength: 2 },
)
const choice = fc.oneof(
  fc.constantFrom('auto', 'required', 'none'),
  name.map(value => ({ type: 'function', function: { name: value } })),
)

const fields = fc.record(
  {
    temperature: fc.double({ min: 0, max: 1, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    stop: fc.array(text, { minLength: 1, maxLength: 4 }),
    user: text,
    service_tier: fc.constant('default'),
    response_format: fc.constant({
      type: 'json_schema',
      json_schema: { name: 'output', schema: { type: 'object' }, strict: true },
    }),
  },
  { requiredKeys: [] },
)
const toolFields = fc.tuple(tools, fc.option(choice), fc.boolean()).map(([given, chosen, single]) => ({
  tools: given.map(definition => ({ type: 'function', function: definition })),
  ...(chosen ? { tool_choice: chosen } : {}),
  ...(single && chosen && chosen !== 'none' ? { parallel_tool_calls: false } : {}),
}))
const reasoning = fc.constantFrom('low', 'medium', 'high').map(reasoning_effort => ({ reasoning_effort }))
const stream = fc.constantFrom({}, { stream: false }, { stream: true, stream_options: { include_usage: true } })

const request = fc
  .tuple(messages, fc.oneof(fields, reasoning, toolFields), stream)
  .map(([given, ...others]) =>
    Object.assign({ model: 'm', messages: given, max_completion_tokens: 30_000 }, ...others),
  ) as fc.Arbitrary<JsonObject>

describe('translations there and back', () => {
  it('keep a request', () => {
    const property = fc.property(request, chat => {
      const sent = chatOverMessages.request(chat)
      assert.deepEqual(plain(messagesOverChat.request(sent)), plain(chat))
      assert.deepEqual(chatOverMessages.request(messagesOverChat.request(sent)), sent)
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('keep an answer', () => {
    const finish = fc.constantFrom('stop', 'length', 'content_filter')
    const count = fc.nat({ max: 1000 })
    const property = fc.property(
      fc.option(text),
      fc.option(text),
      fc.option(calls),
      finish,
      fc.tuple(count, count),
      (content, thinking, made, reason, [input, output]) => {
        const answer = completion({ content, thinking, made, reason, input, output })
        assert.deepEqual(chatOverMessages.answer(messagesOverChat.answer(answer, about), about), answer)
      },
    )
    fc.assert(property)
  })
})

type Said = {
  content: string | null
  thinking: string | null
  made: [string, string, string][] | null
  reason: string
  input: number
  output: number
}

function completion({ content, thinking, made, reason, input, output }: Said): JsonObject {
  const message: JsonObject = { role: 'assistant', content: content ?? (made ? null : ''), refusal: null }
  if (thinking) message.reasoning_content = thinking
  if (made) {
    message.tool_calls = made.map(([called, given], i) => ({
      id: `call_${i}`,
      type: 'function',
      function: { name: called, arguments: given },
    }))
  }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: about.created,
    model: 'm',
    choices: [{ index: 0, message, logprobs: null, finish_reason: made ? 'tool_calls' : reason }],
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: 0 },
    },
  }
}

/** As it goes over the wire, so that fast-check's objects without a prototype compare. */
function plain(value: JsonObject): unknown {
  return JSON.parse(JSON.stringify(value))
}
