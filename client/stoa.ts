// GENERATED from the operation declarations by `npm run generate`; do not edit.
//
// The typed client of a Stoa host, for Node, browsers and workers. It needs only `fetch` and Web Crypto.
//
//   const stoa = createStoa({ baseUrl: 'https://localhost:8443', key: 'sk-…' })
//   const project = await stoa.createProject({ slug: 'web-shop', name: 'Web shop' })
//   for await (const { slug } of stoa.listProjectsAll()) …
//
//   const events = createEvents({ baseUrl: 'https://localhost:8443', key: 'pk-…' })
//   events.capture({ event: 'Order Completed', distinctId: 'user-1' })

// The options of the client and of a single call.

export type StoaOptions = {
  /** The URL of the host, such as `https://localhost:8443`, without a path. */
  baseUrl: string
  /** A secret key of the organisation, `sk-…`, or an access token. Without one, only public operations can be called. */
  key?: string | undefined
  /** Acts as the person signed in to the browser, instead of with a key. */
  session?: boolean | undefined
  /** Allows a secret key in a browser page, where every visitor can read it. */
  dangerouslyAllowBrowser?: boolean | undefined
  /** How long one attempt may take until the whole answer has arrived, in milliseconds; defaults to 60,000, and to
   *  600,000 for model calls. */
  timeoutMs?: number | undefined
  /** How often a failed call is retried; defaults to 2. */
  retries?: number | undefined
  /** The longest wait before an attempt, in milliseconds; defaults to 30,000, at most 24 days. If the host asks for a
   *  longer one, the call fails immediately. */
  retryWaitMaxMs?: number | undefined
  /** Sent with every request, such as `X-Project-Id`. */
  headers?: Record<string, string> | undefined
  /** Used instead of the global `fetch`. */
  fetch?: Fetch | undefined
}

export type CallOptions = {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** As in `StoaOptions`, for this call. */
  timeoutMs?: number | undefined
  /** As in `StoaOptions`, for this call. */
  retries?: number | undefined
  /** Headers of this call, in addition to those of the client. */
  headers?: Record<string, string> | undefined
}

/** For operations that create something. */
export type CreateOptions = CallOptions & {
  /** The host runs the operation once per key. By default every call has a new key, shared by its attempts. */
  idempotencyKey?: string | undefined
}

type Fetch = (url: string, init: FetchInit) => Promise<Response>

type FetchInit = {
  method: string
  headers: Record<string, string>
  body: string | null
  signal: AbortSignal
  redirect: 'manual'
  credentials?: 'include'
  keepalive?: true
}

/** A misspelt one would be noticed only by the answers. The last two are of `createEvents`. */
const OPTIONS = [
  ...[
    'baseUrl',
    'key',
    'session',
    'headers',
    'timeoutMs',
    'retries',
    'retryWaitMaxMs',
    'fetch',
    'dangerouslyAllowBrowser',
  ],
  ...['intervalMs', 'onError'],
]

type ClientSettings = ReturnType<typeof settingsFrom>

function settingsFrom(options: StoaOptions) {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError("Pass one object with named options: `{ baseUrl: 'https://…', key: '…' }`.")
  }
  const unknown = Object.keys(options).find(name => !OPTIONS.includes(name))
  if (unknown !== undefined) {
    throw new TypeError(`There is no option \`${unknown.slice(0, 60)}\`. There are: ${OPTIONS.join(', ')}.`)
  }
  const { key, session = false, dangerouslyAllowBrowser = false } = options
  const baseUrl = checkedBaseUrl(options.baseUrl)
  // `fetch` would refuse it too, with an error that contains the key.
  if (key !== undefined && !VISIBLE_ASCII.test(key)) throw new TypeError('`key` must be visible ASCII characters only.')
  if (session && key !== undefined) throw new TypeError('Use `key` or `session`, not both.')
  if (key?.startsWith('sk-') && isPage() && !dangerouslyAllowBrowser) {
    throw new TypeError(
      'Every visitor of this page can read the secret key. Use `session: true`, a publishable key for events, or a ' +
        'server; ' +
        'if the key may be public, set `dangerouslyAllowBrowser: true`.',
    )
  }
  return {
    baseUrl,
    key,
    session,
    timeoutMs: options.timeoutMs,
    retries: options.retries ?? 2,
    retryWaitMaxMs: options.retryWaitMaxMs ?? 30_000,
    headers: options.headers ?? {},
    // Looked up for every request, so that a later replacement of the global is used.
    fetch: options.fetch ?? ((url: string, init: FetchInit) => fetch(url, init)),
  }
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/

/** The origin. Messages do not repeat the user and password, which may be in the URL. */
function checkedBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('`baseUrl` must start with https:// or http://')
  if (url.username || url.password) {
    throw new TypeError('`baseUrl` must not contain a user or password. Pass a secret as `key`.')
  }
  // The paths of the operations start with /v1, at the root of the host.
  if (url.pathname !== '/' || /[?#]/.test(text)) {
    throw new TypeError(`\`baseUrl\` must have no path, query or fragment; write \`baseUrl: '${url.origin}'\`.`)
  }
  return url.origin
}

const isPage = () => 'document' in globalThis

// The errors that calls reject with, apart from the reason of an aborted signal:
//
//   StoaError
//     StoaApiError                the host answered with a fault
//       InvalidInputError           400, 405, 408, 413, 415, 417, 431
//       AuthenticationError         401
//       PermissionError             403
//       NotFoundError               404
//       ConflictError               409
//       RateLimitError              429
//       ServerError                 500, 501, 502, 503
//     StoaConnectionError         there was no answer from the host
//     WebhookVerificationError    a webhook could not be verified

export class StoaError extends Error {
  override name = 'StoaError'
}

/** The host answered with a fault. The message says what to do. */
export class StoaApiError extends StoaError {
  override name = 'StoaApiError'
  /** Identifies the kind of fault. A newer host may answer with codes that this client does not know. */
  readonly code: FaultCode
  /** The status of the answer; 200 if the fault arrived within an event stream. */
  readonly status: number
  /** The category of the code, such as `conflict_error`. */
  readonly type: string
  /** The first invalid field. */
  readonly param: string | null
  /** Every invalid field, and what is wrong with it. */
  readonly fields: { path: string; says: string }[]
  /** Identifies the request in the logs of the host. */
  readonly requestId: string | null
  /** The seconds after which the host may accept the call. */
  readonly retryAfter: number | null
  /** The headers of the answer. */
  readonly headers: Headers

  constructor(fault: FaultAnswer, response: Response) {
    super(fault.message)
    this.code = fault.code
    this.status = response.status
    this.type = fault.type
    this.param = fault.param ?? null
    this.fields = fault.fields ?? []
    this.requestId = fault.request_id ?? requestIdOf(response)
    this.retryAfter = retryAfterIn(response.headers)
    this.headers = response.headers
  }
}

/** The request is invalid; `fields` says what is wrong with which field. */
export class InvalidInputError extends StoaApiError {
  override name = 'InvalidInputError'
}

/** The credential is missing, wrong, expired or revoked. */
export class AuthenticationError extends StoaApiError {
  override name = 'AuthenticationError'
}

/** The credential may not do this. */
export class PermissionError extends StoaApiError {
  override name = 'PermissionError'
}

export class NotFoundError extends StoaApiError {
  override name = 'NotFoundError'
}

/** The request conflicts with existing data, such as a name that is taken. */
export class ConflictError extends StoaApiError {
  override name = 'ConflictError'
}

/** Too many calls; `retryAfter` says when to try again. */
export class RateLimitError extends StoaApiError {
  override name = 'RateLimitError'
}

/** The host, or something it depends on, failed. */
export class ServerError extends StoaApiError {
  override name = 'ServerError'
}

/** There was no answer from the host: a network failure, a timeout, or an answer that is not the JSON of a Stoa host. */
export class StoaConnectionError extends StoaError {
  override name = 'StoaConnectionError'
  /** The status of the answer; null if there was none. */
  readonly status: number | null
  /** The headers of the answer; null if there was none. */
  readonly headers: Headers | null

  constructor(message: string, { cause, response }: { cause?: unknown; response?: Response | undefined }) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = response?.status ?? null
    this.headers = response?.headers ?? null
  }
}

type FaultAnswer = {
  code: FaultCode
  message: string
  type: string
  param?: string | null
  fields?: { path: string; says: string }[]
  request_id?: string
}

/** Null if the value is not a fault of the host: a proxy in between may answer in another format. */
function faultIn(value: unknown): FaultAnswer | null {
  const { error } = (value ?? {}) as { error?: Partial<FaultAnswer> | null }
  const isFault = [error?.code, error?.message, error?.type].every(text => typeof text === 'string')
  return isFault ? (error as FaultAnswer) : null
}

function apiError(fault: FaultAnswer, response: Response): StoaApiError {
  const families: Record<string, typeof StoaApiError> = {
    invalid_request_error: InvalidInputError,
    authentication_error: AuthenticationError,
    permission_error: PermissionError,
    not_found_error: NotFoundError,
    conflict_error: ConflictError,
    rate_limit_error: RateLimitError,
    api_error: ServerError,
    // In the messages format.
    overloaded_error: ServerError,
  }
  // A type such as `constructor` is not a category, although every object has a property of that name.
  const family = Object.hasOwn(families, fault.type) ? families[fault.type] : undefined
  return new (family ?? StoaApiError)(fault, response)
}

const requestIdOf = (response: Response): string | null => response.headers.get('x-request-id')

/** In seconds. The header is a number of seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterIn(headers: Headers): number | null {
  const value = headers.get('retry-after')
  if (value === null) return null
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds))
}

// Calls operations by their route; `createStoa` adds names and types.

/** Resolves to the operation's answer. */
export type Call<Data> = Promise<Data> & {
  /** Resolves to the value, and the response that contained it. */
  withResponse(): Promise<WithResponse<Data>>
}

/** `response` has the status and headers of the answer; its body was already read. */
export type WithResponse<Data> = { data: Data; response: Response; requestId: string | null }

/** One page of a listing. */
export type Page<Item> = {
  data: Item[]
  /** Send it as `after` to get the next page; empty on the last page. */
  next: string
}

function connect(options: StoaOptions) {
  const settings = settingsFrom(options)
  if (settings.key?.startsWith('pk-')) throw new TypeError(ONLY_EVENTS)
  const loadToken = call<{ csrfToken: string; expiresIn: number }>('getCsrf', 'GET', '/v1/account/csrf')
  const csrfToken = settings.session ? csrfTokens(loadToken) : null

  /** Throws a TypeError for errors of the caller, such as an invalid header. If headers have the same name, the last one
   *  is sent: first `defaults`, then those of the client, then `more`. */
  function request(
    operation: Operation,
    input: object,
    more: (Record<string, string> | undefined)[],
    defaults: Record<string, string> = {},
  ): ApiRequest {
    requireObject(operation, input)
    const headers = new Headers(defaults)
    const credential = settings.key === undefined ? {} : { authorization: `Bearer ${settings.key}` }
    const given = [settings.headers, credential, ...more].flatMap(one => Object.entries(one ?? {}))
    for (const [name, value] of given) headers.set(name, value)
    return requestFor(settings.baseUrl, operation, input, headers)
  }

  const perform = <Data>(made: ApiRequest, read: Reader<Data>, options: CallOptions) =>
    performed(made, read, options, settings, csrfToken)

  function call<Data>(...operation: Operation) {
    return (input: object = {}, options: CallOptions = {}): Call<Data> =>
      callOf(async () => perform(request(operation, input, [options.headers]), readJson<Data>, options))
  }

  /** All attempts of a call have the same key, so that the host creates one resource however often it is called. For
   *  other operations it ignores the key, even if the caller sends one. */
  function create<Data>(...operation: Operation) {
    return (input: object = {}, options: CreateOptions = {}): Call<Data> =>
      callOf(async () => perform(keyed(operation, input, options), readJson<Data>, options))
  }

  function keyed(operation: Operation, input: object, { headers, idempotencyKey }: CreateOptions): ApiRequest {
    const chosen = idempotencyKey === undefined ? undefined : { 'idempotency-key': idempotencyKey }
    const made = request(operation, input, [headers, chosen], { 'idempotency-key': crypto.randomUUID() })
    return { ...made, isRepeatable: true }
  }

  /** Like `create`, for model calls: the host runs one call per key here too. */
  function model<Data>(...operation: Operation) {
    return (input: object = {}, options: CreateOptions = {}): Call<Data> =>
      callOf(async () => perform({ ...keyed(operation, input, options), isCostly: true }, readJson<Data>, options))
  }

  /** For operations that answer with something other than JSON, such as a redirect, which is not followed. */
  function send(...operation: Operation) {
    return (input: object = {}, options: CallOptions = {}): Call<Response> => {
      const made = () => ({ ...request(operation, input, [options.headers]), mayRedirect: true })
      return callOf(async () => perform(made(), readWhole, options))
    }
  }

  /** All items of a listing; each page is requested when its first item is needed. */
  function all<Item>(...operation: Operation) {
    const page = call<unknown>(...operation)
    return (input: { after?: string } = {}, options: CallOptions = {}): Stream<Item> => {
      return leavable(options.signal, signal => {
        const load = (after: string | undefined) => {
          requireObject(operation, input)
          return page({ ...input, after }, { ...options, signal }).withResponse()
        }
        return itemsOf<Item>(`${operation[1]} ${operation[2]}`, load, input?.after, signal)
      })
    }
  }

  return { call, create, model, send, all, ...streamsOf(request, perform) }
}

/** The methods that answer event streams. */
function streamsOf(
  request: (operation: Operation, input: object, more: (Record<string, string> | undefined)[]) => ApiRequest,
  perform: <Data>(made: ApiRequest, read: Reader<Data>, options: CallOptions) => Promise<Performed<Data>>,
) {
  /** The host sends strings unchanged; then `parse` is `String`. */
  function events<Data>(id: string, method: string, path: string, parse: (text: string) => unknown = JSON.parse) {
    const read: StreamReader<StoaEvent<Data>> = (...answer) => eventsIn(parse, ...answer)
    return (input: object = {}, options: CallOptions = {}) => streamed([id, method, path], input, options, read)
  }

  /** The data of the events, for operations that answer with a value or its parts. */
  function parts<Data>(...operation: Operation) {
    const read: StreamReader<Data> = (...answer) => partsIn(operation[2], ...answer)
    return (input: object = {}, options: CallOptions = {}) => streamed(operation, input, options, read)
  }

  /** The request is sent when the first event is needed, and cancelled when the loop is left. */
  function streamed<Data>(
    operation: Operation,
    input: object,
    options: CallOptions,
    read: StreamReader<Data>,
  ): Stream<Data> {
    return leavable(options.signal, async function* (signal) {
      const made = request(operation, input, [{ accept: 'text/event-stream' }, options.headers])
      const { response, deadline } = await perform(made, async () => {}, { ...options, signal })
      try {
        if (!hasType(response, 'text/event-stream')) throw foreignAnswer(made.route, response, '')
        yield* read(response, deadline, signal)
      } finally {
        deadline.cancel()
      }
    })
  }

  return { events, parts }
}

/** Its `return` also ends a pending `next`, for which that of a generator would wait. The signal of `iterate` aborts
 *  then, and when `outer` does. */
function leavable<Item>(outer: AbortSignal | undefined, iterate: (signal: AbortSignal) => Stream<Item>): Stream<Item> {
  const controller = new AbortController()
  const follow = () => controller.abort(outer?.reason)
  let isLeft = false
  async function* items(): Stream<Item> {
    if (outer?.aborted) follow()
    outer?.addEventListener('abort', follow, { once: true })
    try {
      yield* iterate(controller.signal)
    } catch (error) {
      if (!isLeft) throw error
    } finally {
      outer?.removeEventListener('abort', follow)
    }
  }
  const stream = items()
  const end = stream.return.bind(stream)
  stream.return = value => {
    isLeft = true
    controller.abort()
    return end(value)
  }
  return stream
}

const ONLY_EVENTS =
  '`key` is a publishable key, which can only send events: `createEvents({ baseUrl, key })`. For calls, use a secret key.'

/** The method that sends these fields, too. */
function withFields<Answer, Options>(method: (input: object, options?: Options) => Answer, fields: object) {
  return (input: object = {}, options?: Options): Answer =>
    method(typeof input === 'object' ? { ...input, ...fields } : input, options)
}

/** A method that returns the parts of its value one by one if the input has `stream: true`. */
type Either<Whole, Parts> = {
  (input: { stream: true }, options?: CallOptions): Parts
  (input: { stream?: false | undefined }, options?: CreateOptions): Whole
}

function either<Whole, Parts>(
  whole: (input: object, options?: CreateOptions) => Whole,
  parts: (input: object, options?: CallOptions) => Parts,
): Either<Whole, Parts> {
  const method = (input: { stream?: boolean | undefined }, options?: CreateOptions) =>
    input?.stream === true ? parts(input, options) : whole(input, options)
  return method as Either<Whole, Parts>
}

/** Throws a StoaConnectionError for an answer that is not a page, and for a repeated cursor, with which the listing
 *  would not end. */
async function* itemsOf<Item>(
  route: string,
  load: (after: string | undefined) => Promise<WithResponse<unknown>>,
  first: string | undefined,
  signal: AbortSignal | undefined,
): Stream<Item> {
  let after = first
  const cursors = new Set([after])
  do {
    const { data: page, response } = await load(after)
    if (!isPageOf<Item>(page)) throw foreignAnswer(route, response, JSON.stringify(page) ?? '')
    for (const item of page.data) {
      signal?.throwIfAborted()
      yield item
    }
    after = page.next
    if (after && cursors.has(after)) {
      throw new StoaConnectionError(`${route}: the answer has a cursor that an earlier page had.`, { response })
    }
    cursors.add(after)
  } while (after)
}

function isPageOf<Item>(value: unknown): value is Page<Item> {
  const { data, next } = (value ?? {}) as Partial<Page<Item>>
  return Array.isArray(data) && typeof next === 'string'
}

/** A copy whose body is already loaded: reading the original later would have no deadline. */
async function readWhole(response: Response): Promise<Response> {
  if (response.type === 'opaqueredirect') return response // It has no body, and a status that a copy cannot have.
  const body = await response.arrayBuffer()
  return new Response(body.byteLength > 0 ? body : null, response)
}

function callOf<Data>(perform: () => Promise<Performed<Data>>): Call<Data> {
  const answered = perform().then(({ data, response, deadline }) => {
    deadline.end()
    return { data, response, requestId: requestIdOf(response) }
  })
  const value = answered.then(({ data }) => data)
  const withResponse = () => {
    value.catch(() => {}) // The caller uses the other promise, which rejects with the same error.
    return answered
  }
  return Object.assign(value, { withResponse })
}

// A request as sent, built from an operation's route and the caller's flat input.

type ApiRequest = {
  /** `POST /v1/projects`, for messages. Without the values of the input, which may be confidential. */
  route: string
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
  /** Whether sending it twice does no more than sending it once. */
  isRepeatable: boolean
  /** Whether the operation answers with a redirect. */
  mayRedirect: boolean
  /** Whether it calls a model, which takes long and costs money each time. */
  isCostly: boolean
  /** Whether a browser should continue it when the page is left. */
  keepalive: boolean
}

/** The client's name of an operation, and its route. */
type Operation = readonly [id: string, method: string, path: string]

/** Path parameters are filled from the input; the rest becomes the query of a GET or DELETE, otherwise the body. */
function requestFor(baseUrl: string, [, method, path]: Operation, input: object, headers: Headers): ApiRequest {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const filled = path.replace(PATH_FIELD, (_, name) => {
    const value = rest.get(name)
    rest.delete(name)
    return segment(name, value)
  })
  const url = new URL(baseUrl + filled)
  const inQuery = method === 'GET' || method === 'DELETE'
  if (inQuery)
    for (const [name, value] of rest) for (const one of [value].flat()) url.searchParams.append(name, String(one))
  else headers.set('content-type', 'application/json')
  return {
    route: `${method} ${path}`,
    method,
    url: url.href,
    headers: Object.fromEntries(headers),
    body: inQuery ? null : JSON.stringify(Object.fromEntries(rest)),
    isRepeatable: ['GET', 'PUT', 'DELETE'].includes(method),
    mayRedirect: false,
    isCostly: false,
    keepalive: false,
  }
}

const PATH_FIELD = /\{(\w+)\}/g

/** Throws a TypeError that shows how to write it, without the value, which may be confidential. */
function requireObject([id, , path]: Operation, input: unknown): void {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return
  const names = Array.from(path.matchAll(PATH_FIELD), ([, name]) => `${name}: '…'`)
  const shown = `stoa.${id}({ ${names.join(', ') || '…'} })`
  throw new TypeError(`\`${id}\` takes one object with named fields; write \`${shown}\`.`)
}

/** URL parsing removes empty and dot segments, which would call another operation. */
function segment(name: string, value: unknown): string {
  const text = String(value ?? '')
  if (text === '') throw new TypeError(`\`${name}\` is missing.`)
  if (['.', '..'].includes(text)) throw new TypeError(`\`${name}\` must not be "${text}"`)
  return encodeURIComponent(text)
}

// One attempt: sends the request and reads the answer.

/** The deadline of a successful attempt is still running. */
type Performed<Data> = { data: Data; response: Response; deadline: Deadline }

/** `again` says when to retry: always, because the host cannot have received the request; if the request is repeatable;
 *  or never. */
type FailedAttempt = {
  error: StoaError
  again: 'always' | 'repeatable' | 'never'
  /** The seconds after which the host asks to be called again. */
  retryAfter: number | null
}

/** Reads the body of a successful answer. */
type Reader<Data> = (response: Response) => Promise<Data>

/** Thrown by a reader for a body that is not JSON. */
class NotJson extends Error {
  readonly body: string

  constructor(body: string, cause: unknown) {
    super('no JSON', { cause })
    this.body = body
  }
}

async function readJson<Data>(response: Response): Promise<Data> {
  if (response.status === 204) return undefined as Data
  const body = await response.text()
  try {
    return JSON.parse(body) as Data
  } catch (cause) {
    throw new NotJson(body, cause)
  }
}

/** Statuses of temporary conditions. 409 is not one: a repeated call would conflict in the same way. */
const PASSING = [408, 429, 502, 503, 504]

/** Rejects only with the reason of the caller's signal. */
async function attempt<Data>(
  made: ApiRequest,
  read: Reader<Data>,
  { fetch, session }: Pick<ClientSettings, 'fetch' | 'session'>,
  timeoutMs: number,
  outer: AbortSignal | undefined,
): Promise<Performed<Data> | FailedAttempt> {
  const { route, method, url, headers, body, mayRedirect, keepalive } = made
  const deadline = startDeadline(timeoutMs, outer)
  const { signal } = deadline
  // Following a redirect, `fetch` would turn a POST into a GET, which is another operation, and send custom headers to any
  // origin.
  const redirect = 'manual' as const
  // Not every runtime supports `credentials` and `keepalive`, so they are set only where needed.
  const more = { ...(session && { credentials: 'include' as const }), ...(keepalive && { keepalive }) }
  let response: Response | undefined
  try {
    response = await fetch(url, { method, headers, body, redirect, signal, ...more })
    if (response.ok || (mayRedirect && isRedirect(response))) return { data: await read(response), response, deadline }
    const failure = failureOf(made, response, await response.text())
    deadline.end()
    return failure
  } catch (thrown) {
    const isLate = signal.aborted
    deadline.cancel()
    outer?.throwIfAborted()
    if (response && thrown instanceof NotJson && !hasType(response, 'application/json')) {
      return { error: foreignAnswer(route, response, thrown.body, thrown.cause), again: 'never', retryAfter: null }
    }
    const cause = isLate ? signal.reason : thrown instanceof NotJson ? thrown.cause : thrown
    return lostAnswer(made, cause, isLate, response)
  }
}

function lostAnswer(
  { route, url, isCostly }: ApiRequest,
  cause: unknown,
  isLate: boolean,
  response: Response | undefined,
): FailedAttempt {
  const what = response ? 'the answer was incomplete' : 'there was no answer'
  const code = codeOf(cause)
  // `fetch failed` is meaningless; the code of its cause is not.
  const words = code || (cause instanceof Error ? cause.message : String(cause))
  const advice = isLate || response ? '' : adviceOn(code, isPage())
  const message = `${route}: ${what}: ${new URL(url).origin}, ${words}${advice && `. ${advice}`}`
  const error = new StoaConnectionError(message, { cause, response })
  // Another attempt would take as long, and the model's work so far is charged.
  const isVain = isLasting(code) || (isLate && isCostly)
  return { error, again: isVain ? 'never' : UNSENT.includes(code) ? 'always' : 'repeatable', retryAfter: null }
}

/** For an answer that is not 2xx. */
function failureOf({ route, isCostly }: ApiRequest, response: Response, body: string): FailedAttempt {
  const error = errorOf(route, response, body)
  const { status } = response
  // The host has already retried with the model's providers as often as is useful.
  const isVain = isCostly && (status === 504 || (status === 502 && error instanceof StoaApiError))
  const again = PASSING.includes(status) && !isVain ? 'repeatable' : 'never'
  return { error, again, retryAfter: retryAfterIn(response.headers) }
}

function errorOf(route: string, response: Response, body: string): StoaError {
  try {
    const fault = faultIn(JSON.parse(body))
    return fault ? apiError(fault, response) : foreignAnswer(route, response, body)
  } catch (cause) {
    return foreignAnswer(route, response, body, cause)
  }
}

/** Browsers do not reveal the status and headers of a redirect. */
const isRedirect = ({ status, type }: Response) => (status >= 300 && status < 400) || type === 'opaqueredirect'

const hasType = ({ headers }: Response, type: string) => headers.get('content-type')?.startsWith(type) === true

/** The error codes of Node's `fetch` before it has a connection. Browsers do not report them. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** Empty in browsers, which do not report it. */
function codeOf(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: { code?: string } }
  return cause?.code ?? ''
}

// Runs attempts, and decides whether and when a failed one is retried.

/** The bound of the first wait, which doubles with every attempt. Waits are random below it ("full jitter"), so that
 *  clients that failed together do not retry together. */
const BACKOFF_MS = 500
const BACKOFF_MS_MAX = 8_000

const TIMEOUT_MS = 60_000
/** A model may take minutes to answer. */
const MODEL_TIMEOUT_MS = 600_000

/** Retries until an attempt succeeds or no further one is allowed. Reading may continue: the caller ends the deadline. */
async function performed<Data>(
  made: ApiRequest,
  read: Reader<Data>,
  options: CallOptions,
  settings: ClientSettings,
  csrfToken: CsrfToken | null,
): Promise<Performed<Data>> {
  const { signal, retries = settings.retries } = options
  const timeoutMs = options.timeoutMs ?? settings.timeoutMs ?? (made.isCostly ? MODEL_TIMEOUT_MS : TIMEOUT_MS)
  let tries = 0
  let refusedToken: string | null = null
  while (true) {
    signal?.throwIfAborted()
    const needsToken = csrfToken !== null && made.method !== 'GET'
    const token: string | null = needsToken ? await orAborted(csrfToken(refusedToken), signal) : null
    if (token !== null) made.headers['x-csrf-token'] = token
    const outcome = await attempt(made, read, settings, timeoutMs, signal)
    if ('data' in outcome) return outcome
    if (token !== null && refusedToken === null && isTokenRefused(outcome.error)) {
      refusedToken = token
      continue
    }
    const waitMs = tries < retries ? waitMsAfter(outcome, made.isRepeatable, tries, settings.retryWaitMaxMs) : null
    if (waitMs === null) throw outcome.error
    tries++
    await sleep(waitMs, signal)
  }
}

const isTokenRefused = (error: StoaError) => error instanceof StoaApiError && error.code === 'csrf_token_required'

/** The wait before the next attempt; null if there must be none. `tries` counts the earlier retries. */
function waitMsAfter({ again, retryAfter }: FailedAttempt, isRepeatable: boolean, tries: number, maxMs: number) {
  if (again === 'never' || (again === 'repeatable' && !isRepeatable)) return null
  const askedMs = 1000 * (retryAfter ?? 0)
  if (askedMs > Math.min(maxMs, TIMER_MS_MAX)) return null
  return Math.max(askedMs, backoffMs(tries, maxMs))
}

const backoffMs = (tries: number, maxMs: number) =>
  Math.random() * Math.min(BACKOFF_MS * 2 ** tries, BACKOFF_MS_MAX, maxMs)

// The deadline of an attempt, and the wait before the next one. Timers and listeners end with their call.

/** `setTimeout` treats longer times as 1 ms. */
const TIMER_MS_MAX = 2 ** 31 - 1

type Deadline = ReturnType<typeof startDeadline>

/** Its signal aborts when the caller's does, or when the time is over. `end` must be called. */
function startDeadline(timeoutMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const follow = () => controller.abort(outer?.reason)
  const pause = () => clearTimeout(timer)
  /** Restarts with another time. */
  const restart = (ms: number) => {
    pause()
    const expire = () => controller.abort(new DOMException(`No answer within ${ms} ms`, 'TimeoutError'))
    timer = setTimeout(expire, Math.min(ms, TIMER_MS_MAX))
  }
  const end = () => {
    pause()
    outer?.removeEventListener('abort', follow)
  }
  /** Ends the deadline, and cancels the request if it is still running. */
  const cancel = () => {
    end()
    controller.abort()
  }
  outer?.throwIfAborted()
  outer?.addEventListener('abort', follow, { once: true })
  restart(timeoutMs)
  return { signal: controller.signal, pause, restart, end, cancel }
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const elapsed = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await orAborted(elapsed, signal).finally(() => clearTimeout(timer))
}

/** Settles like `awaited`, but rejects as soon as the signal aborts. */
async function orAborted<T>(awaited: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let abort = () => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal?.reason)
  })
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  return Promise.race([awaited, aborted]).finally(() => signal?.removeEventListener('abort', abort))
}

// The CSRF token of a browser session, which the host requires for writes.

/** The token is renewed before it expires, so that a slow request still arrives in time. */
const RENEWAL_S = 60

type Held = { token: string; expires: number }

/** Resolves to a valid token shared by all calls, other than the one that the host refused. */
type CsrfToken = (refused: string | null) => Promise<string>

function csrfTokens(get: () => Promise<{ csrfToken: string; expiresIn: number }>): CsrfToken {
  let latest: Promise<Held> | null = null
  const load = (): Promise<Held> => {
    const loading = get().then(({ csrfToken, expiresIn }) => {
      return { token: csrfToken, expires: Date.now() + 1000 * Math.max(expiresIn - RENEWAL_S, expiresIn / 2) }
    })
    loading.catch(() => {
      if (latest === loading) latest = null // The next call tries again; this one gets the error.
    })
    latest = loading
    return loading
  }
  return async refused => {
    const known = latest ?? load()
    const { token, expires } = await known
    if (token !== refused && Date.now() < expires) return token
    const renewed = latest && latest !== known ? latest : load() // Another call may have renewed it meanwhile.
    return (await renewed).token
  }
}

// Reads event streams (`text/event-stream`) according to the HTML standard, section 9.2.

/** The host sends a comment every 15 seconds, so a stream that is silent for longer is lost. */
const SILENCE_MS = 60_000

const CUT_OFF = 'The event stream was incomplete.'

export type StoaEvent<Data> = {
  /** The name of the event; `message` if it has none. */
  event: string
  data: Data
  /** The id of the last event that had one; empty if none had. */
  id: string
}

type Stream<Data> = AsyncGenerator<Data, void, undefined>

type StreamReader<Data> = (
  response: Response,
  deadline: Deadline,
  outer: AbortSignal | undefined,
) => Stream<Data>

/** The events of an answer. A fault sent by the host as an event is thrown. */
async function* eventsIn<Data>(
  parse: (text: string) => unknown,
  response: Response,
  deadline: Deadline,
  outer: AbortSignal | undefined,
): Stream<StoaEvent<Data>> {
  const parser = eventParser()
  for await (const chunk of chunksOf(response, deadline, outer)) {
    for (const { event, data, id } of parser.eventsIn(chunk)) {
      outer?.throwIfAborted()
      const fault = event === 'error' ? faultIn(jsonOrText(data)) : null
      if (fault) throw apiError(fault, response)
      yield { event, data: parsed(event, data, parse, response) as Data, id }
    }
  }
  // Some versions of `fetch` do not distinguish a lost connection from the end.
  if (!parser.isBetweenEvents()) throw new StoaConnectionError(CUT_OFF, { response })
}

/** The parts of a value, such as a model's answer. Errors of its provider are thrown, too. */
async function* partsIn<Data>(path: string, ...answer: Parameters<StreamReader<Data>>): Stream<Data> {
  const [response] = answer
  let isWhole = !MODEL_PATHS.includes(path)
  for await (const { event, data: text } of eventsIn<string>(String, ...answer)) {
    if (text === '[DONE]') {
      isWhole = true // The end, in the chat-completions format.
      continue
    }
    const data = event === 'error' ? jsonOrText(text) : parsed(event, text, JSON.parse, response)
    const fault = providerFaultIn(event, data)
    if (fault) throw apiError(fault, response)
    isWhole ||= isLast(data)
    yield data as Data
  }
  if (!isWhole) throw new StoaConnectionError(CUT_OFF, { response })
}

/** Their streams have a last part. */
const MODEL_PATHS = ['/v1/chat/completions', '/v1/responses', '/v1/messages']

/** The last parts of responses and messages. */
const LAST = ['response.completed', 'response.incomplete', 'response.failed', 'message_stop']

/** Some providers of chat completions send no `[DONE]`. */
function isLast(data: unknown): boolean {
  const { type, choices } = (data ?? {}) as { type?: string; choices?: ({ finish_reason?: unknown } | null)[] }
  return LAST.includes(type as string) || (Array.isArray(choices) && choices.some(one => one?.finish_reason))
}

function parsed(event: string, text: string, parse: (text: string) => unknown, response: Response): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw new StoaConnectionError(`The data of the event \`${event}\` is no JSON.`, { cause, response })
  }
}

/** The fields with the content of a part, in all formats. */
const CONTENT = ['choices', 'delta', 'response', 'item', 'part', 'content_block']

/** Providers report errors as `{"error":{"message",…}}`, as `{"error":"…"}`, as `{"type":"error","message",…}`, or as a
 *  text, with or without a code. */
function providerFaultIn(event: string, data: unknown): FaultAnswer | null {
  const part = Object(data ?? {}) as Record<string, unknown>
  const isError = event === 'error' || part.type === 'error'
  const { type: _, ...flat } = part
  const error = part.error ?? (!isError ? null : typeof data === 'object' ? flat : data)
  if (error === null) return null
  const { message, type, code, ...more } = Object(error) as Record<string, unknown>
  const says = typeof error === 'string' ? error : message
  const isText = typeof says === 'string' && says !== ''
  if (!isError && !(isText && typeof error === 'object') && CONTENT.some(name => (part[name] ?? null) !== null))
    return null
  const kind = typeof type === 'string' ? type : 'api_error'
  const told = isText ? says : `The model's provider reported an error: ${JSON.stringify(error)}`
  return { ...more, code: String(code ?? kind), message: told, type: kind } as FaultAnswer
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function* chunksOf(response: Response, deadline: Deadline, outer: AbortSignal | undefined) {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder() // Removes a byte order mark.
  while (reader) {
    deadline.restart(SILENCE_MS)
    const { done, value } = await reader.read().catch(thrown => {
      outer?.throwIfAborted()
      const cause = deadline.signal.aborted ? deadline.signal.reason : thrown
      throw new StoaConnectionError(CUT_OFF, { cause, response })
    })
    deadline.pause() // The caller may take as long as it likes for an event.
    if (done) return
    yield decoder.decode(value, { stream: true })
  }
}

/** `eventsIn` takes the next part of a stream and returns the events that it completes. */
function eventParser() {
  const splitter = lineSplitter()
  let [event, id] = ['', '']
  let data: string[] = []
  const take = (line: string): StoaEvent<string> | null => {
    if (line === '') {
      const complete = data.length > 0 ? { event: event || 'message', data: data.join('\n'), id } : null
      event = ''
      data = []
      return complete
    }
    const [, name, value = ''] = line.match(/^([^:]*)(?:: ?(.*))?$/s) as RegExpMatchArray
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
    if (name === 'id' && !value.includes('\0')) id = value
    return null
  }
  return {
    eventsIn: (chunk: string) => splitter.linesIn(chunk).flatMap(line => take(line) ?? []),
    isBetweenEvents: () => data.length === 0 && event === '' && splitter.isBetweenLines(),
  }
}

/** `linesIn` takes the next part of a text and returns the lines that it completes: by CR, LF or CRLF. */
function lineSplitter() {
  let rest = ''
  let endedInCr = false
  const linesIn = (chunk: string): string[] => {
    if (chunk === '') return []
    // The line was complete with the CR already; the LF of a CRLF may arrive later.
    const text = endedInCr && chunk.startsWith('\n') ? chunk.slice(1) : chunk
    endedInCr = chunk.endsWith('\r')
    const lines = text.split(/\r\n|\r|\n/)
    lines[0] = rest + lines[0]
    rest = lines.pop() as string
    return lines
  }
  return { linesIn, isBetweenLines: () => rest === '' }
}

// Advice for a call that did not reach a Stoa host.

const SHOWN_MAX = 80

/** For an answer that did not come from the host; `body` is what arrived. */
function foreignAnswer(route: string, response: Response, body: string, cause?: unknown): StoaConnectionError {
  const { url, status, statusText, headers } = response
  const kind = headers.get('content-type')?.split(';', 1)[0] ?? 'no content type'
  const start = body
    .slice(0, 10 * SHOWN_MAX)
    .replaceAll(/\s+/g, ' ')
    .trim()
  const shown =
    start === '' ? '' : ` It starts with: ${start.slice(0, SHOWN_MAX)}${start.length > SHOWN_MAX ? '…' : ''}`
  const message =
    `${route}: the answer (${`${status} ${statusText}`.trim()}, ${kind}) did not come from a Stoa host. Either \`baseUrl\` is not ` +
    `the address of one${URL.canParse(url) ? ` (${new URL(url).origin})` : ''}, or a proxy in between answered.${shown}`
  return new StoaConnectionError(message, { cause, response })
}

/** Node's error codes for a certificate whose authority is unknown. */
const UNKNOWN_AUTHORITY = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]
const NO_TLS = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']
const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID'
const EXPIRED = 'CERT_HAS_EXPIRED'

/** Whether another attempt would fail in the same way. */
const isLasting = (code: string) => [...UNKNOWN_AUTHORITY, ...NO_TLS, OTHER_NAME, EXPIRED].includes(code)

/** `code` is Node's error code, empty in browsers. Returns an empty text if there is no advice. */
function adviceOn(code: string, isPage: boolean): string {
  if (UNKNOWN_AUTHORITY.includes(code)) {
    return (
      'The authority of its certificate is unknown. Start Node with the file of the authority: ' +
      'NODE_EXTRA_CA_CERTS=data/tls/ca.pem for a Stoa on this machine. Setting it later, in `process.env`, has no effect.'
    )
  }
  if (NO_TLS.includes(code)) return 'The server there does not use TLS: check the port in `baseUrl`.'
  if (code === OTHER_NAME)
    return 'Its certificate is for another name: use that name in `baseUrl`, such as `localhost`.'
  if (code === EXPIRED) return 'Its certificate has expired.'
  if (code === 'ECONNREFUSED') {
    return 'No server is listening there: start Stoa with `npm start`, or correct the host and the port in `baseUrl`.'
  }
  if (code === 'ENOTFOUND') return 'The host name does not exist: correct it in `baseUrl`.'
  if (code !== '' || !isPage) return ''
  return (
    'Browsers do not report the cause: perhaps no server is listening there, its certificate is not trusted, or pages of this origin ' +
    'may not call it (CORS).'
  )
}

// The formats of model calls: the fields that every model of a format supports. Other fields are passed to the provider and
// back unchanged, so every type allows further fields; they are described in the format's documentation.

/** In the chat-completions format. */
export type CreateChatCompletionInput = {
  /** The model, which `listModels` lists. */
  model: string
  messages: ChatMessage[]
  tools?: ChatTool[]
  max_completion_tokens?: number
  temperature?: number
  stream?: boolean
  [field: string]: unknown
}

export type ChatMessage = {
  role: 'developer' | 'system' | 'user' | 'assistant' | 'tool'
  /** A text, or parts such as texts and images. */
  content?: string | { type: string; text?: string; [field: string]: unknown }[] | null
  tool_calls?: ChatToolCall[]
  /** For the role `tool`: the call that produced this result. */
  tool_call_id?: string
  [field: string]: unknown
}

export type ChatTool = {
  type: 'function'
  /** `parameters` is a JSON schema. */
  function: { name: string; description?: string; parameters?: object; [field: string]: unknown }
  [field: string]: unknown
}

/** `arguments` is JSON, written by the model: it may be invalid. */
export type ChatToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } }

export type ChatUsage = {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  [field: string]: unknown
}

export type ChatCompletion = {
  id: string
  model: string
  choices: {
    index: number
    message: { role: 'assistant'; content?: string | null; tool_calls?: ChatToolCall[]; [field: string]: unknown }
    /** Why it ended: `stop`, `length`, `tool_calls`, `content_filter`. */
    finish_reason: string | null
    [field: string]: unknown
  }[]
  usage?: ChatUsage
  [field: string]: unknown
}

/** A part of a chat completion. The last one may have no choices. */
export type ChatCompletionChunk = {
  id: string
  model: string
  choices: {
    index: number
    delta: {
      role?: string
      content?: string | null
      /** Parts of calls; those with the same `index` belong together. */
      tool_calls?: {
        index: number
        id?: string
        type?: 'function'
        function?: { name?: string; arguments?: string }
      }[]
      [field: string]: unknown
    }
    finish_reason?: string | null
    [field: string]: unknown
  }[]
  usage?: ChatUsage | null
  [field: string]: unknown
}

export type CreateEmbeddingInput = {
  /** The model; `local-embed-en` is on every host. */
  model: string
  input: string | string[] | number[] | number[][]
  dimensions?: number
  encoding_format?: 'float' | 'base64'
  [field: string]: unknown
}

export type Embeddings = {
  model: string
  /** In the order of the input. A text if `encoding_format` is `base64`. */
  data: { index: number; embedding: number[]; [field: string]: unknown }[]
  usage: { prompt_tokens: number; total_tokens: number; [field: string]: unknown }
  [field: string]: unknown
}

/** In the responses format. */
export type CreateResponseInput = {
  /** The model, which `listModels` lists. */
  model: string
  /** A text, or items such as messages and results of tools. */
  input: string | { [field: string]: unknown }[]
  instructions?: string
  max_output_tokens?: number
  stream?: boolean
  [field: string]: unknown
}

export type ModelResponse = {
  id: string
  model: string
  /** `completed`, `failed`, `incomplete`, … */
  status: string
  /** Messages, calls of tools, and more, by `type`. The texts of a message are in its `content`. */
  output: {
    type: string
    content?: { type: string; text?: string; [field: string]: unknown }[]
    [field: string]: unknown
  }[]
  usage?: { input_tokens: number; output_tokens: number; total_tokens: number; [field: string]: unknown } | null
  error?: { code: string; message: string } | null
  [field: string]: unknown
}

/** An event of a response. `response.failed` is one, too: its `response.error` says why. */
export type ModelResponseEvent = {
  /** Such as `response.output_text.delta`, which has a `delta`, and `response.completed`, which has the `response`. */
  type: string
  delta?: string
  response?: ModelResponse
  [field: string]: unknown
}

/** In the messages format. */
export type CreateMessageInput = {
  /** The model, which `listModels` lists. */
  model: string
  max_tokens: number
  messages: { role: 'user' | 'assistant'; content: string | MessageContent[]; [field: string]: unknown }[]
  system?: string | MessageContent[]
  stream?: boolean
  [field: string]: unknown
}

/** By `type`: `text`, `image`, `tool_use`, `tool_result`, … */
export type MessageContent = { type: string; text?: string; [field: string]: unknown }

export type ModelMessage = {
  id: string
  model: string
  role: 'assistant'
  content: MessageContent[]
  /** `end_turn`, `max_tokens`, `tool_use`, … */
  stop_reason: string | null
  usage: { input_tokens: number; output_tokens: number; [field: string]: unknown }
  [field: string]: unknown
}

/** An event of a message. */
export type ModelMessageEvent = {
  /** Such as `content_block_delta`, whose `delta` is a part of the text or of the input of a tool. */
  type: string
  index?: number
  delta?: { type?: string; text?: string; partial_json?: string; [field: string]: unknown }
  message?: ModelMessage
  content_block?: MessageContent
  [field: string]: unknown
}

// Sends events in the background, in batches, until the host has answered for each.

export type EventsOptions = Pick<StoaOptions, 'baseUrl' | 'headers' | 'fetch' | 'dangerouslyAllowBrowser'> & {
  /** A publishable key, `pk-…`, which may be public. On a server, a secret key or an access token works too. */
  key: string
  /** How long an event waits to be sent with others, in milliseconds; defaults to 1,000. */
  intervalMs?: number | undefined
  /** How long one attempt to send may take, in milliseconds; defaults to 10,000. */
  timeoutMs?: number | undefined
  /** Called when events are dropped. Also called, without events, when sending starts to fail; the events are then
   *  retried. Defaults to a warning on the console. */
  onError?: ((error: StoaError, dropped: DroppedEvent[]) => void) | undefined
}

export type Events = {
  /** Queues an event. It is sent in the background. */
  capture(event: CapturedEvent): void
  /** Sends the queued events. Resolves when each of them is stored or dropped. Rejects if that takes longer than
   *  `timeoutMs` (default 30,000); they then stay queued. A wait that the host requested with Retry-After, of at most a
   *  minute, is kept. */
  flush(options?: { timeoutMs?: number | undefined }): Promise<void>
  /** Sends the queued events and accepts no more. Events not stored within `timeoutMs` (default 10,000) are dropped. */
  close(options?: { timeoutMs?: number | undefined }): Promise<void>
}

const FLUSH_MS = 30_000
const CLOSE_MS = 10_000
/** The limit of what browsers send for closed pages, for all requests together. */
const KEEPALIVE_BYTES_MAX = 64 * 1024

export function createEvents(options: EventsOptions): Events {
  const settings = settingsFrom(options)
  if (!settings.key) throw new TypeError('`key` is missing: events need a publishable key, `pk-…`, or a secret one.')
  const report = reporter(options.onError)
  const queue = openQueue()
  const sender = openSender(settings, queue, report)
  const ending = untilEnd(() => void finish(CLOSE_MS), sendLast)
  const sending = openSending(queue, sender, options.intervalMs ?? 1000, ending.ignore)
  /** In requests that outlive the page. */
  const outliving = new Set<Queued>()
  let outlivingBytes = 0
  let isClosed = false

  function capture(event: CapturedEvent): void {
    if (typeof event !== 'object' || event === null) throw new TypeError(ONE_OBJECT)
    const refusal = sender.refusal()
    const reason = refusal ? 'key_refused' : isClosed ? 'closed' : queue.add(event)
    if (reason === null) {
      ending.listen()
      sending.added()
    } else report(refusal ?? new StoaError(WORDS[reason]), [{ event, reason }])
  }

  async function flush({ timeoutMs = FLUSH_MS } = {}): Promise<void> {
    const asked = queue.all()
    if (asked.length === 0) return
    const over = new AbortController()
    // This timer keeps the process alive.
    const late = sleep(Math.min(timeoutMs, TIMER_MS_MAX), over.signal).catch(() => {})
    await Promise.race([sending.all(), late])
    over.abort()
    const left = queue.countOf(asked)
    if (left > 0)
      throw new StoaConnectionError(
        `${left === 1 ? '1 event was' : `${left} events were`} not sent within ${timeoutMs} ms.`,
        {},
      )
  }

  const finish = (timeoutMs: number) => flush({ timeoutMs }).catch(sender.giveUp)

  async function close({ timeoutMs = CLOSE_MS } = {}): Promise<void> {
    isClosed = true
    await finish(timeoutMs)
  }

  /** The page may disappear immediately. Events being sent are sent again: the browser cancels the other request. A page
   *  that is left is also hidden, so this is called twice. */
  function sendLast(): void {
    for (const batch of queue.batches(Number.POSITIVE_INFINITY, KEEPALIVE_BYTES_MAX - outlivingBytes, outliving)) {
      const bytes = requestBytes(batch)
      outlivingBytes += bytes
      for (const one of batch) outliving.add(one)
      const over = () => {
        outlivingBytes -= bytes
        for (const one of batch) outliving.delete(one)
      }
      sender.send(batch, true).then(over, over) // Rejects if given up, which is reported.
    }
  }

  return { capture, flush, close }
}

const ONE_OBJECT = "`capture` takes one object; write `events.capture({ event: '…', properties: { … } })`."

const WORDS: Record<string, string> = {
  not_json: 'An event was dropped because it is not JSON: it contains itself or a BigInt.',
  too_large: 'An event was dropped because it is larger than 64 KiB.',
  queue_full: 'An event was dropped because too many are waiting to be sent.',
  closed: 'An event was dropped because `close` was called before.',
}

/** Errors of the caller's function are thrown where they cannot stop the sending. */
function reporter(onError: EventsOptions['onError']): Report {
  let last = ''
  const warn: Report = ({ message }, { length }) => {
    // One line per kind, however many events there are.
    // biome-ignore lint/suspicious/noConsole: the caller set no `onError` to hear of lost events
    if (message !== last) console.warn(`stoa-client: ${message}${length > 0 ? ' Events were dropped.' : ''}`)
    last = message
  }
  return (error, dropped) => {
    try {
      ;(onError ?? warn)(error, dropped)
    } catch (thrown) {
      queueMicrotask(() => {
        throw thrown
      })
    }
  }
}

// The unsettled events, as text, so that later changes by the caller are not sent.

export type CapturedEvent = {
  /** The name, at most 200 characters. */
  event: string
  /** The person or thing that caused it. */
  distinctId?: string | undefined
  anonymousId?: string | undefined
  sessionId?: string | undefined
  properties?: Record<string, unknown> | undefined
  /** When it happened; defaults to now. Numbers are seconds or milliseconds since 1970. */
  timestamp?: Date | string | number | undefined
  /** The amount paid. */
  revenue?: number | undefined
  currency?: string | undefined
  /** With a secret key: the subject to publish under, instead of `event.<name>`. */
  subject?: string | undefined
  /** Identifies the event: of events with the same id within 7 days, the host stores one. Defaults to a new id. */
  messageId?: string | undefined
}

type Queued = { event: CapturedEvent; text: string; bytes: number }

/** The host's limits for one request. */
const REQUEST_EVENTS_MAX = 50
const REQUEST_BYTES_MAX = 64 * 1024

/** The amount of events that may be queued while the host is unreachable, without harm to the process. */
const QUEUE_EVENTS_MAX = 10_000
const QUEUE_BYTES_MAX = 16 * 1024 * 1024

/** A request without events. All times have the same length. */
const bodyOf = (texts: readonly string[]) => `{"sentAt":"${new Date().toISOString()}","batch":[${texts.join()}]}`

function openQueue() {
  const waiting = new Set<Queued>()
  const envelopeBytes = bodyOf([]).length
  let bytes = 0

  /** Why the event was not added; null if it was. */
  function add(event: CapturedEvent): string | null {
    const queued = queuedOf(event)
    if (queued === null) return 'not_json'
    if (queued.bytes + envelopeBytes > REQUEST_BYTES_MAX) return 'too_large'
    if (waiting.size >= QUEUE_EVENTS_MAX || bytes + queued.bytes > QUEUE_BYTES_MAX) return 'queue_full'
    waiting.add(queued)
    bytes += queued.bytes
    return null
  }

  /** The events that are still waiting; others may have been settled meanwhile. */
  function remove(events: Iterable<Queued>): Queued[] {
    const removed = Array.from(events).filter(one => waiting.delete(one))
    for (const one of removed) bytes -= one.bytes
    return removed
  }

  /** The oldest events, in requests as full as possible: up to this many requests, of this many bytes in total. */
  function batches(max: number, bytesMax = Number.POSITIVE_INFINITY, without?: ReadonlySet<Queued>): Queued[][] {
    const all: Queued[][] = []
    let [size, total] = [0, 0]
    for (const one of waiting) {
      if (without?.has(one)) continue
      const batch = all.at(-1)
      // A comma separates two events.
      const isNew = !batch || batch.length === REQUEST_EVENTS_MAX || size + one.bytes + 1 > REQUEST_BYTES_MAX
      if (isNew && all.length === max) break
      const more = one.bytes + (isNew ? envelopeBytes : 1)
      if (total + more > bytesMax) break
      size = isNew ? more : size + more
      total += more
      if (isNew) all.push([one])
      else batch.push(one)
    }
    return all
  }

  const isFull = () => waiting.size >= REQUEST_EVENTS_MAX || envelopeBytes + bytes + waiting.size > REQUEST_BYTES_MAX
  const countOf = (events: readonly Queued[]) => events.filter(one => waiting.has(one)).length
  return { add, remove, batches, isFull, countOf, all: () => [...waiting], size: () => waiting.size }
}

/** Of the text, at most: with a comma for each. */
const requestBytes = (batch: readonly Queued[]) =>
  batch.reduce((sum, one) => sum + one.bytes + 1, bodyOf([]).length)

const batchText = (batch: readonly Queued[]) => bodyOf(batch.map(({ text }) => text))

/** Null if it is not JSON, because it contains itself or a BigInt. */
function queuedOf(event: CapturedEvent): Queued | null {
  const { messageId = crypto.randomUUID(), timestamp = new Date().toISOString(), properties = {} } = event
  const complete = { ...event, messageId, timestamp, properties }
  try {
    const text = JSON.stringify(complete)
    return { event: complete, text, bytes: new TextEncoder().encode(text).length }
  } catch {
    return null // The caller of `add` reports it.
  }
}

// Decides when requests with events are sent: after an interval, when one is full, or on request of the caller; after a
// failure, again.

/** `onEmpty` is called when nothing is left to send. */
function openSending(
  queue: ReturnType<typeof openQueue>,
  sender: Sender,
  intervalMs: number,
  onEmpty: () => void,
) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | null = null
  let wake = () => {}
  /** How many events to send now. The others wait for more. */
  let due = 0

  /** For an event that was added. */
  function added(): void {
    if (queue.isFull()) void start()
    else timer ??= unheld(all, intervalMs)
  }

  /** Sends the queued events. Ends a wait after a failure, unless the host requested it. */
  function all(): Promise<void> {
    due = queue.size()
    wake()
    return start()
  }

  function start(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    running ??= run().finally(() => {
      running = null
      if (queue.size() === 0) onEmpty()
      else timer ??= unheld(all, intervalMs)
    })
    return running
  }

  /** One request after the other, so that events arrive in their order. */
  async function run(): Promise<void> {
    while (queue.size() > 0 && (due > 0 || queue.isFull())) {
      const [batch = []] = queue.batches(1)
      const failure = await sender.send(batch, false).catch(() => null) // Given up: the queue is empty.
      if (failure === null) due = Math.max(0, due - batch.length)
      else await pause(failure.waitMs, failure.isAsked)
    }
    due = 0
  }

  const pause = (waitMs: number, isAsked: boolean) =>
    new Promise<void>(resolve => {
      unheld(resolve, waitMs)
      wake = isAsked ? () => {} : resolve
    })

  return { added, all }
}

/** A timer that does not keep the process alive. */
function unheld(elapsed: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(elapsed, Math.min(ms, TIMER_MS_MAX))
  ;(timer as { unref?: () => void }).unref?.()
  return timer
}

// Sends requests with events, and decides the outcome of each: settled, dropped, or to be retried.

/** An event that will not be stored, and the reason: `not_json`, `too_large`, `queue_full`, `closed`, `not_confirmed`
 *  (the time limit was reached; it may be stored), or the host's reason, such as `id_too_long`. */
export type DroppedEvent = { event: CapturedEvent; reason: string }

type Report = (error: StoaError, dropped: DroppedEvent[]) => void

type Receipt = { accepted: number; errors?: { index: number; reason: string }[] }

const TIMEOUT_MS_OF_EVENTS = 10_000
const RETRY_MS_MAX = 8_000
/** The longest wait that a host can request. A longer one would stop the events of this process for good. */
const ASKED_MS_MAX = 60_000

type Sender = ReturnType<typeof openSender>

function openSender(settings: ClientSettings, queue: ReturnType<typeof openQueue>, report: Report) {
  let leaving = new AbortController()
  let refusal: StoaError | null = null
  let failures = 0

  function drop(events: Iterable<Queued>, reason: string, error: StoaError): void {
    const dropped = queue.remove(events).map(({ event }) => ({ event, reason }))
    if (dropped.length > 0) report(error, dropped)
  }

  /** Resolves to the wait before the next request; `isAsked` if the host requested it. */
  async function send(batch: Queued[], keepalive: boolean): Promise<{ waitMs: number; isAsked: boolean } | null> {
    const headers = new Headers({ ...settings.headers, authorization: `Bearer ${settings.key}` })
    const made = { ...requestFor(settings.baseUrl, INGEST, {}, headers), body: batchText(batch), keepalive }
    const timeoutMs = settings.timeoutMs ?? TIMEOUT_MS_OF_EVENTS
    const outcome = await attempt(made, readJson<Receipt | null>, settings, timeoutMs, leaving.signal)
    if ('error' in outcome) return failed(batch, outcome)
    const { data: receipt, response, deadline } = outcome
    deadline.end()
    failures = 0
    if (typeof receipt?.accepted === 'number') settle(batch, receipt)
    else drop(batch, 'no_receipt', foreignAnswer(made.route, response, JSON.stringify(receipt) ?? ''))
    return null
  }

  function settle(batch: Queued[], { errors = [] }: Receipt): void {
    for (const reason of new Set(errors.map(one => one.reason))) {
      const events = errors.flatMap(one => (one.reason === reason ? (batch[one.index] ?? []) : []))
      drop(events, reason, new StoaError(`The host did not store ${events.length} of the events: ${reason}.`))
    }
    queue.remove(batch)
  }

  function failed(batch: Queued[], { error, again, retryAfter }: FailedAttempt) {
    const status = error instanceof StoaApiError || error instanceof StoaConnectionError ? error.status : null
    if (error instanceof StoaApiError && [401, 403].includes(error.status) && error.code !== OF_THE_EVENTS) {
      refusal = error
      drop(queue.all(), error.code, error)
    } else if (again !== 'never' || status === null || status >= 500) {
      if (failures === 0) report(error, [])
      const waitMs = Math.max(Math.min(1000 * (retryAfter ?? 0), ASKED_MS_MAX), backoffMs(failures++, RETRY_MS_MAX))
      return { waitMs, isAsked: retryAfter !== null }
    } else drop(batch, error instanceof StoaApiError ? error.code : 'no_receipt', error)
    return null
  }

  /** Drops the remaining events and cancels running requests. */
  function giveUp(error: StoaError): void {
    drop(queue.all(), 'not_confirmed', error)
    leaving.abort()
    leaving = new AbortController()
  }

  /** `refusal`: why the host refuses the key, so that it is not used any more. */
  return { send, giveUp, refusal: () => refusal }
}

const INGEST = ['ingestEvents', 'POST', '/v1/event'] as const

/** The key may send events, but not these. */
const OF_THE_EVENTS = 'insufficient_capability'

// Detects the end of the process or page, before which events are sent.

type Listen = (name: string, listener: () => void) => void

/** The events that exist in this runtime. */
type Globals = {
  process?: { on?: Listen; off?: Listen }
  document?: { visibilityState: string; addEventListener: Listen; removeEventListener: Listen }
  addEventListener: Listen
  removeEventListener: Listen
}

/** The senders with events, for one listener of the process: Node warns of more than ten. */
const unsent = new Set<() => void>()
const sendAll = () => {
  for (const send of [...unsent]) send()
}

/** Listens from `listen` to `ignore`, so that a sender without events can be collected. */
function untilEnd(beforeExit: () => void, onLeave: () => void) {
  const runtime = globalThis as unknown as Globals
  const { process, document } = runtime
  const onChange = () => {
    if (document?.visibilityState === 'hidden') onLeave()
  }
  let isListening = false
  function listen(): void {
    if (isListening) return
    isListening = true
    if (isPage()) {
      document?.addEventListener('visibilitychange', onChange)
      runtime.addEventListener('pagehide', onLeave)
    } else if (unsent.add(beforeExit).size === 1) process?.on?.('beforeExit', sendAll)
  }
  function ignore(): void {
    isListening = false
    if (isPage()) {
      document?.removeEventListener('visibilitychange', onChange)
      runtime.removeEventListener('pagehide', onLeave)
    } else if (unsent.delete(beforeExit) && unsent.size === 0) process?.off?.('beforeExit', sendAll)
  }
  return { listen, ignore }
}

// Verifies webhooks with Web Crypto, according to the Standard Webhooks specification or by the header
// `X-Webhook-Signature`.

/** Why a webhook must not be trusted. */
export class WebhookVerificationError extends StoaError {
  override name = 'WebhookVerificationError'
}

export type WebhookRequest = {
  /** The raw body. Parsing and serialising it again would change it. */
  payload: string | Uint8Array | ArrayBuffer
  /** The headers of the request, as `Headers` or as Node's object with names in lower case. */
  headers: { get(name: string): string | null } | Record<string, string | string[] | undefined>
  /** The secret of the webhook, `whsec_…`. */
  secret: string
  /** How many seconds the webhook's time may differ from now; defaults to 300. */
  toleranceS?: number | undefined
}

/** Returns the parsed payload if the webhook was recently signed with the secret; otherwise throws a
 *  WebhookVerificationError. Remember its `webhook-id` or `x-webhook-delivery` to recognise duplicates. */
export async function verifyWebhook<Payload = unknown>(webhook: WebhookRequest): Promise<Payload> {
  const { headers, secret, toleranceS = 300 } = webhook
  if (!Number.isFinite(toleranceS) || toleranceS < 0) throw new TypeError('`toleranceS` must be a number, 0 or more.')
  if (typeof secret !== 'string' || secret === '') throw new TypeError('`secret` must be a string, and not empty.')
  if (typeof headers !== 'object' || headers === null) throw new TypeError('`headers` must be those of the request.')
  const body = bytesOf(webhook.payload)
  const read = isOnlyX(headers) ? xSignature : standardSignature
  const { key, timestampS, prefix, given } = read(headers, secret)
  const ageS = Date.now() / 1000 - timestampS
  if (ageS > toleranceS) throw new WebhookVerificationError(`The webhook is older than ${toleranceS} seconds.`)
  if (ageS < -toleranceS) throw new WebhookVerificationError(`The webhook's time is in the future: the clocks differ.`)
  const expected = await hmac(key, [utf8(prefix), body])
  if (!given.some(one => isEqual(one, expected))) {
    throw new WebhookVerificationError('No signature matches: the secret is wrong, or the payload was changed.')
  }
  try {
    return JSON.parse(new TextDecoder().decode(body)) as Payload
  } catch (cause) {
    throw new WebhookVerificationError('The payload is not JSON.', { cause })
  }
}

type Signature = {
  key: Uint8Array<ArrayBuffer>
  timestampS: number
  /** The signed text that precedes the body. */
  prefix: string
  /** Several secrets while one is being replaced; null for one that cannot be decoded. */
  given: (Uint8Array | null)[]
}

/** `v1,<base64> v1,<base64>`, under the bytes that the secret encodes. */
function standardSignature(headers: WebhookRequest['headers'], secret: string): Signature {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name =>
    headerIn(headers, name),
  ) as [string, string, string]
  const timestampS = secondsOf(timestamp, 'webhook-timestamp')
  const given = signatures.split(' ').filter(one => one.startsWith('v1,'))
  if (given.length === 0) throw new WebhookVerificationError('The header `webhook-signature` has no signature `v1,…`.')
  const decoded = given.map(one => base64Bytes(one.slice(3)))
  return { key: secretBytes(secret), timestampS, prefix: `${id}.${timestamp}.`, given: decoded }
}

/** `t=<seconds>,v1=<hex>,v1=<hex>`, under the whole text of the secret. */
function xSignature(headers: WebhookRequest['headers'], secret: string): Signature {
  const parts = headerIn(headers, 'x-webhook-signature').split(',')
  const valuesOf = (name: string) => parts.filter(one => one.startsWith(name)).map(one => one.slice(name.length))
  const times = valuesOf('t=')
  const timestamp = times.length === 1 ? (times[0] as string) : ''
  const timestampS = secondsOf(timestamp, 'x-webhook-signature')
  const given = valuesOf('v1=')
  if (given.length === 0)
    throw new WebhookVerificationError('The header `x-webhook-signature` has no signature `v1=…`.')
  return { key: utf8(secret), timestampS, prefix: `${timestamp}.`, given: given.map(hexBytes) }
}

const isOnlyX = (headers: WebhookRequest['headers']) =>
  (valueIn(headers, 'webhook-signature') ?? null) === null && (valueIn(headers, 'x-webhook-signature') ?? null) !== null

const valueIn = (headers: WebhookRequest['headers'], name: string): unknown =>
  typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]

function headerIn(headers: WebhookRequest['headers'], name: string): string {
  const value = valueIn(headers, name)
  if (typeof value !== 'string' || value === '') {
    throw new WebhookVerificationError(`The header \`${name}\` is missing, or was sent more than once.`)
  }
  return value
}

function secondsOf(timestamp: string, header: string): number {
  if (/^\d{1,15}$/.test(timestamp)) return Number(timestamp)
  throw new WebhookVerificationError(`The header \`${header}\` has no time in seconds.`)
}

function bytesOf(payload: unknown): Uint8Array {
  if (typeof payload === 'string') return utf8(payload)
  if (ArrayBuffer.isView(payload)) return new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength)
  if (payload instanceof ArrayBuffer) return new Uint8Array(payload)
  throw new TypeError('`payload` must be the body as it arrived: a string, a Uint8Array or an ArrayBuffer.')
}

const utf8 = (text: string) => new TextEncoder().encode(text)

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = base64Bytes(secret.replace(/^whsec_/, ''))
  if (bytes && bytes.length > 0) return bytes
  throw new WebhookVerificationError('The secret is not `whsec_` and base64.')
}

/** Null if the text is not base64. */
function base64Bytes(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return null // The caller reports the error.
  }
}

/** Null if the text is not hexadecimal. */
function hexBytes(text: string): Uint8Array | null {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) return null
  return Uint8Array.from(text.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
}

async function hmac(secret: Uint8Array<ArrayBuffer>, parts: Uint8Array[]): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  const message = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    message.set(part, at)
    at += part.length
  }
  return new Uint8Array(await crypto.subtle.sign(algorithm, key, message))
}

/** Takes the same time wherever the first difference is, so that a signature cannot be guessed byte by byte. */
function isEqual(given: Uint8Array | null, expected: Uint8Array): boolean {
  if (given?.length !== expected.length) return false
  return expected.reduce((differences, byte, at) => differences | (byte ^ (given[at] as number)), 0) === 0
}

/** Every fault that a host answers. */
export type FaultCode = 
  | 'invalid_input'
  | 'malformed_request'
  | 'sign_in_failed'
  | 'unroutable_events'
  | 'too_many_events'
  | 'model_refused'
  | 'credential_required'
  | 'credential_refused'
  | 'key_expired'
  | 'key_replaced'
  | 'key_revoked'
  | 'ingest_key_required'
  | 'key_budget'
  | 'insufficient_balance'
  | 'forbidden'
  | 'ingest_key_unknown'
  | 'insufficient_capability'
  | 'model_unpriced'
  | 'key_limit'
  | 'csrf_token_required'
  | 'https_required'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'expectation_failed'
  | 'key_rate'
  | 'ingest_rate'
  | 'too_many_tries'
  | 'model_limit'
  | 'upstream_busy'
  | 'headers_too_large'
  | 'internal'
  | 'not_held'
  | 'not_built'
  | 'upstream_unreachable'
  | 'upstream_refused'
  | 'mail_unreachable'
  | 'overloaded'
  | 'starting'
  | 'database_unreachable'
  | 'warehouse_unreachable'
  | 'bus_unreachable'
  | 'upstream_timeout'

// The host itself.

/** One service of the host */
export type Service = {
  /** The name, which limits of keys refer to */
  name: string
  /** The path prefix of its operations */
  path: string
  /** What it does */
  what: string
  /** How many of its operations this host serves; 0 if it is not available yet or runs elsewhere */
  operations: number
}

export type ListServicesInput = Record<string, never>

export type ListServicesOutput = {
  /** The version of this API */
  version: 'v1'
  /** Every service, including those without operations */
  services: Service[]
}

export type GetHealthInput = Record<string, never>

export type GetHealthOutput = {
  /** The host can serve requests */
  status: 'up'
  /** The state of each engine the host depends on */
  engines: {
    /** The database */
    db: 'up'
  }
}

export type GetOpenapiInput = Record<string, never>

// Organisations, their members and apps, and the audit trail.

/** An OpenID Connect client of the organisation, which people sign in to */
export type App = {
  /** The client id, `<org>-<app>` */
  id: string
  /** Its short name */
  app: string
  /** The brand at whose origin people sign in */
  brand: string
  /** The issuer of its tokens, which clients are configured with; absent while this host does not serve the brand */
  issuer?: string
  /** The name that people see when they sign in */
  name: string
  /** Whether it has a secret */
  type: 'confidential' | 'public'
  /** The URLs that people may return to after signing in */
  redirectUris: string[]
  /** The URLs that people may return to after signing out */
  logoutUris: string[]
  /** Whether its tokens carry the person's role */
  trusted: boolean
  /** Who signs in: `team` for the organisation's members, or `users` for its customers. Customers get their own account (`/v1/iam/users`), and can use this API only for that account */
  people: 'team' | 'users'
  /** Who may register with an app for customers. `closed`: nobody, only existing accounts sign in; `invited`: people for whom an admin created an account, who then choose a password; `open`: everybody */
  signUp: 'closed' | 'invited' | 'open'
  /** Only addresses at exactly these domains may register; if empty, all may */
  signUpDomains: string[]
  /** Whether to reject registrations from disposable mail providers, according to the risk set `domain` */
  refuseDisposable: boolean
  /** The API that the app's access tokens are for: an https URL or a URN that no other organisation uses. Stoa's API rejects tokens for another audience; if omitted, the tokens are for Stoa's API */
  audience?: string
  /** Additional claims in tokens and UserInfo: `role` and, for customers, fields of their metadata, such as `metadata.plan` */
  claims: string[]
  /** Whether the tokens of an untrusted app have the rights of a member. Only apps that were registered before such tokens became read-only have it; an owner can set it to false, which cannot be undone */
  mayWrite: boolean
  /** The logo, as a data URL in base64 of a PNG, JPEG, WebP or SVG image of at most 32 KiB; null for that of the organisation; only for apps with `people: "users"` */
  logo?: string
  /** `#` and six hex digits, such as `#1d4f91`: the colour of buttons and links; null for that of the organisation; only for apps with `people: "users"`. Where the contrast with the page is too low, it is made darker or lighter */
  color?: string
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
}

export type ListAppsInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type CreateAppInput = {
  /** The app's short name: lower-case letters and digits, so that `<org>-<app>` is unique */
  app: string
  /** The brand at whose origin people sign in to the app; `default` if omitted */
  brand?: string
  /** The name of the app, shown when people sign in: one line, not blank, at most 120 characters */
  name?: string
  /** `confidential` for servers, which can keep a secret; `public` for apps in browsers and on devices */
  type: 'confidential' | 'public'
  /** The URLs that people may return to after signing in: compared exactly, no wildcards */
  redirectUris: string[]
  /** The URLs that people may return to after signing out: compared exactly, no wildcards */
  logoutUris?: string[]
  /** Whether the app's tokens carry the person's role. Tokens of other apps read as a member and write events. Only owners can set it */
  trusted?: boolean
  /** Who signs in: `team` for the organisation's members, or `users` for its customers. Customers get their own account (`/v1/iam/users`), and can use this API only for that account */
  people: 'team' | 'users'
  /** Who may register with an app for customers. `closed`: nobody, only existing accounts sign in; `invited`: people for whom an admin created an account, who then choose a password; `open`: everybody */
  signUp?: 'closed' | 'invited' | 'open'
  /** Only addresses at exactly these domains may register; if empty, all may */
  signUpDomains?: string[]
  /** Whether to reject registrations from disposable mail providers, according to the risk set `domain` */
  refuseDisposable?: boolean
  /** The API that the app's access tokens are for: an https URL or a URN that no other organisation uses. Stoa's API rejects tokens for another audience; if omitted, the tokens are for Stoa's API */
  audience?: string
  /** Additional claims in tokens and UserInfo: `role` and, for customers, fields of their metadata, such as `metadata.plan` */
  claims?: string[]
  /** The logo, as a data URL in base64 of a PNG, JPEG, WebP or SVG image of at most 32 KiB; null for that of the organisation; only for apps with `people: "users"` */
  logo?: string | null
  /** `#` and six hex digits, such as `#1d4f91`: the colour of buttons and links; null for that of the organisation; only for apps with `people: "users"`. Where the contrast with the page is too low, it is made darker or lighter */
  color?: string | null
}

export type CreateAppOutput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** Its short name */
  app: string
  /** The brand at whose origin people sign in */
  brand: string
  /** The issuer of its tokens, which clients are configured with; absent while this host does not serve the brand */
  issuer?: string
  /** The name that people see when they sign in */
  name: string
  /** Whether it has a secret */
  type: 'confidential' | 'public'
  /** The URLs that people may return to after signing in */
  redirectUris: string[]
  /** The URLs that people may return to after signing out */
  logoutUris: string[]
  /** Whether its tokens carry the person's role */
  trusted: boolean
  /** Who signs in: `team` for the organisation's members, or `users` for its customers. Customers get their own account (`/v1/iam/users`), and can use this API only for that account */
  people: 'team' | 'users'
  /** Who may register with an app for customers. `closed`: nobody, only existing accounts sign in; `invited`: people for whom an admin created an account, who then choose a password; `open`: everybody */
  signUp: 'closed' | 'invited' | 'open'
  /** Only addresses at exactly these domains may register; if empty, all may */
  signUpDomains: string[]
  /** Whether to reject registrations from disposable mail providers, according to the risk set `domain` */
  refuseDisposable: boolean
  /** The API that the app's access tokens are for: an https URL or a URN that no other organisation uses. Stoa's API rejects tokens for another audience; if omitted, the tokens are for Stoa's API */
  audience?: string
  /** Additional claims in tokens and UserInfo: `role` and, for customers, fields of their metadata, such as `metadata.plan` */
  claims: string[]
  /** Whether the tokens of an untrusted app have the rights of a member. Only apps that were registered before such tokens became read-only have it; an owner can set it to false, which cannot be undone */
  mayWrite: boolean
  /** The logo, as a data URL in base64 of a PNG, JPEG, WebP or SVG image of at most 32 KiB; null for that of the organisation; only for apps with `people: "users"` */
  logo?: string
  /** `#` and six hex digits, such as `#1d4f91`: the colour of buttons and links; null for that of the organisation; only for apps with `people: "users"`. Where the contrast with the page is too low, it is made darker or lighter */
  color?: string
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
  /** The client secret, which is returned only here */
  secret?: string
}

export type GetAppInput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** The brand at whose origin people sign in to the app; `default` if omitted */
  brand?: string
}

export type UpdateAppInput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** The brand at whose origin people sign in to the app; `default` if omitted */
  brand?: string
  /** The name of the app, shown when people sign in: one line, not blank, at most 120 characters */
  name?: string
  /** The URLs that people may return to after signing in: compared exactly, no wildcards */
  redirectUris?: string[]
  /** The URLs that people may return to after signing out: compared exactly, no wildcards */
  logoutUris?: string[]
  /** Whether the app's tokens carry the person's role. Tokens of other apps read as a member and write events. Only owners can set it */
  trusted?: boolean
  /** Who may register with an app for customers. `closed`: nobody, only existing accounts sign in; `invited`: people for whom an admin created an account, who then choose a password; `open`: everybody */
  signUp?: 'closed' | 'invited' | 'open'
  /** Only addresses at exactly these domains may register; if empty, all may */
  signUpDomains?: string[]
  /** Whether to reject registrations from disposable mail providers, according to the risk set `domain` */
  refuseDisposable?: boolean
  /** The API that the app's access tokens are for: an https URL or a URN that no other organisation uses. Stoa's API rejects tokens for another audience; if omitted, the tokens are for Stoa's API */
  audience?: string | null
  /** Additional claims in tokens and UserInfo: `role` and, for customers, fields of their metadata, such as `metadata.plan` */
  claims?: string[]
  /** Whether the tokens of an untrusted app have the rights of a member. Only apps that were registered before such tokens became read-only have it; an owner can set it to false, which cannot be undone */
  mayWrite?: boolean
  /** The logo, as a data URL in base64 of a PNG, JPEG, WebP or SVG image of at most 32 KiB; null for that of the organisation; only for apps with `people: "users"` */
  logo?: string | null
  /** `#` and six hex digits, such as `#1d4f91`: the colour of buttons and links; null for that of the organisation; only for apps with `people: "users"`. Where the contrast with the page is too low, it is made darker or lighter */
  color?: string | null
}

export type DeleteAppInput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** The brand at whose origin people sign in to the app; `default` if omitted */
  brand?: string
}

export type RotateAppSecretInput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** The brand at whose origin people sign in to the app; `default` if omitted */
  brand?: string
}

export type RotateAppSecretOutput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** The client secret, which is returned only here */
  secret: string
}

/** How a field was changed */
export type AuditChange = {
  /** The old value; absent if there was none */
  from?: unknown
  /** The new value; absent if there is none */
  to?: unknown
}

/** An action that changed something in the organisation */
export type AuditEntry = {
  /** The id of the entry; later ones are greater */
  id: string
  /** When the action happened */
  at: string
  /** The id of the person who acted; absent if the credential belongs to no person */
  user?: string
  /** The e-mail address of that person at the time */
  email?: string
  /** The id of the key or session that was used; `stoa` for actions of Stoa itself */
  credential: string
  /** The name of the action */
  what: string
  /** The id or name of what was changed */
  on: string
  /** The old and new values, by field name */
  changes?: Record<string, AuditChange>
  /** The IP address of the client; empty for actions of Stoa itself */
  ip: string
  /** The `X-Request-Id` of the request; empty without one */
  requestId: string
}

export type ListAuditInput = {
  /** The id of a person, `usr_…`: only their actions */
  user?: string
  /** Only this action, such as `key.revoke` */
  what?: string
  /** Only entries at or after this time */
  since?: string
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

/** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
export type Role = 'owner' | 'admin' | 'member'

/** An invitation that the organisation has sent and that is still open */
export type Invite = {
  /** An invite's id, `inv_…` */
  id: string
  /** An e-mail address */
  email: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: Role
  /** The e-mail address of the person who sent the invite */
  invitedBy: string
  /** When the invite was sent */
  created: string
  /** When the link expires */
  expires: string
}

export type ListInvitesInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type CreateInviteInput = {
  /** An e-mail address */
  email: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: Role
}

export type DeleteInviteInput = {
  /** An invite's id, `inv_…` */
  id: string
}

/** The credential that a request was made with */
export type Credential = {
  /** A secret key, the session of a browser, or an access token */
  kind: 'secret' | 'session' | 'token'
  /** Its id, as in the audit trail */
  id: string
  /** Whether the credential has a limit, a budget or a rate */
  limited: boolean
}

/** An organisation that a person belongs to */
export type Membership = {
  /** The slug of the organisation */
  org: string
  /** Its name */
  name: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: Role
}

/** The caller */
export type Me = {
  /** A person's id: `usr_…` of a member of the team, `cus_…` of a customer */
  user: string
  /** An e-mail address */
  email: string
  /** Whether the person has proved access to the mailbox */
  emailVerified: boolean
  /** The name of the person; empty if none */
  name: string
  /** The slug of the organisation that the credential belongs to */
  org: string
  /** The role in the team, or `user` for a customer */
  role: 'owner' | 'admin' | 'member' | 'user'
  /** For a customer: what the organisation stores about them */
  metadata?: Record<string, unknown>
  /** The project of this request; null without one */
  project: string | null
  /** Whether the caller is a superadmin */
  superadmin: boolean
  /** The credential that a request was made with */
  credential: Credential
  /** All organisations that the person is a member of; for the token of an untrusted app, only that of the token; empty for a customer */
  orgs: Membership[]
}

export type GetMeInput = Record<string, never>

export type UpdateMeInput = {
  /** The person's name: one line, not blank, at most 120 characters */
  name: string
}

export type UpdateMeOutput = {
  /** The new name */
  name: string
}

export type DeleteMeInput = Record<string, never>

export type ChangeEmailInput = {
  /** An e-mail address */
  email: string
  /** The person's current password. Only a customer without a password may omit it */
  current?: string
}

export type ChangeEmailOutput = {
  /** The new address, in lower case */
  email: string
}

/** An open invitation to the caller, from any organisation */
export type Invitation = {
  /** An invite's id, `inv_…` */
  id: string
  /** The slug of the organisation */
  org: string
  /** Its name */
  name: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: Role
  /** The e-mail address of the person who sent the invite */
  invitedBy: string
  /** When the invite was sent */
  created: string
  /** When it expires */
  expires: string
}

export type ListMyInvitationsInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type AcceptInvitationInput = {
  /** An invite's id, `inv_…` */
  id: string
}

export type AcceptInvitationOutput = {
  /** The slug of the organisation */
  org: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: Role
}

export type DeclineInvitationInput = {
  /** An invite's id, `inv_…` */
  id: string
}

export type ChangePasswordInput = {
  /** The person's current password. Only a customer without a password may omit it */
  current?: string
  /** At least 12 characters; length matters more than special characters */
  password: string
}

/** A person who belongs to the organisation */
export type Member = {
  /** A person's id, `usr_…` */
  user: string
  /** An e-mail address */
  email: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: Role
  /** When they joined */
  created: string
}

export type ListMembersInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type AddMemberInput = {
  /** An e-mail address */
  email: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: Role
  /** At least 12 characters; length matters more than special characters */
  password?: string
}

export type UpdateMemberInput = {
  /** A person's id, `usr_…` */
  user: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: Role
}

export type RemoveMemberInput = {
  /** A person's id, `usr_…` */
  user: string
}

/** A customer: a person who signs in to the organisation's own apps */
export type User = {
  /** A customer's id, `cus_…` */
  user: string
  /** An e-mail address */
  email: string
  /** Whether access to the mailbox of the address was proved */
  emailVerified: boolean
  /** The name; empty if none */
  name: string
  /** What the organisation stores about the customer: at most 8 KiB as JSON. The customer can read it; only admins can write it */
  metadata: Record<string, unknown>
  /** Whether the customer is blocked from signing in */
  blocked: boolean
  /** When the account was created */
  created: string
  /** When it was last changed */
  updated: string
  /** When the customer last signed in */
  signedIn?: string
}

export type MakeMemberUserInput = {
  /** A person's id, `usr_…` */
  user: string
}

/** A tenant: members, keys and everything else belong to one organisation */
export type Organisation = {
  /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The organisation's name: one line, not blank, at most 120 characters */
  name: string
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
  /** When it was deleted; until all its data is gone, only superadmins see it */
  deleted?: string
  /** How far the deletion of its data is; only from `GET /v1/iam/orgs/{slug}` */
  purge?: {
    /** How many tables have rows of organisations */
    tables: number
    /** In how many of them no row of this one is left */
    empty: number
  }
}

export type ListOrgsInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
  /** Only organisations whose slug begins with this */
  search?: string
}

export type CreateOrgInput = {
  /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The organisation's name: one line, not blank, at most 120 characters */
  name: string
  /** The first owner; without a password, a new account gets one with `Forgot your password?` on the sign-in page */
  owner: {
    /** An e-mail address */
    email: string
    /** At least 12 characters; length matters more than special characters */
    password?: string
  }
}

export type CreateOrgOutput = {
  /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The organisation's name: one line, not blank, at most 120 characters */
  name: string
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
  /** When it was deleted; until all its data is gone, only superadmins see it */
  deleted?: string
  /** How far the deletion of its data is; only from `GET /v1/iam/orgs/{slug}` */
  purge?: {
    /** How many tables have rows of organisations */
    tables: number
    /** In how many of them no row of this one is left */
    empty: number
  }
  /** The first owner */
  owner: {
    /** A person's id, `usr_…` */
    user: string
    /** An e-mail address */
    email: string
  }
  /** An unlimited secret key of the owner, which is returned only here */
  key: string
}

export type GetOrgInput = {
  /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
}

export type UpdateOrgInput = {
  /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The organisation's name: one line, not blank, at most 120 characters */
  name: string
}

export type DeleteOrgInput = {
  /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The slug again, to confirm: lower-case letters, digits and inner hyphens, at most 40 characters */
  confirm: string
}

/** The sign-in of a person to an app, with all tokens that were issued for it */
export type Session = {
  /** A sign-in's id, `sin_…` */
  id: string
  /** A person's id: `usr_…` of a member of the team, `cus_…` of a customer */
  user: string
  /** An e-mail address */
  email: string
  /** The client id of the app */
  app: string
  /** When the person signed in */
  created: string
  /** Whether this request was made with it */
  current: boolean
}

export type ListSessionsInput = {
  /** A person's id: `usr_…` of a member of the team, `cus_…` of a customer */
  user?: string
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type EndSessionInput = {
  /** A sign-in's id, `sin_…` */
  id: string
}

/** The branding of the pages and mails for customers */
export type IamSettings = {
  /** The logo, as a data URL in base64 of a PNG, JPEG, WebP or SVG image of at most 32 KiB; null for none */
  logo?: string | null
  /** `#` and six hex digits, such as `#1d4f91`: the colour of buttons and links; null for the default. Where the contrast with the page is too low, it is made darker or lighter */
  color?: string | null
}

export type GetIamSettingsInput = Record<string, never>

export type UpdateIamSettingsInput = {
  /** The logo, as a data URL in base64 of a PNG, JPEG, WebP or SVG image of at most 32 KiB; null for none */
  logo?: string | null
  /** `#` and six hex digits, such as `#1d4f91`: the colour of buttons and links; null for the default. Where the contrast with the page is too low, it is made darker or lighter */
  color?: string | null
}

export type RotateSigningKeysInput = {
  /** The brand at whose origin people sign in to the app; `default` if omitted */
  brand?: string
}

export type RotateSigningKeysOutput = {
  /** When the new keys begin to sign */
  signsFrom: string
  /** When the old keys are no longer published */
  retires: string
}

export type ListUsersInput = {
  /** The text to search for */
  search?: string
  /** Only blocked customers if true; only others if false */
  blocked?: boolean
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type CreateUserInput = {
  /** An e-mail address */
  email: string
  /** The customer's name: one line, not blank, at most 120 characters */
  name?: string
  /** What the organisation stores about the customer: at most 8 KiB as JSON. The customer can read it; only admins can write it */
  metadata?: Record<string, unknown>
  /** At least 12 characters; length matters more than special characters */
  password?: string
  /** Whether access to the mailbox of the address was proved */
  emailVerified?: boolean
}

export type ExportUsersInput = Record<string, never>

/** A customer in the format of an import */
export type ImportedUser = {
  /** An e-mail address */
  email: string
  /** Whether access to the mailbox of the address was proved */
  emailVerified?: boolean
  /** The customer's name: one line, not blank, at most 120 characters */
  name?: string
  /** What the organisation stores about the customer: at most 8 KiB as JSON. The customer can read it; only admins can write it */
  metadata?: Record<string, unknown>
  /** Whether the customer is blocked from signing in */
  blocked?: boolean
  /** When the account was created; default now */
  created?: string
  /** The password hash, as exported by Auth0, Firebase, Supabase, Keycloak or another Stoa */
  password?: {
    /** A self-describing hash (`$2b$…`, `$argon2id$…`, `$scrypt$…`, or one from an export), or a hash in base64 */
    hash: string
    /** For a hash in base64: its algorithm as Keycloak names it, or `firebase-scrypt` */
    algorithm?: 'bcrypt' | 'argon2' | 'pbkdf2' | 'pbkdf2-sha256' | 'pbkdf2-sha512' | 'firebase-scrypt'
    /** For a hash in base64: the salt, in base64 */
    salt?: string
    /** For argon2 and pbkdf2: `hashIterations` in Keycloak */
    iterations?: number
    /** For argon2: the memory in KiB */
    memory?: number
    /** For argon2: default 1 */
    parallelism?: number
    /** For argon2: default `id` */
    type?: 'id' | 'i' | 'd'
    /** For argon2: default `1.3` */
    version?: '1.0' | '1.3'
  }
  /** The id from an export. It is ignored: the account gets a new one */
  user?: string
}

/** An import that has begun */
export type UserImportStarted = {
  /** An import's id, `imp_…` */
  id: string
}

export type ImportUsersInput = {
  /** At most 1000 records; the report lists the invalid ones */
  users: ImportedUser[]
  /** Whether existing accounts are replaced */
  replace?: boolean
  /** The password hash parameters of the Firebase project, for hashes with `firebase-scrypt`. They are not stored */
  firebase?: {
    /** `base64_signer_key` */
    signerKey: string
    /** `base64_salt_separator` */
    saltSeparator: string
    /** `rounds` */
    rounds: number
    /** `mem_cost` */
    memCost: number
  }
}

/** A record that was not imported */
export type UserImportProblem = {
  /** The number of the record in the request, from 1 */
  line: number
  /** An e-mail address */
  email?: string
  /** Why it was not imported. `exists`: the address already has an account; `invalid`: a field is invalid; `password`: the hash cannot be used; `bound`: the organisation has its maximum number of customers; `failed`: an internal error, so that the record can be sent again */
  problem: 'exists' | 'invalid' | 'password' | 'bound' | 'failed'
  /** The reason in words */
  says: string
}

/** An import of customers. It is kept for 30 days */
export type UserImport = {
  /** An import's id, `imp_…` */
  id: string
  /** The progress of the import */
  status: 'waiting' | 'running' | 'done'
  /** The id of the person who requested it */
  by: string
  /** How many records there are */
  total: number
  /** How many accounts were created so far */
  added: number
  /** How many accounts were replaced so far */
  replaced: number
  /** How many records were not imported so far */
  failed: number
  /** The records that were not imported, in the order of the request */
  data: UserImportProblem[]
  /** When it was requested */
  created: string
  /** When all records were processed */
  finished?: string
}

export type GetUserImportInput = {
  /** An import's id, `imp_…` */
  id: string
}

export type GetUserInput = {
  /** A customer's id, `cus_…` */
  user: string
}

export type UpdateUserInput = {
  /** A customer's id, `cus_…` */
  user: string
  /** The customer's name: one line, not blank, at most 120 characters */
  name?: string
  /** An e-mail address */
  email?: string
  /** Whether access to the mailbox of the address was proved */
  emailVerified?: boolean
  /** What the organisation stores about the customer: at most 8 KiB as JSON. The customer can read it; only admins can write it */
  metadata?: Record<string, unknown>
  /** Whether the customer is blocked from signing in */
  blocked?: boolean
}

export type DeleteUserInput = {
  /** A customer's id, `cus_…` */
  user: string
}

/** A team of the organisation that writes events with its own tokens */
export type Workspace = {
  /** A workspace's id, `wsp_…` */
  id: string
  /** The workspace's name: one line, not blank, at most 120 characters */
  name: string
  /** When it was created */
  created: string
}

export type ListWorkspacesInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type CreateWorkspaceInput = {
  /** The workspace's name: one line, not blank, at most 120 characters */
  name: string
}

export type DeleteWorkspaceInput = {
  /** A workspace's id, `wsp_…` */
  id: string
}

export type CreateWorkspaceTokenInput = {
  /** A workspace's id, `wsp_…` */
  id: string
  /** When the token expires, at most a year from now; 30 days from now if omitted */
  expires?: string
}

export type CreateWorkspaceTokenOutput = {
  /** The token, a JWT, which is returned only here */
  token: string
  /** When the token expires */
  expires: string
}

// API keys and browser sessions.

export type FinishLoginInput = {
  /** The state of a sign-in that GET /v1/account/login started */
  state: string
  /** The authorization code; absent if the sign-in failed */
  code?: string
  /** The issuer of the code, which must be the identity provider of this host (RFC 9207) */
  iss?: string
  /** Why the sign-in failed, as a code of OAuth */
  error?: string
  /** The reason in words; it is not shown */
  error_description?: string
}

export type GetCsrfInput = Record<string, never>

export type GetCsrfOutput = {
  /** The token, which belongs to this session and ends with it */
  csrfToken: string
  /** How many seconds the token is valid */
  expiresIn: number
}

/** Whether a key works; only an `active` one does */
export type KeyStatus = 'active' | 'expired' | 'revoked'

/** What a key may spend; 0 means no cap */
export type KeyBudget = {
  /** Its cap per UTC calendar month, in cents */
  month: number
  /** Its cap in total, in cents */
  total: number
}

/** A key of the organisation; its text is not part of it, unless it is publishable */
export type Key = {
  /** The key's id */
  id: string
  /** Its name */
  name: string
  /** `secret` is for servers and acts as its owner; `publishable` may be public and writes events */
  type: 'secret' | 'publishable'
  /** Its first characters, to recognise it by */
  prefix: string
  /** The full key, if it is publishable */
  key?: string
  /** Whether a key works; only an `active` one does */
  status: KeyStatus
  /** The e-mail address of its owner */
  creator: string
  /** When it was created */
  created: string
  /** When it stops working */
  expires?: string
  /** The entries it is restricted to */
  limit?: string[]
  /** What a key may spend; 0 means no cap */
  budget?: KeyBudget
  /** Requests it may make in any 60 seconds */
  rate?: number
  /** What it has spent in total, in cents */
  spend: number
  /** What it has spent in this UTC calendar month, in cents */
  spendMonth: number
  /** When it was last used, to the minute */
  lastUsed?: string
  /** Until when the text from before the last rotation stays valid; absent if it is not */
  overlapUntil?: string
  /** The e-mail address of the person who revoked it */
  revokedBy?: string
  /** When it was revoked */
  revokedAt?: string
}

export type ListKeysInput = {
  /** Whether a key works; only an `active` one does */
  status?: KeyStatus
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type CreateKeyInput = {
  /** The key's name: one line, not blank, at most 120 characters */
  name: string
  /** `secret`, the default, is for servers and acts as its owner; `publishable` may be public and writes events */
  type?: 'secret' | 'publishable'
  /** Restricts the key to entries such as `read:risk` or `project:web-shop`; if empty, the key may do everything that its owner may do */
  limit?: string[] | null
  /** What the key may spend; both caps are set together, and an omitted cap is 0 */
  budget?: {
    /** Cap on model calls per UTC calendar month, in cents; 0 means no cap */
    month?: number
    /** Cap on all model calls, in cents; 0 means no cap */
    total?: number
  } | null
  /** Requests the key may make in any 60 seconds */
  rate?: number | null
  /** When the key stops working */
  expires?: string | null
}

export type CreateKeyOutput = {
  /** The key's id */
  id: string
  /** Its name */
  name: string
  /** `secret` is for servers and acts as its owner; `publishable` may be public and writes events */
  type: 'secret' | 'publishable'
  /** Its first characters, to recognise it by */
  prefix: string
  /** The full key; store it now */
  key: string
  /** Whether a key works; only an `active` one does */
  status: KeyStatus
  /** The e-mail address of its owner */
  creator: string
  /** When it was created */
  created: string
  /** When it stops working */
  expires?: string
  /** The entries it is restricted to */
  limit?: string[]
  /** What a key may spend; 0 means no cap */
  budget?: KeyBudget
  /** Requests it may make in any 60 seconds */
  rate?: number
  /** What it has spent in total, in cents */
  spend: number
  /** What it has spent in this UTC calendar month, in cents */
  spendMonth: number
  /** When it was last used, to the minute */
  lastUsed?: string
  /** Until when the text from before the last rotation stays valid; absent if it is not */
  overlapUntil?: string
  /** The e-mail address of the person who revoked it */
  revokedBy?: string
  /** When it was revoked */
  revokedAt?: string
  /** What the key may do, in words; for people to read */
  may: string[]
}

export type UpdateKeyInput = {
  /** A key's id, `key_…` */
  id: string
  /** The key's name: one line, not blank, at most 120 characters */
  name?: string
  /** Restricts the key to entries such as `read:risk` or `project:web-shop`; if empty, the key may do everything that its owner may do */
  limit?: string[] | null
  /** What the key may spend; both caps are set together, and an omitted cap is 0 */
  budget?: {
    /** Cap on model calls per UTC calendar month, in cents; 0 means no cap */
    month?: number
    /** Cap on all model calls, in cents; 0 means no cap */
    total?: number
  } | null
  /** Requests the key may make in any 60 seconds */
  rate?: number | null
  /** When the key stops working */
  expires?: string | null
}

export type DeleteKeyInput = {
  /** A key's id, `key_…` */
  id: string
}

export type RotateKeyInput = {
  /** A key's id, `key_…` */
  id: string
  /** How many seconds the former text stays valid, at most seven days; default 0 */
  overlap?: number
}

export type RotateKeyOutput = {
  /** The key's id */
  id: string
  /** Its name */
  name: string
  /** `secret` is for servers and acts as its owner; `publishable` may be public and writes events */
  type: 'secret' | 'publishable'
  /** Its first characters, to recognise it by */
  prefix: string
  /** The full key; store it now */
  key: string
  /** Whether a key works; only an `active` one does */
  status: KeyStatus
  /** The e-mail address of its owner */
  creator: string
  /** When it was created */
  created: string
  /** When it stops working */
  expires?: string
  /** The entries it is restricted to */
  limit?: string[]
  /** What a key may spend; 0 means no cap */
  budget?: KeyBudget
  /** Requests it may make in any 60 seconds */
  rate?: number
  /** What it has spent in total, in cents */
  spend: number
  /** What it has spent in this UTC calendar month, in cents */
  spendMonth: number
  /** When it was last used, to the minute */
  lastUsed?: string
  /** Until when the text from before the last rotation stays valid; absent if it is not */
  overlapUntil?: string
  /** The e-mail address of the person who revoked it */
  revokedBy?: string
  /** When it was revoked */
  revokedAt?: string
}

export type StartLoginInput = {
  /** The path on this host the browser is sent to after sign-in; by default it is sent to the person's account page */
  to?: string
  /** The slug of the organisation to sign in to: a member of several does not choose one then. It is ignored unless the person is a member of it */
  org?: string
}

export type LogoutInput = Record<string, never>

// The products an organisation builds; resources of a product name its project.

/** One product of the organisation */
export type Project = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The project's name: one line, not blank, at most 120 characters */
  name: string
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
}

export type ListProjectsInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type CreateProjectInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The project's name: one line, not blank, at most 120 characters */
  name: string
}

export type GetProjectInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
}

export type UpdateProjectInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The project's name: one line, not blank, at most 120 characters */
  name: string
}

export type DeleteProjectInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
}

/** A DNS record that the owner of a host creates */
export type DnsRecord = {
  /** The type of the record */
  type: 'TXT'
  /** The name of the record */
  name: string
  /** What it must contain */
  value: string
}

/** A host name of a project, whose pages may call this service once it is verified */
export type Domain = {
  /** The name in lower case and ASCII */
  host: string
  /** `live` if it is verified */
  status: 'pending' | 'live'
  /** Whether its TXT record was found */
  verified: boolean
  /** The DNS records that the host needs to become and to stay verified */
  records: DnsRecord[]
  /** When it was attached */
  created: string
  /** How many daily checks in a row did not find the TXT record of a live host; after 3 it becomes pending. Absent if the last check found it */
  missedChecks?: number
  /** What the check found; only in the answer of a check */
  detail?: string
}

export type ListDomainsInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type AttachDomainInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** A host name, such as shop.example.com, without scheme, port or wildcard */
  host: string
}

export type DetachDomainInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** A host name, such as shop.example.com, without scheme, port or wildcard */
  host: string
}

export type VerifyDomainInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** A host name, such as shop.example.com, without scheme, port or wildcard */
  host: string
}

// Model calls: chat completions, embeddings and the list of models.

/** A model of a provider */
export type ProviderModel = {
  /** The name that clients use: 1 to 200 visible ASCII characters */
  id: string
  /** Its name at the provider, if that is another: 1 to 200 visible ASCII characters */
  upstream?: string
  /** The kind of model; default `chat` */
  kind?: 'chat' | 'embedding'
  /** The prices of the model */
  price?: {
    /** Input, in cents per million tokens */
    input: number
    /** Output, in cents per million tokens */
    output: number
    /** Input from the provider's cache (by default priced as input), in cents per million tokens */
    cachedInput?: number
    /** Input that is written to the provider's cache (by default priced as input), in cents per million tokens */
    cacheWrite?: number
    /** Input that is cached for an hour, in the messages format (if absent, such caching is rejected), in cents per million tokens */
    cacheWriteHour?: number
    /** Reasoning (by default priced as output), in cents per million tokens */
    reasoning?: number
    /** An image, in cents */
    image?: number
  }
  /** The most tokens of an answer, assumed for prepaid calls that set no limit; default: the known limit of a model of this name, or 4096 */
  outputMax?: number
  /** Milliseconds until its answer must begin; default 300000 */
  beginMs?: number
  /** Milliseconds between two parts of its answer; default 300000 */
  gapMs?: number
  /** Calls that an organisation may begin in a minute, in each process of this service */
  rate?: number
  /** Concurrent calls of an organisation, in each process of this service */
  concurrency?: number
}

/** A provider of models */
export type Provider = {
  /** The name of the provider here: lower-case letters, digits and inner hyphens, at most 40 characters */
  name: string
  /** The format of its API; default: that of its kind */
  wire: 'openai' | 'anthropic'
  /** Which provider it is; by default `compatible`, which is any server with the OpenAI format, or `anthropic` if `wire` says so */
  kind: 
    | 'openai'
    | 'anthropic'
    | 'google'
    | 'mistral'
    | 'groq'
    | 'together'
    | 'openrouter'
    | 'azure'
    | 'bedrock'
    | 'ollama'
    | 'vllm'
    | 'llamacpp'
    | 'compatible'
  /** Its URL */
  baseUrl: string
  /** Whether it has a key */
  hasApiKey: boolean
  /** Its models */
  models: ProviderModel[]
  /** When it was added */
  created: string
  /** When it was last changed */
  updated: string
}

/** A provider of models that cannot be changed with an operation */
export type FixedProvider = {
  /** Its name */
  name: string
  /** `environment`: its variables are set; `machine`: it was found on this machine */
  from: 'environment' | 'machine'
  /** The format of its API */
  wire: 'openai' | 'anthropic'
  /** Its URL */
  baseUrl: string
  /** Whether it has a key */
  hasApiKey: boolean
  /** Its known models; if there are none, any can be called as `provider/model` */
  models: ProviderModel[]
}

export type ListProvidersInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type ListProvidersOutput = {
  /** The items of this page */
  data: Provider[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
  /** Providers from the environment, and servers that were found on this machine */
  fixed: FixedProvider[]
}

export type AddProviderInput = {
  /** The name of the provider here: lower-case letters, digits and inner hyphens, at most 40 characters */
  name: string
  /** The format of its API; default: that of its kind */
  wire?: 'openai' | 'anthropic'
  /** Which provider it is; by default `compatible`, which is any server with the OpenAI format, or `anthropic` if `wire` says so */
  kind?: 
    | 'openai'
    | 'anthropic'
    | 'google'
    | 'mistral'
    | 'groq'
    | 'together'
    | 'openrouter'
    | 'azure'
    | 'bedrock'
    | 'ollama'
    | 'vllm'
    | 'llamacpp'
    | 'compatible'
  /** Its URL, without the path of an operation; `/v1` if it has no path */
  baseUrl: string
  /** Its key; it is stored encrypted and never shown */
  apiKey?: string
  /** Its models, at most 500 */
  models: ProviderModel[]
}

export type UpdateProviderInput = {
  /** The name of the provider here: lower-case letters, digits and inner hyphens, at most 40 characters */
  name: string
  /** Its URL, without the path of an operation; `/v1` if it has no path */
  baseUrl?: string
  /** Its key; it is stored encrypted and never shown */
  apiKey?: string | null
  /** Its models, at most 500 */
  models?: ProviderModel[]
}

export type DeleteProviderInput = {
  /** The name of the provider here: lower-case letters, digits and inner hyphens, at most 40 characters */
  name: string
}

/** A model call in the log */
export type ModelRequest = {
  /** The id of the request */
  id: string
  /** When it began */
  created: string
  /** The model, as the client named it */
  model: string
  /** The model that answered, if it is another: behind an alias, or a fallback */
  answeredModel?: string
  /** Who answered */
  provider?: string
  /** The format of the client */
  wire: string
  /** Whether the answer was streamed */
  streamed: boolean
  /** The key that called */
  key?: string
  /** The project */
  project?: string
  /** Why it failed: the code of the fault, or `interrupted` if the client disconnected */
  error?: string
  /** How many times a provider was called */
  attempts: number
  /** Milliseconds until the first part of the answer */
  firstTokenMs?: number
  /** Milliseconds until the end of the answer */
  totalMs: number
  /** Tokens of the input */
  inputTokens: number
  /** Tokens of the output */
  outputTokens: number
  /** Tokens of the output per second after the first part */
  tokensPerSecond?: number
  /** Whether the tokens were counted here */
  estimated: boolean
  /** The cost in cents */
  cost?: number
  /** The transfer in the journal */
  transactionId?: string
}

export type ListModelRequestsInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type GetModelRequestInput = {
  /** The id of the request */
  id: string
}

/** Another name for a model */
export type ModelAlias = {
  /** The name that clients use: 1 to 200 visible ASCII characters */
  name: string
  /** The model that is then called: 1 to 200 visible ASCII characters */
  model: string
}

/** The models that are called when another one fails */
export type ModelFallback = {
  /** The model, or an alias: 1 to 200 visible ASCII characters */
  model: string
  /** The models that are called instead, in this order: up to 5, of the same kind */
  to: string[]
}

/** The organisation's aliases of models, and the models to use when another one fails */
export type AiSettings = {
  /** Other names for models: up to 100; default none */
  aliases: ModelAlias[]
  /** The models to call when a model cannot be reached or is busy: up to 100 entries; default none */
  fallbacks: ModelFallback[]
}

export type GetAiSettingsInput = Record<string, never>

export type UpdateAiSettingsInput = {
  /** Other names for models: up to 100; default none */
  aliases?: ModelAlias[]
  /** The models to call when a model cannot be reached or is busy: up to 100 entries; default none */
  fallbacks?: ModelFallback[]
}

/** The prices of a model */
export type ModelPrice = {
  /** Input, in cents per million tokens */
  input: number
  /** Output, in cents per million tokens */
  output: number
  /** Input from the provider's cache, in cents per million tokens */
  cachedInput?: number
  /** Input that is written to the provider's cache, in cents per million tokens */
  cacheWrite?: number
  /** Input that is written to the provider's cache for an hour, in cents per million tokens */
  cacheWriteHour?: number
  /** Reasoning, in cents per million tokens */
  reasoning?: number
  /** An image, in cents */
  image?: number
}

/** A model that can be called; without a price, its calls are counted but cost nothing */
export type Model = {
  /** The name for `model` */
  id: string
  /** Always `model` */
  object: 'model'
  /** Always 0: providers do not agree on it */
  created: number
  /** The provider */
  owned_by: string
  /** The kind of model */
  kind: 'chat' | 'embedding'
  /** The prices of a model */
  price?: ModelPrice
}

/** In the format of the models interface */
export type ModelList = {
  /** Always `list` */
  object: 'list'
  /** The models, by name */
  data: Model[]
}

export type ListModelsInput = Record<string, never>

// Event ingest, and the analytics read from it.

/** An event that was received */
export type ReceivedEvent = {
  /** Its id */
  id: string
  /** When it arrived */
  received: string
  /** When it happened, corrected for the clock of the client */
  timestamp: string
  /** Its name, as it was sent */
  event: string
  /** How it was sent: the form of Stoa, or that of an SDK */
  wire: string
  /** The project that it belongs to */
  project?: string
  /** The workspace whose token wrote it */
  workspace?: string
  /** Who did it */
  distinctId?: string
  /** The id of the visitor before the person was identified */
  anonymousId?: string
  /** The session of the visitor */
  sessionId?: string
  /** The amount that was paid */
  revenue?: number
  /** The currency of the revenue */
  currency?: string
  /** How many bytes of `properties` were left out, because the answer would be too long */
  propertiesOmitted?: number
  /** Everything else about it; empty if `propertiesOmitted` is present */
  properties: Record<string, unknown>
}

export type ListEventsInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

/** The time that was read */
export type LensRange = {
  /** From when on */
  from: string
  /** Until when */
  to: string
  /** The time zone of its days */
  zone: string
}

/** Errors with the same fingerprint */
export type ErrorGroup = {
  /** Identical for errors of the same kind */
  fingerprint: string
  /** The class of the newest of them */
  type?: string
  /** Its message */
  message?: string
  /** How many of them in this time */
  count: number
  /** How many distinct visitors they happened to */
  people: number
  /** When the first of them happened, also before this time */
  firstSeen: string
  /** When the last of them happened, also after this time */
  lastSeen: string
  /** The releases that they happened in, at most 20 */
  releases: string[]
  /** Their number in 24 parts of the time, the oldest first */
  sparkline: number[]
  /** The id of the newest of them */
  lastExample?: string
}

/** How exact the numbers of visitors are */
export type DistinctMethod = {
  /** How visitors were counted: exactly, or, if there are more than 10,000, by an estimate (HyperLogLog) */
  method: 'exact' | 'sketch'
  /** How much the estimate may deviate, as a share; 0 if it is exact */
  error: number
}

/** Errors by fingerprint */
export type ErrorGroups = {
  /** The time that was read */
  range: LensRange
  /** The groups of this page */
  data: ErrorGroup[]
  /** When the first part of each sparkline begins, perhaps before the time */
  sparklineFrom: string
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
  /** How exact the numbers of visitors are */
  distinct: DistinctMethod
}

export type ListErrorGroupsInput = {
  /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
  range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all'
  /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
  from?: string
  /** Until when, rounded up to a quarter of an hour; default now */
  to?: string
  /** The time zone of days, weeks and months; default that of the organisation's settings */
  zone?: string
  /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
  where?: string[]
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

/** An event, and who and what it counts as */
export type CountedEvent = {
  /** Its id */
  id: string
  /** Its place in the order in which the events of the organisation arrived */
  arrival: number
  /** When it arrived */
  received: string
  /** When it happened, corrected for the clock of the client */
  timestamp: string
  /** Its name */
  event: string
  /** How it was sent: the form of Stoa, or that of an SDK */
  wire: string
  /** Who it counts as */
  visitor: string
  /** The session that it belongs to */
  session: string
  /** The project that it belongs to */
  project?: string
  /** The workspace whose token wrote it */
  workspace?: string
  /** Who did it */
  distinctId?: string
  /** The id of the visitor before the person was identified */
  anonymousId?: string
  /** The session that the SDK named */
  sessionId?: string
  /** The amount that was paid */
  revenue?: number
  /** The currency of the revenue */
  currency?: string
  /** Of errors: identical for those of the same kind */
  fingerprint?: string
  /** The path of the page */
  path?: string
  /** What led there */
  source?: string
  /** The campaign */
  campaign?: string
  /** The country */
  country?: string
  /** The kind of device */
  device?: string
  /** The browser */
  browser?: string
  /** The operating system */
  system?: string
  /** The version of the program */
  release?: string
  /** Everything else about it */
  properties: Record<string, unknown>
}

/** The events of a time */
export type CountedEvents = {
  /** The time that was read */
  range: LensRange
  /** The events of this page */
  data: CountedEvent[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
}

export type ListRawEventsInput = {
  /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
  range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all'
  /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
  from?: string
  /** Until when, rounded up to a quarter of an hour; default now */
  to?: string
  /** The time zone of days, weeks and months; default that of the organisation's settings */
  zone?: string
  /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
  where?: string[]
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type ExportEventsInput = {
  /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
  range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all'
  /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
  from?: string
  /** Until when, rounded up to a quarter of an hour; default now */
  to?: string
  /** The time zone of days, weeks and months; default that of the organisation's settings */
  zone?: string
  /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
  where?: string[]
  /** JSON lines, the default, or CSV */
  format?: 'ndjson' | 'csv'
}

/** The events with a name */
export type NamedEvent = {
  /** The name */
  event: string
  /** How many of them */
  count: number
  /** How many distinct visitors */
  people: number
  /** When the first of them happened in this time */
  firstSeen: string
  /** When the last of them happened in this time */
  lastSeen: string
}

/** The names of events */
export type NamedEvents = {
  /** The time that was read */
  range: LensRange
  /** The names of this page */
  data: NamedEvent[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
  /** How exact the numbers of visitors are */
  distinct: DistinctMethod
}

export type ListEventNamesInput = {
  /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
  range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all'
  /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
  from?: string
  /** Until when, rounded up to a quarter of an hour; default now */
  to?: string
  /** The time zone of days, weeks and months; default that of the organisation's settings */
  zone?: string
  /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
  where?: string[]
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

/** How to add the tag to a page */
export type Install = {
  /** The two lines, for the `head` of each page; absent without a key */
  html?: string
  /** The publishable key in `html`; absent if the caller may see none */
  key?: {
    /** Its id */
    id: string
    /** Its name */
    name: string
    /** Its text, which may be public */
    key: string
  }
  /** How to make a key; absent if there is one */
  create?: string
  /** The address of the script, with the hash of its content */
  tag: string
  /** What a content security policy must allow: the first line by its hash, the script, and the address of events */
  policy: string
  /** Whether an event has arrived */
  received: boolean
  /** When the first event happened */
  firstEvent?: string
}

export type GetInstallInput = Record<string, never>

/** The same of the time before */
export type Figures = {
  /** How many distinct visitors */
  visitors: number
  /** How many sessions began */
  sessions: number
  /** How many page views */
  pageviews: number
  /** How many events, page views included */
  events: number
  /** The share of sessions with one page view and under 10 seconds; 0 if there is no session */
  bounceRate: number
  /** How long a session lasted on average, in seconds */
  visitSeconds: number
  /** The revenue by currency; `` if an event names none */
  revenue: Record<string, number>
  /** How many model calls were settled; absent for workspaces and with conditions */
  requests?: number
  /** How many tokens they used */
  tokens?: number
  /** What they cost, in cents */
  spend?: number
}

/** The figures of a time */
export type Overview = {
  /** The time that was read */
  range: LensRange
  /** How many distinct visitors */
  visitors: number
  /** How many sessions began */
  sessions: number
  /** How many page views */
  pageviews: number
  /** How many events, page views included */
  events: number
  /** The share of sessions with one page view and under 10 seconds; 0 if there is no session */
  bounceRate: number
  /** How long a session lasted on average, in seconds */
  visitSeconds: number
  /** The revenue by currency; `` if an event names none */
  revenue: Record<string, number>
  /** How many model calls were settled; absent for workspaces and with conditions */
  requests?: number
  /** How many tokens they used */
  tokens?: number
  /** What they cost, in cents */
  spend?: number
  /** How exact the numbers of visitors are */
  distinct: DistinctMethod
  /** The same of the time before */
  previous?: Figures
  /** How many stored events of the organisation are not included yet, because a former version stored them; 100000 means at least so many */
  uncounted?: number
}

export type GetEventOverviewInput = {
  /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
  range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all'
  /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
  from?: string
  /** Until when, rounded up to a quarter of an hour; default now */
  to?: string
  /** The time zone of days, weeks and months; default that of the organisation's settings */
  zone?: string
  /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
  where?: string[]
  /** Whether `previous` has the same of the time before; default true */
  compare?: boolean
}

/** The organisation's settings for events */
export type EventSettings = {
  /** The time zone of days, weeks and months; default `UTC` */
  zone: string
  /** Whether the client address is stored with its events, as `$ip`; default false */
  storeAddresses: boolean
  /** Whether texts that look like secrets or card numbers are removed before events are stored; default false */
  scrub: boolean
  /** After how many days events are deleted; null, the default, keeps them */
  retentionDays?: number | null
}

export type GetEventSettingsInput = Record<string, never>

export type UpdateEventSettingsInput = {
  /** The time zone of days, weeks and months; default `UTC` */
  zone?: string
  /** Whether the client address is stored with its events, as `$ip`; default false */
  storeAddresses?: boolean
  /** Whether texts that look like secrets or card numbers are removed before events are stored; default false */
  scrub?: boolean
  /** After how many days events are deleted; null, the default, keeps them */
  retentionDays?: number | null
}

export type GetTagInput = {
  /** The hash of the script that is meant */
  v?: string
  [field: string]: unknown
}

/** A point of a series */
export type SeriesPoint = {
  /** When it begins */
  at: string
  /** The figure */
  value: number
}

/** A figure over time */
export type Series = {
  /** The metric, or the value of the breakdown */
  name: string
  /** Every point, the oldest first; 0 where nothing happened */
  points: SeriesPoint[]
}

/** Figures over time */
export type Timeseries = {
  /** The time that was read */
  range: LensRange
  /** The time between two points */
  interval: string
  /** The series */
  series: Series[]
  /** The series of the time before */
  previous?: Series[]
  /** How exact the numbers of visitors are */
  distinct: DistinctMethod
}

export type GetEventTimeseriesInput = {
  /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
  range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all'
  /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
  from?: string
  /** Until when, rounded up to a quarter of an hour; default now */
  to?: string
  /** The time zone of days, weeks and months; default that of the organisation's settings */
  zone?: string
  /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
  where?: string[]
  /** The time between two points, at most 2000 of them; by default it depends on the range */
  interval?: '15m' | 'hour' | 'day' | 'week' | 'month'
  /** Only this figure; by default `visitors`, `sessions`, `pageviews`, `events`, or the visitors of a breakdown */
  metric?: 'visitors' | 'sessions' | 'pageviews' | 'events' | 'bounceRate' | 'visitSeconds'
  /** A breakdown: a series for each of the 8 values with the most visitors. The same fields as in `where` */
  by?: string
  /** Whether `previous` has the same of the time before; default false */
  compare?: boolean
}

/** A value, and how many visitors had it */
export type TopValue = {
  /** The value */
  value: string
  /** How many distinct visitors */
  visitors: number
  /** How many events */
  events: number
  /** The share of all visitors of the time */
  share: number
}

/** The values with the most visitors */
export type Top = {
  /** The time that was read */
  range: LensRange
  /** The field */
  by: string
  /** The values, that with the most visitors first */
  data: TopValue[]
  /** How exact the numbers of visitors are */
  distinct: DistinctMethod
}

export type GetEventTopInput = {
  /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
  range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all'
  /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
  from?: string
  /** Until when, rounded up to a quarter of an hour; default now */
  to?: string
  /** The time zone of days, weeks and months; default that of the organisation's settings */
  zone?: string
  /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
  where?: string[]
  /** The field: `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; default `path` */
  by?: string
  /** How many; default 10, at most 100 */
  limit?: number
}

// Observability: traces, metrics and logs.

/** A handler for events with certain subjects */
export type Consumer = {
  /** Its id */
  name: string
  /** When the oldest event that it has not read was published; absent if it has read all */
  behindSince?: string
  /** Events that wait because an earlier one of the same organisation failed, or because too many arrived at the same time */
  waiting: number
  /** Events that failed too often */
  deadLetters: number
  /** True if this version has no consumer with this id: nothing reads its events, which are kept for a week */
  isUndeclared?: true
}

export type ListConsumersInput = Record<string, never>

export type ListConsumersOutput = {
  /** Sorted by name */
  consumers: Consumer[]
}

/** An event that a consumer failed to handle 20 times */
export type DeadLetter = {
  /** The id of a dead letter */
  id: string
  /** The consumer that failed to handle it */
  consumer: string
  /** When it became a dead letter */
  at: string
  /** The error of the last attempt */
  error: string
  /** What identifies the event; its data belongs to the organisation and is not shown */
  event: {
    /** The id of the event */
    id: string
    /** The subject of the event */
    subject: string
    /** The organisation of the event */
    tenant: string
    /** When it happened */
    time: string
  }
}

export type ListDeadLettersInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type RetryDeadLetterInput = {
  /** The id of a dead letter */
  id: string
}

/** A database or server that this host depends on */
export type Engine = {
  /** What it is for: the database, the event log, the events that analytics reads, or mail */
  name: 'db' | 'log' | 'warehouse' | 'mail'
  /** What implements it */
  driver: string
  /** `full`: its disk is; `busy`: it answers, but calls wait */
  status: 'up' | 'busy' | 'down' | 'full'
  /** The version of its server */
  version?: string
  /** Its size on disk */
  bytes?: number
  /** Connections to its server */
  connections?: {
    /** The open connections to its server, of all its clients */
    used: number
    /** How many the server allows */
    max: number
  }
}

export type ListEnginesInput = Record<string, never>

export type ListEnginesOutput = {
  /** The database first */
  engines: Engine[]
}

/** A mail that was written to a file */
export type KeptMail = {
  /** The id of a kept mail, which begins with its time */
  id: string
  /** When it was written */
  at: string
  /** The recipient */
  to: string
}

export type ListKeptMailInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type ListKeptMailOutput = {
  /** Whether mail is kept; false if a mail server is set, and mail is sent */
  kept: boolean
  /** The items of this page */
  data: KeptMail[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
}

/** A mail that was written to a file, with its text */
export type KeptMailText = {
  /** The id of a kept mail, which begins with its time */
  id: string
  /** When it was written */
  at: string
  /** The recipient */
  to: string
  /** The sender */
  from: string
  /** The subject, which may have a code */
  subject: string
  /** The text, cut at 64 KiB */
  text: string
}

export type GetKeptMailInput = {
  /** The id of a kept mail, which begins with its time */
  id: string
}

/** A queue of background jobs */
export type Queue = {
  /** Its id */
  name: string
  /** Jobs that have not ended, including running ones */
  waiting: number
  /** Keys, such as webhook endpoints, that have jobs or their own limits */
  keys: number
  /** Keys whose jobs a process runs now */
  held: number
  /** Keys that are paused */
  paused: number
  /** When the oldest job that no process has started was due; absent if there is none */
  dueSince?: string
}

export type ListQueuesInput = Record<string, never>

export type ListQueuesOutput = {
  /** Sorted by name */
  queues: Queue[]
}

/** The requests of an hour */
export type RequestHour = {
  /** When the hour began */
  at: string
  /** Requests that its credentials were sent with */
  requests: number
  /** Those answered with a status of 400 to 499 */
  refused: number
  /** Those answered with a status of 500 or more */
  failed: number
}

/** The requests of an organisation */
export type RequestCounts = {
  /** Requests that its credentials were sent with */
  requests: number
  /** Those answered with a status of 400 to 499 */
  refused: number
  /** Those answered with a status of 500 or more */
  failed: number
  /** Every hour, the oldest first; the last one is not over yet */
  data: RequestHour[]
}

export type GetRequestsInput = {
  /** How many hours or days, up to now; default `24h` */
  range?: '24h' | '7d' | '30d'
}

/** A table of the database */
export type TableSize = {
  /** Its name */
  name: string
  /** The service that it belongs to */
  service: string
  /** The estimated number of rows, from the last statistics */
  rows: number
  /** Its size on disk, including indexes */
  bytes: number
  /** The organisations with the most rows, from the last statistics; with `org`, only that one, counted exactly up to 100000 */
  organisations: {
    /** An organisation: lower-case letters, digits and inner hyphens, at most 40 characters */
    org: string
    /** How many of the rows belong to the organisation */
    rows: number
  }[]
}

export type ListTablesInput = {
  /** Only this organisation: lower-case letters, digits and inner hyphens, at most 40 characters */
  org?: string
}

export type ListTablesOutput = {
  /** Sorted by name */
  tables: TableSize[]
}

// Balance, credits and usage.

/** The money of an organisation */
export type Balance = {
  /** The currency of the cents: its ISO 4217 code, a setting of this service */
  currency: string
  /** The credits less the usage, in cents */
  balance: number
  /** What is held for running calls, in cents */
  holds: number
  /** The balance less the holds, in cents */
  available: number
}

export type GetBalanceInput = Record<string, never>

/** Credit that the operator gave to an organisation */
export type Credit = {
  /** The id of the transfer in the journal */
  transactionId: string
  /** The amount; negative if it was taken back, in cents */
  amount: number
  /** The currency of the cents: its ISO 4217 code, a setting of this service */
  currency: string
  /** The reason */
  reason: string
  /** When it was credited */
  created: string
}

export type ListCreditsInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type AddCreditInput = {
  /** The organisation: lower-case letters, digits and inner hyphens, at most 40 characters */
  org: string
  /** The amount in cents, a whole number up to 100000000; negative to take credit back */
  amount: number
  /** The reason, shown to the organisation: one line, not blank, at most 120 characters */
  reason: string
}

/** An amount that was moved from one account to another */
export type Transfer = {
  /** The id of the transfer in the journal */
  transactionId: string
  /** When it was written */
  created: string
  /** The account that it takes from: `balance` is the balance of the organisation, `credits` what it was given, `revenue` what it spent */
  from: 'balance' | 'credits' | 'revenue'
  /** The account that it adds to: `balance` is the balance of the organisation, `credits` what it was given, `revenue` what it spent */
  to: 'balance' | 'credits' | 'revenue'
  /** The amount, never below 0, in cents */
  amount: number
  /** The product that was used; absent if there is none */
  product?: string
  /** The model; absent if there is none */
  model?: string
  /** The key; absent if there is none */
  key?: string
  /** The project; absent if there is none */
  project?: string
  /** For usage, what the amount was calculated from; for credits, the `reason` */
  metadata: Record<string, unknown>
}

/** The transfers of an organisation */
export type Journal = {
  /** The currency of the cents: its ISO 4217 code, a setting of this service */
  currency: string
  /** The balance when this page was read, in cents */
  balance: number
  /** The transfers of this page */
  data: Transfer[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
}

export type ListJournalInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
  /** The format of the answer, `json` or `csv`; defaults to the one in the header Accept, otherwise to `json` */
  format?: 'json' | 'csv'
}

/** The organisation's alerts on its spending and balance */
export type BillingSettings = {
  /** The spending in a UTC calendar month at which the event `billing.alert.spend_reached` is sent: up to 10 amounts in cents; default none */
  spendAlerts: number[]
  /** The balance in cents below which the event `billing.alert.balance_reached` is sent; null, the default, for no alert */
  balanceAlert?: number | null
}

export type GetBillingSettingsInput = Record<string, never>

export type UpdateBillingSettingsInput = {
  /** The spending in a UTC calendar month at which the event `billing.alert.spend_reached` is sent: up to 10 amounts in cents; default none */
  spendAlerts?: number[]
  /** The balance in cents below which the event `billing.alert.balance_reached` is sent; null, the default, for no alert */
  balanceAlert?: number | null
}

/** One settled call */
export type UsageRow = {
  /** The cost, in cents */
  amount: number
  /** When it was settled */
  createdAt: string
  /** What was used: `product`, `model`, `key`, `project`, the tokens, and the price in force in cents per million tokens */
  metadata: Record<string, unknown>
  /** The id of the transfer in the journal */
  transactionId: string
}

/** The usage of an organisation */
export type Usage = {
  /** The currency of the cents: its ISO 4217 code, a setting of this service */
  currency: string
  /** How many rows there are on all pages */
  count: number
  /** Their total cost, in cents */
  amount: number
  /** The rows of this page */
  usage: UsageRow[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
}

export type ListUsageInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
  /** Only usage settled at or after this time */
  since?: string
  /** Only usage settled before this time */
  until?: string
  /** Only usage of this key */
  key?: string
  /** Only usage in this project */
  project?: string
  /** Only calls to this model */
  model?: string
  /** Only usage of this product */
  product?: string
}

/** A group of usage */
export type UsageGroup = {
  /** The day in UTC; absent if not grouped by it */
  day?: string
  /** The key; absent if there is none, or not grouped by it */
  key?: string
  /** The model; absent if there is none, or not grouped by it */
  model?: string
  /** The project; absent if there is none, or not grouped by it */
  project?: string
  /** The product; absent if there is none, or not grouped by it */
  product?: string
  /** How many calls were settled */
  count: number
  /** Their cost, in cents */
  amount: number
}

/** The usage of an organisation, added up */
export type UsageSummary = {
  /** The currency of the cents: its ISO 4217 code, a setting of this service */
  currency: string
  /** How many calls were settled in all groups, on all pages */
  count: number
  /** Their total cost, in cents */
  amount: number
  /** The groups of this page */
  data: UsageGroup[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
}

export type GetUsageSummaryInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
  /** Only usage settled at or after this time */
  since?: string
  /** Only usage settled before this time */
  until?: string
  /** Only usage of this key */
  key?: string
  /** Only usage in this project */
  project?: string
  /** Only calls to this model */
  model?: string
  /** Only usage of this product */
  product?: string
  /** What to group by: one or more of `day`, `key`, `model`, `project`, `product`, separated by commas; default `day` */
  by?: string
  /** The format of the answer, `json` or `csv`; defaults to the one in the header Accept, otherwise to `json` */
  format?: 'json' | 'csv'
}

// Events delivered to an organisation's own endpoints, signed.

/** Where events are sent */
export type WebhookEndpoint = {
  /** An endpoint's id, `wh_…` */
  id: string
  /** Where events are sent: an https URL of a public address */
  url: string
  /** Which events are sent: patterns of their subjects, at most 64; if empty, all are sent */
  events: string[]
  /** What it is for, at most 1,024 characters */
  description: string
  /** Whether events are sent. Only people change it; failed deliveries never do */
  status: 'active' | 'disabled'
  /** How often a failed delivery is retried: `standard`, the default, after 1 s and 5 s; `long` also after 5 min, 30 min, 2 h, 8 h and 24 h. It applies to later deliveries */
  retry: 'standard' | 'long'
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
  /** Deliveries that ended in the last seven days */
  deliveries7d: number
  /** Deliveries of the last seven days of which every attempt failed */
  failures7d: number
}

export type ListWebhooksInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

/** An endpoint with its secret */
export type NewWebhookEndpoint = {
  /** An endpoint's id, `wh_…` */
  id: string
  /** Where events are sent: an https URL of a public address */
  url: string
  /** Which events are sent: patterns of their subjects, at most 64; if empty, all are sent */
  events: string[]
  /** What it is for, at most 1,024 characters */
  description: string
  /** Whether events are sent. Only people change it; failed deliveries never do */
  status: 'active' | 'disabled'
  /** How often a failed delivery is retried: `standard`, the default, after 1 s and 5 s; `long` also after 5 min, 30 min, 2 h, 8 h and 24 h. It applies to later deliveries */
  retry: 'standard' | 'long'
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
  /** The secret that signs its deliveries; it is shown once */
  secret: string
}

export type CreateWebhookInput = {
  /** Where events are sent: an https URL of a public address */
  url: string
  /** Which events are sent: patterns of their subjects, at most 64; if empty, all are sent */
  events?: string[]
  /** What it is for, at most 1,024 characters */
  description?: string
  /** How often a failed delivery is retried: `standard`, the default, after 1 s and 5 s; `long` also after 5 min, 30 min, 2 h, 8 h and 24 h. It applies to later deliveries */
  retry?: 'standard' | 'long'
}

/** An event that can be sent to endpoints */
export type WebhookSubject = {
  /** The subject */
  subject: string
  /** What happened */
  what: string
  /** An example of the body */
  example: Record<string, unknown>
}

/** The events of this service */
export type WebhookSubjects = {
  /** All events, by subject */
  data: WebhookSubject[]
}

export type ListWebhookSubjectsInput = Record<string, never>

export type GetWebhookInput = {
  /** An endpoint's id, `wh_…` */
  id: string
}

export type UpdateWebhookInput = {
  /** An endpoint's id, `wh_…` */
  id: string
  /** Where events are sent: an https URL of a public address */
  url?: string
  /** Which events are sent: patterns of their subjects, at most 64; if empty, all are sent */
  events?: string[]
  /** What it is for, at most 1,024 characters */
  description?: string
  /** Whether events are sent. Only people change it; failed deliveries never do */
  status?: 'active' | 'disabled'
  /** How often a failed delivery is retried: `standard`, the default, after 1 s and 5 s; `long` also after 5 min, 30 min, 2 h, 8 h and 24 h. It applies to later deliveries */
  retry?: 'standard' | 'long'
}

export type DeleteWebhookInput = {
  /** An endpoint's id, `wh_…` */
  id: string
}

/** One attempt to deliver an event */
export type WebhookDelivery = {
  /** The attempt's id */
  id: string
  /** A delivery's id: a UUID, the same in all its attempts */
  delivery: string
  /** The event's subject */
  subject: string
  /** Which attempt it was, from 1 */
  attempt: number
  /** It succeeded; it failed and another attempt follows; or it failed and was the last one */
  status: 'ok' | 'retrying' | 'failed'
  /** The status that the endpoint answered */
  httpStatus?: number
  /** Why it failed */
  error?: string
  /** The beginning of the response */
  response?: string
  /** How long the attempt took, in milliseconds */
  durationMs: number
  /** A delivery's id: a UUID, the same in all its attempts */
  resendOf?: string
  /** When it was sent */
  created: string
}

export type ListWebhookDeliveriesInput = {
  /** An endpoint's id, `wh_…` */
  id: string
  /** It succeeded; it failed and another attempt follows; or it failed and was the last one */
  status?: 'ok' | 'retrying' | 'failed'
  /** The event's subject */
  subject?: string
  /** Only attempts at or after this time */
  since?: string
  /** Only attempts before this time */
  until?: string
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

/** A delivery with its body */
export type WebhookDeliveryDetails = {
  /** A delivery's id: a UUID, the same in all its attempts */
  delivery: string
  /** The event's subject */
  subject: string
  /** The body that was sent, byte for byte; absent if its event is no longer stored */
  body?: string
  /** The finished attempts, oldest first */
  attempts: WebhookDelivery[]
}

export type GetWebhookDeliveryInput = {
  /** An endpoint's id, `wh_…` */
  id: string
  /** A delivery's id: a UUID, the same in all its attempts */
  delivery: string
}

/** The new delivery */
export type WebhookResent = {
  /** A delivery's id: a UUID, the same in all its attempts */
  delivery: string
}

export type ResendWebhookDeliveryInput = {
  /** An endpoint's id, `wh_…` */
  id: string
  /** A delivery's id: a UUID, the same in all its attempts */
  delivery: string
}

/** The result of sending failed deliveries again */
export type WebhookResentAll = {
  /** How many deliveries are sent again */
  count: number
}

export type ResendFailedWebhookDeliveriesInput = {
  /** An endpoint's id, `wh_…` */
  id: string
  /** Deliveries whose last attempt was at or after this time */
  since: string
}

export type RotateWebhookSecretInput = {
  /** An endpoint's id, `wh_…` */
  id: string
  /** How many seconds the former secret signs too, at most a day; default 0 */
  overlap?: number
}

/** The result of a test delivery */
export type WebhookTest = {
  /** A delivery's id: a UUID, the same in all its attempts */
  delivery: string
  /** Whether it succeeded */
  delivered: boolean
  /** The status that the endpoint answered */
  httpStatus?: number
  /** Why it failed */
  error?: string
  /** How long the attempt took, in milliseconds */
  durationMs: number
}

export type TestWebhookInput = {
  /** An endpoint's id, `wh_…` */
  id: string
}

// Reference sets for risk decisions, with an organisation's own overrides.

/** A publisher that contributes to a set */
export type ReferenceSource = {
  /** The name of the source */
  source: string
  /** What permits its use: a licence, a registry, the publication of an operator, or own data */
  basis: 'licence' | 'registry' | 'operator' | 'own' | 'none'
  /** The licence, registry or publication that the basis refers to */
  terms: string
  /** The exact address of the data */
  origin: string
  /** Digest of the data it last supplied */
  version?: string
  /** When this source was current */
  asOf?: string
  /** Members it contributed */
  keys: number
  /** Why the last import failed, if it did */
  refusal?: string
}

/** A published set of members that keys are looked up in */
export type ReferenceSet = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** What the set contains */
  what: string
  /** `fetch` is downloaded from publishers, `local` is computed here, `attest` is stored by the component that screens against it, and `seam` needs a licence that is not held */
  kind: 'fetch' | 'local' | 'attest' | 'seam'
  /** How a key is compared with the members */
  match: 'exact' | 'domain' | 'net' | 'digits' | 'pattern' | 'range'
  /** Number of members */
  keys: number
  /** Every contributing source with the digest of its data */
  version: string
  /** When the oldest contributing source was current */
  asOf?: string
  /** The time since `asOf`, such as 192h0m0s */
  age?: string
  /** Whether the set is older than its maximum age; it still answers */
  stale: boolean
  /** Why the set cannot be consulted. If present, `hit` has no meaning */
  refusal?: string
  /** The maximum age, such as 192h0m0s */
  maxAge: string
  /** Number of overrides that the caller's organisation has on the set */
  overrides: number
  /** The sources that contribute to it */
  sources: ReferenceSource[]
}

export type ListReferenceInput = Record<string, never>

export type ListReferenceOutput = {
  /** Every set, always in the same order */
  sets: ReferenceSet[]
  /** Sets older than their maximum age */
  stale: string[]
  /** Sets that cannot be consulted: a key checked against one is unknown, not clean */
  refused: string[]
}

/** What the component that screens against a set has loaded from a source */
export type ReferenceReceipt = {
  /** The source that was loaded */
  source: string
  /** Digest of the loaded data */
  version?: string
  /** Number of designations loaded */
  keys?: number
  /** When the load happened; by default the time of the request */
  asOf?: string
  /** Why the load failed, if it did */
  refusal?: string
}

/** The result of a refresh for one source */
export type ReferenceTaken = {
  /** The source */
  source: string
  /** Digest of the current data of the source */
  version: string
  /** Members it contributes */
  keys: number
  /** Members written by this run */
  wrote: number
  /** Whether the source publishes the same data as before */
  unchanged: boolean
  /** Whether the run continued a partially imported version */
  resumed: boolean
  /** Why nothing was imported from the source */
  refusal?: string
}

export type RefreshReferenceInput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** Accepts a list that grew or shrank more than tenfold; never one that is empty or cannot be read */
  force?: boolean
  /** Only for sets that are stored elsewhere */
  receipts?: ReferenceReceipt[]
}

export type RefreshReferenceOutput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** The version of the set after the refresh */
  version: string
  /** Whether the set is still older than its maximum age */
  stale: boolean
  /** The result for each source */
  took: ReferenceTaken[]
}

/** The effect of an override: a key with `deny` counts as a member of the set, one with `allow` does not */
export type Verdict = 'allow' | 'deny'

/** The answer of one set for one key */
export type ReferenceAnswer = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** The key as requested */
  key: string
  /** Whether the key is a member. Has no meaning if there is a `refusal` */
  hit: boolean
  /** The member or override that covers the key */
  matched?: string
  /** Whether an override of the organisation answered, or the published members */
  from?: 'override' | 'baseline'
  /** The effect of an override: a key with `deny` counts as a member of the set, one with `allow` does not */
  verdict?: Verdict
  /** Properties of the member, or the note of the override */
  value?: Record<string, string>
  /** Published risk weight, where the source gives one */
  score?: number
  /** Every contributing source with the digest of its data */
  version: string
  /** When the oldest contributing source was current */
  asOf?: string
  /** The time since `asOf`, such as 192h0m0s */
  age?: string
  /** Whether the set is older than its maximum age; it still answers */
  stale: boolean
  /** Why the set cannot be consulted. If present, `hit` has no meaning */
  refusal?: string
}

/** The version of a set that was consulted */
export type ReferenceVersion = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** Every contributing source with the digest of its data */
  version: string
  /** When the oldest contributing source was current */
  asOf?: string
  /** Whether the set is older than its maximum age; it still answers */
  stale: boolean
  /** Why the set cannot be consulted. If present, `hit` has no meaning */
  refusal?: string
}

export type ResolveReferenceInput = {
  /** What to look up; at most 100 keys */
  keys: string[]
  /** Which sets to consult; by default every set that can read a key */
  sets?: string[]
}

export type ResolveReferenceOutput = {
  /** One for each set and key consulted */
  answers: ReferenceAnswer[]
  /** Every set that took part */
  consulted: ReferenceVersion[]
  /** Consulted sets that are older than their maximum age */
  stale: string[]
  /** Sets that could not be consulted: a key checked against one is unknown, not clean */
  refused: string[]
}

/** An entry of the organisation for a key, which takes precedence over the members of the set */
export type ReferenceOverride = {
  /** The key that it applies to, in its normal form */
  key: string
  /** The effect of an override: a key with `deny` counts as a member of the set, one with `allow` does not */
  verdict: Verdict
  /** The reason that was given */
  note?: string
  /** The e-mail address of the person who wrote it */
  by: string
  /** When it was written */
  at: string
}

export type GetReferenceInput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** The last key of the previous page */
  after?: string
  /** Page size; 200 by default, at most 1000 */
  limit?: number
}

export type GetReferenceOutput = {
  /** A published set of members that keys are looked up in */
  set: ReferenceSet
  /** The overrides of this page */
  overrides: ReferenceOverride[]
  /** The value of `after` for the next page; empty on the last page */
  next: string
}

/** An override to write */
export type ReferenceOverrideIn = {
  /** What to look up: an e-mail address or domain, an IP address or network, a card number prefix, a user agent, an AS number or a digest; at most 512 bytes */
  key: string
  /** The effect of an override: a key with `deny` counts as a member of the set, one with `allow` does not */
  verdict: Verdict
  /** Why, at most 512 bytes */
  note?: string
}

export type SetReferenceInput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** The overrides; of several on the same key the last one counts */
  entries: ReferenceOverrideIn[]
}

export type SetReferenceOutput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** Number of overrides written by this call */
  written: number
  /** Number of overrides that the organisation now has on the set */
  overrides: number
}

export type ClearReferenceInput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** What to look up: an e-mail address or domain, an IP address or network, a card number prefix, a user agent, an AS number or a digest; at most 512 bytes */
  key: string
}

export type ClearReferenceOutput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** The key as requested */
  key: string
  /** False if there was no such override, which is not an error */
  cleared: boolean
  /** Number of overrides that remain */
  overrides: number
}

// Captured errors, newest first.

/** A frame of the call stack */
export type Frame = {
  /** The function that was called */
  function?: string
  /** The file of the call */
  file?: string
  /** The line in the file */
  line?: number
  /** The column in the line */
  column?: number
  /** Whether it is in application code, not in a library */
  inApp?: boolean
}

/** An exception and its stack */
export type Exception = {
  /** The class of the error */
  type?: string
  /** Its message */
  message?: string
  /** The stack trace as text */
  stack?: string
  /** Whether the program caught it */
  handled?: boolean
  /** The stack frames, innermost first */
  frames: Frame[]
}

/** An error that a client captured */
export type CapturedError = {
  /** The id of the event */
  id: string
  /** The name of the event */
  event: string
  /** When it happened, corrected for the clock of the client */
  timestamp: string
  /** The user it happened to */
  distinctId?: string
  /** The session in which it happened */
  sessionId?: string
  /** The project it happened in */
  product?: string
  /** The address of the page */
  url?: string
  /** The path of that address */
  path?: string
  /** The SDK that captured it */
  library?: string
  /** The version of the SDK */
  libraryVersion?: string
  /** The version of the program */
  release?: string
  /** Where the program runs */
  environment?: string
  /** Identical for errors of the same kind */
  fingerprint: string
  /** An exception and its stack */
  exception: Exception
  /** How many bytes of `properties` were left out, because the answer would be too long */
  propertiesOmitted?: number
  /** All properties that were sent; empty if `propertiesOmitted` is present */
  properties: Record<string, unknown>
}

export type ListErrorsInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
}

export type ListErrorsOfGroupInput = {
  /** Its fingerprint */
  fingerprint: string
  /** How many to return; default 50 */
  limit?: number
}

export type Stoa = {
  // The host itself.

  /**
   * Lists the services of this host.
   * `GET /v1`
   */
  listServices(input?: ListServicesInput, options?: CallOptions): Call<ListServicesOutput>

  /**
   * Checks whether the host can serve requests; a 503 names the engine that is down or whose disk is full.
   * `GET /v1/health`
   */
  getHealth(input?: GetHealthInput, options?: CallOptions): Call<GetHealthOutput>

  /**
   * Returns this API as an OpenAPI 3.1 document.
   * `GET /v1/openapi.json`
   */
  getOpenapi(input?: GetOpenapiInput, options?: CallOptions): Call<Response>

  // Organisations, their members and apps, and the audit trail.

  /**
   * Lists the organisation's apps, by client id and brand.
   * `GET /v1/iam/apps`
   */
  listApps(input?: ListAppsInput, options?: CallOptions): Call<Page<App>>

  /** The same, as an iterator over the items of all pages. */
  listAppsAll(input?: ListAppsInput, options?: CallOptions): AsyncGenerator<App, void, undefined>

  /**
   * Registers an app; for a confidential app, only this response contains the secret.
   * `POST /v1/iam/apps`
   */
  createApp(input: CreateAppInput, options?: CreateOptions): Call<CreateAppOutput>

  /**
   * Returns one app, without its secret.
   * `GET /v1/iam/apps/{id}`
   */
  getApp(input: GetAppInput, options?: CallOptions): Call<App>

  /**
   * Changes the given fields of an app.
   * `PATCH /v1/iam/apps/{id}`
   */
  updateApp(input: UpdateAppInput, options?: CallOptions): Call<App>

  /**
   * Deletes an app; people can no longer sign in to it, and its tokens end.
   * `DELETE /v1/iam/apps/{id}`
   */
  deleteApp(input: DeleteAppInput, options?: CallOptions): Call<void>

  /**
   * Replaces the secret of a confidential app immediately, and returns the new one.
   * `POST /v1/iam/apps/{id}/secret`
   */
  rotateAppSecret(input: RotateAppSecretInput, options?: CallOptions): Call<RotateAppSecretOutput>

  /**
   * Lists the audit trail: who did what to which object, when and from where, newest first.
   * `GET /v1/iam/audit`
   */
  listAudit(input?: ListAuditInput, options?: CallOptions): Call<Page<AuditEntry>>

  /** The same, as an iterator over the items of all pages. */
  listAuditAll(input?: ListAuditInput, options?: CallOptions): AsyncGenerator<AuditEntry, void, undefined>

  /**
   * Lists the open invites, newest first.
   * `GET /v1/iam/invites`
   */
  listInvites(input?: ListInvitesInput, options?: CallOptions): Call<Page<Invite>>

  /** The same, as an iterator over the items of all pages. */
  listInvitesAll(input?: ListInvitesInput, options?: CallOptions): AsyncGenerator<Invite, void, undefined>

  /**
   * Invites a person by mail, with a link that is valid for a week; an earlier invite to the same address ends.
   * `POST /v1/iam/invites`
   */
  createInvite(input: CreateInviteInput, options?: CreateOptions): Call<Invite>

  /**
   * Withdraws an invite: its link is no longer valid.
   * `DELETE /v1/iam/invites/{id}`
   */
  deleteInvite(input: DeleteInviteInput, options?: CallOptions): Call<void>

  /**
   * Returns who the caller is: the person, their organisation and the credential in use.
   * `GET /v1/iam/me`
   */
  getMe(input?: GetMeInput, options?: CallOptions): Call<Me>

  /**
   * Changes the caller's name, which apps see with the scope `profile`.
   * `PATCH /v1/iam/me`
   */
  updateMe(input: UpdateMeInput, options?: CallOptions): Call<UpdateMeOutput>

  /**
   * Deletes the caller's account, within 15 minutes of signing in.
   * `DELETE /v1/iam/me`
   */
  deleteMe(input?: DeleteMeInput, options?: CallOptions): Call<void>

  /**
   * Mails a link to a new address for the caller's account, to confirm the change.
   * `POST /v1/iam/me/email`
   */
  changeEmail(input: ChangeEmailInput, options?: CallOptions): Call<ChangeEmailOutput>

  /**
   * Lists the open invitations to the caller's address, newest first.
   * `GET /v1/iam/me/invitations`
   */
  listMyInvitations(input?: ListMyInvitationsInput, options?: CallOptions): Call<Page<Invitation>>

  /** The same, as an iterator over the items of all pages. */
  listMyInvitationsAll(input?: ListMyInvitationsInput, options?: CallOptions): AsyncGenerator<Invitation, void, undefined>

  /**
   * Accepts an invitation: the caller becomes a member of the organisation.
   * `POST /v1/iam/me/invitations/{id}/accept`
   */
  acceptInvitation(input: AcceptInvitationInput, options?: CallOptions): Call<AcceptInvitationOutput>

  /**
   * Declines an invitation: it ends, and its link is no longer valid.
   * `POST /v1/iam/me/invitations/{id}/decline`
   */
  declineInvitation(input: DeclineInvitationInput, options?: CallOptions): Call<void>

  /**
   * Changes the caller's password and ends all their other sessions.
   * `POST /v1/iam/me/password`
   */
  changePassword(input: ChangePasswordInput, options?: CallOptions): Call<void>

  /**
   * Lists the organisation's members, by e-mail address.
   * `GET /v1/iam/members`
   */
  listMembers(input?: ListMembersInput, options?: CallOptions): Call<Page<Member>>

  /** The same, as an iterator over the items of all pages. */
  listMembersAll(input?: ListMembersInput, options?: CallOptions): AsyncGenerator<Member, void, undefined>

  /**
   * Creates an account for a new member; people who already have an account, or who become admin or owner, are invited instead.
   * `POST /v1/iam/members`
   */
  addMember(input: AddMemberInput, options?: CreateOptions): Call<Member>

  /**
   * Changes a member's role.
   * `PATCH /v1/iam/members/{user}`
   */
  updateMember(input: UpdateMemberInput, options?: CallOptions): Call<Member>

  /**
   * Removes a member and ends their keys and sessions immediately; members can remove themselves.
   * `DELETE /v1/iam/members/{user}`
   */
  removeMember(input: RemoveMemberInput, options?: CallOptions): Call<void>

  /**
   * Removes a member from the team and creates a customer account with the same address.
   * `POST /v1/iam/members/{user}/to-user`
   */
  makeMemberUser(input: MakeMemberUserInput, options?: CreateOptions): Call<User>

  /**
   * Lists the caller's organisation, or all organisations for superadmins, by slug.
   * `GET /v1/iam/orgs`
   */
  listOrgs(input?: ListOrgsInput, options?: CallOptions): Call<Page<Organisation>>

  /** The same, as an iterator over the items of all pages. */
  listOrgsAll(input?: ListOrgsInput, options?: CallOptions): AsyncGenerator<Organisation, void, undefined>

  /**
   * Creates an organisation with its owner; only this answer contains `key`, an unlimited key of the owner.
   * `POST /v1/iam/orgs`
   */
  createOrg(input: CreateOrgInput, options?: CreateOptions): Call<CreateOrgOutput>

  /**
   * Returns one organisation.
   * `GET /v1/iam/orgs/{slug}`
   */
  getOrg(input: GetOrgInput, options?: CallOptions): Call<Organisation>

  /**
   * Renames an organisation.
   * `PATCH /v1/iam/orgs/{slug}`
   */
  updateOrg(input: UpdateOrgInput, options?: CallOptions): Call<Organisation>

  /**
   * Deletes an organisation and its data; `confirm` must repeat its slug, which cannot be reused.
   * `DELETE /v1/iam/orgs/{slug}`
   */
  deleteOrg(input: DeleteOrgInput, options?: CallOptions): Call<void>

  /**
   * Lists the caller's sign-ins, or those of the whole team for an owner or admin, newest first.
   * `GET /v1/iam/sessions`
   */
  listSessions(input?: ListSessionsInput, options?: CallOptions): Call<Page<Session>>

  /** The same, as an iterator over the items of all pages. */
  listSessionsAll(input?: ListSessionsInput, options?: CallOptions): AsyncGenerator<Session, void, undefined>

  /**
   * Ends a sign-in immediately, with its tokens and its browser session.
   * `DELETE /v1/iam/sessions/{id}`
   */
  endSession(input: EndSessionInput, options?: CallOptions): Call<void>

  /**
   * Returns the branding of the pages and mails for customers.
   * `GET /v1/iam/settings`
   */
  getIamSettings(input?: GetIamSettingsInput, options?: CallOptions): Call<IamSettings>

  /**
   * Changes the branding of the pages and mails for customers.
   * `PATCH /v1/iam/settings`
   */
  updateIamSettings(input?: UpdateIamSettingsInput, options?: CallOptions): Call<IamSettings>

  /**
   * Publishes new signing keys, which sign after an hour; old keys stay published until their tokens have expired.
   * `POST /v1/iam/signing-keys`
   */
  rotateSigningKeys(input?: RotateSigningKeysInput, options?: CreateOptions): Call<RotateSigningKeysOutput>

  /**
   * Lists the organisation's customers, newest first; search results are sorted by the matching text.
   * `GET /v1/iam/users`
   */
  listUsers(input?: ListUsersInput, options?: CallOptions): Call<Page<User>>

  /** The same, as an iterator over the items of all pages. */
  listUsersAll(input?: ListUsersInput, options?: CallOptions): AsyncGenerator<User, void, undefined>

  /**
   * Creates a customer account.
   * `POST /v1/iam/users`
   */
  createUser(input: CreateUserInput, options?: CreateOptions): Call<User>

  /**
   * Streams all customers, oldest first, with their password hashes.
   * `GET /v1/iam/users/export`
   */
  exportUsers(input?: ExportUsersInput, options?: CallOptions): Call<Response>

  /**
   * Imports customers from another system, with their password hashes.
   * `POST /v1/iam/users/import`
   */
  importUsers(input: ImportUsersInput, options?: CreateOptions): Call<UserImportStarted>

  /**
   * Returns the progress of a customer import, and the records that were not imported.
   * `GET /v1/iam/users/imports/{id}`
   */
  getUserImport(input: GetUserImportInput, options?: CallOptions): Call<UserImport>

  /**
   * Returns one customer.
   * `GET /v1/iam/users/{user}`
   */
  getUser(input: GetUserInput, options?: CallOptions): Call<User>

  /**
   * Changes the given fields of a customer; fields of `metadata` are merged, and null removes one.
   * `PATCH /v1/iam/users/{user}`
   */
  updateUser(input: UpdateUserInput, options?: CallOptions): Call<User>

  /**
   * Deletes a customer: the account, its sign-ins, and the personal data that this service stores.
   * `DELETE /v1/iam/users/{user}`
   */
  deleteUser(input: DeleteUserInput, options?: CallOptions): Call<void>

  /**
   * Lists the organisation's workspaces, newest first.
   * `GET /v1/iam/workspaces`
   */
  listWorkspaces(input?: ListWorkspacesInput, options?: CallOptions): Call<Page<Workspace>>

  /** The same, as an iterator over the items of all pages. */
  listWorkspacesAll(input?: ListWorkspacesInput, options?: CallOptions): AsyncGenerator<Workspace, void, undefined>

  /**
   * Creates a workspace.
   * `POST /v1/iam/workspaces`
   */
  createWorkspace(input: CreateWorkspaceInput, options?: CreateOptions): Call<Workspace>

  /**
   * Deletes a workspace; its tokens end immediately.
   * `DELETE /v1/iam/workspaces/{id}`
   */
  deleteWorkspace(input: DeleteWorkspaceInput, options?: CallOptions): Call<void>

  /**
   * Issues a token that writes page views, errors and clicks for a workspace; it can be used in browsers.
   * `POST /v1/iam/workspaces/{id}/tokens`
   */
  createWorkspaceToken(input: CreateWorkspaceTokenInput, options?: CreateOptions): Call<CreateWorkspaceTokenOutput>

  // API keys and browser sessions.

  /**
   * Completes a sign-in: starts the browser session and redirects to the path given at login.
   * `GET /v1/account/callback`
   */
  finishLogin(input: FinishLoginInput, options?: CallOptions): Call<Response>

  /**
   * Returns the token that a browser session must send as X-CSRF-Token with every write; bearer credentials need none.
   * `GET /v1/account/csrf`
   */
  getCsrf(input?: GetCsrfInput, options?: CallOptions): Call<GetCsrfOutput>

  /**
   * Lists the caller's keys, newest first; for an owner or admin, all keys of the organisation.
   * `GET /v1/account/keys`
   */
  listKeys(input?: ListKeysInput, options?: CallOptions): Call<Page<Key>>

  /** The same, as an iterator over the items of all pages. */
  listKeysAll(input?: ListKeysInput, options?: CallOptions): AsyncGenerator<Key, void, undefined>

  /**
   * Creates a key; only this answer contains the full text of a secret key, in `key`.
   * `POST /v1/account/keys`
   */
  createKey(input: CreateKeyInput, options?: CreateOptions): Call<CreateKeyOutput>

  /**
   * Changes the given fields of the caller's own key; null, and for `limit` also [], removes a bound.
   * `PATCH /v1/account/keys/{id}`
   */
  updateKey(input: UpdateKeyInput, options?: CallOptions): Call<Key>

  /**
   * Revokes one key; it stays listed, with who revoked it and when.
   * `DELETE /v1/account/keys/{id}`
   */
  deleteKey(input: DeleteKeyInput, options?: CallOptions): Call<void>

  /**
   * Replaces the text of the caller's own key; only this answer contains the new text of a secret key, in `key`.
   * `POST /v1/account/keys/{id}/rotate`
   */
  rotateKey(input: RotateKeyInput, options?: CreateOptions): Call<RotateKeyOutput>

  /**
   * Redirects a browser to the sign-in page, from which it returns with a session.
   * `GET /v1/account/login`
   */
  startLogin(input?: StartLoginInput, options?: CallOptions): Call<Response>

  /**
   * Signs out: ends the session or token it is called with, and all others from the same sign-in.
   * `POST /v1/account/logout`
   */
  logout(input?: LogoutInput, options?: CallOptions): Call<Response>

  // The products an organisation builds; resources of a product name its project.

  /**
   * Lists the organisation's projects, by slug.
   * `GET /v1/projects`
   */
  listProjects(input?: ListProjectsInput, options?: CallOptions): Call<Page<Project>>

  /** The same, as an iterator over the items of all pages. */
  listProjectsAll(input?: ListProjectsInput, options?: CallOptions): AsyncGenerator<Project, void, undefined>

  /**
   * Creates a project.
   * `POST /v1/projects`
   */
  createProject(input: CreateProjectInput, options?: CreateOptions): Call<Project>

  /**
   * Returns one project.
   * `GET /v1/projects/{slug}`
   */
  getProject(input: GetProjectInput, options?: CallOptions): Call<Project>

  /**
   * Renames a project.
   * `PATCH /v1/projects/{slug}`
   */
  updateProject(input: UpdateProjectInput, options?: CallOptions): Call<Project>

  /**
   * Deletes a project and detaches its domains.
   * `DELETE /v1/projects/{slug}`
   */
  deleteProject(input: DeleteProjectInput, options?: CallOptions): Call<void>

  /**
   * Lists the project's hosts, by name.
   * `GET /v1/projects/{slug}/domains`
   */
  listDomains(input: ListDomainsInput, options?: CallOptions): Call<Page<Domain>>

  /** The same, as an iterator over the items of all pages. */
  listDomainsAll(input: ListDomainsInput, options?: CallOptions): AsyncGenerator<Domain, void, undefined>

  /**
   * Attaches a host to the project, pending until it is verified; returns the existing one if already attached.
   * `POST /v1/projects/{slug}/domains`
   */
  attachDomain(input: AttachDomainInput, options?: CreateOptions): Call<Domain>

  /**
   * Detaches a host; its pages may no longer call this service.
   * `DELETE /v1/projects/{slug}/domains/{host}`
   */
  detachDomain(input: DetachDomainInput, options?: CallOptions): Call<void>

  /**
   * Looks up the TXT record; the host becomes live if it is found, and pending if it is missing or was removed.
   * `POST /v1/projects/{slug}/domains/{host}/verify`
   */
  verifyDomain(input: VerifyDomainInput, options?: CallOptions): Call<Domain>

  // Model calls: chat completions, embeddings and the list of models.

  /**
   * Lists the providers that were added, by name.
   * `GET /v1/ai/providers`
   */
  listProviders(input?: ListProvidersInput, options?: CallOptions): Call<ListProvidersOutput>

  /**
   * Adds a provider; its models can be called immediately.
   * `POST /v1/ai/providers`
   */
  addProvider(input: AddProviderInput, options?: CreateOptions): Call<Provider>

  /**
   * Changes the given fields of a provider.
   * `PATCH /v1/ai/providers/{name}`
   */
  updateProvider(input: UpdateProviderInput, options?: CallOptions): Call<Provider>

  /**
   * Deletes a provider; running calls continue.
   * `DELETE /v1/ai/providers/{name}`
   */
  deleteProvider(input: DeleteProviderInput, options?: CallOptions): Call<void>

  /**
   * Lists the organisation's model calls, newest first.
   * `GET /v1/ai/requests`
   */
  listModelRequests(input?: ListModelRequestsInput, options?: CallOptions): Call<Page<ModelRequest>>

  /** The same, as an iterator over the items of all pages. */
  listModelRequestsAll(input?: ListModelRequestsInput, options?: CallOptions): AsyncGenerator<ModelRequest, void, undefined>

  /**
   * Returns one model call from the log.
   * `GET /v1/ai/requests/{id}`
   */
  getModelRequest(input: GetModelRequestInput, options?: CallOptions): Call<ModelRequest>

  /**
   * Returns the organisation's aliases of models, and the models to use when another one fails.
   * `GET /v1/ai/settings`
   */
  getAiSettings(input?: GetAiSettingsInput, options?: CallOptions): Call<AiSettings>

  /**
   * Changes the organisation's aliases of models, and the models to use when another one fails.
   * `PATCH /v1/ai/settings`
   */
  updateAiSettings(input?: UpdateAiSettingsInput, options?: CallOptions): Call<AiSettings>

  /**
   * Calls a chat model, in the chat-completions format.
   * `POST /v1/chat/completions`
   * With `stream: true` the answer is an iterator over its parts.
   */
  createChatCompletion(input: CreateChatCompletionInput & { stream: true }, options?: CallOptions): AsyncGenerator<ChatCompletionChunk, void, undefined>
  createChatCompletion(input: CreateChatCompletionInput & { stream?: false }, options?: CreateOptions): Call<ChatCompletion>

  /**
   * Turns texts into vectors.
   * `POST /v1/embeddings`
   */
  createEmbedding(input: CreateEmbeddingInput, options?: CreateOptions): Call<Embeddings>

  /**
   * Calls a chat model, in the messages format.
   * `POST /v1/messages`
   * With `stream: true` the answer is an iterator over its parts.
   */
  createMessage(input: CreateMessageInput & { stream: true }, options?: CallOptions): AsyncGenerator<ModelMessageEvent, void, undefined>
  createMessage(input: CreateMessageInput & { stream?: false }, options?: CreateOptions): Call<ModelMessage>

  /**
   * Lists the models that can be called.
   * `GET /v1/models`
   */
  listModels(input?: ListModelsInput, options?: CallOptions): Call<ModelList>

  /**
   * Calls a chat model, in the responses format.
   * `POST /v1/responses`
   * With `stream: true` the answer is an iterator over its parts.
   */
  createResponse(input: CreateResponseInput & { stream: true }, options?: CallOptions): AsyncGenerator<ModelResponseEvent, void, undefined>
  createResponse(input: CreateResponseInput & { stream?: false }, options?: CreateOptions): Call<ModelResponse>

  // Event ingest, and the analytics read from it.

  /**
   * Lists the events that arrived, newest first.
   * `GET /v1/event`
   */
  listEvents(input?: ListEventsInput, options?: CallOptions): Call<Page<ReceivedEvent>>

  /** The same, as an iterator over the items of all pages. */
  listEventsAll(input?: ListEventsInput, options?: CallOptions): AsyncGenerator<ReceivedEvent, void, undefined>

  /**
   * Lists errors by fingerprint, those that happened last first.
   * `GET /v1/event/errors`
   */
  listErrorGroups(input?: ListErrorGroupsInput, options?: CallOptions): Call<ErrorGroups>

  /**
   * Lists the events of a time, those that happened last first.
   * `GET /v1/event/events`
   */
  listRawEvents(input?: ListRawEventsInput, options?: CallOptions): Call<CountedEvents>

  /**
   * Streams the events of a time as JSON lines or CSV, those that happened last first.
   * `GET /v1/event/export`
   */
  exportEvents(input?: ExportEventsInput, options?: CallOptions): Call<Response>

  /**
   * Lists the names of events with their number and people, the most frequent first.
   * `GET /v1/event/insights/events`
   */
  listEventNames(input?: ListEventNamesInput, options?: CallOptions): Call<NamedEvents>

  /**
   * The two lines that add the tag to a page, and whether the first event has arrived.
   * `GET /v1/event/install`
   */
  getInstall(input?: GetInstallInput, options?: CallOptions): Call<Install>

  /**
   * Returns visitors, sessions, page views, events, revenue and model usage of a time.
   * `GET /v1/event/overview`
   */
  getEventOverview(input?: GetEventOverviewInput, options?: CallOptions): Call<Overview>

  /**
   * Returns the organisation's settings for events.
   * `GET /v1/event/settings`
   */
  getEventSettings(input?: GetEventSettingsInput, options?: CallOptions): Call<EventSettings>

  /**
   * Changes the organisation's settings for events.
   * `PATCH /v1/event/settings`
   */
  updateEventSettings(input?: UpdateEventSettingsInput, options?: CallOptions): Call<EventSettings>

  /**
   * The script that records page views, clicks and errors in a page.
   * `GET /v1/event/tag.js`
   */
  getTag(input?: GetTagInput, options?: CallOptions): Call<Response>

  /**
   * Returns visitors, sessions, page views and events of a time, point by point.
   * `GET /v1/event/timeseries`
   */
  getEventTimeseries(input?: GetEventTimeseriesInput, options?: CallOptions): Call<Timeseries>

  /**
   * Returns the values of a field with the most visitors, such as paths or sources.
   * `GET /v1/event/top`
   */
  getEventTop(input?: GetEventTopInput, options?: CallOptions): Call<Top>

  // Observability: traces, metrics and logs.

  /**
   * Lists the consumers of the event log and their backlogs.
   * `GET /v1/o11y/consumers`
   */
  listConsumers(input?: ListConsumersInput, options?: CallOptions): Call<ListConsumersOutput>

  /**
   * Lists the dead letters: events that a consumer failed to handle too often, newest first.
   * `GET /v1/o11y/dead-letters`
   */
  listDeadLetters(input?: ListDeadLettersInput, options?: CallOptions): Call<Page<DeadLetter>>

  /** The same, as an iterator over the items of all pages. */
  listDeadLettersAll(input?: ListDeadLettersInput, options?: CallOptions): AsyncGenerator<DeadLetter, void, undefined>

  /**
   * Retries a dead letter: its consumer receives the event again.
   * `POST /v1/o11y/dead-letters/{id}/retry`
   */
  retryDeadLetter(input: RetryDeadLetterInput, options?: CallOptions): Call<void>

  /**
   * Lists the engines of this host, such as its database and mail server, and whether they answer.
   * `GET /v1/o11y/engines`
   */
  listEngines(input?: ListEnginesInput, options?: CallOptions): Call<ListEnginesOutput>

  /**
   * Lists the mail that was written to files because no mail server is set, newest first.
   * `GET /v1/o11y/mail`
   */
  listKeptMail(input?: ListKeptMailInput, options?: CallOptions): Call<ListKeptMailOutput>

  /**
   * Returns a mail that was written to a file.
   * `GET /v1/o11y/mail/{id}`
   */
  getKeptMail(input: GetKeptMailInput, options?: CallOptions): Call<KeptMailText>

  /**
   * Lists the queues of background work and their waiting jobs.
   * `GET /v1/o11y/queues`
   */
  listQueues(input?: ListQueuesInput, options?: CallOptions): Call<ListQueuesOutput>

  /**
   * Returns how many requests the organisation made by hour, and how many were refused or failed.
   * `GET /v1/o11y/requests`
   */
  getRequests(input?: GetRequestsInput, options?: CallOptions): Call<RequestCounts>

  /**
   * Lists the tables of the database, their sizes, and the organisations with the most rows.
   * `GET /v1/o11y/tables`
   */
  listTables(input?: ListTablesInput, options?: CallOptions): Call<ListTablesOutput>

  // Balance, credits and usage.

  /**
   * Returns the organisation's balance, and what is held for running calls.
   * `GET /v1/billing/balance`
   */
  getBalance(input?: GetBalanceInput, options?: CallOptions): Call<Balance>

  /**
   * Lists the organisation's credits, newest first.
   * `GET /v1/billing/credits`
   */
  listCredits(input?: ListCreditsInput, options?: CallOptions): Call<Page<Credit>>

  /** The same, as an iterator over the items of all pages. */
  listCreditsAll(input?: ListCreditsInput, options?: CallOptions): AsyncGenerator<Credit, void, undefined>

  /**
   * Adds credit to an organisation, or takes it back.
   * `POST /v1/billing/credits`
   */
  addCredit(input: AddCreditInput, options?: CreateOptions): Call<Credit>

  /**
   * Lists every transfer of the organisation, oldest first.
   * `GET /v1/billing/journal`
   */
  listJournal(input?: Omit<ListJournalInput, 'format'>, options?: CallOptions): Call<Journal>

  /** The same as CSV. */
  listJournalCsv(input?: Omit<ListJournalInput, 'format'>, options?: CallOptions): Call<Response>

  /**
   * Returns the organisation's alerts on its spending and balance.
   * `GET /v1/billing/settings`
   */
  getBillingSettings(input?: GetBillingSettingsInput, options?: CallOptions): Call<BillingSettings>

  /**
   * Changes the organisation's alerts on its spending and balance.
   * `PATCH /v1/billing/settings`
   */
  updateBillingSettings(input?: UpdateBillingSettingsInput, options?: CallOptions): Call<BillingSettings>

  /**
   * Lists the organisation's usage, newest first.
   * `GET /v1/billing/usage`
   */
  listUsage(input?: ListUsageInput, options?: CallOptions): Call<Usage>

  /**
   * Returns what the organisation used and spent, added up by day, key, model, project or product.
   * `GET /v1/billing/usage/summary`
   */
  getUsageSummary(input?: Omit<GetUsageSummaryInput, 'format'>, options?: CallOptions): Call<UsageSummary>

  /** The same as CSV. */
  getUsageSummaryCsv(input?: Omit<GetUsageSummaryInput, 'format'>, options?: CallOptions): Call<Response>

  // Events delivered to an organisation's own endpoints, signed.

  /**
   * Lists the organisation's endpoints, newest first.
   * `GET /v1/webhooks`
   */
  listWebhooks(input?: ListWebhooksInput, options?: CallOptions): Call<Page<WebhookEndpoint>>

  /** The same, as an iterator over the items of all pages. */
  listWebhooksAll(input?: ListWebhooksInput, options?: CallOptions): AsyncGenerator<WebhookEndpoint, void, undefined>

  /**
   * Creates an endpoint, to which events are sent from now on.
   * `POST /v1/webhooks`
   */
  createWebhook(input: CreateWebhookInput, options?: CreateOptions): Call<NewWebhookEndpoint>

  /**
   * Lists the events that can be sent to endpoints, with an example of each.
   * `GET /v1/webhooks/subjects`
   */
  listWebhookSubjects(input?: ListWebhookSubjectsInput, options?: CallOptions): Call<WebhookSubjects>

  /**
   * Returns one endpoint.
   * `GET /v1/webhooks/{id}`
   */
  getWebhook(input: GetWebhookInput, options?: CallOptions): Call<WebhookEndpoint>

  /**
   * Changes the given fields of an endpoint.
   * `PATCH /v1/webhooks/{id}`
   */
  updateWebhook(input: UpdateWebhookInput, options?: CallOptions): Call<WebhookEndpoint>

  /**
   * Deletes an endpoint and the log of its deliveries.
   * `DELETE /v1/webhooks/{id}`
   */
  deleteWebhook(input: DeleteWebhookInput, options?: CallOptions): Call<void>

  /**
   * Lists the attempts to deliver events to an endpoint, newest first.
   * `GET /v1/webhooks/{id}/deliveries`
   */
  listWebhookDeliveries(input: ListWebhookDeliveriesInput, options?: CallOptions): Call<Page<WebhookDelivery>>

  /** The same, as an iterator over the items of all pages. */
  listWebhookDeliveriesAll(input: ListWebhookDeliveriesInput, options?: CallOptions): AsyncGenerator<WebhookDelivery, void, undefined>

  /**
   * Returns one delivery: the body that was sent, and its attempts with the responses of the endpoint.
   * `GET /v1/webhooks/{id}/deliveries/{delivery}`
   */
  getWebhookDelivery(input: GetWebhookDeliveryInput, options?: CallOptions): Call<WebhookDeliveryDetails>

  /**
   * Sends a delivery again, with a new delivery id.
   * `POST /v1/webhooks/{id}/deliveries/{delivery}/resend`
   */
  resendWebhookDelivery(input: ResendWebhookDeliveryInput, options?: CreateOptions): Call<WebhookResent>

  /**
   * Sends all failed deliveries since a given time again.
   * `POST /v1/webhooks/{id}/resend`
   */
  resendFailedWebhookDeliveries(input: ResendFailedWebhookDeliveriesInput, options?: CreateOptions): Call<WebhookResentAll>

  /**
   * Replaces the secret of an endpoint.
   * `POST /v1/webhooks/{id}/secret`
   */
  rotateWebhookSecret(input: RotateWebhookSecretInput, options?: CreateOptions): Call<NewWebhookEndpoint>

  /**
   * Sends a test delivery and returns its result.
   * `POST /v1/webhooks/{id}/test`
   */
  testWebhook(input: TestWebhookInput, options?: CallOptions): Call<WebhookTest>

  // Reference sets for risk decisions, with an organisation's own overrides.

  /**
   * Lists every set with its version and age. Read `stale` and `refused` first.
   * `GET /v1/risk/reference`
   */
  listReference(input?: ListReferenceInput, options?: CallOptions): Call<ListReferenceOutput>

  /**
   * Imports what the sources of a set publish now; `force` accepts a list that grew or shrank more than tenfold.
   * `POST /v1/risk/reference/refresh`
   */
  refreshReference(input: RefreshReferenceInput, options?: CallOptions): Call<RefreshReferenceOutput>

  /**
   * Looks keys up, first in the organisation's overrides, then in the published members. Read `refused` before `hit`.
   * `POST /v1/risk/reference/resolve`
   */
  resolveReference(input: ResolveReferenceInput, options?: CallOptions): Call<ResolveReferenceOutput>

  /**
   * Returns one set and the organisation's overrides on it, in key order.
   * `GET /v1/risk/reference/{set}`
   */
  getReference(input: GetReferenceInput, options?: CallOptions): Call<GetReferenceOutput>

  /**
   * Writes overrides of the organisation on a set, all or none; an earlier override of a key is replaced.
   * `PUT /v1/risk/reference/{set}`
   */
  setReference(input: SetReferenceInput, options?: CallOptions): Call<SetReferenceOutput>

  /**
   * Removes an override of the organisation; published members cannot be removed.
   * `DELETE /v1/risk/reference/{set}`
   */
  clearReference(input: ClearReferenceInput, options?: CallOptions): Call<ClearReferenceOutput>

  // Captured errors, newest first.

  /**
   * Lists the organisation's errors, newest first.
   * `GET /v1/errors`
   */
  listErrors(input?: ListErrorsInput, options?: CallOptions): Call<Page<CapturedError>>

  /**
   * Lists the errors with a fingerprint, newest first.
   * `GET /v1/errors/{fingerprint}`
   */
  listErrorsOfGroup(input: ListErrorsOfGroupInput, options?: CallOptions): Call<Page<CapturedError>>
}

export function createStoa(options: StoaOptions): Stoa {
  const host = connect(options)
  return {
    listServices: host.call('listServices', 'GET', '/v1'),
    getHealth: host.call('getHealth', 'GET', '/v1/health'),
    getOpenapi: host.send('getOpenapi', 'GET', '/v1/openapi.json'),
    listApps: host.call('listApps', 'GET', '/v1/iam/apps'),
    listAppsAll: host.all('listAppsAll', 'GET', '/v1/iam/apps'),
    createApp: host.create('createApp', 'POST', '/v1/iam/apps'),
    getApp: host.call('getApp', 'GET', '/v1/iam/apps/{id}'),
    updateApp: host.call('updateApp', 'PATCH', '/v1/iam/apps/{id}'),
    deleteApp: host.call('deleteApp', 'DELETE', '/v1/iam/apps/{id}'),
    rotateAppSecret: host.call('rotateAppSecret', 'POST', '/v1/iam/apps/{id}/secret'),
    listAudit: host.call('listAudit', 'GET', '/v1/iam/audit'),
    listAuditAll: host.all('listAuditAll', 'GET', '/v1/iam/audit'),
    listInvites: host.call('listInvites', 'GET', '/v1/iam/invites'),
    listInvitesAll: host.all('listInvitesAll', 'GET', '/v1/iam/invites'),
    createInvite: host.create('createInvite', 'POST', '/v1/iam/invites'),
    deleteInvite: host.call('deleteInvite', 'DELETE', '/v1/iam/invites/{id}'),
    getMe: host.call('getMe', 'GET', '/v1/iam/me'),
    updateMe: host.call('updateMe', 'PATCH', '/v1/iam/me'),
    deleteMe: host.call('deleteMe', 'DELETE', '/v1/iam/me'),
    changeEmail: host.call('changeEmail', 'POST', '/v1/iam/me/email'),
    listMyInvitations: host.call('listMyInvitations', 'GET', '/v1/iam/me/invitations'),
    listMyInvitationsAll: host.all('listMyInvitationsAll', 'GET', '/v1/iam/me/invitations'),
    acceptInvitation: host.call('acceptInvitation', 'POST', '/v1/iam/me/invitations/{id}/accept'),
    declineInvitation: host.call('declineInvitation', 'POST', '/v1/iam/me/invitations/{id}/decline'),
    changePassword: host.call('changePassword', 'POST', '/v1/iam/me/password'),
    listMembers: host.call('listMembers', 'GET', '/v1/iam/members'),
    listMembersAll: host.all('listMembersAll', 'GET', '/v1/iam/members'),
    addMember: host.create('addMember', 'POST', '/v1/iam/members'),
    updateMember: host.call('updateMember', 'PATCH', '/v1/iam/members/{user}'),
    removeMember: host.call('removeMember', 'DELETE', '/v1/iam/members/{user}'),
    makeMemberUser: host.create('makeMemberUser', 'POST', '/v1/iam/members/{user}/to-user'),
    listOrgs: host.call('listOrgs', 'GET', '/v1/iam/orgs'),
    listOrgsAll: host.all('listOrgsAll', 'GET', '/v1/iam/orgs'),
    createOrg: host.create('createOrg', 'POST', '/v1/iam/orgs'),
    getOrg: host.call('getOrg', 'GET', '/v1/iam/orgs/{slug}'),
    updateOrg: host.call('updateOrg', 'PATCH', '/v1/iam/orgs/{slug}'),
    deleteOrg: host.call('deleteOrg', 'DELETE', '/v1/iam/orgs/{slug}'),
    listSessions: host.call('listSessions', 'GET', '/v1/iam/sessions'),
    listSessionsAll: host.all('listSessionsAll', 'GET', '/v1/iam/sessions'),
    endSession: host.call('endSession', 'DELETE', '/v1/iam/sessions/{id}'),
    getIamSettings: host.call('getIamSettings', 'GET', '/v1/iam/settings'),
    updateIamSettings: host.call('updateIamSettings', 'PATCH', '/v1/iam/settings'),
    rotateSigningKeys: host.create('rotateSigningKeys', 'POST', '/v1/iam/signing-keys'),
    listUsers: host.call('listUsers', 'GET', '/v1/iam/users'),
    listUsersAll: host.all('listUsersAll', 'GET', '/v1/iam/users'),
    createUser: host.create('createUser', 'POST', '/v1/iam/users'),
    exportUsers: host.send('exportUsers', 'GET', '/v1/iam/users/export'),
    importUsers: host.create('importUsers', 'POST', '/v1/iam/users/import'),
    getUserImport: host.call('getUserImport', 'GET', '/v1/iam/users/imports/{id}'),
    getUser: host.call('getUser', 'GET', '/v1/iam/users/{user}'),
    updateUser: host.call('updateUser', 'PATCH', '/v1/iam/users/{user}'),
    deleteUser: host.call('deleteUser', 'DELETE', '/v1/iam/users/{user}'),
    listWorkspaces: host.call('listWorkspaces', 'GET', '/v1/iam/workspaces'),
    listWorkspacesAll: host.all('listWorkspacesAll', 'GET', '/v1/iam/workspaces'),
    createWorkspace: host.create('createWorkspace', 'POST', '/v1/iam/workspaces'),
    deleteWorkspace: host.call('deleteWorkspace', 'DELETE', '/v1/iam/workspaces/{id}'),
    createWorkspaceToken: host.create('createWorkspaceToken', 'POST', '/v1/iam/workspaces/{id}/tokens'),
    finishLogin: host.send('finishLogin', 'GET', '/v1/account/callback'),
    getCsrf: host.call('getCsrf', 'GET', '/v1/account/csrf'),
    listKeys: host.call('listKeys', 'GET', '/v1/account/keys'),
    listKeysAll: host.all('listKeysAll', 'GET', '/v1/account/keys'),
    createKey: host.create('createKey', 'POST', '/v1/account/keys'),
    updateKey: host.call('updateKey', 'PATCH', '/v1/account/keys/{id}'),
    deleteKey: host.call('deleteKey', 'DELETE', '/v1/account/keys/{id}'),
    rotateKey: host.create('rotateKey', 'POST', '/v1/account/keys/{id}/rotate'),
    startLogin: host.send('startLogin', 'GET', '/v1/account/login'),
    logout: host.send('logout', 'POST', '/v1/account/logout'),
    listProjects: host.call('listProjects', 'GET', '/v1/projects'),
    listProjectsAll: host.all('listProjectsAll', 'GET', '/v1/projects'),
    createProject: host.create('createProject', 'POST', '/v1/projects'),
    getProject: host.call('getProject', 'GET', '/v1/projects/{slug}'),
    updateProject: host.call('updateProject', 'PATCH', '/v1/projects/{slug}'),
    deleteProject: host.call('deleteProject', 'DELETE', '/v1/projects/{slug}'),
    listDomains: host.call('listDomains', 'GET', '/v1/projects/{slug}/domains'),
    listDomainsAll: host.all('listDomainsAll', 'GET', '/v1/projects/{slug}/domains'),
    attachDomain: host.create('attachDomain', 'POST', '/v1/projects/{slug}/domains'),
    detachDomain: host.call('detachDomain', 'DELETE', '/v1/projects/{slug}/domains/{host}'),
    verifyDomain: host.call('verifyDomain', 'POST', '/v1/projects/{slug}/domains/{host}/verify'),
    listProviders: host.call('listProviders', 'GET', '/v1/ai/providers'),
    addProvider: host.create('addProvider', 'POST', '/v1/ai/providers'),
    updateProvider: host.call('updateProvider', 'PATCH', '/v1/ai/providers/{name}'),
    deleteProvider: host.call('deleteProvider', 'DELETE', '/v1/ai/providers/{name}'),
    listModelRequests: host.call('listModelRequests', 'GET', '/v1/ai/requests'),
    listModelRequestsAll: host.all('listModelRequestsAll', 'GET', '/v1/ai/requests'),
    getModelRequest: host.call('getModelRequest', 'GET', '/v1/ai/requests/{id}'),
    getAiSettings: host.call('getAiSettings', 'GET', '/v1/ai/settings'),
    updateAiSettings: host.call('updateAiSettings', 'PATCH', '/v1/ai/settings'),
    createChatCompletion: either<Call<ChatCompletion>, AsyncGenerator<ChatCompletionChunk, void, undefined>>(host.model('createChatCompletion', 'POST', '/v1/chat/completions'), host.parts('createChatCompletion', 'POST', '/v1/chat/completions')),
    createEmbedding: host.model('createEmbedding', 'POST', '/v1/embeddings'),
    createMessage: either<Call<ModelMessage>, AsyncGenerator<ModelMessageEvent, void, undefined>>(host.model('createMessage', 'POST', '/v1/messages'), host.parts('createMessage', 'POST', '/v1/messages')),
    listModels: host.call('listModels', 'GET', '/v1/models'),
    createResponse: either<Call<ModelResponse>, AsyncGenerator<ModelResponseEvent, void, undefined>>(host.model('createResponse', 'POST', '/v1/responses'), host.parts('createResponse', 'POST', '/v1/responses')),
    listEvents: host.call('listEvents', 'GET', '/v1/event'),
    listEventsAll: host.all('listEventsAll', 'GET', '/v1/event'),
    listErrorGroups: host.call('listErrorGroups', 'GET', '/v1/event/errors'),
    listRawEvents: host.call('listRawEvents', 'GET', '/v1/event/events'),
    exportEvents: host.send('exportEvents', 'GET', '/v1/event/export'),
    listEventNames: host.call('listEventNames', 'GET', '/v1/event/insights/events'),
    getInstall: host.call('getInstall', 'GET', '/v1/event/install'),
    getEventOverview: host.call('getEventOverview', 'GET', '/v1/event/overview'),
    getEventSettings: host.call('getEventSettings', 'GET', '/v1/event/settings'),
    updateEventSettings: host.call('updateEventSettings', 'PATCH', '/v1/event/settings'),
    getTag: host.send('getTag', 'GET', '/v1/event/tag.js'),
    getEventTimeseries: host.call('getEventTimeseries', 'GET', '/v1/event/timeseries'),
    getEventTop: host.call('getEventTop', 'GET', '/v1/event/top'),
    listConsumers: host.call('listConsumers', 'GET', '/v1/o11y/consumers'),
    listDeadLetters: host.call('listDeadLetters', 'GET', '/v1/o11y/dead-letters'),
    listDeadLettersAll: host.all('listDeadLettersAll', 'GET', '/v1/o11y/dead-letters'),
    retryDeadLetter: host.call('retryDeadLetter', 'POST', '/v1/o11y/dead-letters/{id}/retry'),
    listEngines: host.call('listEngines', 'GET', '/v1/o11y/engines'),
    listKeptMail: host.call('listKeptMail', 'GET', '/v1/o11y/mail'),
    getKeptMail: host.call('getKeptMail', 'GET', '/v1/o11y/mail/{id}'),
    listQueues: host.call('listQueues', 'GET', '/v1/o11y/queues'),
    getRequests: host.call('getRequests', 'GET', '/v1/o11y/requests'),
    listTables: host.call('listTables', 'GET', '/v1/o11y/tables'),
    getBalance: host.call('getBalance', 'GET', '/v1/billing/balance'),
    listCredits: host.call('listCredits', 'GET', '/v1/billing/credits'),
    listCreditsAll: host.all('listCreditsAll', 'GET', '/v1/billing/credits'),
    addCredit: host.create('addCredit', 'POST', '/v1/billing/credits'),
    listJournal: withFields(host.call('listJournal', 'GET', '/v1/billing/journal'), { format: 'json' }),
    listJournalCsv: withFields(host.send('listJournalCsv', 'GET', '/v1/billing/journal'), { format: 'csv' }),
    getBillingSettings: host.call('getBillingSettings', 'GET', '/v1/billing/settings'),
    updateBillingSettings: host.call('updateBillingSettings', 'PATCH', '/v1/billing/settings'),
    listUsage: host.call('listUsage', 'GET', '/v1/billing/usage'),
    getUsageSummary: withFields(host.call('getUsageSummary', 'GET', '/v1/billing/usage/summary'), { format: 'json' }),
    getUsageSummaryCsv: withFields(host.send('getUsageSummaryCsv', 'GET', '/v1/billing/usage/summary'), { format: 'csv' }),
    listWebhooks: host.call('listWebhooks', 'GET', '/v1/webhooks'),
    listWebhooksAll: host.all('listWebhooksAll', 'GET', '/v1/webhooks'),
    createWebhook: host.create('createWebhook', 'POST', '/v1/webhooks'),
    listWebhookSubjects: host.call('listWebhookSubjects', 'GET', '/v1/webhooks/subjects'),
    getWebhook: host.call('getWebhook', 'GET', '/v1/webhooks/{id}'),
    updateWebhook: host.call('updateWebhook', 'PATCH', '/v1/webhooks/{id}'),
    deleteWebhook: host.call('deleteWebhook', 'DELETE', '/v1/webhooks/{id}'),
    listWebhookDeliveries: host.call('listWebhookDeliveries', 'GET', '/v1/webhooks/{id}/deliveries'),
    listWebhookDeliveriesAll: host.all('listWebhookDeliveriesAll', 'GET', '/v1/webhooks/{id}/deliveries'),
    getWebhookDelivery: host.call('getWebhookDelivery', 'GET', '/v1/webhooks/{id}/deliveries/{delivery}'),
    resendWebhookDelivery: host.create('resendWebhookDelivery', 'POST', '/v1/webhooks/{id}/deliveries/{delivery}/resend'),
    resendFailedWebhookDeliveries: host.create('resendFailedWebhookDeliveries', 'POST', '/v1/webhooks/{id}/resend'),
    rotateWebhookSecret: host.create('rotateWebhookSecret', 'POST', '/v1/webhooks/{id}/secret'),
    testWebhook: host.call('testWebhook', 'POST', '/v1/webhooks/{id}/test'),
    listReference: host.call('listReference', 'GET', '/v1/risk/reference'),
    refreshReference: host.call('refreshReference', 'POST', '/v1/risk/reference/refresh'),
    resolveReference: host.call('resolveReference', 'POST', '/v1/risk/reference/resolve'),
    getReference: host.call('getReference', 'GET', '/v1/risk/reference/{set}'),
    setReference: host.call('setReference', 'PUT', '/v1/risk/reference/{set}'),
    clearReference: host.call('clearReference', 'DELETE', '/v1/risk/reference/{set}'),
    listErrors: host.call('listErrors', 'GET', '/v1/errors'),
    listErrorsOfGroup: host.call('listErrorsOfGroup', 'GET', '/v1/errors/{fingerprint}'),
  }
}
