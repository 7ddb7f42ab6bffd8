// The real host with providers on this machine, for tests of model calls.
import { after } from 'node:test'
import { Agent, request } from 'undici'
import { openHttp } from '../src/engines/http/http.ts'
import { eventually } from './eventually.ts'
import { CA, startHost, type TestOptions } from './host.ts'
import { startModelServer } from './model-server.ts'

export const PRICE = { input: 100, output: 1_000, cachedInput: 10 }
/** Of 1,000 tokens of input and 200 of output. */
export const COST = 0.3
export const messages = [{ role: 'user', content: 'Hello' }]

const VECTORS = { id: 'vectors', kind: 'embedding', price: PRICE }
const MODELS = [
  { id: 'large', price: PRICE },
  { id: 'renamed', upstream: 'large-2026', price: PRICE },
  { id: 'free' },
  VECTORS,
]

/** `server` has the models above and speaks both formats; `second` has the model `large`, too. */
export async function startModelCalls(options: TestOptions = {}) {
  const [server, second] = [await startModelServer(), await startModelServer()]
  const http = openHttp({ allow: [] })
  const host = await startHost({ http, ...options })
  const dispatcher = new Agent({ connect: { ca: CA() } })
  after(async () => {
    await dispatcher.destroy()
    await http.close()
    server.close()
    second.close()
  })
  const add = (body: object) => host.call('POST /v1/ai/providers', { as: host.admin.key, body })
  const secret = { apiKey: 'provider-secret' }
  const claude = [{ id: 'claude-large', price: PRICE }]
  await add({ name: 'first', baseUrl: `${server.url}/v1`, ...secret, models: MODELS })
  await add({ name: 'claude', kind: 'anthropic', baseUrl: server.url, ...secret, models: claude })
  await add({ name: 'zweit', baseUrl: `${second.url}/v1`, models: [{ id: 'large', price: PRICE }] })

  let made = 0
  const lastRequest = async (as: string) => (await host.call('GET /v1/ai/requests?limit=1', { as })).body.data[0]
  return {
    ...{ host, server, second, dispatcher, add, lastRequest },
    newOrg: () => host.organisation(`org-${made++}`),
    chat: (more: object = {}, as = host.home.key) =>
      host.call('POST /v1/chat/completions', { as, body: { model: 'large', messages, ...more } }),
    balanceOf: async (as: string) => (await host.call('GET /v1/billing/balance', { as })).body.balance as number,
    /** The log line of a failed call is written after its answer. */
    firstRequest: (as: string) =>
      eventually(
        () => lastRequest(as),
        row => row !== undefined,
      ),
    streamed: async (body: object, as = host.home.key, path = '/v1/chat/completions') => {
      const answer = await request(host.baseUrl + path, {
        dispatcher,
        method: 'POST',
        headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'large', messages, stream: true, ...body }),
      })
      return { status: answer.statusCode, text: await answer.body.text() }
    },
  }
}
