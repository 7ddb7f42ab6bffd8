// Calls operations by their route; `createStoa` adds names and types.
import { foreignAnswer, hasType, type Performed, type Reader } from './attempt.ts'
import { requestIdOf, StoaConnectionError } from './errors.ts'
import { eventsIn, type StoaEvent } from './events.ts'
import { type CallOptions, type CreateOptions, type StoaOptions, settingsFrom } from './options.ts'
import { type ApiRequest, requestFor } from './request.ts'
import { performed } from './retry.ts'
import { csrfTokens } from './session.ts'

/** Resolves to the value that the operation answers. */
export type Call<Data> = Promise<Data> & {
  /** Resolves to the value, and the response that contained it. */
  withResponse(): Promise<WithResponse<Data>>
}

/** `response` has the status and the headers of the answer; its body is read already. */
export type WithResponse<Data> = { data: Data; response: Response; requestId: string | null }

/** One page of a listing. */
export type Page<Item> = {
  data: Item[]
  /** Send it as `after` to get the next page; empty on the last page. */
  next: string
}

export function connect(options: StoaOptions) {
  const settings = settingsFrom(options)
  const csrfToken = settings.session ? csrfTokens(() => call('GET', '/v1/account/csrf', {})) : null

  /** Throws a TypeError for what the caller must correct, such as an invalid header. Of headers with the same name, the
   *  last is sent: first `defaults`, then those of the client, then `more`. */
  function request(
    method: string,
    path: string,
    input: object,
    more: (Record<string, string> | undefined)[],
    defaults: Record<string, string> = {},
  ): ApiRequest {
    const headers = new Headers(defaults)
    const credential = settings.key === undefined ? {} : { authorization: `Bearer ${settings.key}` }
    const given = [settings.headers, credential, ...more].flatMap(one => Object.entries(one ?? {}))
    for (const [name, value] of given) headers.set(name, value)
    return requestFor(settings.baseUrl, method, path, input, headers)
  }

  const perform = <Data>(made: ApiRequest, read: Reader<Data>, options: CallOptions) =>
    performed(made, read, options, settings, csrfToken)

  function call<Data>(method: string, path: string, input: object, options: CallOptions = {}): Call<Data> {
    return callOf(async () => perform(request(method, path, input, [options.headers]), readJson<Data>, options))
  }

  /** All attempts of a call carry the same key, so that the host creates one thing however often it is asked. For other
   *  operations it ignores the key, also if the caller sends one. */
  function create<Data>(method: string, path: string, input: object, options: CreateOptions = {}): Call<Data> {
    return callOf(async () => {
      const { headers, idempotencyKey } = options
      const chosen = idempotencyKey === undefined ? undefined : { 'idempotency-key': idempotencyKey }
      const made = request(method, path, input, [headers, chosen], { 'idempotency-key': crypto.randomUUID() })
      return perform({ ...made, isRepeatable: true }, readJson<Data>, options)
    })
  }

  /** For operations that answer something else than JSON, such as a redirect, which is not followed. */
  function send(method: string, path: string, input: object, options: CallOptions = {}): Call<Response> {
    const made = () => ({ ...request(method, path, input, [options.headers]), mayRedirect: true })
    return callOf(async () => perform(made(), readWhole, options))
  }

  /** Every item of a listing; each page is requested when its first item is needed. */
  function all<Item>(method: string, path: string, input: { after?: string }, options: CallOptions = {}) {
    const load = (after: string | undefined) => call(method, path, { ...input, after }, options).withResponse()
    return itemsOf<Item>(`${method} ${path}`, load, input.after, options.signal)
  }

  /** The events of a stream. The request is sent when the first is needed, and cancelled when the loop is left. The host
   *  sends strings unchanged; then `parse` is `String`. */
  async function* events<Data>(
    method: string,
    path: string,
    input: object,
    options: CallOptions = {},
    parse: (text: string) => unknown = JSON.parse,
  ): AsyncGenerator<StoaEvent<Data>, void, undefined> {
    const made = request(method, path, input, [{ accept: 'text/event-stream' }, options.headers])
    const { response, deadline } = await perform(made, async () => {}, options)
    try {
      if (!hasType(response, 'text/event-stream')) throw foreignAnswer(made.route, response)
      yield* eventsIn<Data>(response, parse, deadline, options.signal)
    } finally {
      deadline.cancel()
    }
  }

  return { call, create, send, all, events }
}

/** Throws a StoaConnectionError for an answer that is no page, and for a cursor that was there before, with which the
 *  listing would not end. */
async function* itemsOf<Item>(
  route: string,
  load: (after: string | undefined) => Promise<WithResponse<unknown>>,
  first: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  let after = first
  const cursors = new Set([after])
  do {
    const { data: page, response } = await load(after)
    if (!isPageOf<Item>(page)) throw foreignAnswer(route, response)
    for (const item of page.data) {
      signal?.throwIfAborted()
      yield item
    }
    after = page.next
    if (after && cursors.has(after)) {
      throw new StoaConnectionError(`${route}: the answer has a cursor that was there before.`, { response })
    }
    cursors.add(after)
  } while (after)
}

function isPageOf<Item>(value: unknown): value is Page<Item> {
  const { data, next } = (value ?? {}) as Partial<Page<Item>>
  return Array.isArray(data) && typeof next === 'string'
}

async function readJson<Data>(response: Response): Promise<Data> {
  return (response.status === 204 ? undefined : JSON.parse(await response.text())) as Data
}

/** A copy whose body is there already: reading the original later would be without a deadline. */
async function readWhole(response: Response): Promise<Response> {
  if (response.type === 'opaqueredirect') return response // It has no body, and a status that no copy can have.
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
    value.catch(() => {}) // The caller has chosen the other promise, which rejects with the same error.
    return answered
  }
  return Object.assign(value, { withResponse })
}
