// The responses of an operation: its success, and its faults by status. All faults have one schema; the examples of a
// response name the codes it may have.
import { Type } from 'typebox'
import { native } from '../../kit/dialect.ts'
import { exampleOf } from '../../kit/example.ts'
import { FAULT_CODES, type FaultCode, meaningOf, statusOf, typeOf } from '../../kit/fault.ts'
import type { Operation } from '../../kit/operation.ts'
import type { Schema, Schemas } from './schemas.ts'
import { OUTCOMES } from './texts.ts'

const REQUEST_ID = 'req_4vJ9mWcX2bQeT7yLrK0sZp1n'

const FieldFault = Type.Object(
  {
    path: Type.String({ description: 'The field, such as `entries.3.note`', examples: ['entries.3.note'] }),
    says: Type.String({ description: 'What is wrong with it', examples: ['is required'] }),
  },
  { title: 'FieldFault', description: 'An invalid field of the input' },
)

const Fault = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.Enum([...FAULT_CODES], { description: 'What went wrong; stable, for programs' }),
        message: Type.String({
          description: 'What went wrong and what to do, for people',
          examples: ['`slug` is required.'],
        }),
        type: Type.String({ description: 'The family of the code', examples: ['invalid_request_error'] }),
        param: Type.Union([Type.String(), Type.Null()], {
          description: 'The first invalid field; null if there is none',
          examples: ['slug'],
        }),
        request_id: Type.String({
          description: 'Also in the header X-Request-Id; identifies the request in the logs',
          examples: [REQUEST_ID],
        }),
        fields: Type.Optional(Type.Array(FieldFault, { description: 'Every invalid field; absent if there is none' })),
      },
      { description: 'The error' },
    ),
  },
  { title: 'Fault', description: 'The body of every error' },
)

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

const HEADERS = {
  'X-Request-Id': text('Identifies the request in the logs of the host.', REQUEST_ID),
  Location: text('The URL of the redirect.', 'https://shop.example.com/'),
  'Retry-After': {
    description: 'Seconds to wait before the request is repeated.',
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  },
  RateLimit: text(
    'Only for a key with a rate: the remaining requests (`r`), and the seconds until one more is allowed (`t`).',
    '"key";r=599;t=60',
  ),
  'RateLimit-Policy': text('The rate of the key: `q` requests in any `w` seconds.', '"key";q=600;w=60'),
  'WWW-Authenticate': text('The expected authentication scheme.', 'Bearer'),
} as const
type Header = keyof typeof HEADERS

export type Responses = {
  /** By status. `name` names the schema of an answer without a title. */
  of(operation: Operation, name: string): Record<string, object>
  /** The components that the responses have referred to so far. */
  components(): { headers: object; examples: object }
}

export function openResponses(schemas: Schemas): Responses {
  const headersUsed = new Set<Header>()
  const codesUsed = new Set<FaultCode>()

  function headers(names: readonly Header[]): Record<string, Schema> {
    for (const name of names) headersUsed.add(name)
    return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
  }

  function success(operation: Operation, name: string): object {
    const { status, access } = operation
    const names: Header[] = ['X-Request-Id', ...(status === 303 ? (['Location'] as const) : [])]
    if (access !== 'public') names.push('RateLimit')
    const content = contentOf(operation, name, schemas)
    return { description: OUTCOMES[status], headers: headers(names), ...(content && { content }) }
  }

  function fault(status: number, codes: readonly FaultCode[], { dialect }: Operation): object {
    const names: Header[] = ['X-Request-Id', ...(OWN_HEADERS[status] ?? [])]
    if (codes.includes('key_rate')) names.push('RateLimit', 'RateLimit-Policy')
    for (const code of codes) codesUsed.add(code)
    const examples = Object.fromEntries(codes.map(code => [code, { $ref: `#/components/examples/${code}` }]))
    const body = dialect === native ? { schema: schemas.write(Fault), examples } : FOREIGN_FAULT
    const description = codes.map(code => `\`${code}\``).join(', ')
    return { description, headers: headers(names), content: { 'application/json': body } }
  }

  return {
    of: (operation, name) => {
      const byStatus = [...Map.groupBy(codesOf(operation), statusOf)].sort(([a], [b]) => a - b)
      const faults = byStatus.map(([status, codes]) => [status, fault(status, codes, operation)] as const)
      return { [operation.status]: success(operation, name), ...Object.fromEntries(faults) }
    },
    components: () => ({
      headers: Object.fromEntries(Object.entries(HEADERS).filter(([name]) => headersUsed.has(name as Header))),
      examples: Object.fromEntries(
        FAULT_CODES.filter(code => codesUsed.has(code)).map(code => [code, faultExample(code)]),
      ),
    }),
  }
}

const OWN_HEADERS: Record<number, readonly Header[]> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

const FOREIGN_FAULT = { schema: { type: 'object', description: 'An error in the format of the protocol' } }

function contentOf(operation: Operation, name: string, schemas: Schemas): object | null {
  const { status, answer, documented } = operation
  const { kind, value, chunk, media } = answer
  // A redirect and a 204 have no body.
  if (kind === 'nothing' || (kind === 'reply' && status !== 200)) return null
  if (kind === 'reply' && documented) {
    const example = exampleOf(documented.answer)
    return { [media ?? '*/*']: { schema: named(documented.answer, name, operation, schemas), example } }
  }
  if (kind === 'reply') {
    const schema = media === 'application/json' ? { type: 'object' } : {}
    return { [media ?? '*/*']: { schema, ...(chunk && { 'x-line': schemas.write(chunk) }) } }
  }
  return {
    ...(value && { 'application/json': { schema: named(value, name, operation, schemas), example: exampleOf(value) } }),
    ...(media && { [media]: { schema: { type: 'string' } } }),
    ...(chunk && { 'text/event-stream': { schema: { type: 'string' }, 'x-event-data': schemas.write(chunk) } }),
  }
}

/** A schema without a title is named after what it lists, or after its operation. */
function named(schema: object, name: string, { method, path }: Operation, schemas: Schemas): Schema {
  const { title, properties } = schema as { title?: string; properties?: Record<string, Schema> }
  if (title !== undefined) return schemas.write(schema)
  const { data, next } = properties ?? {}
  const item = data?.type === 'array' && next ? (data.items as Schema).title : undefined
  if (typeof item === 'string') return schemas.add(`${item}List`, { description: `A page of \`${item}\``, ...schema })
  return schemas.add(name, { description: `The answer of \`${method} ${path}\``, ...schema })
}

function faultExample(code: FaultCode): object {
  const message = meaningOf(code)
  const error = { code, message, type: typeOf(code), param: null, request_id: REQUEST_ID }
  return { summary: message, value: { error } }
}

const ALWAYS = [
  'invalid_input',
  'malformed_request',
  'internal',
  'overloaded',
  'starting',
  'database_unreachable',
] as const
const WITH_BODY = ['request_timeout', 'body_too_large', 'unsupported_media_type'] as const
const WITH_INGEST = ['ingest_key_required', 'ingest_key_unknown'] as const
const WITH_BEARER = ['credential_required', 'credential_refused', 'forbidden'] as const
const WITH_KEY = ['key_expired', 'key_replaced', 'key_revoked', 'key_limit', 'key_rate', 'too_many_tries'] as const

function codesOf({ access, method, faults, bodyKind, metered }: Operation): Set<FaultCode> {
  // `not_found` is for a project in X-Project-Id that does not exist.
  const guarded: FaultCode[] = [...(access === 'ingest' ? WITH_INGEST : WITH_BEARER), ...WITH_KEY, 'not_found']
  if (method !== 'GET') guarded.push('csrf_token_required')
  if (metered) guarded.push('key_budget', 'insufficient_balance')
  const ofCaller = access === 'public' ? [] : guarded
  return new Set([...ALWAYS, ...ofCaller, ...(bodyKind === 'none' ? [] : WITH_BODY), ...faults])
}
