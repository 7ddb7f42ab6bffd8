// The errors view: what it lists, for whom, and how many.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import { catchUp } from '../../../test/warehouse.ts'
import { EngineUnavailable } from '../../engines/engines.ts'

const host = await startHost()
const { other } = host
const list = (query = '', as: string | null = host.home.key) => host.call(`GET /v1/errors${query}`, { as })
const capture = async (events: object[], as = host.home.key) => {
  const answer = await host.call('POST /v1/event', { body: events, as })
  await catchUp(host)
  return answer
}
const error = (message: string, more: object = {}) => ({
  event: '$exception',
  properties: { $exception_list: [{ type: 'TypeError', value: message }] },
  ...more,
})

describe('an error', () => {
  for (const [what, properties] of [
    ['message', { $exception_list: [{ value: 'm'.repeat(50_000), stacktrace: { frames: [{ function: 'f' }] } }] }],
    ['frame', { $exception_list: [{ stacktrace: { frames: [{ function: 'f'.repeat(50_000) }] } }] }],
    ['stack', { exception: { stack: 's'.repeat(50_000) } }],
    ['address', { $current_url: `https://shop.example/${'a'.repeat(50_000)}` }],
  ] as const) {
    it(`with a long ${what} has it in full once only`, async () => {
      const { key } = await host.organisation(`long-${what}`)
      await capture([{ event: '$exception', properties }], key)
      const { body, text } = await list('', key)
      assert.deepEqual(body.data[0].properties, properties)
      assert.ok(text.length < 80_000, `the answer has ${text.length} characters`)
    })
  }

  it('has its exception in a separate field, with all known details', async () => {
    const frames = [
      { filename: 'https://shop.example/lib.js', function: 'run', lineno: 9, colno: 1, in_app: false },
      { filename: 'https://shop.example/app.js?v=1', function: 'checkout', lineno: 12, colno: 34, in_app: true },
    ]
    const thrown = {
      type: 'TypeError',
      value: 'x is not a function',
      mechanism: { handled: false },
      stacktrace: { frames },
    }
    const properties = {
      $exception_list: [thrown],
      $current_url: 'https://shop.example/cart?step=2',
      $lib: 'web',
      $lib_version: '1.2.3',
      $release: '2026.11.1',
      environment: 'production',
      plan: 'pro',
    }
    await capture([{ event: '$exception', distinctId: 'u', sessionId: 's', properties }])
    const { status, body } = await list()
    assert.deepEqual([status, body.data.length, body.next], [200, 1, ''])
    const [{ id, fingerprint, timestamp, exception, ...rest }] = body.data
    assert.match(id, /^evt_/)
    assert.match(fingerprint, /^[0-9a-f]{32}$/)
    assert.equal(timestamp, '2026-11-15T09:00:00.000Z')
    assert.deepEqual(rest, {
      event: '$exception',
      distinctId: 'u',
      sessionId: 's',
      url: 'https://shop.example/cart?step=2',
      path: '/cart',
      library: 'web',
      libraryVersion: '1.2.3',
      release: '2026.11.1',
      environment: 'production',
      properties,
    })
    const { stack, ...what } = exception
    assert.deepEqual(what, {
      type: 'TypeError',
      message: 'x is not a function',
      handled: false,
      frames: [
        { function: 'checkout', file: 'https://shop.example/app.js?v=1', line: 12, column: 34, inApp: true },
        { function: 'run', file: 'https://shop.example/lib.js', line: 9, column: 1, inApp: false },
      ],
    })
    assert.match(stack, /^TypeError: x is not a function\n {4}at checkout \(/)
  })

  it('is read from a stack of JavaScript too', async () => {
    const stack =
      'RangeError: no\n    at async pay (file:///app/pay.js:3:7)\n    at file:///app/main.js:1:1\nrun@app.js:1:2'
    await capture([{ event: '$error', properties: { error: { name: 'RangeError', message: 'no', stack } } }])
    const [{ exception }] = (await list('?limit=200')).body.data.filter(
      ({ event }: { event: string }) => event === '$error',
    )
    assert.deepEqual([exception.type, exception.message, exception.stack], ['RangeError', 'no', stack])
    assert.deepEqual(exception.frames, [
      { function: 'pay', file: 'file:///app/pay.js', line: 3, column: 7 },
      { file: 'file:///app/main.js', line: 1, column: 1 },
      { function: 'run', file: 'app.js', line: 1, column: 2 },
    ])
  })

  it('has the fingerprint of others of its kind', async () => {
    const as = (await host.organisation('fingerprints')).key
    await capture([error('user 12 not found'), error('user 34 not found'), error('something else')], as)
    const { data } = (await list('', as)).body
    assert.equal(new Set(data.map((one: { fingerprint: string }) => one.fingerprint)).size, 2)
  })
})

describe('the list of errors', () => {
  it('has the newest first by their corrected time, and nothing but errors', async () => {
    const as = (await host.organisation('newest')).key
    const at = (seconds: number) => new Date(host.clock.now().getTime() - seconds * 1000).toISOString()
    await capture(
      [error('1', { timestamp: at(30) }), error('2', { timestamp: at(10) }), { event: 'x', properties: {} }],
      as,
    )
    await capture([error('3', { timestamp: at(20) })], as)
    const messages = (await list('', as)).body.data.map(
      (one: { exception: { message: string } }) => one.exception.message,
    )
    assert.deepEqual(messages, ['2', '3', '1'])
  })

  it('has 50 unless a limit is given, and at most 200', async () => {
    const as = (await host.organisation('many')).key
    for (let n = 0; n < 5; n++)
      await capture(
        Array.from({ length: 50 }, (_, i) => error(`${n} ${i}`)),
        as,
      )
    for (const [query, count] of [
      ['', 50],
      ['?limit=3', 3],
      ['?limit=200', 200],
      ['?limit=201', 200],
      ['?limit=1000000', 200],
      ['?limit=0', 50],
      ['?limit=-1', 50],
      ['?limit=abc', 50],
      ['?limit=', 50],
      ['?limit=2.9', 2],
      ['?limit=0.5', 1],
      ['?limit=NaN', 50],
      ['?limit=Infinity', 200],
    ] as const) {
      const { status, body } = await list(query, as)
      assert.deepEqual([status, body.data.length, body.next], [200, count, ''], query)
    }
  })

  it('shows its limit as an integer, and takes anything as a tool too', async () => {
    const as = (await host.organisation('tools')).key
    await capture([error('1'), error('2'), error('3')], as)
    const rpc = async (method: string, params: object = {}) =>
      (await host.call('POST /v1/mcp', { as, body: { jsonrpc: '2.0', id: 1, method, params } })).body.result
    const { tools } = await rpc('tools/list')
    const tool = tools.find(({ name }: { name: string }) => name === 'get_v1_errors')
    const { description, ...type } = tool.inputSchema.properties.limit
    assert.deepEqual([type, typeof description], [{ type: 'integer' }, 'string'])
    for (const [limit, count] of [
      [2, 2],
      ['2', 2],
      ['abc', 3],
      [-1, 3],
      [null, 3],
      [{ a: 1 }, 3],
    ] as const) {
      const { isError, content, structuredContent } = await rpc('tools/call', { name: tool.name, arguments: { limit } })
      assert.deepEqual([isError, structuredContent.data.length], [undefined, count], String(limit))
      const text = (await host.call(`GET /v1/errors?limit=${count}`, { as })).text.trimEnd()
      assert.deepEqual([content[0].text, structuredContent], [text, JSON.parse(text)])
    }
    const document = (await host.call('GET /v1/openapi.json')).body
    const [parameter] = document.paths['/v1/errors'].get.parameters
    assert.deepEqual([parameter.name, parameter.schema], ['limit', { type: 'integer' }])
  })

  it('belongs to one organisation', async () => {
    await capture([error('of the other')], other.key)
    assert.ok(!(await list('?limit=200')).text.includes('of the other'))
    assert.ok((await list('?limit=200', other.key)).text.includes('of the other'))
  })

  it('of a workspace has what tokens of that workspace wrote', async () => {
    const tokenOf = async () => {
      const { id } = (await host.call('POST /v1/iam/workspaces', { body: { name: 'Team' } })).body
      return (await host.call(`POST /v1/iam/workspaces/${id}/tokens`, { body: {} })).body.token as string
    }
    const [one, two] = [await tokenOf(), await tokenOf()]
    await capture([error('of one')], one)
    await capture([error('of two')], two)
    const messages = async (as: string) =>
      (await list('?limit=200', as)).body.data.map((item: { exception: { message: string } }) => item.exception.message)
    assert.deepEqual(await messages(one), ['of one'])
    assert.deepEqual(await messages(two), ['of two'])
    assert.ok((await messages(host.home.key)).includes('of two'))
  })

  it('is refused with 403 without a valid bearer, and with 401 for an ended key', async () => {
    const pk = (await host.call('POST /v1/account/keys', { body: { name: 'Web', type: 'publishable' } })).body.key
    for (const as of [null, 'sk-nothing', 'nothing', pk]) {
      const { status, body } = await list('', as)
      assert.deepEqual([status, body.error.code], [403, 'forbidden'], String(as))
    }
    const { id, key } = (await host.call('POST /v1/account/keys', { body: { name: 'CI' } })).body
    await host.call(`DELETE /v1/account/keys/${id}`)
    const { status, body } = await list('', key)
    assert.deepEqual([status, body.error.code], [401, 'key_revoked'])
  })

  it('is answered 503 while the warehouse cannot be reached', async t => {
    const own = await startHost({}, t)
    own.engines.warehouse.newestErrors = () => Promise.reject(new EngineUnavailable('warehouse', 'down'))
    for (const path of ['GET /v1/errors', 'GET /v1/errors/f']) {
      const { status, body, headers } = await own.call(path)
      const answer = [status, body.error.code, typeof headers['retry-after']]
      assert.deepEqual(answer, [503, 'warehouse_unreachable', 'string'])
    }
  })
})

describe('the errors with a fingerprint', () => {
  it('are those of the group alone, the newest first, up to a number', async () => {
    const { key } = await host.organisation('alike')
    const at = (second: number) => ({
      timestamp: new Date(host.clock.now().getTime() - 10_000 + 1_000 * second).toISOString(),
    })
    const own = (n: number) => error('alike', at(n))
    await capture([own(1), error('another', at(2)), own(3)], key)
    const { body } = await list('', key)
    const [newest, another, oldest] = body.data
    const alike = await list(`/${newest.fingerprint}`, key)
    assert.deepEqual([alike.status, alike.body], [200, { data: [newest, oldest], next: '' }])
    assert.deepEqual((await list(`/${newest.fingerprint}?limit=1`, key)).body.data, [newest])
    assert.deepEqual((await list(`/${another.fingerprint}`, key)).body.data, [another])
    assert.equal((await list('/unknown', key)).status, 404)
    assert.equal((await list(`/${newest.fingerprint}`, other.key)).status, 404)
  })

  it('are those of a workspace for its tokens', async () => {
    const { id } = (await host.call('POST /v1/iam/workspaces', { body: { name: 'Alike' } })).body
    const { token } = (await host.call(`POST /v1/iam/workspaces/${id}/tokens`, { body: {} })).body
    await capture([error('of all')])
    const [{ fingerprint }] = (await list()).body.data
    assert.equal((await list(`/${fingerprint}`, token)).status, 404)
  })
})
