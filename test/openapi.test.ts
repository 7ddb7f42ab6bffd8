// The OpenAPI document: names, texts and examples. `npm run test:openapi` lints it and generates clients from it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/schema'
import { sectionsOf } from '../src/host/host.ts'
import { openapiDocument, type Section } from '../src/host/openapi.ts'
import { native } from '../src/kit/dialect.ts'
import { type FaultCode, statusOf } from '../src/kit/fault.ts'
import { operation } from '../src/kit/operation.ts'
import { listing } from '../src/kit/page.ts'
import { services } from '../src/services/index.ts'
import { type Document, JSON_TYPE, operationsIn, resolve, type Schema, successOf } from './openapi/read.ts'
import { specimen } from './specimen.ts'

const documentOf = (sections: readonly Section[]) => openapiDocument(sections) as Document
const sections = sectionsOf(services)
const document = documentOf(sections)
const { schemas, examples = {} } = document.components
const operations = operationsIn(document)

const declarations = new Map(sections.flatMap(one => Object.entries(one.operations)))
/** Whether the body or the answer of an operation has a format that is not ours, and so no schema. */
const isForeign = ({ operationId }: { operationId: string }) => declarations.get(operationId)?.answer.kind === 'reply'

const declared = { access: 'public', summary: 'Does it', audit: 'none', run: (): never => assert.fail() } as const
const thing = (title: string, fields = { id: Type.String() }) => Type.Object(fields, { title })
const specimenOf = (outputs: Record<string, TSchema>) => {
  const entries = Object.entries(outputs).map(([id, output]) => [
    id,
    operation({ ...declared, route: `POST /v1/x/${id}`, output } as never),
  ])
  return documentOf([{ name: 'x', what: 'Specimens', operations: Object.fromEntries(entries) }])
}

/** The lines of what a check finds, so that a failure lists all of it. */
const none = (found: readonly string[]) => assert.deepEqual(found, [])

describe('the schemas of the OpenAPI document', () => {
  it('are components with the names of the things they describe', () => {
    const things = ['Project', 'Domain', 'Key', 'Organisation', 'Member', 'Invite', 'Invitation', 'App', 'Session']
    const others = ['AuditEntry', 'Workspace', 'Me', 'ReferenceSet', 'ReferenceOverride', 'ReferenceAnswer', 'Fault']
    const lists = things.filter(name => !['Project', 'Domain'].includes(name)).map(name => `${name}List`)
    none([...things, ...others, ...lists, 'CreateProjectInput'].filter(name => !(name in schemas)))
  })

  it('are referred to wherever they occur, in bodies, answers, listings and lists', () => {
    const inline = operations.flatMap(({ entry }) => {
      const contents = [entry.requestBody, ...Object.values(entry.responses)].map(one => one?.content?.[JSON_TYPE])
      const bodies = contents.filter(media => media !== undefined && media.schema?.$ref === undefined)
      return bodies.length > 0 && !isForeign(entry) ? [entry.operationId] : []
    })
    none(inline)
    assert.deepEqual(schemas.ProjectList?.properties?.data?.items, { $ref: '#/components/schemas/Project' })
    assert.deepEqual(schemas.Domain?.properties?.records?.items, { $ref: '#/components/schemas/DnsRecord' })
    assert.deepEqual(schemas.GetReferenceOutput?.properties?.set, { $ref: '#/components/schemas/ReferenceSet' })
  })

  it('are found in unions and records too', () => {
    const output = Type.Object({
      either: Type.Union([thing('Alpha'), Type.Null()]),
      many: Type.Record(Type.String(), thing('Beta', { id: Type.Integer() as never })),
      maybe: Type.Optional(thing('Alpha')),
    })
    const { components } = specimenOf({ readAll: output })
    const { either, many, maybe } = components.schemas.ReadAllOutput?.properties ?? {}
    assert.deepEqual(either?.anyOf, [{ $ref: '#/components/schemas/Alpha' }, { type: 'null' }])
    assert.deepEqual(many, { type: 'object', additionalProperties: { $ref: '#/components/schemas/Beta' } })
    assert.deepEqual(maybe, { $ref: '#/components/schemas/Alpha' })
    assert.deepEqual(Object.keys(components.schemas).sort(), ['Alpha', 'Beta', 'Fault', 'FieldFault', 'ReadAllOutput'])
  })

  it('have different names if they differ', () => {
    const other = thing('Alpha', { id: Type.Integer() as never })
    assert.throws(() => specimenOf({ one: thing('Alpha'), two: other }), /two different schemas are named Alpha/)
    assert.throws(() => specimenOf({ one: thing('OneList'), two: listing(thing('One')) }), /named OneList/)
    assert.throws(() => specimenOf({ one: thing('not a name') }), /cannot be named not a name/)
    assert.ok(specimenOf({ one: thing('Alpha'), two: listing(thing('Alpha')) }).components.schemas.AlphaList)
  })

  it('have no pattern that tools without the flag `u` read differently', () => {
    const { name } = schemas.CreateProjectInput?.properties ?? {}
    assert.equal(name?.pattern, undefined)
    assert.match(String(name?.description), /one line, not blank/)
    assert.doesNotMatch(JSON.stringify(document), /"pattern":"[^"]*\\\\p\{/)
  })
})

describe('the body of POST /v1/event', () => {
  const { entry } = operations.find(({ route }) => route === 'POST /v1/event') ?? assert.fail()

  it('is documented: an event with its fields, or a list of at most 50', () => {
    const [one, many] = resolve(document, entry.requestBody?.content[JSON_TYPE]?.schema ?? {}).anyOf ?? []
    assert.deepEqual([one, many?.items], [{ $ref: '#/components/schemas/Event' }, one])
    assert.equal((many as { maxItems?: number }).maxItems, 50)
    const ids = ['distinctId', 'anonymousId', 'sessionId', 'messageId']
    const fields = ['event', 'properties', ...ids, 'timestamp', 'revenue', 'currency', 'subject']
    assert.deepEqual(Object.keys(schemas.Event?.properties ?? {}), fields)
    assert.equal(schemas.Event?.additionalProperties, true, 'other fields become properties')
  })

  it('is answered with a receipt', () => {
    const [, success] = successOf(entry)
    assert.deepEqual(success.content?.[JSON_TYPE]?.schema, { $ref: '#/components/schemas/EventReceipt' })
  })
})

/** Every property of a schema, with its path. */
function propertiesOf(schema: Schema, at: string): [path: string, property: Schema][] {
  const inner = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])]
  const own = Object.entries(schema.properties ?? {})
  return [
    ...own.map(([name, property]): [string, Schema] => [`${at}.${name}`, property]),
    ...own.flatMap(([name, property]) => propertiesOf(property, `${at}.${name}`)),
    ...inner.flatMap(one => (typeof one === 'object' ? propertiesOf(one, `${at}[]`) : [])),
  ]
}

const needsExample = ({ type, enum: values, const: constant }: Schema) =>
  ['string', 'integer', 'number'].includes(String(type)) && values === undefined && constant === undefined

describe('the texts of the OpenAPI document', () => {
  const properties = Object.entries(schemas).flatMap(([name, schema]) => propertiesOf(schema, name))

  it('describe every operation beyond its summary', () => {
    assert.ok(operations.length > 50)
    none(
      operations
        .filter(({ entry: { summary, description = '' } }) => !summary || !description || description === summary)
        .map(({ route }) => route),
    )
  })

  it('describe every parameter, schema, property and response', () => {
    assert.ok(properties.length > 200)
    none(Object.keys(schemas).filter(name => !schemas[name]?.description))
    none(properties.filter(([, one]) => !resolve(document, one).description).map(([path]) => path))
    const parts = operations.flatMap(({ route, entry }) => [
      ...(entry.parameters ?? []).map(one => [`${route} ${one.name}`, one.description] as const),
      ...Object.entries(entry.responses).map(([status, one]) => [`${route} ${status}`, one.description] as const),
    ])
    none(parts.filter(([, description]) => !description).map(([path]) => path))
  })

  it('describe every tag and use all of them', () => {
    none(document.tags.filter(({ description }) => !description).map(({ name }) => name))
    const used = new Set(operations.flatMap(({ entry }) => entry.tags))
    assert.deepEqual(used, new Set(document.tags.map(({ name }) => name)))
  })

  it('give an example of every text and number', () => {
    none(
      properties
        .filter(([, one]) => !one.$ref && needsExample(one) && one.examples === undefined)
        .map(([path]) => path),
    )
  })

  it('describe who may call an operation, what is recorded and what is limited', () => {
    const textOf = (id: string) => operations.find(({ entry }) => entry.operationId === id)?.entry.description ?? ''
    assert.match(textOf('listServices'), /Anyone may call it/)
    assert.match(textOf('createKey'), /A key with a limit, budget or rate may not\./)
    assert.match(textOf('deleteKey'), /Limited keys may call it, too/)
    assert.match(textOf('createProject'), /A key limited to projects may not\..*as `project\.create`/s)
    assert.match(textOf('getProject'), /`slug` names one.*as if they did not exist/s)
    assert.match(textOf('setReference'), /The body may be up to 8 MiB long/)
    const others = operationsIn(documentOf([specimen])).map(({ entry }) => entry.description)
    assert.ok(others.some(text => text?.includes('refused for a key that has used up its budget')))
    assert.ok(others.some(text => text?.includes('may be encoded with gzip, deflate, br, zstd')))
  })
})

describe('the responses of the OpenAPI document', () => {
  it('have one success for each operation, 2xx or 3xx, with its headers', () => {
    for (const { entry, route } of operations) {
      const [status, { headers = {} }] = successOf(entry)
      assert.ok('X-Request-Id' in headers, route)
      assert.equal('Location' in headers, status === 303, route)
      assert.equal('RateLimit' in headers, entry.security?.length !== 0, route)
    }
  })

  it('have the one schema for faults, with exactly the codes of their status', () => {
    for (const { entry, route } of operations) {
      if (declarations.get(entry.operationId)?.dialect !== native) continue
      for (const [status, { content, description, headers = {} }] of Object.entries(entry.responses)) {
        if (/^[23]/.test(status)) continue
        const media = content?.[JSON_TYPE]
        assert.deepEqual(media?.schema, { $ref: '#/components/schemas/Fault' }, route)
        const codes = Object.keys(media?.examples ?? {})
        assert.equal(description, codes.map(code => `\`${code}\``).join(', '), route)
        assert.ok(codes.length > 0, route)
        assert.ok(codes.every(code => statusOf(code as FaultCode) === Number(status)))
        assert.equal('Retry-After' in headers, ['429', '503'].includes(status), route)
        assert.equal('WWW-Authenticate' in headers, status === '401', route)
      }
    }
  })

  it('list the declared faults, and those of the host for this kind of operation', () => {
    const codesOf = (id: string) => {
      const found = operations.find(({ entry }) => entry.operationId === id)
      return Object.values(found?.entry.responses ?? {}).flatMap(one => one.description.match(/(?<=`)\w+(?=`)/g) ?? [])
    }
    for (const [id, { faults }] of declarations) {
      none(faults.filter(code => !codesOf(id).includes(code)).map(code => `${id} ${code}`))
    }
    assert.ok(codesOf('createProject').includes('csrf_token_required'))
    assert.ok(!codesOf('getProject').includes('csrf_token_required'))
    assert.ok(!codesOf('getHealth').includes('credential_required'))
  })

  it('do not show faults in our format where the operation has another one', () => {
    const found = operationsIn(documentOf([specimen])).find(({ entry }) => entry.operationId === 'jsonrpcFaults')
    const { schema, examples } = found?.entry.responses[400]?.content?.[JSON_TYPE] ?? {}
    assert.deepEqual([schema?.type, schema?.$ref, examples], ['object', undefined, undefined])
  })
})

describe('the security of the OpenAPI document', () => {
  const securityOf = (id: string, from = operations) =>
    from.find(({ entry }) => entry.operationId === id)?.entry.security

  it('asks a browser session for its token on writes only', () => {
    assert.deepEqual(securityOf('listProjects'), [{ bearer: [] }, { session: [] }])
    assert.deepEqual(securityOf('createProject'), [{ bearer: [] }, { session: [], csrf: [] }])
    assert.deepEqual(securityOf('listServices'), [])
  })

  it('accepts publishable keys where events are written', () => {
    const ingest = securityOf('ingest', operationsIn(documentOf([specimen])))
    assert.deepEqual(ingest?.slice(2), [{ ingestHeader: [] }, { ingestParameter: [] }])
    assert.deepEqual(securityOf('ingestEvents')?.slice(2), ingest?.slice(2))
    assert.ok(!JSON.stringify(securityOf('listProjects')).includes('ingestHeader'))
  })
})

describe('the examples of the OpenAPI document', () => {
  const fits = (schema: Schema, value: unknown) =>
    Compile({ components: document.components, ...schema } as TSchema).Check(value)

  it('exist for every body and every answer in JSON, and match their schemas', () => {
    let count = 0
    for (const { entry, route } of operations) {
      const [, success] = successOf(entry)
      for (const content of [entry.requestBody?.content, success.content]) {
        const media = content?.[JSON_TYPE]
        if (!media || (isForeign(entry) && !media.example)) continue
        count++
        assert.ok(fits(media.schema as Schema, media.example), `${route}: ${JSON.stringify(media.example)}`)
      }
    }
    assert.ok(count > 60)
  })

  it('exist for every parameter of a path, and match their schemas', () => {
    for (const { entry, route } of operations) {
      for (const { name, in: location, example, schema } of entry.parameters ?? []) {
        assert.ok(location !== 'path' || example !== undefined, `${route} ${name}`)
        assert.ok(example === undefined || fits(schema, example), `${route} ${name}`)
      }
    }
  })

  it('of faults match the schema, and exist for exactly the codes that occur', () => {
    const text = JSON.stringify(document.paths)
    for (const [code, { value }] of Object.entries(examples)) {
      assert.ok(fits({ $ref: '#/components/schemas/Fault' }, value), code)
      assert.ok(text.includes(`#/components/examples/${code}"`), code)
    }
  })

  it('are really checked: another value does not match', () => {
    assert.ok(!fits({ $ref: '#/components/schemas/ProjectList' }, { data: [{ slug: 'a' }], next: '' }))
  })
})
