// Names and words of any length and any letters: none of them keeps the process from answering others.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { messages } = fixture
const { host, server } = await fixture.startModelCalls()
const JSON_TYPE = { 'content-type': 'application/json' }

/** Normalising these takes quadratic time. */
const MARKS = '\u05b9\u05b8'.repeat(40_000)
const letters = (n: number) => `${'Q'.repeat(890)}${n}`
const part = (more: object) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x', ...more }] }] })
const many = Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [letters(n), 1]))

/** For how long a timer of this process was late while the body was answered. */
async function delayOf(path: string, body: object): Promise<number> {
  let [latest, last] = [0, performance.now()]
  const timer = setInterval(() => {
    const now = performance.now()
    latest = Math.max(latest, now - last)
    last = now
  }, 1)
  const { status } = await host.call(`POST ${path}`, { body: JSON.stringify(body), headers: JSON_TYPE })
  latest = Math.max(latest, performance.now() - last)
  clearInterval(timer)
  assert.ok(status === 200 || status === 400, String(status))
  return latest
}

describe('a body with long names and words', () => {
  const chat = '/v1/chat/completions'
  for (const [what, path, body] of [
    ['a nested name', chat, { model: 'large', ...part({ [MARKS]: 1 }) }],
    ['a name', chat, { model: 'large', messages, [MARKS]: 1 }],
    ['service_tier', chat, { model: 'large', messages, service_tier: MARKS }],
    ['the type of a tool', chat, { model: 'large', messages, tools: [{ type: MARKS }] }],
    ['the type of an item', '/v1/responses', { model: 'large', input: [{ type: MARKS, id: 'x' }] }],
    [
      'the time of a cache',
      '/v1/messages',
      { model: 'claude-large', max_tokens: 5, ...part({ cache_control: { type: 'ephemeral', ttl: MARKS } }) },
    ],
    ['a thousand nested names', chat, { model: 'large', ...part(many) }],
  ] as const) {
    it(`holds up others no longer than a text of the same size: ${what}`, async () => {
      server.state.answer = upstream.json(upstream.chatCompletion())
      const size = Buffer.byteLength(JSON.stringify(body))
      const control = { model: 'large', messages: [{ role: 'user', content: 'a '.repeat(size / 2) }] }
      await delayOf(chat, control)
      const usual = await delayOf(chat, control)
      const delay = await delayOf(path, body)
      assert.ok(delay < 8 * usual + 100, `${delay} ms against ${usual} ms`)
    })
  }
})
