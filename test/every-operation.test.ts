// Derived from the declarations: what must hold for every operation there is, and for every one there will be.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import * as zlib from 'node:zlib'
import type { Encoding } from '../src/kit/operation.ts'
import {
  codeIn,
  every,
  everyService,
  fieldsOf,
  refusesSome,
  requiredOf,
  rightCall,
  send,
  takesBody,
  wrongValues,
} from './derive.ts'
import { startHost } from './host.ts'
import { startIdentity } from './identity.ts'
import { UNFIT } from './specimen.ts'

const host = await startHost({ services: everyService, now: new Date().toISOString() })
await startIdentity(host)
let count = 0
const salt = () => `s${count++}`

const ENCODE: Record<Encoding, (bytes: Buffer) => Buffer> = {
  gzip: bytes => zlib.gzipSync(bytes),
  deflate: bytes => zlib.deflateSync(bytes),
  br: bytes => zlib.brotliCompressSync(bytes),
  zstd: bytes => zlib.zstdCompressSync(bytes),
}
const ENCODINGS = Object.keys(ENCODE) as Encoding[]

describe('the pattern of every field', () => {
  const patterns = new Map(
    every.flatMap(({ operation }) =>
      Object.entries(fieldsOf(operation)).map(([name, { pattern }]) => [String(pattern ?? ''), name] as const),
    ),
  )
  patterns.delete('')
  for (const [pattern, field] of patterns) {
    it(`of \`${field}\` reads any text in one pass: ${pattern}`, () => {
      // A pattern that goes over the text again for each of its characters needs hours for these, not milliseconds.
      const texts = ['a', ' ', '-', '0', 'é', 'a-', ' a'].map(part => `${part.repeat(200_000)}\n`)
      const script = 'texts.some(text => new RegExp(pattern, "u").test(text))'
      assert.equal(runInNewContext(script, { texts, pattern }, { timeout: 5_000 }), false)
    })
  }
})

for (const entry of every) {
  const { id, operation } = entry
  const right = () => rightCall(host, entry, salt())

  describe(`${id}: ${operation.method} ${operation.path}`, () => {
    if (!UNFIT.includes(id)) {
      it('answers as declared when all is right', async () => {
        const { input, ...who } = await right()
        const answer = await send(host, entry, input, who)
        assert.equal(answer.status, operation.status, answer.text)
      })
    }

    if (operation.access !== 'public') {
      it('is 401 without a credential, before anything else is looked at', async () => {
        const answer = await send(host, entry, { nonsense: 1 }, { as: null })
        assert.equal(answer.status, 401)
        const expected = operation.access === 'ingest' ? 'ingest_key_required' : 'credential_required'
        assert.ok([expected, null].includes(codeIn(operation, answer)), answer.text)
      })

      it('is 403 for a publishable key that is not one', async () => {
        const { input } = await right()
        const answer = await send(host, entry, input, { as: `pk-${host.home.key.slice(3)}` })
        assert.equal(answer.status, 403)
      })
    }

    if (operation.access === 'superadmin') {
      it('is 403 for the owner of an ordinary organisation', async () => {
        const { input } = await right()
        assert.equal((await send(host, entry, input, { as: host.home.key })).status, 403)
      })
    }

    if (!operation.passesUnknown) {
      it('refuses a field that is not declared, by name', async () => {
        const { input, ...who } = await right()
        const answer = await send(host, entry, { ...input, undeclared: 'x' }, who)
        assert.equal(answer.status, 400)
        assert.match(answer.text, /`undeclared`/)
      })
    }

    for (const field of Object.keys(fieldsOf(operation)).filter(name => refusesSome(operation, name))) {
      it(`refuses a wrong \`${field}\`, by name`, async () => {
        const values = wrongValues(operation, field)
        assert.ok(values.length > 0, 'no wrong value is known for this field')
        const { input, ...who } = await right()
        for (const value of values) {
          const answer = await send(host, entry, { ...input, [field]: value }, who)
          assert.equal(answer.status, 400, `${JSON.stringify(value).slice(0, 80)}: ${answer.text}`)
          assert.ok(answer.text.includes(`\`${field}`), answer.text)
        }
      })
    }

    for (const field of requiredOf(operation).filter(name => !operation.pathFields.includes(name))) {
      it(`asks for \`${field}\` when it is missing`, async () => {
        const { input, ...who } = await right()
        const { [field]: _, ...rest } = input
        const answer = await send(host, entry, rest, who)
        assert.equal(answer.status, 400)
        assert.ok(answer.text.includes(`\`${field}\` is required`), answer.text)
      })
    }

    if (takesBody(operation)) {
      const sent = async (body: Buffer, more: Record<string, string>) => {
        const { input, as, headers } = await right()
        const asked = { as, body, headers: { ...headers, 'content-type': 'application/json', ...more } }
        return send(host, entry, input, asked)
      }

      it('is 413 for a body over its limit', async () => {
        const answer = await sent(Buffer.alloc(operation.bodyLimit + 1, 0x20), {})
        assert.equal(answer.status, 413)
        assert.ok(['body_too_large', null].includes(codeIn(operation, answer)))
      })

      it('opens the encodings it takes, within its limit, and is 415 for others', async () => {
        for (const encoding of ENCODINGS) {
          const encoded = { 'content-encoding': encoding }
          const small = await sent(ENCODE[encoding](Buffer.from('{}')), encoded)
          const large = await sent(ENCODE[encoding](Buffer.alloc(operation.bodyLimit + 1, 0x20)), encoded)
          const takes = operation.encodings.includes(encoding)
          assert.equal(takes ? 'taken' : small.status, takes ? 'taken' : 415, `${encoding}: ${small.text}`)
          if (takes) assert.ok(small.status < 400, `${encoding}: ${small.text}`)
          assert.equal(large.status, takes ? 413 : 415, `${encoding}: ${large.text}`)
          const broken = await sent(Buffer.from('not encoded at all'), encoded)
          assert.equal(broken.status, takes ? 400 : 415, `${encoding}: ${broken.text}`)
        }
      })
    }

    if (operation.bodyKind === 'json') {
      it('is 415 for a body that is not JSON', async () => {
        const { input, as, headers } = await right()
        const asked = { as, body: 'a=1', headers: { ...headers, 'content-type': 'text/plain' } }
        const answer = await send(host, entry, input, asked)
        assert.equal(answer.status, 415)
      })
    }
  })
}

it('meets every kind of body, answer and access there is', () => {
  const seen = (of: (entry: (typeof every)[number]) => string) => [...new Set(every.map(of))].sort()
  assert.deepEqual(
    seen(({ operation }) => operation.access),
    ['admin', 'bearer', 'ingest', 'public', 'reader', 'superadmin'],
  )
  assert.deepEqual(
    seen(({ operation }) => operation.bodyKind),
    ['bytes', 'json', 'none', 'parsed', 'stream'],
  )
  assert.deepEqual(
    seen(({ operation }) => operation.answer.kind),
    ['either', 'events', 'nothing', 'reply', 'value'],
  )
  for (const flag of ['metered', 'issuesCredential', 'endsCredential', 'door'] as const) {
    assert.ok(
      every.some(({ operation }) => operation[flag]),
      flag,
    )
  }
})
