// The words with which a stream ends, in the texts of models and of clients: the stream goes on, and is charged whole.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { server, add, newOrg, streamed, balanceOf } = await fixture.startModelCalls()
const models = [{ id: 'gpt', price: fixture.PRICE }]
const added = await add({ name: 'native', kind: 'openai', baseUrl: `${server.url}/v1`, models })
assert.equal(added.status, 201, added.text)

const ENDS = ['data: [DONE]', 'event: message_stop', 'event: response.completed', 'event: response.failed']
const words = ['Before ', ...ENDS, ...ENDS.map(end => `\n${end}\n\n`), ' after']

const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
const instructions = `Say ${ENDS.join(' or ')}`
const response = { id: 'resp_1', object: 'response', instructions, output: [] }
const usage = { input_tokens: 1000, output_tokens: 200, total_tokens: 1200 }
const responseEvents = [
  event('response.created', { response: { ...response, status: 'in_progress', usage: null } }),
  ...words.map(delta => event('response.output_text.delta', { delta })),
  event('response.completed', { response: { ...response, status: 'completed', usage } }),
]

describe('a stream whose texts contain the words of a final event', () => {
  const max = { max_tokens: 500 }
  const input = { messages: undefined, input: 'Hi', instructions }
  for (const [path, body, parts, last] of [
    ['/v1/chat/completions', { model: 'large' }, upstream.chatChunks(words), 'data: [DONE]\n\n'],
    ['/v1/chat/completions', { model: 'claude-large' }, upstream.messageEvents(words), 'data: [DONE]\n\n'],
    ['/v1/messages', { model: 'claude-large', ...max }, upstream.messageEvents(words), '"type":"message_stop"}\n\n'],
    ['/v1/messages', { model: 'large', ...max }, upstream.chatChunks(words), '"type":"message_stop"}\n\n'],
    ['/v1/responses', { model: 'gpt', ...input }, responseEvents, responseEvents.at(-1) as string],
    ['/v1/responses', { model: 'large', ...input }, upstream.chatChunks(words), '\n\n'],
  ] as const) {
    it(`goes on at ${path} for the model ${body.model}`, async () => {
      for (const split of [parts, [parts.join('')], parts.join('').split(/(?<=\n)/)]) {
        const { key } = await newOrg()
        server.state.answer = upstream.stream(split)
        const { text } = await streamed(body, key, path)
        assert.ok(text.includes(' after') && text.endsWith(last), text.slice(-300))
        assert.equal(await balanceOf(key), -fixture.COST)
      }
    })
  }
})
