// The operations as an OpenAPI 3.1 document. Everything in it follows from their declarations.
import type { TSchema } from 'typebox'
import { SLUG } from '../kit/fields.ts'
import { INGEST_HEADER, SESSION_COOKIE } from '../kit/host/credentials.ts'
import type { Access, Operation } from '../kit/operation.ts'
import type { Service } from '../kit/service.ts'
import { exampleFields } from './openapi/example-fields.ts'
import { openResponses, type Responses } from './openapi/responses.ts'
import { openSchemas, type Schema, type Schemas } from './openapi/schemas.ts'
import { descriptionOf, INTRODUCTION } from './openapi/texts.ts'
import { INGEST_PARAMETER } from './presented.ts'
import { methodsOf } from './routes.ts'

/** The operations of one service. The host's own section comes first. */
export type Section = Pick<Service, 'name' | 'what' | 'operations'> & Partial<Pick<Service, 'emits'>>

const SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A secret key of the organisation, `sk-…`, or an access token of the identity provider.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: 'A browser session, started by `GET /v1/account/login`. Writes also need `csrf`.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'The token from `GET /v1/account/csrf`, which proves that a page of this host sent the write.',
  },
}
const INGEST_SCHEMES = {
  ingestHeader: { type: 'apiKey', in: 'header', name: INGEST_HEADER, description: 'A publishable key, `pk-…`.' },
  ingestParameter: { type: 'apiKey', in: 'query', name: INGEST_PARAMETER, description: 'The same, for beacons.' },
}

/** Each entry is sufficient on its own. */
const READ = [{ bearer: [] }, { session: [] }]
const WRITE = [{ bearer: [] }, { session: [], csrf: [] }]

function securityOf(access: Access, method: string): object[] {
  if (access === 'public') return []
  const common = method === 'GET' || method === 'HEAD' ? READ : WRITE
  return access === 'ingest' ? [...common, { ingestHeader: [] }, { ingestParameter: [] }] : common
}

export function openapiDocument(sections: readonly Section[]): object {
  const schemas = openSchemas()
  const responses = openResponses(schemas)
  const paths: Record<string, Record<string, object>> = {}
  for (const { name, operations } of sections) {
    for (const [id, operation] of Object.entries(operations)) {
      const path = operation.path.replace(/\{(\w+)\.\.\.\}/, '{$1}')
      paths[path] = { ...paths[path], ...entriesOf(id, name, operation, { schemas, responses }) }
    }
  }
  const ingests = sections.some(({ operations }) => Object.values(operations).some(one => one.access === 'ingest'))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stoa',
      version: 'v1',
      summary: "One HTTP host that provides a product's back end",
      description: INTRODUCTION,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The host that serves this document' }],
    security: READ,
    tags: sections
      .filter(({ operations }) => Object.keys(operations).length > 0)
      .map(({ name, what }) => ({ name, description: `${what}.` })),
    paths,
    components: {
      schemas: schemas.all(),
      ...responses.components(),
      securitySchemes: { ...SCHEMES, ...(ingests && INGEST_SCHEMES) },
    },
  }
}

type Components = { schemas: Schemas; responses: Responses }

/** OpenAPI cannot express `ANY`, so such an operation gets an entry for each method. */
function entriesOf(id: string, tag: string, operation: Operation, components: Components): Record<string, object> {
  const isAny = operation.method === 'ANY'
  const methods = isAny ? methodsOf(operation).filter(one => one !== 'OPTIONS') : [operation.method]
  return Object.fromEntries(
    methods.map(method => {
      const operationId = isAny ? `${id}_${method.toLowerCase()}` : id
      const entry = entryOf(id, method, operation, components)
      return [method.toLowerCase(), { operationId, tags: [tag], ...entry }]
    }),
  )
}

function entryOf(id: string, method: string, operation: Operation, { schemas, responses }: Components): object {
  const name = id.charAt(0).toUpperCase() + id.slice(1)
  const body = method === 'GET' || method === 'HEAD' ? null : bodyOf(operation, `${name}Input`, schemas)
  const parameters = parametersOf(operation, schemas)
  return {
    summary: operation.summary,
    description: descriptionOf(operation),
    security: securityOf(operation.access, method),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: responses.of(operation, `${name}Output`),
  }
}

const PROJECT_HEADER = {
  name: 'X-Project-Id',
  in: 'header',
  required: false,
  description:
    'The slug of the project to act in; defaults to the only project of the key if it has just one, otherwise to none',
  example: 'web-shop',
  schema: { type: 'string', pattern: SLUG.source },
}

const IDEMPOTENCY_HEADER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A unique text of your choice for each thing to create: repeating a request with the same key within a day creates nothing and returns the first answer',
  example: '0b7f6c52-7d0e-4c1c-9a3e-0d9b3c2f6a11',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

type Fields = { properties: Record<string, TSchema>; required?: string[] }

function parametersOf(operation: Operation, schemas: Schemas): object[] {
  const { input, pathFields, project, creates } = operation
  const { properties, required = [] } = input as Fields
  const parameter = (location: 'path' | 'query') => (name: string) => {
    const declared = properties[name] as TSchema & { title?: string; description?: string; examples?: unknown[] }
    const { description, examples, ...rest } = declared
    const schema = schemas.write(declared.title === undefined ? rest : declared)
    const example = examples && { example: examples[0] }
    return { name, in: location, required: required.includes(name), description, ...example, schema }
  }
  const inQuery = hasBodyFields(operation) ? [] : Object.keys(properties).filter(name => !pathFields.includes(name))
  return [
    ...pathFields.map(parameter('path')),
    ...inQuery.map(parameter('query')),
    ...(project === 'chosen' ? [PROJECT_HEADER] : []),
    ...(creates ? [IDEMPOTENCY_HEADER] : []),
  ]
}

/** Whether the declared fields are in the body. Operations that call others have them in the query. */
const hasBodyFields = ({ bodyKind, callsOperations }: Operation) =>
  bodyKind === 'json' || (bodyKind === 'parsed' && !callsOperations)

function bodyOf(operation: Operation, name: string, schemas: Schemas): object | null {
  const { input, pathFields, bodyKind } = operation
  if (bodyKind === 'none') return null
  const { bodyExample: example, documented } = operation
  if (documented) return { content: { 'application/json': { schema: schemas.add(name, documented.body), example } } }
  if (bodyKind !== 'json' && !hasBodyFields(operation)) {
    if (bodyKind !== 'parsed' && example === undefined) return { content: { '*/*': { schema: {} } } }
    return { content: { 'application/json': { schema: {}, ...(example !== undefined && { example }) } } }
  }
  const { properties, required = [] } = input as Fields
  const isInBody = (field: string) => !pathFields.includes(field)
  const fields = Object.entries(properties).filter(([field]) => isInBody(field))
  if (fields.length === 0 && !operation.passesUnknown) return null
  const requiredFields = required.filter(isInBody)
  const schema: Schema = {
    type: 'object',
    description: `The body of \`${operation.method} ${operation.path}\``,
    ...(requiredFields.length > 0 && { required: requiredFields }),
    properties: Object.fromEntries(fields),
    // Stated even where unknown fields are allowed: some validators would reject them.
    additionalProperties: !('additionalProperties' in input),
  }
  const fieldsExample = Object.fromEntries(
    Object.entries(exampleFields(operation)).filter(([field]) => isInBody(field)),
  )
  return {
    required: requiredFields.length > 0,
    content: { 'application/json': { schema: schemas.add(name, schema), example: example ?? fieldsExample } },
  }
}
