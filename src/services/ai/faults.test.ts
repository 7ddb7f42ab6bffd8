// Each fault of a model call, at each wire.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import * as upstream from '../../../test/model-server.ts'
import { openHttp } from '../../engines/http/http.ts'

const server = await upstream.startModelServer()
const http = openHttp({ allow: [] })
const host = await startHost({ http })
// Attempts are apart from each other by the clock of the test.
const advancing = setInterval(() => host.clock.advance(100), 5)
after(async () => {
  clearInterval(advancing)
  await http.close()
  server.close()
})

const price = { input: 100, output: 1_000 }
const models = [
  { id: 'model', price },
  { id: 'quick', price, beginMs: 50 },
  { id: 'single', price, concurrency: 1 },
  { id: 'unpriced' },
]
const vectors = models.map(model => ({ ...model, id: `${model.id}-vectors`, kind: 'embedding' }))
const added = await host.call('POST /v1/ai/providers', {
  as: host.admin.key,
  body: { name: 'first', wire: 'openai', baseUrl: server.url, models: [...models, ...vectors] },
})
assert.equal(added.status, 201, added.text)
const limited = (await host.call('POST /v1/account/keys', { body: { name: 'k', budget: { month: 100 } } })).body.key

const messages = [{ role: 'user', content: 'Hello' }]
const WIRES = [
  ['/v1/chat/completions', { messages }],
  ['/v1/responses', { input: 'Hello' }],
  ['/v1/messages', { messages, max_tokens: 10 }],
  ['/v1/embeddings', { input: 'Hello' }],
] as const

const FAULTS: [status: number, code: string, model: string, answer: upstream.Answering, as?: string][] = [
  [404, 'not_found', 'none', upstream.json({})],
  [403, 'model_unpriced', 'unpriced', upstream.json({}), limited],
  [400, 'model_refused', 'model', upstream.json({ error: { message: 'Because' } }, 400)],
  [429, 'upstream_busy', 'model', upstream.json({}, 429)],
  [502, 'upstream_refused', 'model', upstream.json({}, 402)],
  [502, 'upstream_unreachable', 'model', upstream.json({}, 500)],
  [504, 'upstream_timeout', 'quick', () => {}],
]

for (const [path, body] of WIRES) {
  describe(`POST ${path}`, () => {
    const kind = path === '/v1/embeddings' ? '-vectors' : ''
    const call = (model: string, as = host.home.key) =>
      host.call(`POST ${path}`, { as, body: { ...body, model: model + kind } })

    for (const [status, code, model, answer, as] of FAULTS) {
      it(`answers ${status} ${code}`, async () => {
        server.state.answer = answer
        const { status: found, body } = await call(model, as)
        assert.deepEqual([found, body.error.code], [status, code], JSON.stringify(body))
      })
    }

    it('answers 409 conflict to another request with the same Idempotency-Key', async () => {
      const embeddings = { object: 'list', data: [], usage: { prompt_tokens: 5, total_tokens: 5 } }
      server.state.answer = upstream.json(kind ? embeddings : upstream.chatCompletion())
      const send = (more: object) =>
        host.call(`POST ${path}`, {
          body: { ...body, model: `model${kind}`, ...more },
          headers: { 'idempotency-key': 'used' },
        })
      assert.equal((await send({})).status, 200)
      const { status, body: answer } = await send({ user: 'another' })
      assert.deepEqual([status, answer.error.code], [409, 'conflict'])
    })

    it('answers 429 model_limit while the organisation makes as many calls as it may', async () => {
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const { promise: open, resolve: end } = Promise.withResolvers<void>()
      server.state.answer = async response => {
        begin()
        await open
        upstream.json({}, 400)(response, server.received[0] as upstream.Received)
      }
      const first = call('single')
      await begun
      const refused = await call('single')
      assert.deepEqual([refused.status, refused.body.error.code], [429, 'model_limit'])
      assert.equal(refused.headers['retry-after'], '1')
      const elsewhere = call('single', host.other.key)
      end()
      assert.deepEqual(
        [(await first).body.error.code, (await elsewhere).body.error.code],
        Array(2).fill('model_refused'),
      )
      assert.equal((await call('single')).body.error.code, 'model_refused', 'the call has ended')
    })
  })
}
