import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allServices } from '../../../test/derive.ts'
import { type RequestOptions, startHost } from '../../../test/host.ts'
import { type Database, EngineUnavailable } from '../../engines/engines.ts'
import { services } from '../index.ts'

const host = await startHost()
const withSpecimen = await startHost({ services: allServices })

const send = (body: unknown, { path = '', on = host, ...options }: Options = {}) =>
  on.call(`POST /v1/mcp${path}`, { as: null, body, ...options })
type Options = RequestOptions & { path?: string; on?: typeof host }

const message = (method: string, params?: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })
const list = async (path = '', on = host) => (await send(message('tools/list'), { path, on })).body.result
const call = async (name: string, given: object = {}, { as = host.home.key, ...more }: Options = {}) =>
  (await send(message('tools/call', { name, arguments: given }), { as, ...more })).body.result

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
/** A message of the revision without handshake, and its headers. */
const modern = (method: string, params: { name?: string; arguments?: object } = {}, headers: object = {}) => ({
  body: message(method, { ...params, _meta: META }),
  headers: {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(params.name && { 'mcp-name': params.name }),
    ...headers,
  } as Record<string, string>,
})

describe('the list of tools', () => {
  it('has every operation except those that disclose a secret, stream or are not ours, and says how many', async () => {
    const { tools, _meta } = await list()
    const names: string[] = tools.map(({ name }: { name: string }) => name)
    assert.equal(new Set(names).size, names.length)
    for (const name of ['get_v1_projects', 'put_v1_risk_reference_by_set', 'delete_v1_iam_members_by_user']) {
      assert.ok(names.includes(name), name)
    }
    const secrets = ['post_v1_account_keys', 'post_v1_iam_apps', 'post_v1_iam_apps_by_id_secret', 'get_v1_account_csrf']
    for (const name of [...secrets, 'post_v1_mcp', 'get_v1_account_login']) assert.ok(!names.includes(name), name)
    const operations = services.flatMap(one => Object.keys(one.operations)).length + 3 // The host's own.
    assert.equal(names.length + _meta['stoa/withheld'], operations)
  })

  it('marks no argument as required, declares no default, and hints by the verb', async () => {
    const { tools } = await list('', withSpecimen)
    for (const { name, inputSchema, description, annotations } of tools) {
      assert.match(name, /^(get|post|put|patch|delete)_v1[a-z0-9_A-Z]{0,60}$/)
      assert.ok(name.length <= 64 && description.length > 5)
      assert.equal(inputSchema.type, 'object')
      assert.ok(!('required' in inputSchema), name)
      assert.ok(!JSON.stringify(inputSchema).includes('"default":'), name)
      const verb = name.split('_', 1)[0]
      assert.equal(annotations.readOnlyHint, verb === 'get', name)
      assert.equal(annotations.destructiveHint, ['put', 'patch', 'delete'].includes(verb), name)
      assert.equal(annotations.idempotentHint, ['get', 'put', 'delete'].includes(verb), name)
    }
  })

  it('is the same each time, in a stable order, and may be cached', async () => {
    const [first, again] = [await send(message('tools/list')), await send(message('tools/list'))]
    assert.equal(first.text, again.text)
    const { ttlMs, cacheScope } = first.body.result
    assert.deepEqual([ttlMs > 0, cacheScope], [true, 'public'])
    assert.equal((await send(message('tools/list', { cursor: 'x' }))).body.error.code, -32602)
  })

  it('can be narrowed to a service and to tools that only read', async () => {
    const { tools } = await list('?service=projects&readOnly=1')
    assert.ok(tools.length > 1)
    for (const { name } of tools) assert.match(name, /^get_v1_projects/)
    const misspelt = await send(message('tools/list'), { path: '?readonly=1' })
    assert.deepEqual([misspelt.status, misspelt.body.error.data.param], [400, 'readonly'])
    const unknown = await send(message('tools/list'), { path: '?service=nothing' })
    assert.deepEqual([unknown.status, unknown.body.error.data.param], [400, 'service'])
  })
})

describe('a tool call', () => {
  it('answers as text and as structured content', async () => {
    const created = await call('post_v1_projects', { slug: 'shop', name: 'Shop' })
    assert.deepEqual(created.structuredContent, JSON.parse(created.content[0].text))
    assert.deepEqual([created.structuredContent.slug, created.isError], ['shop', undefined])
    const renamed = await call('patch_v1_projects_by_slug', { slug: 'shop', name: 'New' })
    assert.equal(renamed.structuredContent.name, 'New')
    const listed = await call('get_v1_projects', { limit: 1 })
    assert.equal(listed.structuredContent.data[0].slug, 'shop')
    const deleted = await call('delete_v1_projects_by_slug', { slug: 'shop' })
    assert.deepEqual(deleted.content, [{ type: 'text', text: 'Done.' }])
    assert.equal(deleted.structuredContent, undefined)
  })

  it('without a credential, or with a bad one, says what is missing and where to sign in', async () => {
    for (const name of ['get_v1_projects', 'get_v1', 'get_v1_health', 'tools_find']) {
      const answer = await send(message('tools/call', { name, arguments: {} }))
      const { isError, content } = answer.body.result
      assert.deepEqual([answer.status, isError], [200, true], name)
      assert.match(content[0].text, /required: Send a key .*Authorization: Bearer/)
      assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer resource_metadata="https:\/\/[^"]+\/v1\/mcp"$/)
    }
    const token = `eyJ${'x'.repeat(40)}.eyJ${'x'.repeat(40)}.${'x'.repeat(40)}`
    for (const name of ['get_v1_projects', 'get_v1', 'tools_find', 'tools_describe']) {
      for (const as of ['sk-nothing', 'nothing', token]) {
        const bad = await send(message('tools/call', { name }), { as })
        assert.deepEqual([bad.status, bad.body.result.isError], [200, true])
        assert.match(bad.body.result.content[0].text, /^credential_refused: /, name)
        assert.match(bad.headers['www-authenticate'] ?? '', /^Bearer error="invalid_token", resource_metadata="/)
      }
    }
  })

  it('reports a fault with its code, what to do and the field', async () => {
    const { isError, content, _meta, structuredContent } = await call('post_v1_projects', {
      slug: 'Not a slug',
      name: 'x',
    })
    assert.deepEqual([isError, structuredContent], [true, undefined])
    assert.match(content[0].text, /^invalid_input: `slug` must be .*\n- `slug` must be .*\nRequest req_\w+\.$/)
    assert.deepEqual([_meta['stoa/error'].status, _meta['stoa/error'].param], [400, 'slug'])
    const unknown = await call('post_v1_projects', { slug: 'shop', name: 'x', nmae: 'y' })
    assert.match(unknown.content[0].text, /`nmae`/)
    const rate = await host.call('POST /v1/account/keys', { body: { name: 'slow', rate: 1 } })
    await call('get_v1_projects', {}, { as: rate.body.key })
    const limited = await call('get_v1_projects', {}, { as: rate.body.key })
    assert.match(limited.content[0].text, /^key_rate: .*\nTry again after \d+ seconds\./)
  })

  it('of no tool is an error of the protocol', async () => {
    for (const params of [{ name: 'get_v1_nothing' }, { name: 7 }, {}, { name: 'get_v1_projects', arguments: [] }]) {
      const { status, body } = await send(message('tools/call', params), { as: host.home.key })
      assert.deepEqual([status, body.error.code, body.id], [200, -32602, 1], JSON.stringify(params))
    }
    for (const name of [{ toString: 1 }, [['get_v1_projects']], 7, undefined]) {
      for (const tool of ['tools_call', 'tools_describe']) {
        const params = { name: tool, arguments: { name } }
        const { status, body } = await send(message('tools/call', params), { as: host.home.key })
        assert.deepEqual([status, body.error?.code, body.id], [200, -32602, 1], JSON.stringify(params))
      }
    }
    for (const name of ['post_v1_account_key', 'any_v1_mcp', 'constructor', '__proto__']) {
      assert.equal((await send(message('tools/call', { name }), { as: host.home.key })).body.error.code, -32602, name)
    }
  })

  it('is logged and counted as its operation, also when the credential is refused', async () => {
    const before = host.logged.length
    await call('get_v1_projects', {}, { as: 'sk-nothing' })
    const added = host.logged
      .slice(before)
      .map(line => JSON.parse(line))
      .filter(line => 'operation' in line)
    assert.deepEqual(
      added.map(({ operation, status }) => [operation, status]),
      [
        ['listProjects', 401],
        ['callTools', 200],
      ],
    )
  })

  it('that meets a database that is busy is a result, and spoils no other of its batch', async t => {
    let isBusy = false
    const wrapDb = (db: Database): Database =>
      new Proxy(db, {
        apply: (target, self, args) =>
          isBusy && String(args[0]).includes('keys')
            ? Promise.reject(new EngineUnavailable('db', 'busy'))
            : Reflect.apply(target, self, args),
        get: (target, name) => {
          if (name === 'for') return () => wrapDb(target)
          return name === 'background' || name === 'analytics' ? wrapDb(target) : Reflect.get(target, name)
        },
      })
    const own = await startHost({ wrapDb }, t)
    const { key } = (await own.call('POST /v1/account/keys', { body: { name: 'own' } })).body
    const create = message('tools/call', { name: 'post_v1_projects', arguments: { slug: 'done', name: 'Done' } })
    isBusy = true
    const { status, body } = await send([create, message('ping', {}, 2)], { as: key, on: own })
    isBusy = false
    assert.deepEqual([status, body[0].result.isError, body[1].result], [200, true, {}])
    assert.match(body[0].result.content[0].text, /^overloaded: /)
  })

  it('passes a body that is not ours as one argument', async () => {
    const { tools } = await list('', withSpecimen)
    const withBody = tools.filter(
      ({ inputSchema }: { inputSchema: { properties: object } }) => 'body' in inputSchema.properties,
    )
    assert.ok(withBody.length > 0)
    for (const { name } of withBody) {
      const { content, isError } = await call(
        name,
        { body: { any: ['thing'] } },
        { on: withSpecimen, as: withSpecimen.home.key },
      )
      assert.equal(isError, undefined, `${name}: ${content[0].text}`)
    }
  })

  it('is carried out once for each Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'tool' }
    const [first, again] = [
      await call('post_v1_projects', { slug: 'once', name: 'Once' }, { headers }),
      await call('post_v1_projects', { slug: 'once', name: 'Once' }, { headers }),
    ]
    assert.deepEqual([again, again.isError], [first, undefined])
  })

  it('is answered in JSON where the operation can answer CSV, too', async () => {
    const headers = { accept: 'text/csv' }
    const { structuredContent } = await call('get_v1_billing_usage_summary', { by: 'model' }, { headers })
    assert.deepEqual(structuredContent, { currency: 'USD', count: 0, amount: 0, data: [], next: '' })
  })

  it('acts in the project that the header names, and leaves its entry in the audit trail', async () => {
    const headers = { 'x-project-id': 'once' }
    assert.equal((await call('get_v1_iam_me', {}, { headers })).structuredContent.project, 'once')
    const unknown = await call('get_v1_iam_me', {}, { headers: { 'x-project-id': 'never-was' } })
    assert.equal(unknown._meta['stoa/error'].status, 404)
    const [entry] = (await host.call('GET /v1/iam/audit?what=project.create')).body.data
    assert.deepEqual([entry.on, entry.user], ['once', host.home.user])
  })
})

describe('messages', () => {
  it('of the revisions with a handshake are answered without a session', async () => {
    for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']) {
      const { body, headers } = await send(message('initialize', { protocolVersion: version, capabilities: {} }))
      assert.equal(body.result.protocolVersion, version)
      assert.ok(body.result.capabilities.tools && body.result.serverInfo.name && body.result.instructions)
      assert.equal(headers['mcp-session-id'], undefined)
    }
    const newer = await send(message('initialize', { protocolVersion: '2031-01-01' }))
    assert.equal(newer.body.result.protocolVersion, '2025-11-25')
    const { status, text } = await send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.deepEqual([status, text], [202, ''])
    assert.deepEqual((await send(message('ping'))).body, { jsonrpc: '2.0', id: 1, result: {} })
    for (const method of ['GET', 'DELETE']) assert.equal((await host.call(`${method} /v1/mcp`)).status, 405)
  })

  it('of 2026-07-28 need no handshake, and their headers must agree with the body', async () => {
    const ask = ({ body, headers }: ReturnType<typeof modern>, as: string | null = null) => send(body, { headers, as })
    const { body } = await ask(modern('server/discover'))
    assert.ok(body.result.supportedVersions.includes('2026-07-28'))
    assert.equal(body.result.resultType, 'complete')
    const called = await ask(modern('tools/call', { name: 'get_v1_projects', arguments: {} }), host.home.key)
    assert.deepEqual([called.status, called.body.result.resultType], [200, 'complete'])
    const wrong: [number, number, ReturnType<typeof modern>][] = [
      [400, -32020, modern('tools/list', {}, { 'mcp-method': 'tools/call' })],
      [400, -32020, modern('tools/list', {}, { 'mcp-method': 'TOOLS/LIST' })],
      [400, -32020, modern('tools/list', {}, { 'mcp-protocol-version': '2025-11-25' })],
      [400, -32020, modern('tools/call', { name: 'get_v1' }, { 'mcp-name': 'get_v1_health' })],
      [400, -32020, modern('tools/call', { name: 'get_v1' }, { 'mcp-name': '=?base64?*?=' })],
      [404, -32601, modern('initialize')],
      [404, -32601, modern('ping')],
      [404, -32601, modern('toString')],
    ]
    for (const [status, code, sent] of wrong) {
      const answer = await ask(sent)
      assert.deepEqual(
        [answer.status, answer.body.error?.code, answer.body.id],
        [status, code, 1],
        JSON.stringify(sent),
      )
    }
    for (const name of ['mcp-method', 'mcp-protocol-version', 'mcp-name']) {
      const { body: sent, headers } = modern('tools/call', { name: 'get_v1' })
      delete headers[name]
      assert.equal((await send(sent, { headers })).body.error?.code, -32020, name)
    }
    const encoded = { 'mcp-name': `=?base64?${Buffer.from('get_v1').toString('base64')}?=` }
    assert.equal((await ask(modern('tools/call', { name: 'get_v1' }, encoded), host.home.key)).status, 200)
    const { body: later } = modern('tools/list')
    const meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' }
    const unsupported = await send(
      { ...later, params: { _meta: meta } },
      { headers: { 'mcp-protocol-version': '2030-01-01', 'mcp-method': 'tools/list' } },
    )
    assert.deepEqual([unsupported.status, unsupported.body.error.code], [400, -32022])
    assert.ok(unsupported.body.error.data.supported.includes('2026-07-28'))
  })

  it('that are malformed are errors with their id, if it can be read', async () => {
    const cases: [unknown, number, number, unknown][] = [
      ['{', 400, -32700, null],
      ['', 400, -32700, null],
      ['"text"', 400, -32600, null],
      ['null', 400, -32600, null],
      [{}, 400, -32600, null],
      [{ jsonrpc: '1.0', id: 7, method: 'ping' }, 400, -32600, 7],
      [{ jsonrpc: '2.0', id: 'a' }, 400, -32600, 'a'],
      [{ jsonrpc: '2.0', id: 'a', method: 5 }, 400, -32600, 'a'],
      [{ jsonrpc: '2.0', id: null, method: 'ping' }, 400, -32600, null],
      [{ jsonrpc: '2.0', id: { a: 1 }, method: 'ping' }, 400, -32600, null],
      [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, 400, -32600, null],
      [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, 400, -32602, 1],
      [{ jsonrpc: '2.0', id: 1, method: 'no/such' }, 200, -32601, 1],
    ]
    for (const [body, status, code, id] of cases) {
      const answer = await send(body)
      assert.deepEqual(
        [answer.status, answer.body.error.code, answer.body.id],
        [status, code, id],
        JSON.stringify(body),
      )
    }
    const text = await send('{}', { headers: { 'content-type': 'text/plain' } })
    assert.deepEqual([text.status, text.body.error.data.code], [415, 'unsupported_media_type'])
  })

  it('in a batch are answered one by one, up to twenty', async () => {
    const batch = [
      message('ping'),
      { jsonrpc: '2.0', method: 'notifications/x' },
      { id: 2 },
      message('tools/list', {}, 'b'),
    ]
    const { status, body } = await send(batch)
    assert.equal(status, 200)
    assert.deepEqual(
      body.map((one: { id: unknown; error?: { code: number } }) => [one.id, one.error?.code]),
      [
        [1, undefined],
        [2, -32600],
        ['b', undefined],
      ],
    )
    assert.equal((await send([{ jsonrpc: '2.0', method: 'notifications/x' }])).status, 202)
    const many = Array.from({ length: 21 }, (_, n) => message('ping', {}, n))
    for (const refused of [[], many]) assert.equal((await send(refused)).body.error.code, -32600)
    assert.equal((await send(many.slice(1))).body.length, 20)
    const { body: one, headers } = modern('tools/list')
    assert.equal((await send([one], { headers })).body[0].error.code, -32600)
  })

  it('in a batch are not carried out once its answers are too long', async () => {
    const entries = Array.from({ length: 1000 }, (_, n) => ({
      key: `a${n}.example`,
      verdict: 'deny',
      note: 'x'.repeat(500),
    }))
    assert.equal((await host.call('PUT /v1/risk/reference/domain', { body: { entries } })).status, 200)
    const read = { name: 'get_v1_risk_reference_by_set', arguments: { set: 'domain', limit: 1000 } }
    const batch = Array.from({ length: 20 }, (_, n) => message('tools/call', read, n))
    const { body, text } = await send(batch, { as: host.home.key })
    assert.ok(text.length < 8 * 1024 * 1024, `${text.length}`)
    assert.equal(body.length, 20)
    assert.equal(body[0].result.structuredContent.overrides.length, 1000)
    assert.deepEqual([body[19].id, body[19].error.code], [19, -32600])
  })

  it('with input that cannot be stored are refused one by one, with their id', async () => {
    for (const name of ['a\u0000b', '\ud800', JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`)]) {
      const params = { name: 'post_v1_projects', arguments: { slug: 'unstorable', name } }
      const { status, body } = await send(message('tools/call', params, 7), { as: host.home.key })
      assert.deepEqual([status, body.id, body.result?.isError], [200, 7, true], JSON.stringify(body).slice(0, 200))
    }
    const text = `[${JSON.stringify(message('ping'))},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"post_v1_projects","arguments":{"__proto__":{"slug":"x"}}}}]`
    const { body } = await send(text, { as: host.home.key, headers: { 'content-type': 'application/json' } })
    assert.deepEqual([body[0].result, body[1].result.isError], [{}, true])
  })

  it('of an unknown revision are refused', async () => {
    for (const version of ['1.0.0', '1999-01-01', '2025-11-25, 2024-11-05']) {
      const answer = await send(message('tools/list'), { headers: { 'mcp-protocol-version': version } })
      assert.deepEqual([answer.status, answer.body.error.code], [400, -32022], version)
    }
    assert.equal((await send(message('ping'), { headers: { 'mcp-protocol-version': '2025-06-18' } })).status, 200)
  })

  it('from pages of strangers are refused, and those from our own origins are not', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost:1234']) {
      const { status, body } = await send(message('tools/list'), { headers: { origin } })
      assert.deepEqual([status, body.error.data.code], [403, 'forbidden'], origin)
    }
    assert.equal((await send(message('tools/list'), { headers: { origin: 'https://stoa.example' } })).status, 200)
  })
})

describe('the metadata of the MCP endpoint', () => {
  it('names this host and where people sign in', async () => {
    const { status, body, headers } = await host.call('GET /.well-known/oauth-protected-resource/v1/mcp', { as: null })
    assert.deepEqual([status, headers['content-type']], [200, 'application/json; charset=utf-8'])
    assert.equal(body.authorization_servers.length, 1)
    const { 'www-authenticate': challenge = '' } = (await send(message('tools/call', { name: 'get_v1' }))).headers
    assert.ok(challenge.includes(`"${body.resource}/.well-known/oauth-protected-resource/v1/mcp"`), challenge)
  })
})
