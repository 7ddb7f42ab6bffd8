// Model calls with the client: whole answers and streams, each charged once.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Agent, fetch as undiciFetch } from 'undici'
import {
  type ChatCompletionChunk,
  createStoa,
  ServerError,
  StoaApiError,
  StoaConnectionError,
  type StoaOptions,
} from '../../client/stoa.ts'
import { eventually } from '../eventually.ts'
import { CA } from '../host.ts'
import { COST, startModelCalls } from '../model-calls.ts'
import * as upstream from '../model-server.ts'

const { host, server, newOrg, balanceOf } = await startModelCalls()
const agent = new Agent({ connect: { ca: CA() } })
after(() => agent.destroy())

const trusted = (url: string, init: object) =>
  undiciFetch(url, { ...init, dispatcher: agent } as never) as unknown as Promise<Response>
const { baseUrl } = host
const stoaOf = (key = host.home.key, more: Partial<StoaOptions> = {}) =>
  createStoa({ baseUrl, key, fetch: trusted, ...more })
const stoa = stoaOf()
const input = { model: 'large', messages: [{ role: 'user' as const, content: 'Hello' }] }

/** A client whose host answers with these parts of a stream. */
const answering = (parts: readonly string[]) =>
  stoaOf('sk-1', {
    fetch: async () => new Response(parts.join(''), { headers: { 'content-type': 'text/event-stream' } }),
  })

/** A stream that begins and has no part. */
const silent = (signal: AbortSignal) => {
  const body = new ReadableStream({
    start: controller => signal.addEventListener('abort', () => controller.error(signal.reason)),
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** No answer. */
const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

async function textOf(chunks: AsyncIterable<ChatCompletionChunk>): Promise<string> {
  let text = ''
  for await (const { choices } of chunks) text += choices[0]?.delta.content ?? ''
  return text
}

describe('a chat completion', () => {
  it('is a typed value', async () => {
    server.state.answer = upstream.json(upstream.chatCompletion())
    const { choices, usage } = await stoa.createChatCompletion(input)
    assert.deepEqual([choices[0]?.message.content, usage?.total_tokens], ['Hello', 1200])
    const { data, requestId } = await stoa.createChatCompletion({ ...input, stream: false }).withResponse()
    assert.deepEqual([data.choices.length, requestId?.slice(0, 4)], [1, 'req_'])
  })

  it('is a stream of its parts, without the mark of the end', async () => {
    server.state.answer = upstream.stream(upstream.chatChunks(['Hel', 'lo']))
    const chunks = stoa.createChatCompletion({ ...input, stream: true })
    assert.equal(await textOf(chunks), 'Hello')
    assert.equal(server.received.at(-1)?.json.stream, true)
  })

  it('is cancelled when the loop is left', async () => {
    server.state.answer = upstream.stream(upstream.chatChunks(['Hel', 'lo']).slice(0, 2), true)
    for await (const chunk of stoa.createChatCompletion({ ...input, stream: true })) {
      assert.ok(chunk.choices)
      break
    }
    await eventually(
      async () => server.received.at(-1)?.isCut,
      isCut => isCut === true,
    )
  })

  it('throws a fault before the stream, with its class', async () => {
    const unknown = stoa.createChatCompletion({ ...input, model: 'none', stream: true })
    const error = await textOf(unknown).catch(one => one)
    assert.deepEqual([error.name, error.code, error.status], ['NotFoundError', 'not_found', 404])
  })

  it('throws an error within the stream, of the host or of the provider, after what came before', async () => {
    const [first = ''] = upstream.chatChunks(['Hel'])
    const told = '{"error":{"message":"The server had an error","type":"server_error","code":null}}'
    for (const [answer, message] of [
      [upstream.stream([upstream.delta('Hel'), `data: ${told}\n\n`]), 'The server had an error'],
      [
        upstream.stream([upstream.delta('Hel')], true),
        null, // Cut below.
      ],
    ] as const) {
      assert.ok(first)
      server.state.answer = async (response, received) => {
        await answer(response, received)
        if (message === null) setTimeout(() => response.destroy(), 50)
      }
      let text = ''
      const loop = async () => {
        for await (const { choices } of stoa.createChatCompletion({ ...input, stream: true })) {
          text += choices[0]?.delta.content ?? ''
        }
      }
      const error = await loop().catch(one => one)
      assert.ok(error instanceof StoaApiError, String(error))
      assert.equal(text, 'Hel')
      if (message !== null) assert.equal(error.message, message)
      else assert.deepEqual([error.code, error instanceof ServerError], ['upstream_unreachable', true])
    }
  })

  it('throws any error without content, whatever its form', async () => {
    for (const [event, message, code = 'api_error'] of [
      ['data: {"error":"boom text"}', 'boom text'],
      ['data: {"error":{"type":"x","message":null}}', /reported an error: \{"type":"x","message":null\}$/, 'x'],
      ['data: {"error":{}}', /reported an error: \{\}$/],
      ['data: {"error":7,"choices":null}', /reported an error: 7$/],
      ['data: {"type":"error","message":null}', /reported an error/],
      ['event: error\ndata: boom', 'boom'],
      ['event: error\ndata: {"code":"late","message":"Too late"}', 'Too late', 'late'],
    ] as const) {
      const parts = [upstream.delta('Hel'), upstream.delta('lo'), `${event}\n\n`]
      let text = ''
      const loop = async () => {
        for await (const { choices } of answering(parts).createChatCompletion({ ...input, stream: true })) {
          text += choices[0]?.delta.content
        }
      }
      const error = await loop().catch(one => one)
      assert.ok(error instanceof StoaApiError, `${event}: ${error}`)
      if (typeof message === 'string') assert.equal(error.message, message)
      else assert.match(error.message, message)
      assert.deepEqual([error.code, text], [code, 'Hello'])
    }
  })

  it('is not an error if a part with content has an empty field `error`', async () => {
    const parts = ['', {}, null].map(error => upstream.delta('a', { error }))
    const stoa = answering([...parts, 'data: [DONE]\n\n'])
    assert.equal(await textOf(stoa.createChatCompletion({ ...input, stream: true })), 'aaa')
  })

  it('throws a StoaConnectionError if a stream ends before its last part', async () => {
    const [first = '', second = ''] = upstream.chatChunks(['Hel'])
    for (const parts of [[], [first, second], [first, second.slice(0, 20)], [': busy\n\n']]) {
      for (const call of [
        () => answering(parts).createChatCompletion({ ...input, stream: true }),
        () => answering(parts).createResponse({ model: 'large', input: 'Hello', stream: true }),
        () => answering(parts).createMessage({ ...input, max_tokens: 5, stream: true }),
      ]) {
        const loop = async () => {
          for await (const _ of call());
        }
        const error = await loop().catch(one => one)
        assert.ok(error instanceof StoaConnectionError, String(error))
      }
    }
    const ended = answering(upstream.chatChunks(['Hel']).slice(0, 3))
    assert.equal(await textOf(ended.createChatCompletion({ ...input, stream: true })), 'Hel')
  })

  it('ends immediately when the iterator returns, although the next part is pending', async () => {
    for (const answer of [never, silent]) {
      let signal: AbortSignal | undefined
      const pending: StoaOptions['fetch'] = async (_, init) => {
        signal = init.signal
        return answer(init.signal)
      }
      const iterator = stoaOf('sk-1', { fetch: pending }).createChatCompletion({ ...input, stream: true })
      const next = iterator.next()
      await new Promise(resolve => setTimeout(resolve, 20))
      const left = await Promise.race([iterator.return(), new Promise(resolve => setTimeout(resolve, 5_000, 'late'))])
      assert.deepEqual(left, { done: true, value: undefined })
      assert.deepEqual([await next, signal?.aborted], [{ done: true, value: undefined }, true])
      assert.deepEqual(await iterator.next(), { done: true, value: undefined })
    }
  })

  it('is paid once if the answer is lost: the next attempt gets the same one', async () => {
    const { key } = await newOrg()
    server.state.answer = upstream.json(upstream.chatCompletion())
    const before = server.received.length
    let sent = 0
    const losing: StoaOptions['fetch'] = async (url, init) => {
      const answer = await trusted(url, init)
      if (++sent > 1) return answer
      await answer.arrayBuffer()
      throw new TypeError('the connection was reset')
    }
    const { choices } = await stoaOf(key, { fetch: losing }).createChatCompletion(input)
    assert.deepEqual([choices.length, sent, server.received.length - before], [1, 2, 1])
    assert.equal(await balanceOf(key), -COST)
  })

  it('is not repeated after a time-out, nor when the provider failed', async () => {
    const fault = { error: { code: 'upstream_timeout', message: 'Late.', type: 'api_error' } }
    for (const [name, answer] of [
      ['TimeoutError', (signal: AbortSignal) => new Promise<Response>((_, no) => signal.addEventListener('abort', no))],
      ['upstream_timeout', async () => Response.json(fault, { status: 504 })],
      ['upstream_timeout', async () => Response.json(fault, { status: 502 })],
    ] as const) {
      let sent = 0
      const counted: StoaOptions['fetch'] = (_, { signal }) => {
        sent++
        return answer(signal)
      }
      const call = stoaOf('sk-1', { fetch: counted, timeoutMs: 100 }).createChatCompletion(input)
      const error = await call.catch(one => one)
      assert.deepEqual([error.code ?? error.cause.name, sent], [name, 1])
    }
  })
})

describe('the other formats', () => {
  it('embeddings are typed, by the model that every host has', async () => {
    const { data, usage } = await stoa.createEmbedding({ model: 'local-embed-en', input: ['a desk', 'a table'] })
    assert.deepEqual([data.length, data[0]?.embedding.length], [2, 512])
    assert.ok(usage.total_tokens > 0)
  })

  it('messages are a value or typed events', async () => {
    const ask = { model: 'claude-large', max_tokens: 100, messages: input.messages }
    const usage = { input_tokens: 10, output_tokens: 5 }
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-large', content: [], usage }
    const content = [{ type: 'text', text: 'Hello' }]
    server.state.answer = upstream.json({ ...message, content, stop_reason: 'end_turn' })
    assert.equal((await stoa.createMessage(ask)).content[0]?.text, 'Hello')
    const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
    const begin = event('message_start', { message })
    const part = event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi' } })
    const last = event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } })
    server.state.answer = upstream.stream([begin, part, last, event('message_stop', {})])
    const seen: (string | undefined)[] = []
    for await (const { type, delta } of stoa.createMessage({ ...ask, stream: true })) seen.push(delta?.text ?? type)
    assert.deepEqual(seen, ['message_start', 'Hi', 'message_delta', 'message_stop'])
    const overloaded = { type: 'overloaded_error', message: 'Overloaded' }
    server.state.answer = upstream.stream([begin, part, event('error', { error: overloaded })])
    const loop = async () => {
      for await (const _ of stoa.createMessage({ ...ask, stream: true }));
    }
    const error = await loop().catch(one => one)
    assert.ok(error instanceof ServerError, String(error))
    assert.match(error.message, /Overloaded/)
  })

  it('responses are a value or typed events', async () => {
    const ask = { model: 'large', input: 'Hello' }
    server.state.answer = upstream.json(upstream.chatCompletion())
    const { status, output } = await stoa.createResponse(ask)
    assert.deepEqual([status, output[0]?.content?.[0]?.text], ['completed', 'Hello'])
    server.state.answer = upstream.stream(upstream.chatChunks(['Hel', 'lo']))
    let text = ''
    for await (const { type, delta } of stoa.createResponse({ ...ask, stream: true })) {
      if (type === 'response.output_text.delta') text += delta
    }
    assert.equal(text, 'Hello')
  })
})
