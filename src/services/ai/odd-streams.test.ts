// Providers whose streams end early, tell of errors, or report what cannot be.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { request } from 'undici'
import { eventually } from '../../../test/eventually.ts'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { host, server, second, dispatcher, newOrg, chat, balanceOf, lastRequest, firstRequest, streamed } =
  await fixture.startModelCalls()
const advancing = setInterval(() => host.clock.advance(10), 5)
after(() => clearInterval(advancing))
const renamed = { model: 'renamed' }
const words = Array.from({ length: 400 }, (_, n) => ` word${n % 9}`)
/** In one piece each, so that it takes no time. */
const atOnce = (parts: readonly string[]) => upstream.stream([parts.join('')])

describe('a stream that is not valid', () => {
  for (const [what, answer] of [
    ['a page', upstream.json('<html>Sign in</html>', 200, { 'content-type': 'text/html' })],
    ['nothing', upstream.stream([])],
  ] as const) {
    it(`${what} is a failure, and costs nothing`, async () => {
      const { key } = await newOrg()
      server.state.answer = answer
      const { status, text } = await streamed(renamed, key)
      assert.deepEqual([status, JSON.parse(text).error.code], [502, 'upstream_unreachable'])
      assert.equal((await firstRequest(key)).error, 'upstream_unreachable')
      assert.equal(await balanceOf(key), 0)
    })
  }

  it('a page is passed over to the next provider', async () => {
    const { key } = await newOrg()
    server.state.answer = upstream.json('<html></html>', 200, { 'content-type': 'text/html' })
    second.state.answer = upstream.stream(upstream.chatChunks(['other']))
    assert.match((await streamed({}, key)).text, /other/)
    assert.equal((await lastRequest(key)).provider, 'zweit')
  })
})

describe('a stream that ends before it is complete', () => {
  const begun = upstream.chatChunks(words, null).slice(0, -2)
  const [finish = '', done = ''] = upstream.chatChunks([], null).slice(-2)
  const asMessages = { model: 'claude-large', max_tokens: 5_000 }
  const message = upstream.messageEvents(words)
  const isError = (text: string) => /\n\nevent: error\ndata: \{.*"upstream_unreachable".*\}\n\n$/.test(text)
  for (const [what, parts, path, body] of [
    ['without a reason', begun, '/v1/chat/completions', renamed],
    ['in the middle of an event', [...begun, finish.slice(0, 40)], '/v1/chat/completions', renamed],
    ['in the middle of the usage', [...begun, finish, 'data: {"choices":[],"us'], '/v1/chat/completions', renamed],
    ['of messages', message.slice(0, -1), '/v1/messages', asMessages],
    ['of messages, in the middle of an event', [...message.slice(0, 9), 'data: {"ty'], '/v1/messages', asMessages],
  ] as const) {
    it(`${what}, ends with an error event, and what was made is paid`, async () => {
      const { key } = await newOrg()
      server.state.answer = atOnce(parts)
      const { status, text } = await streamed(body, key, path)
      assert.equal(status, 200)
      assert.ok(isError(text), text.slice(-300))
      for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) JSON.parse(data)
      const { error, outputTokens } = await lastRequest(key)
      assert.deepEqual([error, outputTokens > 0], ['upstream_unreachable', true])
    })
  }

  for (const [what, parts] of [
    ['without [DONE], but with a reason', [...begun, finish]],
    ['without a reason, but with [DONE]', [...begun, done]],
    ['without an empty line after its last event', [...begun, finish, done.trim()]],
    ['with the reason in an event without an empty line', [...begun, finish.trim()]],
  ] as const) {
    it(`is complete ${what}`, async () => {
      const { key } = await newOrg()
      server.state.answer = atOnce(parts)
      const { text } = await streamed(renamed, key)
      assert.ok(!text.includes('event: error'), text.slice(-300))
      assert.equal((await lastRequest(key)).error ?? null, null)
    })
  }

  it('is not complete because its text has such a field', async () => {
    server.state.answer = atOnce([upstream.delta('{"finish_reason": "stop"}')])
    assert.ok(isError((await streamed(renamed)).text))
  })

  it('has one error if the provider reports one', async () => {
    server.state.answer = atOnce([upstream.delta('one'), 'data: {"error":"boom"}\n\n'])
    const { text } = await streamed(renamed)
    assert.match(text, /one[\s\S]*\n\ndata: \{"error":"boom"\}\n\n$/)
  })
})

describe('usage that cannot be', () => {
  const none = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  const text = words.join('')

  it('of an answer is counted instead', async () => {
    const { key } = await newOrg()
    for (const usage of [none, { prompt_tokens: 5 }]) {
      server.state.answer = upstream.json(upstream.chatCompletion(usage, text))
      await chat({}, key)
      const { estimated, outputTokens, inputTokens } = await lastRequest(key)
      assert.ok(estimated && outputTokens >= words.length && inputTokens > 0, `${outputTokens}`)
    }
  })

  it('of a stream is counted instead', async () => {
    const { key } = await newOrg()
    server.state.answer = atOnce(upstream.chatChunks(words, none))
    await streamed({}, key)
    const { estimated, outputTokens, inputTokens } = await lastRequest(key)
    assert.ok(estimated && outputTokens >= words.length && inputTokens > 0, `${outputTokens}`)
  })

  it('is not suspected where a stream has many events for few tokens', async () => {
    const { key } = await newOrg()
    server.state.answer = atOnce([
      ...Array.from({ length: 2_000 }, () => ': PROCESSING\n\n'),
      ...upstream.chatChunks(['Hi']),
    ])
    await streamed({}, key)
    assert.deepEqual([(await lastRequest(key)).estimated, await balanceOf(key)], [false, -fixture.COST])
  })
})

describe('a stream of messages that ends before its usage', () => {
  for (const [what, wire, last] of [
    ['for a client of messages', '/v1/messages', []],
    ['for a client of chat', '/v1/chat/completions', []],
    [
      'with an error',
      '/v1/messages',
      ['event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'],
    ],
  ] as const) {
    it(`is paid for its text, ${what}`, async () => {
      const { key } = await newOrg()
      server.state.answer = atOnce([...upstream.messageEvents(words).slice(0, -3), ...last])
      await streamed({ model: 'claude-large', max_tokens: 5_000 }, key, wire)
      const { estimated, outputTokens, error } = await lastRequest(key)
      assert.ok(estimated && outputTokens >= words.length, `${outputTokens}`)
      if (last.length > 0) assert.equal(error, 'upstream_unreachable')
    })
  }
})

describe('the key of a provider', () => {
  it('is not shown in an error of a stream, as it is or translated', async () => {
    const said = 'data: {"error":{"message":"Bad key provider-secret","code":"x"}}\n\n'
    server.state.answer = upstream.stream([upstream.delta('one'), said])
    for (const [path, body] of [
      ['/v1/chat/completions', {}],
      ['/v1/messages', { max_tokens: 10 }],
      ['/v1/responses', { messages: undefined, input: 'Hi' }],
    ] as const) {
      const { text } = await streamed({ ...renamed, ...body }, host.home.key, path)
      assert.match(text, /Bad key/)
      assert.ok(!text.includes('provider-secret'), path)
    }
  })
})

describe('usage in a separate field', () => {
  it('is read, whether the client requested usage or not', async () => {
    const { key } = await newOrg()
    const usage = { prompt_tokens: 1000, completion_tokens: 200 }
    server.state.answer = upstream.stream([
      upstream.delta('one'),
      upstream.delta('', { x_groq: { usage } }),
      'data: [DONE]\n\n',
    ])
    await streamed({}, key)
    assert.deepEqual([(await lastRequest(key)).estimated, await balanceOf(key)], [false, -fixture.COST])
  })
})

describe('a client that leaves a stream of responses', () => {
  it('pays for its text, although the stream began with what was asked', async () => {
    const made = await host.call('POST /v1/ai/providers', {
      as: host.admin.key,
      body: {
        name: 'speaks',
        kind: 'openai',
        baseUrl: `${server.url}/v1`,
        models: [{ id: 'responds', price: fixture.PRICE }],
      },
    })
    assert.equal(made.status, 201)
    const { key } = await newOrg()
    const event = (json: Record<string, unknown> & { type: string }) =>
      `event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`
    const begun = event({ type: 'response.created', response: { instructions: 'Be brief. '.repeat(4_000) } })
    const deltas = words.map(delta => event({ type: 'response.output_text.delta', delta }))
    server.state.answer = upstream.stream([begun, deltas.join('')], true)
    const leave = new AbortController()
    const answer = await request(`${host.baseUrl}/v1/responses`, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'responds', input: 'Hi', stream: true }),
      signal: leave.signal,
    })
    let text = ''
    answer.body.on('data', part => {
      text += part
    })
    answer.body.on('error', () => {})
    await eventually(() => text.split('output_text.delta').length > words.length, Boolean)
    leave.abort()
    const { outputTokens, error } = await firstRequest(key)
    assert.deepEqual([error, outputTokens >= words.length], ['interrupted', true], `${outputTokens}`)
  })
})
