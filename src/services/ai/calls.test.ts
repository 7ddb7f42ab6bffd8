// Chat completions through the real host, against providers on this machine.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { request } from 'undici'
import { eventually } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { COST, PRICE, messages } = fixture
const { host, server, second, dispatcher, lastRequest, newOrg, chat, balanceOf, firstRequest, streamed } =
  await fixture.startModelCalls()

describe('a chat completion', () => {
  it('passes through, byte for byte, with the key of the provider', async () => {
    const sent = `{"messages":[{"role":"user","content":"Grüße"}],  "model":"large","unknown":{"a":1.0},"n":1}`
    const said = `{"id":"x", "choices":[],"usage":{"prompt_tokens":1,"completion_tokens":0},"unknown": 1.50}`
    server.state.answer = upstream.json(said)
    const answer = await host.call('POST /v1/chat/completions', {
      body: sent,
      headers: { 'content-type': 'application/json' },
    })
    assert.deepEqual([answer.status, answer.text], [200, said])
    const { bytes, headers, path } = server.received.at(-1) as upstream.Received
    assert.equal(bytes.toString(), sent)
    assert.deepEqual([path, headers.authorization], ['/v1/chat/completions', 'Bearer provider-secret'])
    assert.ok(!JSON.stringify(headers).includes(host.home.key))
  })

  it('is settled: journal, log, event', async () => {
    const { key, org } = await newOrg()
    server.state.answer = upstream.json(upstream.chatCompletion())
    const answer = await chat({}, key)
    assert.equal(await balanceOf(key), -COST)
    const { usage } = (await host.call('GET /v1/billing/usage', { as: key })).body
    const { requestId, inputTokens, outputTokens, price, provider, model, product } = usage[0].metadata
    assert.deepEqual([usage.length, usage[0].amount], [1, COST])
    assert.deepEqual([inputTokens, outputTokens, provider, model, product], [1000, 200, 'first', 'large', 'ai'])
    assert.deepEqual(price, PRICE)
    assert.equal(requestId, answer.headers['x-request-id'])
    const { id, cost, attempts, streamed: isStreamed, transactionId, error } = await lastRequest(key)
    assert.deepEqual([id, cost, attempts, isStreamed, error], [requestId, COST, 1, false, undefined])
    assert.equal(transactionId, usage[0].transactionId)
    const event = host.emitted.find(one => one.type === 'ai.call.settled' && one.tenant === org)
    assert.equal((event as { data: { cost: number } }).data.cost, COST)
    assert.equal((await host.call(`GET /v1/ai/requests/${id}`, { as: key })).body.id, id)
    assert.equal((await host.call(`GET /v1/ai/requests/${id}`)).status, 404, 'of another organisation')
  })

  it('costs less for cached input, and counts reasoning as output', async () => {
    const { key } = await newOrg()
    const details = {
      prompt_tokens_details: { cached_tokens: 600 },
      completion_tokens_details: { reasoning_tokens: 50 },
    }
    const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200, ...details }
    server.state.answer = upstream.json(upstream.chatCompletion(usage))
    await chat({}, key)
    assert.equal(await balanceOf(key), -0.246)
    const [row] = (await host.call('GET /v1/billing/usage', { as: key })).body.usage
    assert.deepEqual([row.metadata.cachedInputTokens, row.metadata.reasoningTokens], [600, 50])
  })

  it('is counted with a tokenizer if the provider reports nothing', async () => {
    const { key } = await newOrg()
    server.state.answer = upstream.json(upstream.chatCompletion(null, 'one two three four five'))
    await chat({}, key)
    const { inputTokens, outputTokens, estimated } = await lastRequest(key)
    assert.ok(inputTokens > 0 && outputTokens >= 5 && outputTokens < 12, `${inputTokens} ${outputTokens}`)
    assert.equal(estimated, true)
  })

  it('is sent with the name of the model at the provider', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion())
    assert.equal((await chat({ model: 'renamed' })).status, 200)
    assert.equal(server.received.at(-1)?.json.model, 'large-2026')
  })

  it('cannot name one model to us and another to the provider', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion())
    const { key } = (await host.call('POST /v1/account/keys', { body: { name: 'k', limit: ['model:large'] } })).body
    const send = (body: string) =>
      host.call('POST /v1/chat/completions', { as: key, body, headers: { 'content-type': 'application/json' } })
    const before = server.received.length
    for (const body of [
      '{"model":"renamed","messages":[],"model":"large"}',
      '{"mod\\u0065l":"renamed","messages":[],"model":"large"}',
    ]) {
      const { status, body: answer } = await send(body)
      assert.deepEqual([status, answer.error.param], [400, 'model'])
    }
    assert.equal(server.received.length, before)
    assert.equal((await send('{"model":"large","messages":[],"model":"renamed"}')).status, 403)
  })

  it('needs messages and a model', async () => {
    for (const [body, field] of [
      [{ model: 'large' }, 'messages'],
      [{ messages }, 'model'],
      [{ model: 1, messages }, 'model'],
    ] as const) {
      const { status, body: answer } = await host.call('POST /v1/chat/completions', { body })
      assert.deepEqual([status, answer.error.fields[0].path], [400, field])
    }
  })
})

describe('a stream', () => {
  it('passes through, byte for byte, to a client that asks for the usage', async () => {
    const { key } = await newOrg()
    const chunks = upstream.chatChunks(['Hel', 'lo "usage" '])
    server.state.answer = upstream.stream(chunks)
    const { status, text } = await streamed({ stream_options: { include_usage: true } }, key)
    assert.deepEqual([status, text], [200, chunks.join('')])
    assert.equal(await balanceOf(key), -COST)
    const { streamed: isStreamed, firstTokenMs, estimated } = await lastRequest(key)
    assert.deepEqual([isStreamed, estimated, typeof firstTokenMs], [true, false, 'number'])
  })

  it('hides the usage from a client that did not ask', async () => {
    const { key } = await newOrg()
    const words = ['Hel', 'lo "usage":null, ']
    server.state.answer = upstream.stream(upstream.chatChunks(words))
    const { text } = await streamed({}, key)
    assert.equal(text, upstream.chatChunks(words, null).join(''))
    assert.deepEqual(server.received.at(-1)?.json.stream_options, { include_usage: true })
    assert.equal(await balanceOf(key), -COST)
  })

  it('may be split anywhere', async () => {
    const whole = upstream.chatChunks(['Grüße', ' 你好']).join('')
    const bytes = Buffer.from(whole)
    server.state.answer = async response => {
      response.writeHead(200)
      for (let at = 0; at < bytes.length; at += 7) {
        response.write(bytes.subarray(at, at + 7))
        if (at % 70 === 0) await new Promise(resolve => setTimeout(resolve, 1))
      }
      response.end()
    }
    assert.equal((await streamed({ stream_options: { include_usage: true } })).text, whole)
  })

  it('is cancelled at the provider when the client leaves, who pays for what was produced', async () => {
    const { key } = await newOrg()
    server.state.answer = upstream.stream([upstream.delta('one two three four five six seven eight')], true)
    const leave = new AbortController()
    const answer = await request(`${host.baseUrl}/v1/chat/completions`, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'large', messages, stream: true }),
      signal: leave.signal,
    })
    const reading = answer.body.text().catch(() => {})
    await eventually(async () => (await host.call('GET /v1/billing/balance', { as: key })).body.holds > 0, Boolean)
    const received = server.received.at(-1)
    await new Promise(resolve => setTimeout(resolve, 50))
    leave.abort()
    await reading
    await eventually(() => received?.isCut, Boolean)
    const row = await firstRequest(key)
    assert.deepEqual([row.error, row.estimated], ['interrupted', true])
    assert.ok(row.outputTokens >= 8 && row.outputTokens < 12, String(row.outputTokens))
    assert.ok((await balanceOf(key)) < 0)
    assert.equal((await host.call('GET /v1/billing/balance', { as: key })).body.holds, 0)
  })

  it('that the provider breaks off ends with an error, and costs what was produced', async () => {
    const { key } = await newOrg()
    server.state.answer = async response => {
      response.writeHead(200)
      response.write(upstream.delta('one two three'))
      setTimeout(() => response.destroy(), 20)
    }
    const { text } = await streamed({}, key)
    assert.match(text, /event: error\ndata: .*upstream_unreachable/)
    const { error, outputTokens } = await lastRequest(key)
    assert.deepEqual([error, outputTokens >= 3], ['upstream_unreachable', true])
  })
})

describe('a stream of a host that stops', () => {
  it('is finished, and then the host stops', async t => {
    const own = await startHost({ http: host.engines.http }, t)
    const body = { name: 'first', baseUrl: server.url, models: [{ id: 'large', price: PRICE }] }
    await own.call('POST /v1/ai/providers', { as: own.admin.key, body })
    const { promise: stopping, resolve: stop } = Promise.withResolvers<void>()
    const parts = upstream.chatChunks(['one', 'two'])
    server.state.answer = async response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(parts[0])
      await stopping
      response.end(parts.slice(1).join(''))
    }
    const answer = await request(`${own.baseUrl}/v1/chat/completions`, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${own.home.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'large', messages, stream: true }),
    })
    const drained = own.drain(60_000)
    stop()
    assert.match(await answer.body.text(), /two.*\[DONE\]/s)
    await drained
  })
})

describe('a stream that is longer than a host waits', () => {
  it('is reported to its client as an error, and is charged', async t => {
    const own = await startHost({ http: host.engines.http }, t)
    const body = { name: 'first', baseUrl: server.url, models: [{ id: 'large', price: PRICE }] }
    await own.call('POST /v1/ai/providers', { as: own.admin.key, body })
    server.state.answer = upstream.stream([upstream.delta('one two three')], true)
    const before = server.received.length
    const answers = Array.from({ length: 5 }, () =>
      request(`${own.baseUrl}/v1/chat/completions`, {
        dispatcher,
        method: 'POST',
        headers: { authorization: `Bearer ${own.home.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'large', messages, stream: true }),
      }).then(({ body: read }) => read.text()),
    )
    await eventually(
      () => server.received.length,
      count => count === before + answers.length,
    )
    await own.drain(3_000)
    for (const text of await Promise.all(answers)) assert.match(text, /one two.*event: error\ndata: .*stopping/s)
    const next = await startHost({ beside: own }, t)
    const { usage } = (await next.call('GET /v1/billing/usage', { as: own.home.key })).body
    assert.equal(usage.length, answers.length)
    for (const { amount, metadata } of usage) assert.ok(amount > 0 && metadata.outputTokens >= 3)
  })
})

describe('a call before the answer', () => {
  it('is cancelled at the provider when the client leaves, and costs the input', async () => {
    const { key } = await newOrg()
    server.state.answer = () => {}
    const before = server.received.length
    const leave = new AbortController()
    const call = request(`${host.baseUrl}/v1/chat/completions`, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'renamed', messages }),
      signal: leave.signal,
    }).catch(() => {})
    await eventually(() => server.received.length > before, Boolean)
    leave.abort()
    await call
    await eventually(() => server.received.at(-1)?.isCut, Boolean)
    await eventually(async () => (await host.call('GET /v1/billing/balance', { as: key })).body.holds === 0, Boolean)
    const { error, inputTokens, outputTokens, estimated, cost } = await firstRequest(key)
    assert.deepEqual([error, outputTokens, estimated, inputTokens > 0], ['interrupted', 0, true, true])
    assert.equal(cost, (inputTokens * PRICE.input) / 1_000_000)
    assert.equal(await balanceOf(key), -cost)
  })

  it('costs nothing if no provider was reached', async () => {
    const { key } = await newOrg()
    const taken = new Set(second.received)
    const body = { name: 'nowhere', baseUrl: 'http://192.0.2.1/v1', models: [{ id: 'nowhere', price: PRICE }] }
    await host.call('POST /v1/ai/providers', { as: host.admin.key, body })
    const leave = new AbortController()
    const call = request(`${host.baseUrl}/v1/chat/completions`, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'nowhere', messages }),
      signal: leave.signal,
    }).catch(() => {})
    setTimeout(() => leave.abort(), 100)
    await call
    const { error, cost } = await firstRequest(key)
    assert.equal(cost, undefined)
    assert.match(error, /interrupted|upstream/)
    assert.equal(await balanceOf(key), 0)
    assert.equal(second.received.length, taken.size)
  })
})

describe('a failure of the provider', () => {
  // Attempts are apart from each other by the clock of the test.
  const advancing = setInterval(() => host.clock.advance(100), 5)
  after(() => clearInterval(advancing))
  const failing = { model: 'renamed' }
  const refusal = (code: string) => ({ error: { message: 'Because', type: 'x', code, param: 'messages.0' } })
  for (const [status, body, expected, code] of [
    [400, refusal('bad'), 400, 'model_refused'],
    [404, 'not JSON', 400, 'model_refused'],
    [401, refusal('invalid_api_key'), 502, 'upstream_refused'],
    [429, refusal('insufficient_quota'), 502, 'upstream_refused'],
    [429, refusal('rate_limit_exceeded'), 429, 'upstream_busy'],
    [500, refusal('x'), 502, 'upstream_unreachable'],
  ] as const) {
    it(`${status} ${typeof body === 'string' ? body : body.error.code} is answered ${expected} ${code}`, async () => {
      const { key } = await newOrg()
      server.state.answer = upstream.json(body, status, { 'retry-after': '7' })
      const answer = await chat(failing, key)
      assert.deepEqual([answer.status, answer.body.error.code], [expected, code])
      assert.ok(!answer.text.includes('provider-secret'))
      if (expected === 429) assert.equal(answer.headers['retry-after'], '7')
      if (code === 'model_refused' && typeof body !== 'string') assert.match(answer.body.error.message, /Because/)
      assert.equal(await balanceOf(key), 0)
      const { error, attempts } = await firstRequest(key)
      assert.deepEqual([error, attempts], [code, status === 500 ? 2 : 1])
    })
  }

  it('is passed over to the next provider of the model, but not one about money or the request', async () => {
    second.state.answer = upstream.json(upstream.chatCompletion(undefined, 'from the second'))
    for (const [answer, expected] of [
      [upstream.json({}, 503), 200],
      [upstream.json({}, 429), 200],
      [upstream.json({ error: { code: 'insufficient_quota' } }, 429), 502],
      [upstream.json({}, 400), 400],
    ] as const) {
      server.state.answer = answer
      const got = await chat()
      assert.equal(got.status, expected)
      if (expected === 200) assert.match(got.text, /from the second/)
    }
    const { provider } = (await host.call('GET /v1/ai/requests?limit=50')).body.data.find(
      (one: { attempts: number; error?: string }) => one.attempts === 3 && !one.error,
    )
    assert.equal(provider, 'zweit')
  })

  it('again and again leaves it out for a while', async () => {
    clearInterval(advancing)
    const attempts = setInterval(() => host.clock.advance(10), 5)
    server.state.answer = upstream.json({}, 503)
    for (let n = 0; n < 3; n++) await chat()
    clearInterval(attempts)
    const before = server.received.length
    assert.equal((await chat()).status, 200)
    assert.equal(server.received.length, before)
    host.clock.advance(31_000)
    server.state.answer = upstream.json(upstream.chatCompletion())
    await chat()
    assert.equal(server.received.length, before + 1)
  })
})
