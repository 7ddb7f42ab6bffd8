import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chatOverMessages } from './chat-over-messages/chat-over-messages.ts'
import { responsesOverChat } from './responses-over-chat/responses-over-chat.ts'
import { through } from './through.ts'
import { type JsonObject, Untranslatable } from './translation.ts'

const responsesOverMessages = through(responsesOverChat, chatOverMessages)
const HELLO = { model: 'large', input: 'Hello' }
const tool = (parameters: unknown) => ({ type: 'function', name: 'now', parameters })

describe('responses over messages', () => {
  for (const [path, fields] of [
    ['text.format.type', { text: { format: { type: 'json_object' } } }],
    ['text.verbosity', { text: { verbosity: 'low' } }],
    ['reasoning.effort', { reasoning: { effort: 'extreme' } }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['temperature', { temperature: 1.5 }],
    ['service_tier', { service_tier: 'flex' }],
    ['include', { include: ['message.output_text.logprobs'] }],
    ['top_logprobs', { top_logprobs: 'many' }],
    ['input', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'ftp://a' }] }] }],
    ['tools.1.name', { tools: [tool({}), { ...tool({}), name: '' }] }],
  ] as [string, JsonObject][]) {
    it(`refuses ${path} by the name that the client used`, () => {
      const refused = (error: unknown) => error instanceof Untranslatable && error.path === path
      assert.throws(() => responsesOverMessages.request({ ...HELLO, ...fields }), refused)
    })
  }
})
