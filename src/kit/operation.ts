// An operation is one endpoint, declared once. Its route, validation, access rule, OpenAPI entry, client method and
// derived tests all come from that declaration.
//
//   input    one flat object. Names in braces come from the path; the rest is the query on GET and DELETE and where the
//            body is raw, and the JSON body otherwise. The same object is the client's argument.
//   access   who may call, which yields `caller`:
//              public       anybody; there is no caller
//              ingest       a credential of an organisation, publishable keys included, by any way events come in
//              bearer       a credential of an organisation: a secret key, an access token, or a browser session
//              admin        likewise, held by an owner or admin of it
//              superadmin   likewise, held by a member of the platform organisation
//   project  the input field that names the project it acts in; or 'chosen': the one the header X-Project-Id names, else
//            the only one its key may act in, else none. Without it, it is about the whole organisation, and closed to
//            keys that are held to projects.
//   mints    it makes, reveals or widens a credential, and is closed to every limited key.
//   revokes  it ends a credential, and is open whatever a key is limited to.
//   inTurns  calls of one organisation take turns, where they would only wait for each other in the database.
//   prepare  runs before `run`, outside its transaction: the place for slow calls to the outside. What it answers is
//            the third argument of `run`.
//   audit    what the trail records. A write states it or says 'none'. An audited write runs in one transaction with
//            its record, and `db` is that transaction. One that answers `Unchanged` is not recorded.
//   faults   what `run` may raise beyond what the host itself answers.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { Engines } from '../engines/engines.ts'
import type { Unchanged } from './audit.ts'
import type { Caller, Writer } from './caller.ts'
import { type Check, compileCheck } from './check.ts'
import type { FaultCode } from './fault.ts'
import type { SignIn } from './sign-in.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Access = 'public' | 'ingest' | 'bearer' | 'admin' | 'superadmin'

/** What an operation sees of the request beside its input. Rarely needed. */
export type RequestFacts = {
  readonly id: string
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  /** As sent, less everything by which a client could claim to be somebody. */
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal
}

export type Context<A extends Access = Access> = Engines & {
  caller: A extends 'public' ? null : A extends 'ingest' ? Writer : Caller
  request: RequestFacts
  /** What its service opened at the start. */
  state: unknown
  /** The names of all services, which limits may name. */
  services: ReadonlySet<string>
  /** Sign-in at this host's own address, once its identity origin is up. */
  signIn: () => SignIn
}

/** Answers nothing: 204. */
export const nothing = Type.Void()
/** Answers bytes of its own, with status and headers of its own. */
export const stream = Type.Unsafe<StreamAnswer>({ 'x-stoa': 'stream' })
export type StreamAnswer = { status: number; headers: Record<string, string | string[]>; body: Readable }

type Input<F extends TProperties, B> = Static<TObject<F>> & (B extends 'raw' ? { body: Buffer } : unknown)
/** `trail: 'platform'` records it with the operators, for what the organisation's own trail does not outlive. */
type Audit<I, O> = { what: string; on: (input: I, output: O) => string; trail?: 'platform' }

export type Declaration<R extends string, A extends Access, F extends TProperties, B, O extends TSchema, P> = {
  /** `GET /v1/projects/{slug}`; `ANY` takes every method, and a last `{rest...}` every deeper path. */
  route: R
  summary: string
  access: A
  input?: F
  output: O
  status?: 200 | 201 | 202 | 204 | 303
  /** `raw` hands the body over as bytes, whatever its media type. */
  body?: B
  bodyLimit?: number
  /** A wire that is not ours: fields we do not know pass instead of being refused. */
  passUnknown?: true
  project?: (keyof F & string) | 'chosen'
  mints?: true
  revokes?: true
  inTurns?: true
  faults?: readonly FaultCode[]
  prepare?: (context: Context<A>, input: Input<F, B>) => Promise<P>
  run: (context: Context<A>, input: Input<F, B>, prepared: P) => Promise<Outcome<O>> | Outcome<O>
} & (R extends `GET ${string}` ? { audit?: never } : { audit: Audit<Input<F, B>, Static<O>> | 'none' })
type Outcome<O extends TSchema> = Static<O> | Unchanged<Static<O>>

export type Operation = {
  kind: 'operation'
  /** The name of the service it belongs to; empty for the host's own. */
  service: string
  method: Method | 'ANY'
  path: string
  /** Where each input field comes from. */
  pathFields: string[]
  bodyKind: 'none' | 'json' | 'raw'
  passesUnknown: boolean
  summary: string
  access: Access
  input: TObject
  check: Check
  output: TSchema
  status: number
  bodyLimit: number
  project: string | null
  mints: boolean
  revokes: boolean
  inTurns: boolean
  faults: readonly FaultCode[]
  audit: Audit<never, never> | null
  prepare: ((context: Context<never>, input: never) => Promise<unknown>) | null
  run: (context: Context<never>, input: never, prepared: never) => unknown
}

/** Large enough for every JSON body of ours, small enough that a thousand at once fit in memory. */
const BODY_LIMIT = 1024 * 1024

export function operation<
  const R extends `${Method | 'ANY'} /v1${string}`,
  const A extends Access,
  O extends TSchema,
  F extends TProperties = Record<never, never>,
  const B extends 'json' | 'raw' = 'json',
  P = undefined,
>(declared: Declaration<R, A, F, B, O, P>): Operation {
  const [method, path] = declared.route.split(' ') as [Method | 'ANY', string]
  const pathFields = [...path.matchAll(/\{(\w+)(\.\.\.)?\}/g)].map(match => match[1] as string)
  const fields: TProperties = declared.input ?? {}
  const missing = pathFields.filter(name => !(name in fields))
  if (missing.length > 0) throw new Error(`${declared.route}: input lacks ${missing.join(', ')} of the path`)
  if (new Set(pathFields).size < pathFields.length)
    throw new Error(`${declared.route}: a name stands twice in the path`)

  const shape = declared.passUnknown ? {} : { additionalProperties: false }
  const input = Type.Object(fields, shape)
  const checked = declared.body === 'raw' ? Type.Object({ ...fields, body: Type.Unknown() }, shape) : input
  const bodiless = method === 'GET' || method === 'DELETE'
  return {
    kind: 'operation',
    service: '',
    method,
    path,
    pathFields,
    bodyKind: declared.body === 'raw' ? 'raw' : bodiless ? 'none' : 'json',
    passesUnknown: declared.passUnknown ?? false,
    summary: declared.summary,
    access: declared.access,
    input,
    check: compileCheck(checked),
    output: declared.output,
    status: declared.status ?? ((declared.output as TSchema) === nothing ? 204 : 200),
    bodyLimit: declared.bodyLimit ?? BODY_LIMIT,
    project: declared.project ?? null,
    mints: declared.mints ?? false,
    revokes: declared.revokes ?? false,
    inTurns: declared.inTurns ?? false,
    faults: declared.faults ?? [],
    audit: typeof declared.audit === 'object' ? (declared.audit as Audit<never, never>) : null,
    prepare: (declared.prepare as Operation['prepare']) ?? null,
    run: declared.run as Operation['run'],
  }
}
