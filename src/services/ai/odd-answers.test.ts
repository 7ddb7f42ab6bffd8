// Providers that answer in odd ways: nothing is passed on as success that is none, and what was made is paid.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { request } from 'undici'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { messages } = fixture
const { host, server, dispatcher, newOrg, chat, balanceOf, lastRequest, firstRequest, streamed } =
  await fixture.startModelCalls()
// Attempts are apart from each other by the clock of the test.
const advancing = setInterval(() => host.clock.advance(10), 5)
after(() => clearInterval(advancing))
const renamed = { model: 'renamed' }
const words = 'one two three four five six seven eight'

describe('an answer 200 that is not a valid answer', () => {
  for (const [what, answer, code] of [
    ['a page', upstream.json('<html>Sign in</html>', 200, { 'content-type': 'text/html' }), 'upstream_unreachable'],
    ['nothing', upstream.json('', 200), 'upstream_unreachable'],
    ['a list', upstream.json([]), 'upstream_unreachable'],
    ['an error', upstream.json({ error: { message: 'Overloaded' } }), 'upstream_unreachable'],
    ['an error with a status', upstream.json({ error: { message: 'Slow down', code: 429 } }), 'upstream_busy'],
    ['an error about money', upstream.json({ error: { message: 'Pay', code: 402 } }), 'upstream_refused'],
  ] as const) {
    it(`${what} is a failure, and costs nothing`, async () => {
      const { key } = await newOrg()
      server.state.answer = answer
      assert.equal((await chat(renamed, key)).body.error.code, code)
      assert.equal(await balanceOf(key), 0)
      assert.equal((await firstRequest(key)).error, code)
    })
  }

  it('that cannot be translated is a failure, and what it used is paid', async () => {
    const { key } = await newOrg()
    server.state.answer = upstream.json({ usage: { prompt_tokens: 1000, completion_tokens: 200 }, choices: 5 })
    const body = { ...renamed, messages, max_tokens: 10 }
    const { status } = await host.call('POST /v1/messages', { as: key, body })
    assert.deepEqual([status, await balanceOf(key)], [502, -fixture.COST])
  })
})

describe('an answer in one piece to a client that requested a stream', () => {
  it('becomes a stream and is paid', async () => {
    const { key } = await newOrg()
    server.state.answer = upstream.json(upstream.chatCompletion())
    const { status, text } = await streamed({}, key)
    assert.equal(status, 200)
    const [first, ...rest] = text.split('\n\n')
    const { choices, usage, ...whole } = upstream.chatCompletion()
    const [{ message, ...choice }] = choices as [(typeof choices)[0]]
    const chunk = { ...whole, object: 'chat.completion.chunk', choices: [{ ...choice, delta: message }] }
    assert.deepEqual(JSON.parse(first?.slice(6) ?? ''), chunk)
    assert.ok(usage)
    assert.deepEqual(rest, ['data: [DONE]', ''])
    assert.equal(await balanceOf(key), -fixture.COST)
  })

  it('that is not an answer of the format is a failure, and costs nothing', async () => {
    const { key } = await newOrg()
    for (const json of ['{}', '[]', '[{}]', '{"choices":[]}', '{"choices":[null]}', '{"choices":5,"usage":{}}', '7']) {
      for (const type of ['application/json', 'text/event-stream']) {
        server.state.answer = upstream.json(json, 200, { 'content-type': type })
        const { status, text } = await streamed(renamed, key)
        assert.deepEqual([status, JSON.parse(text).error.code], [502, 'upstream_unreachable'], `${type} ${json}`)
      }
    }
    assert.equal(await balanceOf(key), 0)
  })
})

describe('a header that is too large', () => {
  it('is a failure with its own message', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion(), 200, { 'x-large': 'x'.repeat(100_000) })
    const { error } = (await chat(renamed)).body
    assert.equal(error.code, 'upstream_unreachable')
    assert.match(error.message, /returned an answer with a header that is too large\.$/)
  })
})

describe('usage', () => {
  it('of which a count is broken is not believed', async () => {
    const { key } = await newOrg()
    for (const completion_tokens of [-20, '9', 1.5, 1e12]) {
      server.state.answer = upstream.json(upstream.chatCompletion({ prompt_tokens: 1000, completion_tokens }, words))
      await chat({}, key)
      const { estimated, outputTokens } = await lastRequest(key)
      assert.ok(estimated && outputTokens > 5, `${completion_tokens}: ${outputTokens}`)
    }
  })

  it('of a stream whose lines end with CR is read', async () => {
    const { key } = await newOrg()
    server.state.answer = upstream.stream(upstream.chatChunks(['a']).map(part => part.replaceAll('\n', '\r')))
    await streamed({}, key)
    assert.equal(await balanceOf(key), -fixture.COST)
  })
})

describe('a client that leaves in the middle of an answer in one piece', () => {
  it('pays for what had arrived', async () => {
    const { key } = await newOrg()
    const leave = new AbortController()
    server.state.answer = response => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write(`{"choices":[{"message":{"content":"${words}`)
      setTimeout(() => leave.abort(), 50)
    }
    const body = JSON.stringify({ ...renamed, messages })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = { dispatcher, method: 'POST', headers, body, signal: leave.signal } as const
    await request(`${host.baseUrl}/v1/chat/completions`, sent).catch(() => {})
    const { error, estimated, outputTokens } = await firstRequest(key)
    assert.deepEqual([error, estimated, outputTokens > 8], ['interrupted', true, true])
    assert.ok((await balanceOf(key)) < 0)
  })
})

describe('the key of a provider', () => {
  it('that it repeats in an error is shown to nobody', async () => {
    for (const status of [400, 401, 500]) {
      const said = (headers: upstream.Received['headers']) => ({
        message: `Bad key ${headers.authorization}`,
        param: 'x',
      })
      server.state.answer = (response, received) =>
        upstream.json({ error: said(received.headers) }, status)(response, received)
      const { text } = await chat(renamed)
      assert.ok(!text.includes('provider-secret'), text)
    }
    assert.ok(!host.logged.join('').includes('provider-secret'))
  })
})

describe('a provider that fails for one organisation', () => {
  it('is still the first one for others', async () => {
    const [one, other] = [await newOrg(), await newOrg()]
    server.state.answer = upstream.json({}, 500)
    for (let n = 0; n < 3; n++) await chat({}, one.key)
    server.state.answer = upstream.json(upstream.chatCompletion())
    await chat({}, other.key)
    assert.equal((await lastRequest(other.key)).provider, 'first')
    await chat({}, one.key)
    assert.equal((await lastRequest(one.key)).provider, 'zweit')
  })
})

describe('a response in the background', () => {
  it('is refused, because nothing is stored', async () => {
    const body = { model: 'large', input: 'Hi', background: true }
    const { status, body: answer } = await host.call('POST /v1/responses', { body })
    assert.deepEqual([status, answer.error.param], [400, 'background'])
  })
})
