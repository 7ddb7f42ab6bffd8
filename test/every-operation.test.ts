// Derived from the declarations: what must hold for every operation there is, and for every one there will be.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import { every, fieldsOf, requiredOf, rightCall, send, wrongValues } from './derive.ts'
import { startHost } from './host.ts'
import { startIdentity } from './identity.ts'

const host = await startHost({ now: new Date().toISOString() })
await startIdentity(host)
let count = 0
const salt = () => `s${count++}`

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
    it('answers as declared when all is right', async () => {
      const { input, ...who } = await right()
      const answer = await send(host, entry, input, who)
      assert.equal(answer.status, operation.status, answer.text)
    })

    if (operation.access !== 'public') {
      it('is 401 without a credential, before anything else is looked at', async () => {
        const answer = await send(host, entry, { nonsense: 1 }, { as: null })
        assert.equal(answer.status, 401)
        assert.equal(answer.body.error.code, 'credential_required')
      })

      it('is 403 for a publishable key', async () => {
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

    it('refuses a field that is not declared, by name', async () => {
      const { input, ...who } = await right()
      const answer = await send(host, entry, { ...input, undeclared: 'x' }, who)
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error.param, 'undeclared')
    })

    for (const field of Object.keys(fieldsOf(operation))) {
      it(`refuses a wrong \`${field}\`, by name`, async () => {
        const values = wrongValues(operation, field)
        assert.ok(values.length > 0, 'no wrong value is known for this field')
        const { input, ...who } = await right()
        for (const value of values) {
          const answer = await send(host, entry, { ...input, [field]: value }, who)
          assert.equal(answer.status, 400, `${JSON.stringify(value).slice(0, 80)}: ${answer.text}`)
          assert.ok(String(answer.body.error.param).startsWith(field), answer.text)
        }
      })
    }

    for (const field of requiredOf(operation).filter(name => !operation.pathFields.includes(name))) {
      it(`asks for \`${field}\` when it is missing`, async () => {
        const { input, ...who } = await right()
        const { [field]: _, ...rest } = input
        const answer = await send(host, entry, rest, who)
        assert.equal(answer.status, 400)
        assert.deepEqual(answer.body.error.fields, [{ path: field, says: 'is required' }])
      })
    }

    if (operation.bodyKind !== 'none') {
      it('is 413 for a body over its limit', async () => {
        const body = Buffer.alloc(operation.bodyLimit + 1, 0x20)
        const { input, as, headers } = await right()
        const asked = { as, body, headers: { ...headers, 'content-type': 'application/json' } }
        const answer = await send(host, entry, input, asked)
        assert.equal(answer.status, 413)
        assert.equal(answer.body.error.code, 'body_too_large')
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
