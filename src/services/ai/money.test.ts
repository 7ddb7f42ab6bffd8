// What model calls cost, whatever happens: paid in advance, charges that cannot be written, processes that die.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from 'undici'
import { holdLock } from '../../../test/database.ts'
import { eventually } from '../../../test/eventually.ts'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'
import * as billing from '../billing/store.ts'
import { countText, tokenizer } from './tokens.ts'

const { PRICE, messages } = fixture
const prepaid = await fixture.startModelCalls({ settings: { STOA_BILLING: 'prepaid' } })
const postpaid = await fixture.startModelCalls()
const CENT = 1_000_000
/** Of a token of output, in cents. */
const OUTPUT = PRICE.output / 1_000_000

const credit = (org: string, amount: number) =>
  prepaid.host.call('POST /v1/billing/credits', {
    ...{ as: prepaid.host.admin.key, body: { org, amount, reason: 'Paid' } },
  })

/** Locks the account of an organisation until the function is called that it resolves to. */
/** No charge can be committed until it is released. */
const lockHolds = ({ host }: typeof postpaid) => holdLock(host.db, tx => tx`lock table billing_holds in exclusive mode`)

describe('a call that is paid in advance', () => {
  const { host, server, newOrg, chat, balanceOf } = prepaid

  it('does not reach a provider if the balance does not cover the most that it may cost', async () => {
    const { org, key } = await newOrg()
    await credit(org, 1)
    const before = server.received.length
    const { status, body } = await chat({ max_tokens: 1_000_000 }, key)
    assert.deepEqual([status, body.error.code], [402, 'insufficient_balance'])
    assert.equal(server.received.length, before)
    assert.deepEqual((await host.call('GET /v1/billing/balance', { as: key })).body.holds, 0)
  })

  it('is limited to what the balance covers if it has no limit, and says so', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion({ prompt_tokens: 10, completion_tokens: 20 }))
    const { org, key } = await newOrg()
    await credit(org, 3)
    const { status, headers } = await chat({}, key)
    assert.equal(status, 200)
    const sent = server.received.at(-1)?.json
    assert.equal(headers['x-max-tokens'], String(sent.max_tokens))
    assert.ok(sent.max_tokens * OUTPUT > 2 && sent.max_tokens * OUTPUT <= 3, String(sent.max_tokens))
    await credit(org, 1_000_000)
    assert.equal((await chat({}, key)).headers['x-max-tokens'], '4096')
    const limited = await chat({ max_completion_tokens: 7 }, key)
    assert.equal(limited.headers['x-max-tokens'], undefined)
    assert.equal(server.received.at(-1)?.json.max_tokens, 7)
  })

  for (const [path, body, field] of [
    ['/v1/responses', { input: 'Hello' }, 'max_tokens'],
    ['/v1/messages', { messages, max_tokens: 12 }, 'max_tokens'],
  ] as const) {
    it(`is limited at ${path}`, async () => {
      server.state.answer = upstream.json(upstream.chatCompletion({ prompt_tokens: 10, completion_tokens: 2 }))
      const { org, key } = await newOrg()
      await credit(org, 5)
      const { status } = await host.call(`POST ${path}`, { as: key, body: { model: 'large', ...body } })
      assert.equal(status, 200)
      const limit = server.received.at(-1)?.json[field] ?? server.received.at(-1)?.json.max_completion_tokens
      assert.ok(limit > 0 && limit * OUTPUT <= 5, String(limit))
    })
  }

  it('is rejected if its limit is not valid', async () => {
    const { key } = await newOrg()
    for (const limit of [0, -1, 1.5, '7']) {
      const { status, body } = await chat({ max_tokens: limit }, key)
      assert.deepEqual([status, body.error.param], [400, 'max_tokens'])
    }
  })

  it('costs no more than was held, whatever the provider reports', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion({ prompt_tokens: 10, completion_tokens: 900_000 }))
    const { org, key } = await newOrg()
    await credit(org, 1)
    assert.equal((await chat({ max_tokens: 100 }, key)).status, 200)
    const { usage } = (await host.call('GET /v1/billing/usage', { as: key })).body
    assert.ok(usage[0].amount < 1 && usage[0].metadata.cappedFrom > 900 * CENT)
    assert.ok((await balanceOf(key)) >= 0)
    const [line] = (await host.call('GET /v1/ai/requests', { as: key })).body.data
    assert.equal(line.cost, usage[0].amount)
  })

  it('releases what is held in the database, which may have lost it in a crash', async () => {
    const { org, key } = await newOrg()
    await credit(org, 100)
    server.state.answer = async (response, received) => {
      await host.db.autocommit`delete from billing_holds where org = ${org}`
      await host.db.autocommit`update billing_accounts set held = 0 where org = ${org}`
      return upstream.json(upstream.chatCompletion())(response, received)
    }
    assert.equal((await chat({ max_tokens: 10 }, key)).status, 200)
    assert.ok((await balanceOf(key)) < 100)
    assert.equal(await billing.sumHeld(host.db), 0)
  })

  it('that asks for more than any balance is refused, and fails no other', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion())
    const { org, key } = await newOrg()
    await credit(org, 100)
    const limits = [...Array(6).fill(10 ** 15), ...Array(20).fill(10)]
    const answers = await Promise.all(limits.map(max_tokens => chat({ max_tokens }, key)))
    assert.deepEqual(new Set(answers.slice(6).map(({ status }) => status)), new Set([200]))
    assert.ok(answers.slice(0, 6).every(({ status }) => status === 400 || status === 402))
  })

  it('never takes the balance below zero, in a crowd of random ones', async () => {
    let seen = 0
    server.state.answer = (response, received) => {
      const most = received.json.max_tokens ?? received.json.max_completion_tokens
      const usage = { prompt_tokens: 1 + (seen++ % 400), completion_tokens: seen % 3 === 0 ? most : seen % 50 }
      return upstream.json(upstream.chatCompletion(usage))(response, received)
    }
    const { org, key } = await newOrg()
    await credit(org, 20)
    const counts = new Map<number, number>()
    let lowest = 20
    const client = async (client: number) => {
      for (let n = 0; n < 25; n++) {
        const { status } = await chat(n % 2 === 0 ? { max_tokens: 1 + ((client * 37 + n) % 300) } : {}, key)
        counts.set(status, (counts.get(status) ?? 0) + 1)
        if (n % 5 === 0) lowest = Math.min(lowest, await balanceOf(key))
      }
    }
    await Promise.all(Array.from({ length: 24 }, (_, n) => client(n)))
    assert.deepEqual([...counts.keys()].sort(), [200, 402])
    assert.ok(lowest >= 0, String(lowest))
    const { count } = (await host.call('GET /v1/billing/usage', { as: key })).body
    assert.equal(count, counts.get(200))
    assert.equal(await billing.sumHeld(host.db), 0)
  })
})

describe('an answer', () => {
  const { host, server, newOrg, chat, balanceOf, dispatcher } = postpaid

  it('is 503 if its charge cannot be committed in time, which is committed later, once', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion())
    const { key } = await newOrg()
    await chat({}, key)
    const release = await lockHolds(postpaid)
    const answer = chat({}, key)
    const advancing = setInterval(() => host.clock.advance(1_000), 50)
    const { status, body } = await answer
    clearInterval(advancing)
    assert.deepEqual([status, body.error.code], [503, 'database_unreachable'])
    await release()
    await eventually(
      () => balanceOf(key),
      balance => balance === -2 * fixture.COST,
    )
    host.warnings.length = 0
  })

  const ASKED = { messages, max_tokens: 10 }
  const endedBy = (last: string) => upstream.chatChunks(['a', 'b']).map(chunk => chunk.replace('data: [DONE]', last))
  for (const [path, model, asked, parts, last] of [
    ['/v1/chat/completions', 'large', ASKED, upstream.chatChunks(['a', 'b']), 'data: [DONE]'],
    ...['data:[DONE]', 'data:  [DONE] '].map(
      last => ['/v1/chat/completions', 'large', ASKED, endedBy(last), last] as const,
    ),
    ['/v1/messages', 'claude-large', ASKED, upstream.messageEvents(['a', 'b']), 'event: message_stop'],
    ['/v1/messages', 'large', ASKED, upstream.chatChunks(['a', 'b']), 'event: message_stop'],
    ['/v1/responses', 'large', { input: 'Hello' }, upstream.chatChunks(['a', 'b']), 'event: response.completed'],
  ] as const) {
    it(`that is streamed ends when it is charged: ${path} ${model}`, async () => {
      server.state.answer = upstream.stream(parts)
      const { key } = await newOrg()
      const release = await lockHolds(postpaid)
      const { body } = await request(host.baseUrl + path, {
        ...{ dispatcher, method: 'POST' },
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, ...asked, stream: true }),
      })
      let text = ''
      body.on('data', chunk => {
        text += chunk
      })
      const ended = new Promise<void>(resolve => body.on('end', resolve))
      await eventually(() => text.includes('"b"'), Boolean)
      await new Promise(resolve => setTimeout(resolve, 150))
      assert.ok(!text.includes(last), text)
      await release()
      await ended
      assert.ok(text.includes(last), text)
      assert.equal((await host.call('GET /v1/billing/usage', { as: key })).body.count, 1)
    })
  }
})

describe('a stream that has ended', () => {
  it('leaves its connection to the provider for the next one', async () => {
    const { server, streamed } = postpaid
    const ports: (number | undefined)[] = []
    server.state.answer = (response, received) => {
      ports.push(response.socket?.remotePort)
      return upstream.stream(upstream.chatChunks(['a']))(response, received)
    }
    for (let n = 0; n < 3; n++) {
      assert.ok((await streamed({})).text.endsWith('data: [DONE]\n\n'))
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    assert.equal(new Set(ports).size, 1)
  })
})

describe('a call that is repeated with its Idempotency-Key', () => {
  const { host, server, newOrg } = postpaid
  const send = (key: string, body: object, path = '/v1/chat/completions') =>
    host.call(`POST ${path}`, { as: key, body, headers: { 'idempotency-key': 'same' } })
  const countOf = async (key: string) => (await host.call('GET /v1/billing/usage', { as: key })).body.count

  it('is made and charged once, and gets the first answer again', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion())
    const { key } = await newOrg()
    const before = server.received.length
    const body = { model: 'large', messages }
    const [first, second] = await Promise.all([send(key, body), send(key, body)])
    const third = await send(key, body)
    for (const { status, text, headers } of [second, third]) {
      assert.deepEqual([status, text, headers['content-type']], [200, first.text, first.headers['content-type']])
    }
    assert.deepEqual([server.received.length - before, await countOf(key)], [1, 1])
    const other = await send(key, { ...body, temperature: 1 })
    assert.deepEqual([other.status, other.body.error.code], [409, 'conflict'])
    assert.equal((await send(key, { model: 'local-embed-en', input: 'a' }, '/v1/embeddings')).status, 200)
    assert.equal((await send(key, { model: 'local-embed-en', input: 'a' }, '/v1/embeddings')).status, 200)
    assert.equal(await countOf(key), 2)
  })

  it('is not made again while its charge waits, although its sender was asked to try again', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion())
    const { org, key } = await newOrg()
    assert.equal((await send(key, { model: 'local-embed-en', input: 'a' }, '/v1/embeddings')).status, 200)
    assert.equal(await countOf(key), 1)
    const before = server.received.length
    const release = await holdLock(host.db, tx => tx`select from billing_accounts where org = ${org} for update`)
    const body = { model: 'large', messages }
    const answer = send(key, body)
    const advancing = setInterval(() => host.clock.advance(1_000), 50)
    assert.equal((await answer).status, 503)
    clearInterval(advancing)
    assert.equal((await send(key, body)).status, 503)
    await release()
    await eventually(
      async () => (await send(key, body)).status,
      status => status === 200,
    )
    assert.deepEqual([server.received.length - before, await countOf(key)], [1, 2])
    host.warnings.length = 0
  })

  it('is made again if it failed, was streamed, or its answer is too long to be kept', async () => {
    const { key } = await newOrg()
    const body = { model: 'large', messages }
    server.state.answer = upstream.json({ error: { message: 'Because' } }, 400)
    assert.equal((await send(key, body)).status, 400)
    const long = 'long '.repeat(300_000)
    server.state.answer = upstream.json(upstream.chatCompletion({ prompt_tokens: 1, completion_tokens: 1 }, long))
    for (let n = 1; n <= 2; n++) {
      assert.equal((await send(key, body)).status, 200)
      assert.equal(await countOf(key), n)
    }
    server.state.answer = upstream.stream(upstream.chatChunks(['a']))
    for (let n = 3; n <= 4; n++) {
      assert.ok((await send(key, { ...body, stream: true })).text.includes('[DONE]'))
      assert.equal(await countOf(key), n)
    }
  })
})

describe('a stream that is cut off', () => {
  const { host, server, newOrg, dispatcher, balanceOf, firstRequest } = postpaid
  const open = async (key: string, signal: AbortSignal) => {
    server.state.answer = upstream.stream(
      [...upstream.chatChunks(['some words of an answer', 'and more']).slice(0, 3)],
      true,
    )
    const { body } = await request(`${host.baseUrl}/v1/chat/completions`, {
      ...{ dispatcher, method: 'POST', signal },
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'large', messages, stream: true }),
    })
    body.on('error', () => {})
    let text = ''
    body.on('data', chunk => {
      text += chunk
    })
    await eventually(() => text.includes('and more'), Boolean)
  }
  const holdsOf = (org: string) =>
    host.db<{ soFar: number; metadata: Record<string, unknown> }>`select so_far as "soFar", metadata from billing_holds
      where org = ${org}`

  it('has a hold that says every few seconds what it costs so far', async () => {
    const { org, key } = await newOrg()
    const leave = new AbortController()
    await open(key, leave.signal)
    const [begun] = await eventually(
      () => holdsOf(org),
      rows => rows.length === 1,
    )
    assert.ok((begun?.soFar ?? 0) > 0, 'the input')
    host.clock.advance(5_000)
    const [later] = await eventually(
      () => holdsOf(org),
      ([row]) => (row?.soFar ?? 0) > (begun?.soFar ?? 0),
    )
    const { outputTokens, price, requestId, provider, interrupted } = later?.metadata ?? {}
    assert.deepEqual([price, provider, interrupted], [PRICE, 'first', true])
    assert.ok(Number(outputTokens) >= 5 && String(requestId).startsWith('req_'))
    leave.abort()
    await eventually(
      () => holdsOf(org),
      rows => rows.length === 0,
    )
  })

  it('is paid although the tokens cannot be counted, which is reported and tried again', async () => {
    const { key } = await newOrg()
    const { load } = tokenizer
    Object.assign(tokenizer, { load: () => Promise.reject(new Error('no such file')), loaded: null })
    const leave = new AbortController()
    await open(key, leave.signal)
    leave.abort()
    const { error, cost } = await firstRequest(key)
    assert.equal(error, 'interrupted')
    assert.ok(cost > 0)
    assert.equal(await balanceOf(key), -cost)
    assert.ok(host.logged.some(line => line.includes('tokens are estimated from bytes')))
    tokenizer.load = load
    assert.equal(await countText('hello world'), 2)
    for (const { host: one } of [prepaid, postpaid]) one.warnings.length = 0
  })

  it('is paid and reported if it is held longer than any call may last', async () => {
    const { org, key } = await newOrg()
    const leave = new AbortController()
    await open(key, leave.signal)
    await eventually(
      () => holdsOf(org),
      rows => rows.length === 1,
    )
    host.clock.advance(66 * 60_000)
    await eventually(
      () => holdsOf(org),
      rows => rows.length === 0,
    )
    assert.ok((await balanceOf(key)) < 0)
    assert.ok(host.logged.some(line => line.includes('did not end in time')))
    leave.abort()
    assert.equal((await host.call('GET /v1/billing/usage', { as: key })).body.count, 1)
    host.warnings.length = 0
  })
})
