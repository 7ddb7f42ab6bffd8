import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Type } from 'typebox'
import { Agent, fetch } from 'undici'
import { createStoa, StoaError, type StoaOptions } from '../client/stoa.ts'
import { sectionsOf } from '../src/host/host.ts'
import { nothing, replies } from '../src/kit/answer.ts'
import { operation } from '../src/kit/operation.ts'
import { services } from '../src/services/index.ts'
import { CA, startHost } from '../test/host.ts'
import { generatedFiles } from './generate/files.ts'
import { type Schema, typeText } from './generate/types.ts'

const root = join(import.meta.dirname, '..')
const generated = generatedFiles(sectionsOf(services))

const host = await startHost()
const dispatcher = new Agent({ connect: { ca: CA() } })
after(() => dispatcher.destroy())
const overTls: StoaOptions['fetch'] = (url, init) => fetch(url, { ...init, dispatcher })
const stoa = createStoa({ baseUrl: host.baseUrl, key: host.home.key, fetch: overTls })

describe('generated files', () => {
  for (const [file, text] of Object.entries(generated)) {
    it(`${file} matches the declarations`, () => {
      const path = join(root, file)
      const current = existsSync(path) && readFileSync(path, 'utf8') === text
      assert.ok(current, `${file} is outdated; run \`npm run generate\` and commit the result`)
    })
  }

  it('include a client that compiles for browsers, without the types of Node', () => {
    const options = '--ignoreConfig --noEmit --strict --target es2022 --module esnext --moduleResolution bundler'
    const args = [...options.split(' '), '--lib', 'es2022,dom', '--types', '', 'client/stoa.ts']
    const { stdout } = spawnSync('node_modules/.bin/tsc', args, { cwd: root, encoding: 'utf8' })
    assert.equal(stdout, '')
  })
})

describe('the TypeScript type of a schema', () => {
  const rows: [object, string][] = [
    [Type.Union([Type.String(), Type.Null()]), 'string | null'],
    [Type.Array(Type.Union([Type.Integer(), Type.Boolean()])), '(number | boolean)[]'],
    [Type.Enum(['a', "b's"]), "'a' | 'b\\'s'"],
    [Type.Literal(3), '3'],
    [Type.Unknown({ description: 'Whatever it is' }), 'unknown'],
    [Type.Record(Type.String(), Type.Number()), 'Record<string, number>'],
    [Type.Object({}, { additionalProperties: false }), 'Record<string, never>'],
    [
      Type.Object({ 'a-b': Type.Optional(Type.String({ description: 'One */ two' })) }),
      "{\n  /** One *\\/ two */\n  'a-b'?: string\n}",
    ],
    [
      Type.Object({ a: Type.String() }, { additionalProperties: true }),
      '{\n  a: string\n  [field: string]: unknown\n}',
    ],
  ]
  for (const [schema, type] of rows)
    it(type.replaceAll(/\s+/g, ' '), () => assert.equal(typeText(schema as Schema), type))

  it('is an error for an unsupported schema', () => {
    assert.throws(() => typeText({ type: 'void' }), /Unsupported schema/)
  })
})

describe('operations of kinds that the product does not have yet', () => {
  const common = { access: 'public', summary: 'Does it', audit: 'none', run: (): never => assert.fail() } as const
  const entry = Type.Object({ note: Type.String({ description: 'This | that', examples: ["it's"] }) })
  const entries = Type.Array(entry, { maxItems: 9 })
  const operations = {
    sendAny: operation({ ...common, route: 'ANY /v1/x/any', output: nothing }),
    sendRaw: operation({ ...common, route: 'POST /v1/x/raw', output: nothing, body: 'bytes' }),
    sendDeep: operation({ ...common, route: 'POST /v1/x/{rest...}', input: { rest: Type.String() }, output: nothing }),
    follow: operation({ ...common, route: 'POST /v1/x/follow', output: replies, passUnknown: true }),
    write: operation({ ...common, route: 'PUT /v1/x', input: { entries }, output: nothing }),
  }
  const files = generatedFiles([{ name: 'x', what: 'Specimens', operations }])
  const client = files['client/stoa.ts'] as string
  const reference = files['docs/api/reference.md'] as string

  it('client: omits operations with other protocols', () => assert.doesNotMatch(client, /send(Any|Raw|Deep)/))
  it('client: returns a stream unread', () => assert.match(client, /host\.send\('POST', '\/v1\/x\/follow'/))
  it('client: passes unknown fields', () => assert.match(client, /type FollowInput = Record<string, unknown>/))
  it('reference: has every operation', () => {
    for (const id of Object.keys(operations)) assert.ok(reference.includes(`### ${id}\n`), id)
  })
  it('reference: has a row for a field inside a field', () => {
    assert.ok(reference.includes('| `entries` | body | `object[]` | yes |  |'))
    assert.ok(reference.includes('| `entries[].note` | body | `string` | yes | This \\| that |'))
  })
  it('reference: quotes an example for the shell', () => {
    assert.ok(reference.includes(`-d '{"entries":[{"note":"it'\\''s"}]}'`))
  })
})

async function slugsOf(projects: AsyncIterable<{ slug: string }>): Promise<string[]> {
  const slugs: string[] = []
  for await (const { slug } of projects) slugs.push(slug)
  return slugs
}

describe('client', () => {
  it('knows which fields are required', () => {
    // @ts-expect-error `slug` is missing.
    void (() => stoa.getProject({}))
    // @ts-expect-error `nme` is not a field.
    void (() => stoa.updateProject({ slug: 'a', name: 'A', nme: 'A' }))
  })

  it('creates, gets, updates and deletes', async () => {
    const created = await stoa.createProject({ slug: 'web-shop', name: 'Web shop' })
    assert.equal(created.slug, 'web-shop')
    assert.deepEqual(await stoa.getProject({ slug: 'web-shop' }), created)
    assert.equal((await stoa.updateProject({ slug: 'web-shop', name: 'Shop' })).name, 'Shop')
    assert.equal(await stoa.deleteProject({ slug: 'web-shop' }), undefined)
    await assert.rejects(stoa.getProject({ slug: 'web-shop' }), { name: 'StoaError', status: 404, code: 'not_found' })
  })

  it('lists a page, and every item through all pages', async () => {
    const slugs = ['a', 'b', 'c', 'd', 'e']
    for (const slug of slugs) await stoa.createProject({ slug, name: slug.toUpperCase() })
    const { data, next } = await stoa.listProjects({ limit: 2, after: undefined })
    assert.deepEqual(
      data.map(one => one.slug),
      ['a', 'b'],
    )
    assert.deepEqual(await slugsOf(stoa.listProjectsAll({ limit: 2 })), slugs)
    assert.deepEqual(await slugsOf(stoa.listProjectsAll({ after: next })), ['c', 'd', 'e'])
  })

  it('throws the error that the host answers', async () => {
    await stoa.createProject({ slug: 'taken', name: 'Taken' })
    const error = await stoa.createProject({ slug: 'taken', name: 'Taken' }).catch((error: unknown) => error)
    assert.ok(error instanceof StoaError)
    const { status, code, type, param, fields } = error
    assert.deepEqual(
      { status, code, type, param, fields },
      {
        status: 409,
        code: 'conflict',
        type: 'conflict_error',
        param: 'slug',
        fields: [{ path: 'slug', says: 'is taken' }],
      },
    )
    assert.match(error.message, /choose another slug/)
    assert.match(error.requestId ?? '', /^req_/)
  })

  it('is refused with a wrong key, and without one', async () => {
    const wrong = createStoa({ baseUrl: host.baseUrl, key: 'sk-wrong', fetch: overTls })
    await assert.rejects(wrong.listProjects(), { status: 401, code: 'credential_refused' })
    const none = createStoa({ baseUrl: host.baseUrl, fetch: overTls })
    await assert.rejects(none.listProjects(), { status: 401, code: 'credential_required' })
    assert.equal((await none.getHealth()).status, 'up')
  })

  it('rejects when its signal is aborted, before or during the call', async () => {
    await assert.rejects(stoa.listProjects({}, { signal: AbortSignal.abort() }), { name: 'AbortError' })
    const controller = new AbortController()
    const pending = stoa.listProjects({}, { signal: controller.signal })
    controller.abort(new Error('gone'))
    await assert.rejects(pending, { message: 'gone' })
  })

  it('throws a StoaError for an answer that is not from the host', async () => {
    for (const body of ['<h1>Bad gateway</h1>', '', 'null', '{}', '{"error":"bad"}', '{"error":{"code":502}}']) {
      const headers = { 'x-request-id': 'req_1' }
      const answer = () => Promise.resolve(new Response(body, { status: 502, statusText: 'Bad Gateway', headers }))
      await assert.rejects(createStoa({ baseUrl: 'https://proxy.test', fetch: answer }).getHealth(), {
        name: 'StoaError',
        status: 502,
        code: 'unknown',
        type: 'unknown',
        param: null,
        fields: [],
        requestId: 'req_1',
        message: 'The answer was 502 Bad Gateway',
      })
    }
  })

  it('escapes a path field so that it stays within its segment', async () => {
    const urls: string[] = []
    const record: StoaOptions['fetch'] = async url => {
      urls.push(url)
      return new Response('{}')
    }
    const recorded = createStoa({ baseUrl: 'https://stoa.test/below/', fetch: record })
    await recorded.getProject({ slug: 'a/b?c#d%' })
    for (const slug of ['', '.', '..']) await assert.rejects(recorded.deleteProject({ slug }), TypeError)
    assert.deepEqual(urls, ['https://stoa.test/below/v1/projects/a%2Fb%3Fc%23d%25'])
  })
})
