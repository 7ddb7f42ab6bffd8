// Mistakes of clients and operators that are told apart, and what a failed provider says.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { host, server, chat, streamed, add, newOrg, lastRequest } = await fixture.startModelCalls()
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
    for (const path of [
      ...['/v1/chat/completions', '/v1/embeddings/', '/v1/responses', '/v1/messages', '/v1/models'],
      ...['/v1/Chat/Completions', '/v1/chat%2Fcompletions', '/v1/chat%2fCOMPLETIONS%20', '/v1/messages/count_tokens'],
    ]) {
      const { status, body } = await add({ name: 'wrong', baseUrl: `https://models.example.com${path}`, models: [] })
      assert.deepEqual([status, body.error.param], [400, 'baseUrl'], path)
    }
  })

  it('that fails reports its status and the first line of its message, without its key', async () => {
    const says = 'Overloaded with provider-secret.\nat line 7'
    server.state.answer = upstream.json({ error: { message: says } }, 500)
    const { status, body } = await chat({ model: 'renamed' })
    assert.equal(status, 502)
    assert.equal(body.error.message, 'The provider first failed with status 500: Overloaded with [key].')
  })
})

describe('what a provider says when it refuses', () => {
  const KEY = 'sk-"quoted\\key/+=='
  const QUOTED = /provider-secret|quoted|other-secret/
  before(async () => {
    for (const [name, apiKey] of [
      ['native', 'provider-secret'],
      ['odd', KEY],
    ]) {
      await add({ name, kind: 'openai', baseUrl: `${server.url}/v1`, apiKey, models: [{ id: `by-${name}` }] })
    }
  })

  const saidOf = async (status: number, answer: unknown) => {
    server.state.answer = upstream.json(answer, status)
    const { body } = await chat({ model: 'by-native' })
    return body.error.message as string
  }

  it('has its status and the first line of its message', async () => {
    const refused = (status: number, line: string) =>
      `The provider native refused the request with status ${status}${line}.`
    const lines = 'Bad provider-secret.\nat /internal/path'
    assert.equal(await saidOf(400, { error: { message: lines } }), refused(400, ': Bad [key]'))
    assert.equal(await saidOf(400, { error: 'simply wrong' }), refused(400, ': simply wrong'))
    assert.equal(await saidOf(422, { message: 'at the top' }), refused(422, ': at the top'))
    assert.equal(await saidOf(422, { detail: 'a detail' }), refused(422, ': a detail'))
    const detail = [{ loc: ['body', 'x'], msg: 'extra forbidden' }]
    assert.equal(await saidOf(422, { detail }), refused(422, ': body.x: extra forbidden'))
    assert.equal(await saidOf(404, [{ error: { message: 'in a list' } }]), refused(404, ': in a list'))
    assert.equal(await saidOf(400, {}), refused(400, ''))
    assert.equal(
      await saidOf(400, { error: { message: `${'a'.repeat(299)}😀` } }),
      refused(400, `: ${'a'.repeat(299)}`),
    )
    assert.equal(await saidOf(200, { object: 'error', message: 'Bad', code: 400 }), refused(400, ': Bad'))
  })

  it('has no secrets of others', async () => {
    const long = 'abcdefghijklmnopqrstuvwxyz0123456789'
    for (const [says, shown] of [
      ['POST https://x.example/v1?key=other-secret&a=1', 'POST https://x.example/v1?key=[secret]&a=1'],
      ['GET /?a=1&access_token=other-secret failed', 'GET /?a=1&access_token=[secret] failed'],
      ['the key sk-live-0123456789 is old', 'the key [secret] is old'],
      ['Authorization: Bearer other-secret-1', 'Authorization: Bearer [secret]'],
      [`the token "${long}" is bad`, 'the token "[secret]" is bad'],
      [`{api_key: ${long}}`, '{api_key: [secret]}'],
      [`the model ${long} is unknown`, `the model ${long} is unknown`],
      ['a bearer token is required', 'a bearer token is required'],
    ] as const) {
      const message = await saidOf(400, { error: { message: says } })
      assert.equal(message, `The provider native refused the request with status 400: ${shown}.`)
    }
  })

  const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`
  for (const [model, key] of [
    ['by-native', 'provider-secret'],
    ['by-odd', KEY],
  ] as const) {
    it(`has no key of its own in an answer that has an error, for ${model}`, async () => {
      const error = { code: 'server_error', message: `bad ${key}` }
      const failed = { id: 'r', object: 'response', status: 'failed', error, output: [] }
      server.state.answer = upstream.json(failed)
      const response = await host.call('POST /v1/responses', { body: { model, input: 'Hi' } })
      assert.deepEqual([response.status, response.body.error.message], [200, 'bad [key]'])
      for (const answer of [
        { error, choices: [] },
        { error, choices: null },
        { object: 'error', message: `bad ${key}` },
      ]) {
        server.state.answer = upstream.json(answer)
        const { status, text } = await chat({ model })
        assert.equal(status, 502, text)
        assert.doesNotMatch(text, QUOTED)
      }
      server.state.answer = upstream.json({ ...upstream.chatCompletion(), error })
      const { status, body } = await chat({ model })
      assert.deepEqual([status, body.error.message, body.choices[0].message.content], [200, 'bad [key]', 'Hello'])
    })

    it(`has no key of its own in a stream, for ${model}`, async () => {
      for (const last of [
        event({ error: { message: `bad ${key}` } }),
        event({ object: 'error', message: `bad ${key}` }),
        event({ type: 'error', message: `bad ${key}` }),
        `event: error\ndata: bad ${key}\n\n`,
        `event:error\ndata: bad ${key}\n\n`,
        event({ error: { message: 'bad PLACE' } }).replace(
          'PLACE',
          JSON.stringify(key).slice(1, -1).replace('-', '\\u002d'),
        ),
      ]) {
        server.state.answer = upstream.stream([upstream.delta('an error: "error"'), last])
        const { text } = await streamed({ model })
        assert.match(text, /bad \[key\]/)
        assert.match(text, /an error: /)
        assert.doesNotMatch(text, QUOTED)
      }
      for (const other of [
        event({ message: `bad ${key}`, code: 401 }),
        event({ detail: `bad ${key}` }),
        `: ${key}\n\n`,
      ]) {
        server.state.answer = upstream.stream([...upstream.chatChunks(['a']).slice(0, -1), other])
        assert.doesNotMatch((await streamed({ model })).text, QUOTED)
      }
    })
  }
})

describe('a model in the query', () => {
  it('is refused: it belongs into the body', async () => {
    for (const body of [{ messages: fixture.messages }, { model: 'large', messages: fixture.messages }]) {
      const { status, body: answer } = await host.call('POST /v1/chat/completions?model=free', { body })
      assert.deepEqual([status, answer.error.param], [400, 'model'])
    }
  })
})

describe('an alias', () => {
  it('may stand for the model that is here', async () => {
    const { key } = await newOrg()
    const aliases = [{ name: 'vec', model: 'local-embed-en' }]
    assert.equal((await host.call('PATCH /v1/ai/settings', { as: key, body: { aliases } })).status, 200)
    const { status, body, text } = await host.call('POST /v1/embeddings', {
      as: key,
      body: { model: 'vec', input: 'a' },
    })
    assert.equal(status, 200, text)
    assert.equal(body.data[0].embedding.length, 512)
    const line = await lastRequest(key)
    assert.deepEqual([line.model, line.answeredModel], ['vec', 'local-embed-en'])
    const wrong = await host.call('POST /v1/chat/completions', { as: key, body: { model: 'vec', messages: [] } })
    assert.match(wrong.body.error.message, /POST \/v1\/embeddings/)
  })

  it('to a model that is not known is refused', async () => {
    const { key } = await newOrg()
    const patch = (model: string) =>
      host.call('PATCH /v1/ai/settings', { as: key, body: { aliases: [{ name: 'fast', model }] } })
    const { status, body } = await patch('never-heard-of')
    assert.deepEqual([status, body.error.param], [400, 'aliases.0.model'])
    assert.equal((await patch('large')).status, 200)
  })
})
