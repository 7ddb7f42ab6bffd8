// An operation is one endpoint, declared once. Its route, validation, access rule, OpenAPI entry, client method and
// derived tests are all generated from that declaration.
//
//   description   facts that the summary and the other fields do not state, such as side effects. The document adds what
//             follows from the declaration: who may call, limits, the audit trail.
//   input     one flat object. Names in braces come from the path; the rest from the query (on GET and DELETE, and when
//             `body` is set) or from the JSON body. The same object is the client's argument.
//   access    who may call, which determines `caller`:
//               public       anyone; there is no caller
//               ingest       any credential of an organisation, publishable keys included, in any form events accept
//               reader       a credential of an organisation, or a token of one of its workspaces
//               bearer       a credential of an organisation: a secret key, an access token, or a browser session
//               person       a signed-in person: a browser session, or the token of a trusted app; no keys
//               admin        as bearer, of an owner or admin of the organisation
//               superadmin   as bearer, of a member of the organisation `admin`
//   admits    additional callers: 'users', the organisation's customers, for their own account, whatever `access` says;
//             'apps', the tokens of apps that are not trusted, which otherwise may only read and write events.
//   role      the minimum role in the organisation that the path names, if `run` checks it because superadmins may call it too;
//             `access` is then `bearer`.
//   owners    the part of it that only owners may do, such as `trusted apps`: for the documentation; `run` checks it.
//   project   the input field that names the project it acts in; or 'chosen': the project in the header X-Project-Id,
//             otherwise the only one its key may act in, otherwise none. Without it, the operation concerns the whole
//             organisation and is refused for keys limited to projects. A header with an unknown project is always a 404.
//   model     the input field that names the model it calls; keys may be limited to models.
//   uses      'meter': it costs money, and is refused for a key that has used up its budget; its context has the `meter`.
//             'calls': it calls other operations, through `calls` in its context.
//   showsUsage   it shows usage or spending, and first waits until the organisation's earlier usage is settled.
//   issuesCredential   it creates, reveals or widens a credential, and is refused for every limited key.
//   endsCredential     it revokes a credential, and is allowed for every key, however limited.
//   keyed     repeating a request with its `Idempotency-Key` must not carry it out again; always the case with 201.
//   body      how a body other than our JSON is passed in `input.body`: `bytes`; `parsed`, its bytes and JSON value,
//             from which declared fields are read too; `stream`; or the result of a function of its bytes. `encodings` are
//             decoded within `decodedLimit`, which defaults to `bodyLimit`. For `ingest`, the function also returns a
//             credential found in none of the usual places, in `key`: a publishable key or null. The body then arrives
//             before the credential is checked, and is read once.
//   documented   schemas of the bodies of another protocol, for the documentation: nothing is checked against them.
//   withoutCredential   'forbidden' answers 403 instead of 401 if there is no valid credential.
//   keyHeader   the header in which clients of another protocol send the key, for requests without `Authorization`.
//   output    the schema of the answer, or one of the other kinds in kit/answer.ts.
//   audit     the name of its entry in the audit trail, or 'none'. The entry is written when `write` calls `record`. Reads
//             leave an entry only if they disclose secrets.
//   emits     the events that `emit` may send, by subject, each with the schema of its data.
//   faults    the faults of `run` in addition to the host's own; `dialect` is the format of the responses.
//   faultBody   the body of a fault for clients of another protocol at the same path; null for all others. It gets the
//             result of the `body` function, if there is one.

import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { Engines, Sql } from '../engines/engines.ts'
import { answerOf } from './answer.ts'
import type { Caller, Principal } from './caller.ts'
import { compileCheck } from './check.ts'
import { type Dialect, native } from './dialect.ts'
import type { Fault, FaultCode } from './fault.ts'
import { SECRET } from './fields.ts'
import type { Presented } from './host/credentials.ts'
import type { KeyedRequest } from './host/idempotency-records.ts'
import type { Meter } from './meter.ts'
import type { OrgSettingsCache } from './org-settings/read.ts'
import type { Queues } from './queue.ts'
import type { Bounds } from './table.ts'
import type { Emits, Write, WriteScope } from './write.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Access = 'public' | 'ingest' | 'reader' | 'bearer' | 'person' | 'admin' | 'superadmin'
export type Admitted = 'users' | 'apps'
export type BodyKind = 'json' | 'bytes' | 'parsed' | 'stream'
export type Encoding = 'gzip' | 'deflate' | 'br' | 'zstd'

/** Facts about the request besides the input. Rarely needed. */
export type RequestFacts = {
  readonly id: string
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  /** As sent, without the headers with which a client could claim an identity. */
  readonly headers: IncomingHttpHeaders
  /** The client's address. */
  readonly ip: string
  /** The address of the connection: the client's, or a proxy's. */
  readonly peer: string
  /** Whether the request was sent by a page of an origin that may not read the answer. */
  readonly isForeignPage: boolean
  /** Aborted when the client disconnects, and for a stream when the host drains. */
  readonly signal: AbortSignal
}

type CallerOf<A extends Access> = A extends 'public' ? null : A extends 'ingest' | 'reader' ? Principal : Caller

export type Context<A extends Access = Access, State = unknown> = Omit<Engines, 'db'> & {
  queues: Queues
  bounds: Bounds
  orgSettings: OrgSettingsCache
  /** For reads only; `write` provides the transaction for writes. */
  db: Sql
  caller: CallerOf<A>
  request: RequestFacts
  /** The state that its service's `open` returned. */
  state: State
}

export type ParsedBody = { bytes: Buffer; json: unknown }
/** The body is empty if the request has none. `sentBytes` is its size before it was decoded. */
export type BodyReader = (bytes: Buffer, request: RequestFacts, sentBytes: number) => { key: string | null }
type Bodies = { json: unknown; bytes: { body: Buffer }; parsed: { body: ParsedBody }; stream: { body: Readable } }
type ReadBy<B> = B extends BodyReader ? ReturnType<B> : never
type BodyIn<B> = B extends BodyKind ? Bodies[B] : { body: ReadBy<B> }
type Input<F extends TProperties, B> = Static<TObject<F>> & BodyIn<B>

type IsAudited<Au> = Au extends 'none' ? false : true

/** What an operation gets only if it declares it in `uses`. */
type Used = { calls: { calls: Calls }; meter: { meter: Meter; keyed: KeyedRequest | null } }
type UsedBy<U extends keyof Used> = ('calls' extends U ? Used['calls'] : unknown) &
  ('meter' extends U ? Used['meter'] : unknown)
type RunContext<S, A extends Access, Au, E extends Emits, U extends keyof Used> = Context<A, S> & {
  write: Write<WriteScope<IsAudited<Au>, E>>
} & UsedBy<U>

export type Declaration<
  S,
  R extends string,
  A extends Access,
  F extends TProperties,
  B extends BodyKind | BodyReader,
  O extends TSchema,
  Au extends string,
  E extends Emits,
  U extends keyof Used,
> = {
  /** `GET /v1/projects/{slug}`; `ANY` matches every method, and a final `{rest...}` every deeper path. */
  route: R
  summary: string
  description?: string
  access: A
  input?: F
  output: O
  status?: 200 | 201 | 202 | 204 | 303
  body?: B
  /** An example of a foreign body, for the documentation: JSON. */
  bodyExample?: unknown
  documented?: { body: TSchema; answer: TSchema }
  bodyLimit?: number
  decodedLimit?: number
  encodings?: readonly Encoding[]
  withoutCredential?: 'forbidden'
  keyHeader?: string
  /** For foreign protocols: unknown fields are accepted, also in the query. */
  passUnknown?: true
  /** A `parsed` body is passed on to another server, and only declared fields of it are stored, so it may contain any
   *  text. */
  passBody?: true
  admits?: readonly Admitted[]
  role?: 'admin' | 'owner'
  owners?: string
  project?: (keyof F & string) | 'chosen'
  model?: keyof F & string
  showsUsage?: true
  issuesCredential?: true
  endsCredential?: true
  keyed?: true
  uses?: readonly U[]
  emits?: E
  audit?: Au
  faults?: readonly FaultCode[]
  dialect?: Dialect
  faultBody?: (fault: Fault, request: RequestFacts, read: ReadBy<B> | null) => object | null
  run: (context: RunContext<S, A, Au, E, U>, input: Input<F, B>) => Promise<Static<O>> | Static<O>
} & AuditRule<R, A>

/** Every write must declare its audit entry, or 'none'. A read that discloses secrets may declare one. Public operations
 *  have no caller to record. */
type AuditRule<R extends string, A extends Access> = R extends `GET ${string}`
  ? { audit?: string }
  : A extends 'public'
    ? { audit: 'none' }
    : { audit: string }

/** A declaration with all defaults filled in. */
export type Operation = Readonly<ReturnType<typeof declareOperation>>

/** In-process calls of other operations. They take the same path as calls over HTTP. */
export type Calls = {
  /** Every operation of this host, by its id. */
  operations: ReadonlyMap<string, Operation>
  /** The caller; null for public operations. Raises a fault if the credential is missing or refused. */
  identify(operation: Pick<Operation, 'access' | 'withoutCredential'>, presented: Presented): Promise<Principal | null>
  /** Accepts any credential of an organisation, even one that can only write events. */
  identifyAny(presented: Presented): Promise<Principal>
  /** Why this caller may not call an operation, whatever the input: its role or the limits of its key. Null if it may. */
  refusalOf(operation: Operation, caller: Principal): Fault | null
  /** `input` is the operation's flat input object. */
  call(id: string, caller: Principal | null, input: Record<string, unknown>, request: RequestFacts): Promise<unknown>
  /** The same for the credential's caller; here, a public operation needs a credential of an organisation. */
  callAs(id: string, presented: Presented, input: Record<string, unknown>, request: RequestFacts): Promise<unknown>
}

/** Large enough for all our JSON bodies, small enough that a thousand at once fit in memory. */
export const BODY_LIMIT = 1024 * 1024

/** `operation` for a service whose state is `S`; see `serviceKit`. */
export type Declare<S> = <
  const R extends `${Method | 'ANY'} /v1${string}`,
  const A extends Access,
  O extends TSchema,
  F extends TProperties = Record<never, never>,
  const B extends BodyKind | BodyReader = 'json',
  const Au extends string = 'none',
  E extends Emits = Record<never, never>,
  const U extends keyof Used = never,
>(
  declared: Declaration<S, R, A, F, B, O, Au, E, U>,
) => Operation

type AnyBody = BodyKind | BodyReader
type Erased = Declaration<never, string, Access, TProperties, AnyBody, TSchema, string, Emits, keyof Used> & {
  audit?: string
}

/** For operations that need no state. */
export const operation: Declare<unknown> = declared => declareOperation(declared as unknown as Erased)

export function declareOperation(declared: Erased) {
  const { route, access, project, model, body } = declared
  const [method, path] = route.split(' ') as [Method | 'ANY', string]
  const pathFields = [...path.matchAll(/\{(\w+)(\.\.\.)?\}/g)].map(match => match[1] as string)
  const fields: TProperties = declared.input ?? {}
  const bodiless = method === 'GET' || method === 'DELETE'
  rejectIf(new Set(pathFields).size < pathFields.length, route, 'a name occurs twice in the path')
  for (const name of pathFields) rejectIf(!(name in fields), route, `input lacks ${name}, which is in the path`)
  for (const name of [project, model]) {
    rejectIf(name !== undefined && name !== 'chosen' && !(name in fields), route, `there is no input field ${name}`)
  }
  rejectIf(body !== undefined && 'body' in fields, route, 'the field `body` is reserved for the body')
  const reader = typeof body === 'function' ? body : null
  rejectIf(reader !== null && access !== 'ingest', route, 'only the bodies of `ingest` are read by a function')
  rejectIf(body !== undefined && bodiless && !(reader && method === 'GET'), route, `${method} takes no body`)
  rejectIf(declared.passBody === true && body !== 'parsed', route, 'only a parsed body is passed on')
  rejectIf(!!declared.encodings && bodiless, route, 'encodings need a body')
  const metered = declared.uses?.includes('meter') ?? false
  rejectIf(metered && access === 'public', route, 'a public operation has no budget to check')

  const shape = declared.passUnknown ? {} : { additionalProperties: false }
  const input = Type.Object(fields, shape)
  rejectIf(isUnbounded(input), route, 'an array in the input needs maxItems, a record maxProperties')
  const checked = body === undefined ? input : Type.Object({ ...fields, body: Type.Unknown() }, shape)
  const answer = answerOf(declared.output)
  const disclosesSecret = hasSecret(answer.value) || hasSecret(answer.chunk)
  const audit = auditIn(declared, method === 'GET' && !disclosesSecret)
  const bytes = reader === null ? 'json' : 'bytes'
  const bodyKind: 'none' | BodyKind = bodiless ? 'none' : typeof body === 'string' ? body : bytes
  const { summary, description = null, encodings = [], bodyLimit = BODY_LIMIT, faults = [] } = declared
  const { dialect = native, emits = {}, issuesCredential = false, endsCredential = false } = declared
  const creates = method === 'POST' && (declared.status === 201 || declared.keyed === true) && access !== 'public'
  const callsOperations = declared.uses?.includes('calls') ?? false
  return {
    kind: 'operation' as const,
    /** The name of its service; empty for the host's own operations. */
    service: '',
    method,
    path,
    pathFields,
    summary,
    description,
    access,
    admits: declared.admits ?? [],
    role: declared.role ?? null,
    owners: declared.owners ?? null,
    input,
    answer,
    audit,
    emits,
    faults: creates ? [...new Set<FaultCode>([...faults, 'conflict'])] : faults,
    dialect,
    faultBody: declared.faultBody ?? null,
    bodyKind,
    bodyExample: declared.bodyExample,
    documented: declared.documented ?? null,
    bodyLimit,
    decodedLimit: declared.decodedLimit ?? bodyLimit,
    encodings,
    reader,
    keyHeader: declared.keyHeader ?? null,
    withoutCredential: declared.withoutCredential ?? null,
    metered,
    showsUsage: declared.showsUsage ?? false,
    issuesCredential,
    endsCredential,
    callsOperations,
    /** It creates a resource, or must not be done twice, so a request can be repeated safely with an `Idempotency-Key`. */
    creates,
    /** Its answer contains a secret. */
    disclosesSecret,
    passesUnknown: declared.passUnknown ?? false,
    passesBody: declared.passBody ?? false,
    check: compileCheck(checked),
    status: declared.status ?? (answer.kind === 'nothing' ? 204 : 200),
    project: project ?? null,
    model: model ?? null,
    run: declared.run as unknown as (context: Context<never>, input: never) => unknown,
  }
}

function auditIn({ route, access, audit }: Erased, isPlainRead: boolean): string | null {
  if (audit === undefined || audit === 'none') return null
  rejectIf(access === 'public', route, 'an audit entry names its caller; there is none')
  rejectIf(isPlainRead, route, 'a read without secrets leaves no entry in the audit trail')
  return audit
}

/** Whether a value of this schema may contain a secret. */
function hasSecret(schema: object | null): boolean {
  if (schema === null) return false
  if (SECRET in schema) return true
  return Object.values(schema).some(part => typeof part === 'object' && part !== null && hasSecret(part))
}

/** Whether this value contains a secret. */
export function containsSecret(schema: object | null, value: unknown): boolean {
  if (schema === null || value === null || value === undefined) return false
  if (SECRET in schema) return true
  const { properties = {}, items, anyOf = [], allOf = [] } = schema as Record<string, never>
  if (Array.isArray(value)) return items !== undefined && value.some(one => containsSecret(items, one))
  const fields = Object.entries<object>(properties)
  return (
    [...anyOf, ...allOf].some(one => containsSecret(one, value)) ||
    fields.some(([name, part]) => containsSecret(part, (value as Record<string, unknown>)[name]))
  )
}

/** Whether a client decides how many values a list or a record of this schema has. */
function isUnbounded(schema: object): boolean {
  const { type, maxItems, patternProperties, maxProperties } = schema as Record<string, unknown>
  if ([type].flat().includes('array') && maxItems === undefined) return true
  if ([type].flat().includes('object') && patternProperties && maxProperties === undefined) return true
  return Object.values(schema).some(part => typeof part === 'object' && part !== null && isUnbounded(part))
}

function rejectIf(isInvalid: boolean, route: string, reason: string): void {
  if (isInvalid) throw new Error(`${route}: ${reason}`)
}
