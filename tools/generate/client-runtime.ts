export type StoaOptions = {
  /** The URL of the host, such as `https://localhost:8443`. */
  baseUrl: string
  /** A secret key of the organisation, `sk-…`. Without it only public operations can be called. */
  key?: string
  /** Used instead of the global `fetch`. */
  fetch?: (url: string, init: Init) => Promise<Response>
}

type Init = { method: string; headers: Record<string, string>; body: string | null; signal: AbortSignal | null }

export type CallOptions = {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal
}

/** Thrown for every answer that is not 2xx. The message says what to do. */
export class StoaError extends Error {
  override readonly name = 'StoaError'
  readonly status: number
  /** The fault code, such as `conflict`; `unknown` if the answer did not come from the host. */
  readonly code: string
  /** The family of the code. */
  readonly type: string
  /** The first invalid field. */
  readonly param: string | null
  /** Every invalid field, and what is wrong with it. */
  readonly fields: { path: string; says: string }[]
  /** Identifies the request in the logs of the host. */
  readonly requestId: string | null

  constructor(response: Response, body: string) {
    const problem = errorIn(body)
    super(problem.message ?? `The answer was ${response.status} ${response.statusText}`.trim())
    this.status = response.status
    this.code = problem.code ?? 'unknown'
    this.type = problem.type ?? 'unknown'
    this.param = problem.param ?? null
    this.fields = problem.fields ?? []
    this.requestId = problem.request_id ?? response.headers.get('x-request-id')
  }
}

type Problem = Partial<Pick<StoaError, 'code' | 'message' | 'type' | 'param' | 'fields'> & { request_id: string }>

/** A proxy in between may answer in another format, so nothing is assumed about the body. */
function errorIn(body: string): Problem {
  try {
    const { error } = JSON.parse(body)
    return typeof error?.code === 'string' ? error : {}
  } catch {
    return {}
  }
}

/** Calls operations by their route; `createStoa` adds names and types. */
export function connect({ baseUrl, key, fetch = globalThis.fetch }: StoaOptions) {
  const base = baseUrl.replace(/\/+$/, '')

  /** Path parameters are filled from the input; the rest is the query of a GET or DELETE, else the body. */
  async function send(method: string, path: string, input: object, { signal }: CallOptions = {}): Promise<Response> {
    const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
      const value = rest.get(name)
      rest.delete(name)
      return segment(name, value)
    })
    const url = new URL(base + filled)
    const inQuery = method === 'GET' || method === 'DELETE'
    if (inQuery) for (const [name, value] of rest) url.searchParams.set(name, String(value))
    const headers: Record<string, string> = {}
    if (key !== undefined) headers.authorization = `Bearer ${key}`
    if (!inQuery) headers['content-type'] = 'application/json'
    const body = inQuery ? null : JSON.stringify(Object.fromEntries(rest))
    const response = await fetch(url.href, { method, headers, body, signal: signal ?? null })
    if (!response.ok) throw new StoaError(response, await response.text())
    return response
  }

  async function call<Output>(...request: Parameters<typeof send>): Promise<Output> {
    const response = await send(...request)
    return (response.status === 204 ? undefined : await response.json()) as Output
  }

  /** Every item of a listing; each page is requested when its first item is needed. */
  async function* all<Item>(method: string, path: string, input: { after?: string }, options?: CallOptions) {
    let { after } = input
    do {
      const page = await call<{ data: Item[]; next: string }>(method, path, { ...input, after }, options)
      yield* page.data
      after = page.next
    } while (after)
  }

  return { send, call, all }
}

/** URL parsing removes empty and dot segments, which would call another operation. */
function segment(name: string, value: unknown): string {
  const text = String(value ?? '')
  if (['', '.', '..'].includes(text)) throw new TypeError(`\`${name}\` must not be "${text}"`)
  return encodeURIComponent(text)
}
