import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import { specimen } from '../../test/specimen.ts'

const host = await startHost({ services: [specimen] })
const echo = (body: string | Buffer) =>
  host.call('POST /v1/specimen/echo', { body, headers: { 'content-type': 'application/json' } })
const nested = (levels: number) => `{"tree":${'['.repeat(levels)}${']'.repeat(levels)}}`

describe('JSON', () => {
  for (const [name, body, message] of [
    ['cut off', '{"text":"a', /not valid JSON/],
    ['followed by more', '{} {}', /not valid JSON/],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /UTF-8/],
  ] as const) {
    it(`${name} is 400`, async () => {
      const answer = await echo(body)
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error.code, 'malformed_request')
      assert.match(answer.body.error.message, message)
    })
  }

  it('with a name that would change a prototype is 400 naming it', async () => {
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

  it('that is not an object is 400', async () => {
    for (const body of ['[]', '"text"', '1', 'null', 'true']) {
      const answer = await echo(body)
      assert.equal(answer.status, 400, body)
      assert.deepEqual(answer.body.error.fields, [{ path: 'body', says: 'must be a JSON object' }])
    }
  })

  it('may be nested 32 deep and not a level more', async () => {
    assert.equal((await echo(nested(32))).status, 200)
    const answer = await echo(nested(33))
    assert.equal(answer.status, 400)
    assert.match(answer.body.error.message, /deeper than 32/)
    assert.equal((await echo(nested(100_000))).status, 400)
  })

  it('with text no database can keep is 400 naming the field', async () => {
    for (const text of ['"a\\u0000b"', '"\\ud800"']) {
      const answer = await echo(`{"text":${text}}`)
      assert.equal(answer.status, 400, text)
      assert.equal(answer.body.error.param, 'text')
    }
    const key = await echo('{"tree":{"a\\u0000":1}}')
    assert.equal(key.status, 400)
    assert.equal(key.body.error.param, 'tree')
  })

  it('fields nobody declared are refused by name', async () => {
    const answer = await echo('{"txet":"a","tree":1}')
    assert.equal(answer.status, 400)
    assert.deepEqual(answer.body.error.fields, [{ path: 'txet', says: 'is not a field here' }])
    assert.equal(answer.body.error.param, 'txet')
  })
})

describe('the query', () => {
  it('reads numbers and booleans strictly', async () => {
    const good = await host.call('GET /v1/specimen/typed?whole=-12&number=1.5&flag=true&word=two')
    assert.deepEqual(good.body, { whole: -12, number: 1.5, flag: true, word: 'two' })
    for (const [query, field] of [
      ['whole=1.5', 'whole'],
      ['whole=', 'whole'],
      ['whole=1e3', 'whole'],
      ['whole=%201', 'whole'],
      ['whole=0x10', 'whole'],
      ['whole=99999999999999999999', 'whole'],
      ['number=NaN', 'number'],
      ['flag=yes', 'flag'],
      ['flag', 'flag'],
      ['word=three', 'word'],
    ]) {
      const answer = await host.call(`GET /v1/specimen/typed?${query}`)
      assert.equal(answer.status, 400, query)
      assert.equal(answer.body.error.param, field, query)
    }
  })

  it('refuses a field given twice, an unknown one, and __proto__', async () => {
    for (const [query, says] of [
      ['whole=1&whole=2', 'must be given once'],
      ['hole=1', 'is not a field here'],
      ['hole=1&hole=2', 'is not a field here'],
      ['__proto__=1', 'is not a field here'],
    ]) {
      const answer = await host.call(`GET /v1/specimen/typed?${query}`)
      assert.equal(answer.status, 400, query)
      assert.equal(answer.body.error.fields[0].says, says, query)
    }
  })

  it('is no place for the fields of a body', async () => {
    const answer = await host.call('POST /v1/specimen/echo?text=a', { body: {} })
    assert.equal(answer.status, 400)
    assert.deepEqual(answer.body.error.fields, [{ path: 'text', says: 'must be sent in the body, not in the query' }])
  })
})
