// The operations as an OpenAPI 3.1 document. TypeBox schemas are JSON Schema already and are copied unchanged.
import { type TSchema, Type } from 'typebox'
import { INGEST_HEADER, SESSION_COOKIE } from '../kit/credentials.ts'
import { FAULT_CODES, type FaultCode, statusOf } from '../kit/fault.ts'
import type { Operation } from '../kit/operation.ts'
import type { Service } from '../kit/service.ts'
import { INGEST_PARAMETER } from './presented.ts'
import { methodsOf } from './routes.ts'

const Fault = Type.Object({
  error: Type.Object({
    code: Type.Enum([...FAULT_CODES]),
    message: Type.String({ description: 'What went wrong and what to do' }),
    type: Type.String({ description: 'The family of the code' }),
    param: Type.Union([Type.String(), Type.Null()], { description: 'The first field at fault' }),
    request_id: Type.String({ description: 'Also in the X-Request-Id header; identifies the request in the logs' }),
    fields: Type.Optional(
      Type.Array(Type.Object({ path: Type.String({ examples: ['entries.3.note'] }), says: Type.String() })),
    ),
  }),
})

/** The operations of one service. The host's own section comes first. */
export type Section = Pick<Service, 'name' | 'what' | 'operations'>

const SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A secret key of the organisation, `sk-…`, or an access token of the identity provider',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: 'A browser session. Writes need the header X-CSRF-Token from `GET /v1/account/csrf`',
  },
}
const INGEST_SCHEMES = {
  ingestHeader: { type: 'apiKey', in: 'header', name: INGEST_HEADER, description: 'A publishable key, `pk-…`' },
  ingestParameter: { type: 'apiKey', in: 'query', name: INGEST_PARAMETER, description: 'The same, for beacons' },
}

/** Each entry is sufficient on its own. `BEARER` is the default for all other kinds of access. */
const BEARER = [{ bearer: [] }, { session: [] }]
const SECURITY = {
  public: [],
  ingest: [{ bearer: [] }, { ingestHeader: [] }, { ingestParameter: [] }, { session: [] }],
}

export function openapiDocument(sections: readonly Section[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const { name, operations } of sections) {
    for (const [id, operation] of Object.entries(operations)) {
      const path = operation.path.replace(/\{(\w+)\.\.\.\}/, '{$1}')
      paths[path] = { ...paths[path], ...entriesOf(id, name, operation) }
    }
  }
  const ingests = sections.some(({ operations }) => Object.values(operations).some(one => one.access === 'ingest'))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stoa',
      version: 'v1',
      summary: 'One HTTP host that gives a product team its back end',
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: BEARER,
    tags: sections
      .filter(({ operations }) => Object.keys(operations).length > 0)
      .map(({ name, what }) => ({ name, description: what })),
    paths,
    components: {
      schemas: { Fault },
      securitySchemes: { ...SCHEMES, ...(ingests && INGEST_SCHEMES) },
    },
  }
}

/** OpenAPI cannot express `ANY`, so such an operation gets an entry for each method. */
function entriesOf(id: string, tag: string, operation: Operation): Record<string, object> {
  if (operation.method !== 'ANY') return { [operation.method.toLowerCase()]: describe(id, tag, operation) }
  const methods = methodsOf(operation).filter(method => method !== 'OPTIONS')
  return Object.fromEntries(
    methods.map(method => [method.toLowerCase(), describe(`${id}_${method.toLowerCase()}`, tag, operation)]),
  )
}

function describe(id: string, tag: string, operation: Operation): object {
  const { properties, required = [] } = operation.input as { properties: Record<string, TSchema>; required?: string[] }
  const inPath = operation.pathFields
  const rest = Object.keys(properties).filter(name => !inPath.includes(name))
  const parameter = (location: 'path' | 'query') => (name: string) => {
    const { description, ...schema } = properties[name] as TSchema & { description?: string }
    return { name, in: location, required: required.includes(name), ...(description && { description }), schema }
  }
  const body = {
    type: 'object',
    required: required.filter(name => rest.includes(name)),
    properties: Object.fromEntries(rest.map(name => [name, properties[name]])),
    ...('additionalProperties' in operation.input && { additionalProperties: false }),
  }
  return {
    operationId: id,
    tags: [tag],
    summary: operation.summary,
    ...(operation.access in SECURITY && { security: SECURITY[operation.access as keyof typeof SECURITY] }),
    parameters: [
      ...inPath.map(parameter('path')),
      ...(operation.bodyKind === 'json' ? [] : rest.map(parameter('query'))),
    ],
    ...(operation.bodyKind === 'json' && {
      requestBody: { required: body.required.length > 0, content: { 'application/json': { schema: body } } },
    }),
    ...(operation.bodyKind === 'parsed' && { requestBody: { content: { 'application/json': {} } } }),
    ...((operation.bodyKind === 'bytes' || operation.bodyKind === 'stream') && {
      requestBody: { content: { '*/*': {} } },
    }),
    responses: {
      [operation.status]: { description: operation.summary, ...contentOf(operation) },
      ...faultResponses(operation),
    },
  }
}

function contentOf({ answer: { kind, value, chunk } }: Operation): { content?: object } {
  if (kind === 'nothing') return {}
  if (kind === 'reply') return { content: { '*/*': {} } }
  return {
    content: {
      ...(value && { 'application/json': { schema: value } }),
      ...(chunk && { 'text/event-stream': { schema: { type: 'string' }, 'x-event-data': chunk } }),
    },
  }
}

const ALWAYS = ['invalid_input', 'malformed_request', 'overloaded', 'database_unreachable'] as const
const WITH_BODY = ['request_timeout', 'body_too_large', 'unsupported_media_type'] as const
const WITH_INGEST = ['ingest_key_required', 'ingest_key_unknown'] as const
const WITH_BEARER = ['credential_required', 'credential_refused', 'forbidden'] as const
const WITH_KEY = ['key_expired', 'key_revoked', 'key_limit', 'key_rate', 'too_many_tries'] as const

/** The fault statuses of an operation, each with its codes. */
function faultResponses({ access, method, faults, bodyKind, metered }: Operation): Record<string, object> {
  const guarded: FaultCode[] = [...(access === 'ingest' ? WITH_INGEST : WITH_BEARER), ...WITH_KEY]
  if (method !== 'GET') guarded.push('csrf_token_required')
  if (metered) guarded.push('key_budget')
  const codes = [
    ...ALWAYS,
    ...(access === 'public' ? [] : guarded),
    ...(bodyKind === 'none' ? [] : WITH_BODY),
    ...faults,
  ]
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Fault' } } }
  const byStatus = [...Map.groupBy(new Set(codes), statusOf)].sort(([a], [b]) => a - b)
  return Object.fromEntries(
    byStatus.map(([status, group]) => [status, { description: group.map(code => `\`${code}\``).join(', '), content }]),
  )
}
