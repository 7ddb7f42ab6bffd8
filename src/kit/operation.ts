// An operation is one endpoint, declared once. Its route, validation, access rule, OpenAPI entry, client method and
// derived tests all come from that declaration.
//
//   input    one flat object. Names in braces come from the path; the rest is the query on GET and DELETE and where the
//            body is raw, and the JSON body otherwise. The same object is the client's argument.
//   access   who may call, which yields `caller`:
//              public       anybody; there is no caller
//              bearer       a credential of an organisation
//              admin        likewise, held by an owner or admin of it
//              superadmin   likewise, held by a member of the platform organisation
//   audit    what the trail records. A write states it or says 'none'. An audited write runs in one transaction with
//            its record, and `db` is that transaction.
//   faults   what `run` may raise beyond what the host itself answers.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { Engines } from '../engines/engines.ts'
import type { Caller } from './caller.ts'
import { type Check, compileCheck } from './check.ts'
import type { FaultCode } from './fault.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Access = 'public' | 'bearer' | 'admin' | 'superadmin'

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
  caller: A extends 'public' ? null : Caller
  request: RequestFacts
}

/** Answers nothing: 204. */
export const nothing = Type.Void()
/** Answers bytes of its own, with status and headers of its own. */
export const stream = Type.Unsafe<StreamAnswer>({ 'x-stoa': 'stream' })
export type StreamAnswer = { status: number; headers: Record<string, string | string[]>; body: Readable }

type Input<F extends TProperties, B> = Static<TObject<F>> & (B extends 'raw' ? { body: Buffer } : unknown)
type Audit<I> = { what: string; on: (input: I) => string }

export type Declaration<R extends string, A extends Access, F extends TProperties, B, O extends TSchema> = {
  /** `GET /v1/projects/{slug}`; `ANY` takes every method, and a last `{rest...}` every deeper path. */
  route: R
  summary: string
  access: A
  input?: F
  output: O
  status?: 200 | 201 | 202
  /** `raw` hands the body over as bytes, whatever its media type. */
  body?: B
  bodyLimit?: number
  /** A wire that is not ours: fields we do not know pass instead of being refused. */
  passUnknown?: true
  faults?: readonly FaultCode[]
  run: (context: Context<A>, input: Input<F, B>) => Promise<Static<O>> | Static<O>
} & (R extends `GET ${string}` ? { audit?: never } : { audit: Audit<Input<F, B>> | 'none' })

export type Operation = {
  kind: 'operation'
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
  faults: readonly FaultCode[]
  audit: Audit<never> | null
  run: (context: Context<never>, input: never) => unknown
}

/** Large enough for every JSON body of ours, small enough that a thousand at once fit in memory. */
const BODY_LIMIT = 1024 * 1024

export function operation<
  const R extends `${Method | 'ANY'} /v1${string}`,
  const A extends Access,
  O extends TSchema,
  F extends TProperties = Record<never, never>,
  const B extends 'json' | 'raw' = 'json',
>(declared: Declaration<R, A, F, B, O>): Operation {
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
    faults: declared.faults ?? [],
    audit: typeof declared.audit === 'object' ? (declared.audit as Audit<never>) : null,
    run: declared.run as Operation['run'],
  }
}
