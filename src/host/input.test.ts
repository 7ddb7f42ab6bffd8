import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import { specimen } from '../../test/specimen.ts'
import { parseJson } from './input.ts'

const host = await startHost({ services: [specimen] })
const echo = (body: string | Buffer) =>
  host.call('POST /v1/specimen/echo', { body, headers: { 'content-type': 'application/json' } })
const nested = (levels: number) => `{"tree":${'['.repeat(levels)}${']'.repeat(levels)}}`

describe('a JSON body', () => {
  for (const [name, body, message] of [
    ['cut off', '{"text":"a', /not valid JSON: it ends too early, at line 1, column 11\.$/],
    ['cut off after a comma', '{"tree":[1,', /it ends too early, at line 1, column 12\.$/],
    ['cut off in a literal', '{"tree":tru', /it ends too early, at line 1, column 12\.$/],
    ['followed by more', '{} {}', /not valid JSON: see line 1, column 4\.$/],
    ['wrong in its third line', '{\n  "text": "a",\n  "tree": [1, x]\n}', /see line 3, column 15\.$/],
    ['without quotes', '{text:"a"}', /see line 1, column 2\.$/],
    ['with a comma too many', '{"text":"a",}', /see line 1, column 13\.$/],
    ['with a comma missing', '{"text":"a" "tree":1}', /see line 1, column 13\.$/],
    ['not JSON at all', 'text=a', /see line 1, column 2\.$/],
    ['an object turned into text', '[object Object]', /see line 1, column 2\.$/],
    ['a text that names a position', 'x at position 5', /see line 1, column 1\.$/],
    ['behind a byte order mark', '\ufeff{}', /it starts with a byte order mark\.$/],
    ['with a line break in a text', '{"text":"a\nb"}', /see line 1, column 11\.$/],
    ['wrong and long', `{"text":"${'a'.repeat(10_000)}", "tree": nope}`, /see line 1, column 10022\.$/],
    ['wrong and too long to look', `{"text":"${'a'.repeat(200_000)}", "tree": nope}`, /not valid JSON\.$/],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /UTF-8/],
  ] as const) {
    it(`that is ${name} is answered 400`, async () => {
      const answer = await echo(body)
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error.code, 'malformed_request')
      assert.match(answer.body.error.message, message)
    })
  }

  it('with a field name that would change a prototype is answered 400 with that name', async () => {
    for (const [body, path] of [
      ['{"__proto__":{"a":1}}', '__proto__'],
      ['{"tree":{"__proto__":{"a":1}}}', 'tree.__proto__'],
      ['{"tree":[{"\\u005f_proto__":1}]}', 'tree.0.__proto__'],
      ['{"tree":{"constructor":{"prototype":{}}}}', 'tree.constructor'],
    ] as const) {
      const answer = await echo(body)
      assert.equal(answer.status, 400, body)
      assert.equal(answer.body.error.param, path)
    }
    assert.equal((await echo('{"tree":{"constructor":"Acme Builders"}}')).status, 200)
  })

  it('that is not an object is answered 400', async () => {
    for (const body of ['[]', '"text"', '1', 'null', 'true']) {
      const answer = await echo(body)
      assert.equal(answer.status, 400, body)
      assert.deepEqual(answer.body.error.fields, [{ path: 'body', says: 'must be a JSON object' }])
    }
  })

  it('may be nested up to 32 levels deep', async () => {
    assert.equal((await echo(nested(32))).status, 200)
    const answer = await echo(nested(33))
    assert.equal(answer.status, 400)
    assert.match(answer.body.error.message, /deeper than 32/)
    assert.equal((await echo(nested(100_000))).status, 400)
  })

  it('with text that PostgreSQL cannot store is answered 400 with the field', async () => {
    for (const text of ['"a\\u0000b"', '"\\ud800"']) {
      const answer = await echo(`{"text":${text}}`)
      assert.equal(answer.status, 400, text)
      assert.equal(answer.body.error.param, 'text')
    }
    const key = await echo('{"tree":{"a\\u0000":1}}')
    assert.equal(key.status, 400)
    assert.equal(key.body.error.param, 'tree')
  })

  it('with undeclared fields is answered 400 with their names', async () => {
    const answer = await echo('{"other":"a","tree":1}')
    assert.equal(answer.status, 400)
    assert.deepEqual(answer.body.error.fields, [{ path: 'other', says: 'is not a field here' }])
    assert.equal(answer.body.error.param, 'other')
  })

  for (const [wrong, field] of [
    ['Name', 'name'],
    ['SLUG', 'slug'],
    ['nmae', 'name'],
    ['nam', 'name'],
    ['namee', 'name'],
    ['nome', 'name'],
    ['sl_ug', 'slug'],
  ] as const) {
    it(`with \`${wrong}\` is answered 400 with \`${field}\`, before what is missing`, async () => {
      const { status, body } = await host.call('POST /v1/projects', { body: { [wrong]: 'x' } })
      assert.equal(status, 400)
      assert.equal(body.error.param, wrong)
      assert.equal(body.error.fields[0].says, `is not a field here; did you mean \`${field}\`?`)
      assert.ok(body.error.message.startsWith(`\`${wrong}\` is not a field here; did you mean \`${field}\`?`))
      assert.ok(!body.error.message.includes('?.'))
    })
  }

  for (const count of [1, 7, 8, 9, 100]) {
    it(`with ${count} undeclared fields is answered 400, with the misspelt one first`, async () => {
      const unknown = Object.fromEntries(Array.from({ length: count }, (_, n) => [`other${n}`, n]))
      const top = await host.call('POST /v1/projects', { body: { ...unknown, slug: 'aa' } })
      assert.equal(top.status, 400)
      assert.equal(top.body.error.fields[0].says, 'is not a field here')
      assert.ok(top.body.error.fields.length <= 30)
      if (count > 30) assert.match(top.body.error.message, /\(and others\)/)
      else assert.ok(top.body.error.message.includes(`(and ${count} more)`), top.body.error.message)
      const few = Object.fromEntries(Object.entries(unknown).slice(0, 15))
      const misspelt = await host.call('POST /v1/projects', { body: { ...few, nmae: 'x', slug: 'aa' } })
      assert.equal(misspelt.body.error.param, 'nmae')
      const owner = { email: 'x@example.com', ...unknown }
      const nested = await host.call('POST /v1/iam/orgs', {
        as: host.admin.key,
        body: { slug: 'aa', name: 'A', owner },
      })
      assert.equal(nested.status, 400)
      assert.match(nested.body.error.param, /^owner\.other/)
      const query = Object.keys(unknown).join('&')
      assert.equal((await host.call(`GET /v1/health?${query}`, { as: null })).status, 400)
    })
  }
})

describe('parseJson', () => {
  const bytes = (text: string) => Buffer.from(text)

  it('rejects a body with too many values before it parses it', () => {
    const many = '{},'.repeat(250_000)
    for (const text of [`[${many}1]`, `[${many}`, `{"a":[${'1,'.repeat(250_000)}1]}`]) {
      assert.throws(() => parseJson(bytes(text)), /must not have more than 200000 values/)
    }
  })

  it('rejects a body with too many bytes outside of texts before it parses it', () => {
    for (const text of [`[${`1${'0'.repeat(700)},`.repeat(2_000)}1]`, `[${' '.repeat(2_000_000)}1]`]) {
      assert.throws(() => parseJson(bytes(text)), /must not have more than 1048576 bytes outside of texts/)
    }
  })

  it('does not count what is in strings', () => {
    const text = '{[,"\\'.repeat(100_000)
    assert.deepEqual(parseJson(bytes(JSON.stringify([text, text]))), [text, text])
    assert.deepEqual(parseJson(bytes(`["${'\\u002c,'.repeat(100_000)}"]`)), [',,'.repeat(100_000)])
  })
})

describe('the query string', () => {
  it('parses numbers and booleans strictly', async () => {
    const good = await host.call('GET /v1/specimen/typed-query?integer=-12&number=1.5&flag=true&choice=two')
    assert.deepEqual(good.body, { integer: -12, number: 1.5, flag: true, choice: 'two' })
    for (const [query, field] of [
      ['integer=1.5', 'integer'],
      ['integer=', 'integer'],
      ['integer=1e3', 'integer'],
      ['integer=%201', 'integer'],
      ['integer=0x10', 'integer'],
      ['integer=99999999999999999999', 'integer'],
      ['number=NaN', 'number'],
      ['flag=yes', 'flag'],
      ['flag', 'flag'],
      ['choice=three', 'choice'],
    ]) {
      const answer = await host.call(`GET /v1/specimen/typed-query?${query}`)
      assert.equal(answer.status, 400, query)
      assert.equal(answer.body.error.param, field, query)
    }
  })

  it('rejects repeated fields, unknown fields and __proto__', async () => {
    for (const [query, says] of [
      ['integer=1&integer=2', 'must be given once'],
      ['other=1', 'is not a field here'],
      ['other=1&other=2', 'is not a field here'],
      ['interger=1', 'is not a field here; did you mean `integer`?'],
      ['__proto__=1', 'is not a field here'],
    ]) {
      const answer = await host.call(`GET /v1/specimen/typed-query?${query}`)
      assert.equal(answer.status, 400, query)
      assert.equal(answer.body.error.fields[0].says, says, query)
    }
  })

  it('must not contain fields of the body', async () => {
    const answer = await host.call('POST /v1/specimen/echo?text=a', { body: {} })
    assert.equal(answer.status, 400)
    assert.deepEqual(answer.body.error.fields, [{ path: 'text', says: 'must be sent in the body, not in the query' }])
  })
})
