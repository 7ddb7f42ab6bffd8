// Batches without a credential: what strangers get for nothing is bounded.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type RequestOptions, startHost } from '../../../test/host.ts'

const host = await startHost()
const message = (method: string, id: number, params?: object) => ({ jsonrpc: '2.0', id, method, params })
const send = (body: unknown, options: RequestOptions = {}, on = host) =>
  on.call('POST /v1/mcp', { as: null, body, ...options })
const lists = Array.from({ length: 20 }, (_, id) => message('tools/list', id))

type Answer = { id: number; result?: { tools: unknown[] }; error?: { code: number; message: string } }

describe('a batch without a credential', () => {
  it('is answered with one list, and an error that says what to do for each further one', async () => {
    const { text: one } = await send(message('tools/list', 1))
    const token = `eyJ${'x'.repeat(40)}.eyJ${'x'.repeat(40)}.${'x'.repeat(40)}`
    const pk = (await host.call('POST /v1/account/keys', { body: { name: 'Web', type: 'publishable' } })).body.key
    for (const as of [null, 'sk-nothing', 'nothing', token, pk]) {
      const { status, body, text } = await send(lists, { as })
      assert.deepEqual([status, body.length], [200, 20])
      assert.ok(text.length < one.length + 16 * 1024, `${text.length} characters for ${as}`)
      const [first, ...others] = body as Answer[]
      assert.ok((first?.result?.tools.length ?? 0) > 40)
      for (const [n, { id, error }] of others.entries()) {
        assert.deepEqual([id, error?.code], [n + 1, -32600])
        assert.match(error?.message ?? '', /Send this message again, alone or with a key\./)
      }
    }
    const session = { cookie: '__Host-stoa-session=nothing' }
    assert.ok((await send(lists, { headers: session })).text.length < one.length + 16 * 1024)
  })

  it('has room for a handshake, a list and calls that say what is missing', async () => {
    const call = message('tools/call', 4, { name: 'get_v1_projects', arguments: {} })
    const batch = [message('initialize', 1), message('ping', 2), call, message('tools/list', 3)]
    const { body } = await send(batch)
    assert.deepEqual(
      body.map(({ id, error }: Answer) => [id, error]),
      [1, 2, 4, 3].map(id => [id, undefined]),
    )
  })

  it('is refused with 429 if its address sends too many, which concerns no other request', async t => {
    const own = await startHost({}, t)
    const ping = [message('ping', 1)]
    for (let n = 0; n < 60; n++) assert.equal((await send(ping, {}, own)).status, 200)
    const { status, headers, body } = await send(ping, { as: 'sk-nothing' }, own)
    assert.deepEqual([status, headers['retry-after']], [429, '60'])
    assert.deepEqual([body.jsonrpc, body.id, body.error.code], ['2.0', null, -32600])
    assert.deepEqual([body.error.data.code, /alone, or with a key/.test(body.error.message)], ['too_many_tries', true])
    assert.equal((await send(message('tools/list', 1), {}, own)).status, 200, 'one message')
    assert.equal((await send(ping, { as: own.home.key }, own)).status, 200, 'with a key')
    own.clock.advance(60_000)
    assert.equal((await send(ping, {}, own)).status, 200, 'a minute later')
  })
})

describe('a batch with a credential', () => {
  const everyone = async (t: TestContext) => {
    const own = await startHost({}, t)
    const { id } = (await own.call('POST /v1/iam/workspaces', { body: { name: 'Team' } })).body
    const { token } = (await own.call(`POST /v1/iam/workspaces/${id}/tokens`, { body: {} })).body
    return { own, callers: [{ as: own.home.key }, { as: token as string }, await own.browser(own.home)] }
  }

  it('has as many lists as before, however many are sent', async t => {
    const { own, callers } = await everyone(t)
    for (const caller of callers) {
      const { body, text } = await send(lists, caller, own)
      const listed = (body as Answer[]).filter(({ result }) => result !== undefined)
      assert.ok(listed.length > 5 && text.length > 512 * 1024, `${listed.length} lists`)
      for (let n = 0; n < 70; n++) assert.equal((await send([message('ping', 1)], caller, own)).status, 200)
    }
  })
})
