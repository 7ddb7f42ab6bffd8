// Calls operations by their route; `createStoa` adds names and types.
import { foreignAnswer } from './advice.ts'
import { hasType, type Performed, type Reader, readJson } from './attempt.ts'
import { requestIdOf, StoaConnectionError } from './errors.ts'
import { eventsIn, partsIn, type StoaEvent, type Stream, type StreamReader } from './events.ts'
import { type CallOptions, type CreateOptions, type StoaOptions, settingsFrom } from './options.ts'
import { type ApiRequest, type Operation, requestFor, requireObject } from './request.ts'
import { performed } from './retry.ts'
import { csrfTokens } from './session.ts'

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

export function connect(options: StoaOptions) {
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
export function withFields<Answer, Options>(method: (input: object, options?: Options) => Answer, fields: object) {
  return (input: object = {}, options?: Options): Answer =>
    method(typeof input === 'object' ? { ...input, ...fields } : input, options)
}

/** A method that returns the parts of its value one by one if the input has `stream: true`. */
type Either<Whole, Parts> = {
  (input: { stream: true }, options?: CallOptions): Parts
  (input: { stream?: false | undefined }, options?: CreateOptions): Whole
}

export function either<Whole, Parts>(
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
