// An answer in one piece as a stream: clients read the same answer from it.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import OpenAI from 'openai'
import type { ProviderWire } from '../providers/provider.ts'
import { eventsOfWhole } from './events-of-whole.ts'
import { eventsIn } from './server-events.ts'

/** What the server answers next. */
let answer: { wire: ProviderWire; json: object }
const server = createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(eventsOfWhole(answer.wire, answer.json))
})
let openai: OpenAI
before(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  openai = new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 })
})
after(() => {
  server.closeAllConnections()
  server.close()
})

const messages = [{ role: 'user' as const, content: 'Hello' }]

/** Joins the events as the clients of the wire do. */
function messageIn(bytes: Buffer) {
  // biome-ignore lint/suspicious/noExplicitAny: each event has other fields
  let message: any
  const open = new Map<number, string>()
  for (const { event, data } of eventsIn(bytes)) {
    const json = JSON.parse(data)
    const { type, index, delta, usage } = json
    assert.equal(event, type)
    const block = message?.content[index]
    if (type === 'message_start') message = json.message
    else if (type === 'content_block_start') {
      assert.equal(index, message.content.length)
      message.content.push(json.content_block)
      open.set(index, '')
    } else if (type === 'content_block_stop') {
      if (open.get(index)) block.input = JSON.parse(open.get(index) as string)
      assert.ok(open.delete(index))
    } else if (type === 'message_delta') Object.assign(message, delta, { usage: { ...message.usage, ...usage } })
    else if (delta?.type === 'text_delta') block.text += delta.text
    else if (delta?.type === 'thinking_delta') block.thinking += delta.thinking
    else if (delta?.type === 'signature_delta') block.signature = delta.signature
    else if (delta?.type === 'citations_delta') block.citations.push(delta.citation)
    else if (delta?.type === 'input_json_delta') open.set(index, open.get(index) + delta.partial_json)
    else assert.equal(type, 'message_stop')
  }
  assert.equal(open.size, 0)
  return message
}

describe('a client reads from the stream', () => {
  it('a chat completion with text and calls', async () => {
    const call = (n: number) => ({
      id: `call_${n}`,
      type: 'function' as const,
      function: { name: 'look', arguments: `{"n":${n}}` },
    })
    const message = { role: 'assistant', content: 'Let me look.', refusal: null, tool_calls: [call(1), call(2)] }
    const choices = [{ index: 0, message, logprobs: null, finish_reason: 'tool_calls' }]
    const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 }
    const json = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices, usage }
    answer = { wire: 'chat', json }
    const read = await openai.chat.completions.stream({ model: 'm', messages }).finalChatCompletion()
    const { content, tool_calls: calls } = read.choices[0]?.message ?? {}
    assert.equal(content, message.content)
    const found = JSON.parse(JSON.stringify(calls)) as { function: object }[]
    assert.deepEqual(
      found.map(one => ({ ...one, function: { ...one.function, parsed_arguments: undefined } })),
      message.tool_calls.map(one => ({ ...one, function: { ...one.function, parsed_arguments: undefined } })),
    )
    assert.deepEqual([read.choices[0]?.finish_reason, read.usage], ['tool_calls', usage])
  })

  it('a message with thinking, citations, text and a call', async () => {
    const json = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'abc' },
        { type: 'redacted_thinking', data: 'xyz' },
        { type: 'text', text: 'Let me look.', citations: [{ type: 'char_location', cited_text: 'a' }] },
        { type: 'text', text: '' },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { n: 1, deep: { list: [1, 'two'] } } },
        { type: 'tool_use', id: 'toolu_2', name: 'look', input: {} },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 7 },
    }
    assert.deepEqual(messageIn(eventsOfWhole('messages', json) as Buffer), json)
  })

  it('a response with reasoning, text, a refusal and a call, whatever its status', async () => {
    for (const status of ['completed', 'incomplete', 'failed']) {
      const output = [
        { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [
            { type: 'output_text', text: 'Let me look.', annotations: [], logprobs: [] },
            { type: 'refusal', refusal: 'No.' },
          ],
        },
        { id: 'fc_1', type: 'function_call', status: 'completed', call_id: 'call_1', name: 'look', arguments: '{}' },
      ]
      const usage = { input_tokens: 5, output_tokens: 7, total_tokens: 12 }
      answer = {
        wire: 'responses',
        json: { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status, output, usage },
      }
      const stream = await openai.responses.create({ model: 'm', input: 'Hello', stream: true })
      const texts: string[] = []
      let last: OpenAI.Responses.ResponseStreamEvent | undefined
      let count = 0
      for await (const event of stream) {
        assert.equal(event.sequence_number, count++)
        if ('delta' in event) texts.push(String(event.delta))
        last = event
      }
      assert.deepEqual(texts, ['Let me look.', 'No.', '{}'])
      assert.equal(last?.type, `response.${status}`)
      assert.deepEqual(last && 'response' in last && last.response, answer.json)
      if (status !== 'completed') continue
      const read = await openai.responses.stream({ model: 'm', input: 'Hello' }).finalResponse()
      assert.deepEqual([read.output_text, read.output.length], ['Let me look.', 3])
    }
  })
})

describe('a value that is not an answer of the wire', () => {
  it('has no events', () => {
    for (const wire of ['chat', 'messages', 'responses', 'embeddings'] as const) {
      for (const json of [null, 7, 'a', [], {}, { choices: [] }, { choices: [1] }, { content: 'a' }, { output: [] }]) {
        assert.equal(eventsOfWhole(wire, json), null, `${wire} ${JSON.stringify(json)}`)
      }
    }
  })
})
