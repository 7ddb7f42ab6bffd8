// An operation is one endpoint, declared once. Its route, validation, access rule, OpenAPI entry, client method and
// derived tests all come from that declaration.
//
//   input     one flat object. Names in braces come from the path; the rest is the query on GET and DELETE and where the
//             body is not JSON of ours, and the JSON body otherwise. The same object is the client's argument.
//   access    who may call, which yields `caller`:
//               public       anybody; there is no caller
//               ingest       a credential of an organisation, publishable keys included, by any way events come in
//               reader       a credential of an organisation, or the token of one of its workspaces
//               bearer       a credential of an organisation: a secret key, an access token, or a browser session
//               admin        likewise, held by an owner or admin of it
//               superadmin   likewise, held by a member of the platform organisation
//   project   the input field that names the project it acts in; or 'chosen': the one the header X-Project-Id names, else
//             the only one its key may act in, else none. Without it, it is about the whole organisation, and closed to
//             keys that are held to projects.
//   model     the input field that names the model it calls, which a key may be limited to.
//   metered   it costs money, and is closed to a key that has used up its budget.
//   mints     it makes, reveals or widens a credential, and is closed to every limited key.
//   revokes   it ends a credential, and is open whatever a key is limited to.
//   body      how a body that is not JSON of ours arrives in `input.body`: `bytes`; `parsed`, bytes and the JSON they are,
//             of which declared fields are read too; or `stream`. `encodings` are opened within `bodyLimit`.
//   output    the schema of what it answers, or what kit/answer.ts has beside values.
//   audit     the name of its entry in the audit trail, or 'none'. The entry is written where `write` calls `record`.
//   emits     the events that `emit` may send, by subject, each with the schema of its data.
//   door      it calls other operations itself, and finds `calls` in its context.
//   faults    what `run` may raise beyond what the host itself answers; `dialect` is how faults read on its wire.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { Engines, Sql } from '../engines/engines.ts'
import { answerOf } from './answer.ts'
import type { Caller, Principal } from './caller.ts'
import { compileCheck } from './check.ts'
import type { Presented } from './credentials.ts'
import { type Dialect, native } from './dialect.ts'
import type { FaultCode } from './fault.ts'
import type { Emits, Write, WriteScope } from './write.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Access = 'public' | 'ingest' | 'reader' | 'bearer' | 'admin' | 'superadmin'
export type BodyKind = 'json' | 'bytes' | 'parsed' | 'stream'
export type Encoding = 'gzip' | 'deflate' | 'br' | 'zstd'

/** What an operation sees of the request beside its input. Rarely needed. */
export type RequestFacts = {
  readonly id: string
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  /** As sent, less everything by which a client could claim to be somebody. */
  readonly headers: IncomingHttpHeaders
  /** Where the client is. */
  readonly ip: string
  /** Where the connection comes from: the client, or a proxy in between. */
  readonly peer: string
  /** Aborted when the client leaves, and for a stream when the host drains. */
  readonly signal: AbortSignal
}

type CallerOf<A extends Access> = A extends 'public' ? null : A extends 'ingest' | 'reader' ? Principal : Caller

export type Context<A extends Access = Access, State = unknown> = Omit<Engines, 'db'> & {
  /** For reads. Writing takes a transaction, which `write` gives. */
  db: Sql
  caller: CallerOf<A>
  request: RequestFacts
  /** What its service opened at the start. */
  state: State
}

/** A body that was parsed: its bytes, and the JSON they are. */
export type ParsedBody = { bytes: Buffer; json: unknown }
type Bodies = { json: unknown; bytes: { body: Buffer }; parsed: { body: ParsedBody }; stream: { body: Readable } }
type Input<F extends TProperties, B extends BodyKind> = Static<TObject<F>> & Bodies[B]

/** `trail: 'platform'` records it with the superadmins, for what the organisation's own trail does not outlive. */
export type Audit = { what: string; trail?: 'platform' }
type AuditName = string | Audit
type IsAudited<Au> = Au extends 'none' ? false : true

type RunContext<S, A extends Access, Au, E extends Emits, D> = Context<A, S> & {
  write: Write<WriteScope<IsAudited<Au>, E>>
} & (D extends true ? { calls: Calls } : unknown)

export type Declaration<
  S,
  R extends string,
  A extends Access,
  F extends TProperties,
  B extends BodyKind,
  O extends TSchema,
  Au extends AuditName,
  E extends Emits,
  D extends boolean,
> = {
  /** `GET /v1/projects/{slug}`; `ANY` takes every method, and a last `{rest...}` every deeper path. */
  route: R
  summary: string
  access: A
  input?: F
  output: O
  status?: 200 | 201 | 202 | 204 | 303
  body?: B
  bodyLimit?: number
  encodings?: readonly Encoding[]
  /** A wire that is not ours: fields we do not know pass instead of being refused. */
  passUnknown?: true
  project?: (keyof F & string) | 'chosen'
  model?: keyof F & string
  metered?: true
  issuesCredential?: true
  endsCredential?: true
  door?: D
  emits?: E
  audit?: Au
  faults?: readonly FaultCode[]
  dialect?: Dialect
  run: (context: RunContext<S, A, Au, E, D>, input: Input<F, B>) => Promise<Static<O>> | Static<O>
} & AuditRule<R, A>

/** Every write says what the trail records of it, or 'none'. There is nobody to record where anybody may call. */
type AuditRule<R extends string, A extends Access> = R extends `GET ${string}`
  ? { audit?: 'none' }
  : A extends 'public'
    ? { audit: 'none' }
    : { audit: AuditName }

/** What a declaration becomes, with everything it left out. */
export type Operation = Readonly<ReturnType<typeof declareOperation>>

/** How operations are called in-process, by those that are doors themselves: on the same path as over HTTP. */
export type Calls = {
  /** Every operation of this host, by its id. */
  operations: ReadonlyMap<string, Operation>
  /** Who is calling; null where anybody may. Raises the fault that says why not. */
  identify(access: Access, presented: Presented): Principal | null | Promise<Principal | null>
  /** Calls an operation. `input` is its one flat input. */
  call(id: string, caller: Principal | null, input: Record<string, unknown>, request: RequestFacts): Promise<unknown>
}

/** Large enough for every JSON body of ours, small enough that a thousand at once fit in memory. */
const BODY_LIMIT = 1024 * 1024

/** `operation` for a service whose state is `S`; see `serviceKit`. */
export type Declare<S> = <
  const R extends `${Method | 'ANY'} /v1${string}`,
  const A extends Access,
  O extends TSchema,
  F extends TProperties = Record<never, never>,
  const B extends BodyKind = 'json',
  const Au extends AuditName = 'none',
  E extends Emits = Record<never, never>,
  const D extends boolean = false,
>(
  declared: Declaration<S, R, A, F, B, O, Au, E, D>,
) => Operation

type Erased = Declaration<never, string, Access, TProperties, BodyKind, TSchema, AuditName, Emits, boolean> & {
  audit?: AuditName
}

/** For operations that need no state. */
export const operation: Declare<unknown> = declared => declareOperation(declared as unknown as Erased)

export function declareOperation(declared: Erased) {
  const { route, access, project, model, body } = declared
  const [method, path] = route.split(' ') as [Method | 'ANY', string]
  const pathFields = [...path.matchAll(/\{(\w+)(\.\.\.)?\}/g)].map(match => match[1] as string)
  const fields: TProperties = declared.input ?? {}
  const bodiless = method === 'GET' || method === 'DELETE'
  refuseIf(new Set(pathFields).size < pathFields.length, route, 'a name stands twice in the path')
  for (const name of pathFields) refuseIf(!(name in fields), route, `input lacks ${name} of the path`)
  for (const name of [project, model]) {
    refuseIf(name !== undefined && name !== 'chosen' && !(name in fields), route, `there is no input field ${name}`)
  }
  refuseIf(body !== undefined && 'body' in fields, route, 'the field `body` is the body itself')
  refuseIf(body !== undefined && bodiless, route, `${method} takes no body`)
  refuseIf(!!declared.encodings && bodiless, route, 'encodings are those of a body')
  const audit = auditOf(declared.audit)
  refuseIf(audit !== null && access === 'public', route, 'an entry in the audit trail names its caller; there is none')
  refuseIf(audit !== null && method === 'GET', route, 'what only reads leaves no entry in the audit trail')
  refuseIf(declared.metered === true && access === 'public', route, 'there is no key whose budget could be checked')

  const shape = declared.passUnknown || body === 'parsed' ? {} : { additionalProperties: false }
  const input = Type.Object(fields, shape)
  const checked = body === undefined ? input : Type.Object({ ...fields, body: Type.Unknown() }, shape)
  const answer = answerOf(declared.output)
  const bodyKind: 'none' | BodyKind = body ?? (bodiless ? 'none' : 'json')
  const {
    summary,
    encodings = [],
    bodyLimit = BODY_LIMIT,
    metered = false,
    issuesCredential = false,
    endsCredential = false,
  } = declared
  const { door = false, faults = [], dialect = native, emits = {} } = declared
  return {
    kind: 'operation' as const,
    /** The name of the service it belongs to; empty for the host's own. */
    service: '',
    ...{ method, path, pathFields, summary, access, input, answer, audit, emits, faults, dialect },
    ...{ bodyKind, bodyLimit, encodings, metered, issuesCredential, endsCredential, door },
    passesUnknown: declared.passUnknown ?? body === 'parsed',
    check: compileCheck(checked),
    status: declared.status ?? (answer.kind === 'nothing' ? 204 : 200),
    project: project ?? null,
    model: model ?? null,
    run: declared.run as unknown as (context: Context<never>, input: never) => unknown,
  }
}

function auditOf(declared: AuditName | undefined): Audit | null {
  if (declared === undefined || declared === 'none') return null
  return typeof declared === 'string' ? { what: declared } : declared
}

function refuseIf(isWrong: boolean, route: string, why: string): void {
  if (isWrong) throw new Error(`${route}: ${why}`)
}
