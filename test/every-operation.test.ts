// Derived from the declarations: rules that every operation follows, including future ones.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import * as zlib from 'node:zlib'
import type { Encoding } from '../src/kit/operation.ts'
import { type Case, runCases } from './cases.ts'
import {
  acceptsBody,
  allOperations,
  allServices,
  type Entry,
  faultCodeOf,
  fieldsOf,
  hasInvalidValues,
  invalidValues,
  requiredOf,
  send,
  type ValidCall,
  validCall,
} from './derive.ts'
import { startHost } from './host.ts'
import { startIdentity } from './identity.ts'
import { FAILING_OR_ENDLESS } from './specimen.ts'

const host = await startHost({ services: allServices, now: 'real' })
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

const blanks = new Map<string, Buffer>()
/** A compressed body of that many spaces. Many operations have the same limit, and compressing takes longer than the
 *  call. */
function encodedBlanks(encoding: Encoding, bytes: number): Buffer {
  const name = `${encoding} ${bytes}`
  const encoded = blanks.get(name) ?? ENCODE[encoding](Buffer.alloc(bytes, 0x20))
  blanks.set(name, encoded)
  return encoded
}

describe('the pattern of every field', () => {
  const patterns = new Map(
    allOperations.flatMap(({ operation }) =>
      Object.entries(fieldsOf(operation)).map(([name, { pattern }]) => [String(pattern ?? ''), name] as const),
    ),
  )
  patterns.delete('')
  for (const [pattern, field] of patterns) {
    it(`of \`${field}\` reads any text in one pass: ${pattern}`, () => {
      // A pattern with quadratic time would take hours for these, not milliseconds.
      const texts = ['a', ' ', '-', '0', 'é', 'a-', ' a'].map(part => `${part.repeat(200_000)}\n`)
      const script = 'texts.some(text => new RegExp(pattern, "u").test(text))'
      assert.equal(runInNewContext(script, { texts, pattern }, { timeout: 60_000 }), false)
    })
  }
})

type Subject = { entry: Entry; right(): Promise<ValidCall> }

/** The rules for an operation, if its declaration has the part that the rule concerns. */
function casesOf(entry: Entry): Case[] {
  const subject = { entry, right: () => validCall(host, entry, salt()) }
  return [...accessCases(subject), ...fieldCases(subject), ...bodyCases(subject)]
}

function accessCases({ entry, right }: Subject): Case[] {
  const { id, operation } = entry
  const cases: Case[] = []
  if (!FAILING_OR_ENDLESS.includes(id)) {
    cases.push([
      'a right call gets the declared status',
      async () => {
        const { input, ...who } = await right()
        const answer = await send(host, entry, input, who)
        assert.equal(answer.status, operation.status, answer.text)
      },
    ])
  }
  if (operation.access === 'public') return cases
  cases.push([
    'no credential is refused, whatever the input',
    async () => {
      const answer = await send(host, entry, { nonsense: 1 }, { as: null })
      const { withoutCredential } = operation
      assert.equal(answer.status, withoutCredential === null ? 401 : 403)
      const usual = operation.access === 'ingest' ? 'ingest_key_required' : 'credential_required'
      const expected = withoutCredential ?? usual
      assert.ok([expected, null].includes(faultCodeOf(operation, answer)), answer.text)
    },
  ])
  cases.push([
    '403 for an unknown publishable key',
    async () => {
      const { input } = await right()
      const answer = await send(host, entry, input, { as: `pk-${host.home.key.slice(3)}` })
      assert.equal(answer.status, 403)
    },
  ])
  cases.push([
    '404 for a project that the organisation does not have',
    async () => {
      const { input, ...who } = await right()
      const headers = { ...who.headers, 'x-project-id': 'no-such-project' }
      const answer = await send(host, entry, input, { ...who, headers })
      assert.equal(answer.status, 404, answer.text)
      assert.ok(['not_found', null].includes(faultCodeOf(operation, answer)), answer.text)
    },
  ])
  if (operation.access !== 'superadmin') return cases
  cases.push([
    '403 for the owner of an ordinary organisation',
    async () => {
      const { input } = await right()
      assert.equal((await send(host, entry, input, { as: host.home.key })).status, 403)
    },
  ])
  return cases
}

function fieldCases({ entry, right }: Subject): Case[] {
  const { operation } = entry
  const undeclared: Case = [
    'rejects an undeclared field by name',
    async () => {
      const { input, ...who } = await right()
      const answer = await send(host, entry, { ...input, undeclared: 'x' }, who)
      assert.equal(answer.status, 400)
      assert.match(answer.text, /`undeclared`/)
    },
  ]
  const wrong = Object.keys(fieldsOf(operation))
    .filter(field => hasInvalidValues(operation, field))
    .map((field): Case => {
      const run = async () => {
        const values = invalidValues(operation, field)
        assert.ok(values.length > 0, 'no wrong value is known for this field')
        const { input, ...who } = await right()
        for (const value of values) {
          const answer = await send(host, entry, { ...input, [field]: value }, who)
          assert.equal(answer.status, 400, `${JSON.stringify(value).slice(0, 80)}: ${answer.text}`)
          assert.ok(answer.text.includes(`\`${field}`), answer.text)
        }
      }
      return [`rejects a wrong \`${field}\` by name`, run]
    })
  const missing = requiredOf(operation)
    .filter(field => !operation.pathFields.includes(field))
    .map((field): Case => {
      const run = async () => {
        const { input, ...who } = await right()
        const { [field]: _, ...rest } = input
        const answer = await send(host, entry, rest, who)
        assert.equal(answer.status, 400)
        assert.ok(answer.text.includes(`\`${field}\` is required`), answer.text)
      }
      return [`asks for a missing \`${field}\``, run]
    })
  // A body that is not ours may have any fields.
  const passes = operation.passesUnknown || (operation.bodyKind === 'parsed' && !operation.callsOperations)
  return [...(passes ? [] : [undeclared]), ...wrong, ...missing]
}

function bodyCases({ entry, right }: Subject): Case[] {
  const { operation } = entry
  const { bodyLimit, decodedLimit, bodyKind, encodings, bodyExample = {} } = operation
  const post = async (body: Buffer | string, more: Record<string, string> = {}) => {
    const { input, as, headers } = await right()
    return send(host, entry, input, { as, body, headers: { ...headers, 'content-type': 'application/json', ...more } })
  }
  const tooLarge: Case = [
    '413 for a body over its limit',
    async () => {
      const answer = await post(Buffer.alloc(bodyLimit + 1, 0x20))
      assert.equal(answer.status, 413)
      assert.ok(['body_too_large', null].includes(faultCodeOf(operation, answer)))
    },
  ]
  const encoded: Case = [
    'decodes the encodings it declares, within its limit, and answers 415 for others',
    async () => {
      for (const encoding of ENCODINGS) {
        const header = { 'content-encoding': encoding }
        const isDeclared = encodings.includes(encoding)
        const small = await post(ENCODE[encoding](Buffer.from(JSON.stringify(bodyExample))), header)
        assert.ok(isDeclared ? small.status < 400 : small.status === 415, `${encoding}: ${small.status} ${small.text}`)
        const large = await post(encodedBlanks(encoding, decodedLimit + 1), header)
        assert.equal(large.status, isDeclared ? 413 : 415, `${encoding}: ${large.text}`)
        const broken = await post(Buffer.from('not encoded at all'), header)
        assert.equal(broken.status, isDeclared ? 400 : 415, `${encoding}: ${broken.text}`)
      }
    },
  ]
  const notJson: Case = [
    '415 for a body that is not JSON',
    async () => assert.equal((await post('a=1', { 'content-type': 'text/plain' })).status, 415),
  ]
  return [...(acceptsBody(operation) ? [tooLarge, encoded] : []), ...(bodyKind === 'json' ? [notJson] : [])]
}

describe('every operation follows the rules that all operations share', () => {
  for (const entry of allOperations) {
    const { method, path } = entry.operation
    it(`${entry.id}: ${method} ${path}`, () => runCases(casesOf(entry)))
  }
})

it('covers every kind of body, answer and access', () => {
  const seen = (of: (entry: (typeof allOperations)[number]) => string) => [...new Set(allOperations.map(of))].sort()
  assert.deepEqual(
    seen(({ operation }) => operation.access),
    ['admin', 'bearer', 'ingest', 'person', 'public', 'reader', 'superadmin'],
  )
  assert.deepEqual(
    seen(({ operation }) => operation.bodyKind),
    ['bytes', 'json', 'none', 'parsed', 'stream'],
  )
  assert.deepEqual(
    seen(({ operation }) => operation.answer.kind),
    ['either', 'events', 'nothing', 'reply', 'value'],
  )
  for (const flag of ['metered', 'issuesCredential', 'endsCredential', 'callsOperations'] as const) {
    assert.ok(
      allOperations.some(({ operation }) => operation[flag]),
      flag,
    )
  }
})
