// The host, a provider for each wire, and accounts that show the settled amounts.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Agent, fetch as undiciFetch } from 'undici'
import { openHttp } from '../../src/engines/http/http.ts'
import { eventually } from '../eventually.ts'
import { CA, startHost } from '../host.ts'
import { type Answering, startModelServer } from '../model-server.ts'
import { PROVIDER_KEY, saying, type Turn } from './model.ts'

/** Models of providers that speak chat completions, Anthropic's messages, and responses too. */
export const CHAT = 'large'
export const CLAUDE = 'claude-large'
export const RESPONDING = 'responding-large'
export const EMBEDDING = 'embed-large'
/** The one that is there without a provider. */
export const LOCAL = 'local-embed-en'
/** Cents per million tokens. */
const PRICE = { input: 100, output: 1_000, cachedInput: 10 }

/** What a call is settled with. `input` and `output` are tokens. */
export type Settled = {
  model: string
  wire: string
  input?: number
  output?: number
  cached?: number
  streamed?: boolean
}

type Logged = {
  inputTokens: number
  outputTokens: number
  cost: number
  transactionId: string
  error?: string
  wire: string
  streamed: boolean
}

/** The tokens that the model reports unless a test says otherwise. */
const USUAL = { input: 1000, output: 200, cached: 0, streamed: false }

export type World = Awaited<ReturnType<typeof openWorld>>

export async function openWorld(directory: string) {
  const server = await startModelServer()
  const http = openHttp({ allow: [] })
  const host = await startHost({ http, now: 'real' })
  const agent = new Agent({ connect: { ca: CA(), timeout: 60_000 } })
  after(async () => {
    await agent.destroy()
    await http.close()
    server.close()
  })
  for (const [name, kind, id, type] of [
    ['chatty', 'compatible', CHAT, 'chat'],
    ['claude', 'anthropic', CLAUDE, 'chat'],
    ['responding', 'openai', RESPONDING, 'chat'],
    ['embedding', 'compatible', EMBEDDING, 'embedding'],
  ]) {
    const models = [{ id, kind: type, price: PRICE }]
    const body = { name, kind, baseUrl: `${server.url}/v1`, apiKey: PROVIDER_KEY, models }
    assert.equal((await host.call('POST /v1/ai/providers', { as: host.admin.key, body })).status, 201)
  }
  /** How often a client sent something to the host. */
  const sent = { count: 0 }
  const fetch = (url: string | URL, init: object = {}) => {
    sent.count++
    return undiciFetch(url, { ...init, dispatcher: agent } as never)
  }
  let made = 0
  const account = async () => accountOf(host, (await host.organisation(`org-${made++}`)).key)
  /** What the providers answer from now on. */
  const answers = (...turns: (Turn | Answering)[]) => {
    server.received.length = 0
    server.state.answer = saying(...turns)
  }
  // biome-ignore lint/suspicious/noExplicitAny: these packages are not dependencies, so there are no types of them here
  const load = (path: string): Promise<any> => import(pathToFileURL(join(directory, 'node_modules', path)).href)
  const baseURL = `${host.baseUrl}/v1`
  /** The bodies that the provider got, since the last `answers`. */
  const asked = () => server.received.map(one => one.json)
  return { host, server, fetch, sent, baseURL, account, answers, asked, load }
}

function accountOf(host: Awaited<ReturnType<typeof startHost>>, key: string) {
  const read = async (path: string) => (await host.call(`GET ${path}`, { as: key })).body
  const amountOf = ({ input, output, cached }: typeof USUAL) =>
    ((input - cached) * PRICE.input + cached * PRICE.cachedInput + output * PRICE.output) / 1_000_000
  const line = (model: string, wire: string, counts: typeof USUAL, cost: number) =>
    `${model} ${wire}${counts.streamed ? ' streamed' : ''}: ${counts.input} (${counts.cached}) + ${counts.output}, ${cost.toFixed(6)}`

  /** Exactly these calls were settled, in the journal and in the log, in whatever order. */
  async function settled(...expected: Settled[]): Promise<void> {
    const usage = await eventually(
      () => read('/v1/billing/usage'),
      found => found.usage.length >= expected.length,
    )
    const log: (Logged & { id: string })[] = (await read('/v1/ai/requests')).data
    const lines = []
    for (const { metadata, amount, transactionId } of usage.usage) {
      const { model, wire, requestId, inputTokens, outputTokens, cachedInputTokens = 0, estimated } = metadata
      assert.equal(estimated, undefined)
      const logged = log.find(({ id }) => id === requestId) as Logged
      assert.deepEqual(
        [logged.inputTokens, logged.outputTokens, logged.cost, logged.transactionId, logged.error, logged.wire],
        [inputTokens, outputTokens, amount, transactionId, undefined, wire],
      )
      const counts = { input: inputTokens, output: outputTokens, cached: cachedInputTokens, streamed: logged.streamed }
      lines.push(line(model, wire, counts, amount))
    }
    const right = expected.map(({ model, wire, ...counts }) => {
      const all = { ...USUAL, ...counts }
      return line(model, wire, all, model === LOCAL ? 0 : amountOf(all))
    })
    assert.deepEqual(lines.sort(), right.sort())
  }

  /** The one call of this account failed or was broken off, for this reason. */
  async function broken(error: string) {
    const { data } = await eventually(
      () => read('/v1/ai/requests'),
      found => found.data.length > 0,
    )
    assert.deepEqual(
      data.map((one: { error?: string }) => one.error),
      [error],
    )
    await eventually(
      () => read('/v1/billing/balance'),
      ({ holds }) => holds === 0,
    )
    return data[0]
  }

  /** Another key of the same organisation. */
  const keyWith = async (body: object): Promise<string> =>
    (await host.call('POST /v1/account/keys', { as: key, body: { name: 'another', ...body } })).body.key
  return { key, settled, broken, keyWith }
}
