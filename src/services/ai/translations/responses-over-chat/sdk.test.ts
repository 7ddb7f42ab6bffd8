// The official client reads the translated streams: it checks the order of the events, and joins them by itself.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import OpenAI from 'openai'
import type { JsonObject } from '../translation.ts'
import { responsesOverChat } from './responses-over-chat.ts'

const ABOUT = { id: 'req-1', created: 1_700_000_000, model: 'some-model' }
const chunk = (delta: JsonObject, finish_reason: string | null = null) => {
  return { id: 'chatcmpl-A1', created: 1_700_000_001, choices: [{ index: 0, delta, finish_reason }] }
}
const END = { id: 'chatcmpl-A1', choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }
const deltaOf = (index: number, fields: JsonObject, id?: string) => {
  return chunk({ tool_calls: [{ index, ...(id ? { id, type: 'function' } : {}), function: fields }] })
}

/** What the upstream sends next, and the request that it got. */
let chunks: JsonObject[] = []
let asked: JsonObject = {}

const server = createServer(async (request, response) => {
  const body: Buffer[] = []
  for await (const piece of request) body.push(piece)
  const sent = JSON.parse(Buffer.concat(body).toString())
  asked = responsesOverChat.request(sent)
  if (!sent.stream) {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(responsesOverChat.answer(chunks[0] as JsonObject, ABOUT)))
    return
  }
  response.setHeader('content-type', 'text/event-stream')
  const stream = responsesOverChat.stream(sent, ABOUT)
  const events = chunks.flatMap(value => stream.next({ event: null, data: JSON.stringify(value) }))
  for (const { event, data } of [...events, ...stream.end()]) response.write(`event: ${event}\ndata: ${data}\n\n`)
  response.end()
})
let client: OpenAI

before(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  client = new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 })
})
after(() => {
  server.closeAllConnections()
  server.close()
})

describe('the official client', () => {
  it('reads reasoning, text and parallel calls', async () => {
    chunks = [
      chunk({ role: 'assistant', reasoning_content: 'Hm.' }),
      chunk({ content: 'Let me ' }),
      chunk({ content: 'look.' }),
      deltaOf(0, { name: 'get_weather', arguments: '{"city"' }, 'call_a'),
      deltaOf(1, { name: 'get_weather', arguments: '{"city"' }, 'call_b'),
      deltaOf(0, { arguments: ':"Rome"}' }),
      deltaOf(1, { arguments: ':"Oslo"}' }),
      chunk({}, 'tool_calls'),
      END,
    ]
    const parameters = { type: 'object', properties: { city: { type: 'string' } } }
    const tools: OpenAI.Responses.FunctionTool[] = [{ type: 'function', name: 'get_weather', parameters, strict: true }]
    const stream = client.responses.stream({ model: 'some-model', input: 'Weather?', tools })
    const deltas: string[] = []
    stream.on('response.output_text.delta', ({ snapshot }) => deltas.push(snapshot))
    const response = await stream.finalResponse()
    assert.deepEqual(deltas, ['Let me ', 'Let me look.'])
    assert.equal(response.status, 'completed')
    assert.equal(response.output_text, 'Let me look.')
    assert.deepEqual(response.usage?.total_tokens, 3)
    const calls = response.output.filter(item => item.type === 'function_call')
    assert.deepEqual(
      calls.map(call => [call.call_id, call.name, call.parsed_arguments]),
      [
        ['call_a', 'get_weather', { city: 'Rome' }],
        ['call_b', 'get_weather', { city: 'Oslo' }],
      ],
    )
    assert.deepEqual(asked.stream_options, { include_usage: true })
    assert.equal(response.output[0]?.type, 'reasoning')
  })

  it('sends the items of an answer back with the results', async () => {
    const answer = { choices: [{ message: { content: 'Sunny.' }, finish_reason: 'stop' }], usage: END.usage }
    const call = { id: 'call_a', type: 'function', function: { name: 'now', arguments: '{}' } }
    const first = { choices: [{ message: { reasoning: 'Hm.', tool_calls: [call] }, finish_reason: 'tool_calls' }] }
    chunks = [first]
    const one = await client.responses.create({ model: 'some-model', input: 'Time?' })
    chunks = [answer]
    const output = { type: 'function_call_output' as const, call_id: 'call_a', output: 'noon' }
    const input = [{ role: 'user' as const, content: 'Time?' }, ...one.output, output]
    const two = await client.responses.create({ model: 'some-model', input: input as OpenAI.Responses.ResponseInput })
    assert.equal(two.output_text, 'Sunny.')
    assert.deepEqual(asked.messages, [
      { role: 'user', content: 'Time?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_a', content: 'noon' },
    ])
  })

  it('parses structured output', async () => {
    chunks = [chunk({ content: '{"city"' }), chunk({ content: ':"Rome"}' }), chunk({}, 'stop'), END]
    const format = { type: 'json_schema' as const, name: 'city', schema: { type: 'object' }, strict: true }
    const stream = client.responses.stream({ model: 'some-model', input: 'City?', text: { format } })
    assert.deepEqual(JSON.parse((await stream.finalResponse()).output_text), { city: 'Rome' })
  })

  it('reads a refusal and an incomplete answer', async () => {
    chunks = [chunk({ content: 'Hi' }), chunk({ refusal: 'No.' }), chunk({}, 'length'), END]
    const response = await client.responses.stream({ model: 'some-model', input: 'Hi' }).finalResponse()
    assert.equal(response.status, 'incomplete')
    assert.deepEqual(response.incomplete_details, { reason: 'max_output_tokens' })
    const [item] = response.output
    assert.deepEqual(item?.type === 'message' && item.content.map(({ type }) => type), ['output_text', 'refusal'])
  })

  it('throws the error of a stream, and sees the failed response before', async () => {
    chunks = [chunk({ content: 'He' }), { error: { message: 'Overloaded.', code: 'server_error' } }]
    const stream = client.responses.stream({ model: 'some-model', input: 'Hi' })
    const seen: string[] = []
    stream.on('event', event => seen.push(event.type))
    await assert.rejects(stream.finalResponse(), (error: unknown) => {
      return error instanceof OpenAI.APIError && error.code === 'server_error' && /Overloaded/.test(error.message)
    })
    assert.equal(seen.at(-1), 'response.failed')
  })

  it('gets a failed response when the stream is cut', async () => {
    chunks = [chunk({ content: 'He' })]
    const response = await client.responses.stream({ model: 'some-model', input: 'Hi' }).finalResponse()
    assert.deepEqual([response.status, response.error?.code], ['failed', 'server_error'])
  })
})
