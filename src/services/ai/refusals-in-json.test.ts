// A refusal is JSON with its status, in the format of the client, whether a stream was asked for or not: an event only after a
// part of the answer was sent. Each format, over providers that speak it and through translations.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { request } from 'undici'
import * as fixture from '../../../test/model-calls.ts'
import * as upstream from '../../../test/model-server.ts'

const { PRICE, messages } = fixture
const { host, server, dispatcher, add, newOrg, balanceOf, firstRequest } = await fixture.startModelCalls()
// Attempts are apart from each other by the clock of the test.
const advancing = setInterval(() => host.clock.advance(100), 5)
after(() => clearInterval(advancing))
for (const [kind, baseUrl, id] of [
  ['openai', `${server.url}/v1`, 'gpt'],
  ['compatible', `${server.url}/v1`, 'llama'],
  ['anthropic', server.url, 'claude'],
]) {
  const models = [{ id, price: PRICE }, { id: `${id}-quick`, price: PRICE, beginMs: 50 }, { id: `${id}-unpriced` }]
  const added = await add({ name: `by-${kind}`, kind, baseUrl, apiKey: 'provider-secret', models })
  assert.equal(added.status, 201, added.text)
}
const limited = (await host.call('POST /v1/account/keys', { body: { name: 'k', budget: { month: 100 } } })).body.key
const otherModel = (await host.call('POST /v1/account/keys', { body: { name: 'm', limit: ['model:none'] } })).body.key

const PATHS = {
  '/v1/chat/completions': { messages },
  '/v1/responses': { input: 'Hello' },
  '/v1/messages': { messages, max_tokens: 10 },
}
type Path = keyof typeof PATHS
const MODELS = ['gpt', 'llama', 'claude']

const event = (data: object, name?: string) => `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`
const CHAT_ERROR = event({ error: { message: 'Why', type: 'server_error', code: null } })
const MESSAGES_ERROR = event({ type: 'error', error: { type: 'overloaded_error', message: 'Why' } }, 'error')
const RESPONSES_ERROR = event({ type: 'error', code: 'server_error', message: 'Why', param: null }, 'error')
const asStream =
  (text: string, status = 200): upstream.Answering =>
  response =>
    void response.writeHead(status, { 'content-type': 'text/event-stream' }).end(text)

type Refused = { what: string; status: number; code: string; answer?: upstream.Answering; as?: string; body?: object }
const at = (what: string, status: number, code: string, more: Omit<Refused, 'what' | 'status' | 'code'>): Refused => ({
  ...{ what, status, code },
  ...more,
})
const saying = (message: string) => ({ error: { message } })
const REFUSALS: Refused[] = [
  at('bad input', 400, 'invalid_input', { body: { messages: undefined, input: undefined } }),
  at('an unknown model', 404, 'not_found', { body: { model: 'none' } }),
  at('a bad key', 401, 'credential_refused', { as: 'sk-nothing' }),
  at('a limit of the key', 403, 'key_limit', { as: otherModel }),
  at('a budget and no price', 403, 'model_unpriced', { as: limited, body: { model: '-unpriced' } }),
  at('status 400', 400, 'model_refused', { answer: upstream.json(saying('Why'), 400) }),
  at('status 400 in a stream', 400, 'model_refused', { answer: asStream(CHAT_ERROR, 400) }),
  at('status 401', 502, 'upstream_refused', { answer: upstream.json({}, 401) }),
  at('status 429', 429, 'upstream_busy', { answer: upstream.json({}, 429) }),
  at('status 500', 502, 'upstream_unreachable', { answer: upstream.json(saying('Why'), 500) }),
  at('no answer in time', 504, 'upstream_timeout', { answer: () => {}, body: { model: '-quick' } }),
  at('an error with status 200', 502, 'upstream_unreachable', { answer: upstream.json(saying('Why')) }),
  at('an error of chat as first event', 502, 'upstream_unreachable', { answer: asStream(CHAT_ERROR) }),
  at('an error of messages as first event', 502, 'upstream_unreachable', { answer: asStream(MESSAGES_ERROR) }),
  at('an error of responses as first event', 502, 'upstream_unreachable', { answer: asStream(RESPONSES_ERROR) }),
  at('an error after comments', 502, 'upstream_unreachable', {
    answer: upstream.stream([': busy\n\n', ': busy\n\n', CHAT_ERROR]),
  }),
  at('an error in pieces', 502, 'upstream_unreachable', { answer: upstream.stream([...MESSAGES_ERROR]) }),
  at('an error that is no JSON', 502, 'upstream_unreachable', { answer: asStream('event: error\ndata: Why\n\n') }),
  at('an error in one piece that is called a stream', 502, 'upstream_unreachable', {
    answer: asStream(JSON.stringify(saying('Why'))),
  }),
  at('a limit as first event', 429, 'upstream_busy', {
    answer: asStream(event({ type: 'error', error: { type: 'rate_limit_error', message: 'Why' } }, 'error')),
  }),
  at('bad input as first event', 400, 'model_refused', {
    answer: asStream(event({ error: { message: 'Why', type: 'invalid_request_error', code: 'x' } })),
  }),
  at('nothing', 502, 'upstream_unreachable', { answer: asStream('') }),
  at('comments alone', 502, 'upstream_unreachable', { answer: asStream(': busy\n\n') }),
  at('a page', 502, 'upstream_unreachable', { answer: upstream.json('<html>', 200, { 'content-type': 'text/html' }) }),
  at('a broken answer', 502, 'upstream_unreachable', {
    answer: response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': busy\n\n')
      setTimeout(() => response.destroy(), 10)
    },
  }),
]

async function send(path: Path, body: object, as = host.home.key) {
  const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' }
  const sent = { dispatcher, method: 'POST', headers, body: JSON.stringify(body) } as const
  const answer = await request(host.baseUrl + path, sent)
  return { status: answer.statusCode, type: String(answer.headers['content-type']), text: await answer.body.text() }
}

/** The error of a body that is a refusal in the format of the path, and nothing else. */
function errorIn(path: Path, text: string): { code: string; message: string } {
  const json = JSON.parse(text)
  assert.deepEqual(Object.keys(json), path === '/v1/messages' ? ['type', 'error'] : ['error'], text)
  if (path === '/v1/messages') assert.equal(json.type, 'error')
  assert.equal(typeof json.error.type, 'string')
  return json.error
}

for (const path of Object.keys(PATHS) as Path[]) {
  describe(`POST ${path}`, () => {
    for (const { what, status, code, answer = upstream.json({}), as, body = {} } of REFUSALS) {
      it(`answers ${what} with ${status} and JSON`, async () => {
        server.state.answer = answer
        const { model: other } = body as { model?: string }
        for (const model of MODELS) {
          for (const stream of [undefined, false, true]) {
            const name = other?.startsWith('-') ? model + other : (other ?? model)
            const found = await send(path, { ...PATHS[path], stream, ...body, model: name }, as)
            const row = `${model}, stream ${stream}: ${found.text}`
            assert.deepEqual([found.status, found.type], [status, 'application/json; charset=utf-8'], row)
            const error = errorIn(path, found.text)
            assert.equal(error.code, code, row)
            if (answer !== undefined && /Why/.test(error.message)) assert.match(error.message, /Why\.$/)
          }
        }
      })
    }

    it('charges nothing for a refusal in the first event, and logs it', async () => {
      const { key } = await newOrg()
      server.state.answer = asStream(MESSAGES_ERROR)
      await send(path, { ...PATHS[path], stream: true, model: 'claude' }, key)
      assert.equal(await balanceOf(key), 0)
      const { error, streamed } = await firstRequest(key)
      assert.deepEqual([error, streamed], ['upstream_unreachable', true])
    })

    it('answers an error after the first part as an event', async () => {
      for (const model of MODELS) {
        const own = model === 'claude' ? upstream.messageEvents(['Hello']).slice(0, 3) : upstream.chatChunks(['Hello'])
        const failed = model === 'claude' ? MESSAGES_ERROR : CHAT_ERROR
        server.state.answer = upstream.stream([...own.slice(0, 3), failed])
        const { status, type, text } = await send(path, { ...PATHS[path], stream: true, model })
        assert.deepEqual([status, type], [200, 'text/event-stream; charset=utf-8'], text)
        assert.match(text, /Hello[\s\S]*data: .*Why/, `${model}: ${text}`)
      }
    })

    it('answers a provider that breaks off with an event that clients of the format know', async () => {
      for (const model of MODELS) {
        const own = model === 'claude' ? upstream.messageEvents(['Hello']) : upstream.chatChunks(['Hello'])
        server.state.answer = async response => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          for (const part of own.slice(0, 3)) response.write(part)
          setTimeout(() => response.destroy(), 20)
        }
        const { status, text } = await send(path, { ...PATHS[path], stream: true, model })
        assert.equal(status, 200)
        const [, last = ''] = text.match(/event: error\ndata: (.*)\n\n$/) ?? []
        const { type, error } = JSON.parse(last)
        assert.equal(error.code, 'upstream_unreachable', text)
        assert.equal(type, path === '/v1/chat/completions' ? undefined : 'error')
      }
    })
  })
}

describe('a provider that answers in the other way than it was asked', () => {
  it('with a stream instead of one piece is a failure with a message', async () => {
    for (const parts of [upstream.chatChunks(['Hello']), upstream.messageEvents(['Hello'])]) {
      server.state.answer = upstream.stream(parts)
      for (const path of Object.keys(PATHS) as Path[]) {
        for (const model of MODELS) {
          const { status, type, text } = await send(path, { ...PATHS[path], model })
          assert.deepEqual([status, type], [502, 'application/json; charset=utf-8'])
          assert.match(errorIn(path, text).message, /with a stream, which was not requested\.$/)
        }
      }
    }
  })

  it('in one piece instead of a stream becomes a stream of the format, and what was made is paid', async () => {
    for (const [model, answer] of [
      ['llama', upstream.chatCompletion()],
      ['claude', upstream.message()],
    ] as const) {
      for (const type of ['application/json', 'text/event-stream']) {
        server.state.answer = upstream.json(answer, 200, { 'content-type': type })
        for (const path of Object.keys(PATHS) as Path[]) {
          const { key } = await newOrg()
          const found = await send(path, { ...PATHS[path], model, stream: true }, key)
          assert.deepEqual([found.status, found.type], [200, 'text/event-stream; charset=utf-8'], found.text)
          assert.match(found.text, /"(content|delta|text)":"Hello"/)
          assert.match(found.text, LAST[path])
          assert.ok((await balanceOf(key)) < 0, `${path} ${model}`)
        }
      }
    }
  })
})

const LAST: Record<Path, RegExp> = {
  '/v1/chat/completions': /\n\ndata: \[DONE\]\n\n$/,
  '/v1/messages': /\n\nevent: message_stop\ndata: .*\n\n$/,
  '/v1/responses': /\n\nevent: response\.completed\ndata: .*\n\n$/,
}

describe('a wrong key of the service in the first event', () => {
  it('is the failure of the service, as with status 401', async () => {
    const error = { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' }
    for (const answer of [asStream(event({ error })), upstream.json({ error }), upstream.json({ error }, 401)]) {
      server.state.answer = answer
      for (const path of Object.keys(PATHS) as Path[]) {
        const { status, text } = await send(path, { ...PATHS[path], model: 'llama', stream: true })
        assert.deepEqual([status, errorIn(path, text).code], [502, 'upstream_refused'], text)
      }
    }
  })
})

describe('a byte order mark', () => {
  it('before the first event changes nothing', async () => {
    for (const path of Object.keys(PATHS) as Path[]) {
      for (const model of MODELS) {
        const parts = model === 'claude' ? upstream.messageEvents(['Hello']) : upstream.chatChunks(['Hello'])
        const seen: string[] = []
        for (const pieces of [parts, ['\ufeff', ...parts], [`\ufeff${parts.join('')}`]]) {
          server.state.answer = upstream.stream(pieces)
          const { status, text } = await send(path, { ...PATHS[path], model, stream: true })
          assert.equal(status, 200, text)
          seen.push(text.replaceAll(/req_\w+|\b(msg|resp|rs)_\w+|"created(_at)?":\d+/g, ''))
        }
        assert.equal(seen[1], seen[0], path)
        assert.equal(seen[2], seen[0], path)
      }
    }
  })
})
