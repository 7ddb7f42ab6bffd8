// Sends every example request of the OpenAPI document to a real host.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/schema'
import { sectionsOf } from '../src/host/host.ts'
import { openapiDocument } from '../src/host/openapi.ts'
import type { FaultCode } from '../src/kit/fault.ts'
import { services } from '../src/services/index.ts'
import { allOperations, type Input, validCall } from './derive.ts'
import { type Answer, type RequestOptions, startHost } from './host.ts'
import { startIdentity } from './identity.ts'
import { type Document, type Documented, JSON_TYPE, operationsIn, successOf } from './openapi/read.ts'
import { publish, small, sourcesOf } from './publishers.ts'

const host = await startHost({ now: 'real' })
await startIdentity(host)
for (const source of sourcesOf('domain')) publish(host, source, small[source] as string)
const document = openapiDocument(sectionsOf(services)) as Document

/** Operations whose example is refused unless something exists first: how, and the fields that then name it. Any other
 *  operation with a thing in its path may be refused because there is no such thing. */
const REFUSED: Record<string, [code: FaultCode, fields: string[], because: string]> = {
  changePassword: ['invalid_input', ['current'], 'nobody has the password of the example'],
  changeEmail: ['invalid_input', ['current'], 'nobody has the password of the example'],
  finishLogin: ['sign_in_failed', ['state', 'code', 'iss'], 'a browser must have started a sign-in'],
  createChatCompletion: ['not_found', ['model'], 'a provider must have the model'],
  createResponse: ['not_found', ['model'], 'a provider must have the model'],
  createMessage: ['not_found', ['model'], 'a provider must have the model'],
  deleteOrg: ['not_found', ['slug', 'confirm'], 'the organisation must exist, and `confirm` repeat its name'],
}

/** The request of the document, with some of its fields replaced. */
function send({ method, path, entry }: Documented, replaced: Input, { as, headers }: RequestOptions): Promise<Answer> {
  const { parameters = [], requestBody } = entry
  const values = (location: string) =>
    parameters
      .map(({ name, in: at, example }) => [name, replaced[name] ?? example, at] as const)
      .filter(([, value, at]) => at === location && value !== undefined)
      .map(([name, value]) => [name, String(value)] as [string, string])
  const inPath = new Map(values('path'))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath.get(name) ?? ''))
  const query = new URLSearchParams(values('query'))
  const example = requestBody?.content[JSON_TYPE]?.example as Input | undefined
  const own = Object.entries(replaced).filter(([name]) => example && name in example)
  const body = example && { ...example, ...Object.fromEntries(own) }
  const sent = { ...headers, ...Object.fromEntries(values('header')) }
  return host.call(`${method} ${filled}${query.size > 0 ? `?${query}` : ''}`, { as: as ?? null, headers: sent, body })
}

/** Creates the project that the example of X-Project-Id names, for as long as the test runs: the example that creates a
 *  project has the same slug. */
async function withProject({ entry }: Documented, t: TestContext): Promise<void> {
  const slug = entry.parameters?.find(({ name }) => name === 'X-Project-Id')?.example
  if (slug === undefined) return
  const { status } = await host.call('POST /v1/projects', { body: { slug, name: 'Web shop' } })
  if (status === 201) t.after(() => host.call(`DELETE /v1/projects/${slug}`))
}

function requireDocumented({ entry, route }: Documented, answer: Answer): void {
  const [status, { headers = {}, content }] = successOf(entry)
  assert.equal(answer.status, status, `${route}: ${answer.text}`)
  assert.ok(answer.headers['x-request-id'])
  if ('Location' in headers) assert.ok(answer.headers.location)
  const schema = content?.[JSON_TYPE]?.schema
  assert.equal(answer.body !== null, schema !== undefined, route)
  if (!schema) return
  const check = Compile({ components: document.components, ...schema } as TSchema)
  assert.ok(check.Check(answer.body), `${route}: ${answer.text}`)
}

describe('every example request of the OpenAPI document', () => {
  for (const [count, documented] of operationsIn(document).entries()) {
    const { route, entry } = documented
    const id = entry.operationId
    it(`${id}: ${route}`, async t => {
      await withProject(documented, t)
      const declared = allOperations.find(one => one.id === id)
      assert.ok(declared)
      const { input, ...who } = await validCall(host, declared, `e${count}`)
      const asDocumented = await send(documented, {}, who)
      if (asDocumented.status < 400) {
        assert.ok(!(id in REFUSED), `${route} works as documented; remove it from REFUSED`)
        return requireDocumented(documented, asDocumented)
      }
      const [code, fields] = REFUSED[id] ?? ['not_found', declared.operation.pathFields]
      assert.ok(fields.length > 0, `${route}: ${asDocumented.text}`)
      assert.equal(asDocumented.body.error.code, code, `${route}: ${asDocumented.text}`)
      const named = Object.fromEntries(fields.map(name => [name, input[name]]))
      requireDocumented(documented, await send(documented, named, who))
    })
  }
})
