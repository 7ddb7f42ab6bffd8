// Mistakes of clients and operators that are told apart, and what a failed provider says.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { host, server, chat, add, newOrg } = await fixture.startModelCalls()
// Attempts are apart from each other by the clock of the test.
const advancing = setInterval(() => host.clock.advance(100), 5)
after(() => clearInterval(advancing))

describe('a model at the wrong path', () => {
  it('is refused before it is called, with the right path', async () => {
    const before = server.received.length
    const messages = fixture.messages
    for (const [path, body, right] of [
      ['/v1/chat/completions', { model: 'vectors', messages }, '/v1/embeddings'],
      ['/v1/messages', { model: 'vectors', messages, max_tokens: 5 }, '/v1/embeddings'],
      ['/v1/responses', { model: 'vectors', input: 'a' }, '/v1/embeddings'],
      ['/v1/chat/completions', { model: 'local-embed-en', messages }, '/v1/embeddings'],
      ['/v1/embeddings', { model: 'large', input: 'a' }, '/v1/chat/completions'],
    ] as const) {
      const { status, body: answer } = await host.call(`POST ${path}`, { body })
      assert.equal(status, 400, path)
      assert.ok(answer.error.message.includes(`POST ${right}`), answer.error.message)
    }
    assert.equal(server.received.length, before)
  })
})

describe('a provider', () => {
  it('whose URL ends in the path of a call is refused', async () => {
    for (const path of ['/v1/chat/completions', '/v1/embeddings/', '/v1/responses', '/v1/messages', '/v1/models']) {
      const { status, body } = await add({ name: 'wrong', baseUrl: `https://models.example.com${path}`, models: [] })
      assert.deepEqual([status, body.error.param], [400, 'baseUrl'], path)
    }
  })

  it('that fails tells its status and the first line of what it says, without its key', async () => {
    const says = 'Overloaded with provider-secret.\nat line 7'
    server.state.answer = upstream.json({ error: { message: says } }, 500)
    const { status, body } = await chat({ model: 'renamed' })
    assert.equal(status, 502)
    assert.equal(body.error.message, 'The provider first failed with status 500: Overloaded with [key].')
  })
})

describe('an alias', () => {
  it('to a model that is not known is refused', async () => {
    const { key } = await newOrg()
    const patch = (model: string) =>
      host.call('PATCH /v1/ai/settings', { as: key, body: { aliases: [{ name: 'fast', model }] } })
    const { status, body } = await patch('never-heard-of')
    assert.deepEqual([status, body.error.param], [400, 'aliases.0.model'])
    assert.equal((await patch('large')).status, 200)
  })
})
