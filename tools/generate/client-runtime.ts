export type StoaOptions = {
  /** Where the host is, such as `https://localhost:8443`. */
  baseUrl: string
  /** A secret key of the organisation, `sk-…`. Without it only public operations answer. */
  key?: string
  /** Used in place of the global `fetch`. */
  fetch?: (url: string, init: Init) => Promise<Response>
}

type Init = { method: string; headers: Record<string, string>; body: string | null; signal: AbortSignal | null }

export type CallOptions = {
  /** Ends the call early; it then rejects with the signal's reason. */
  signal?: AbortSignal
}

/** The host refused, or could not answer. The message says what to do. */
export class StoaError extends Error {
  override readonly name = 'StoaError'
  readonly status: number
  /** Names what went wrong, such as `conflict`; `unknown` when something other than the host answered. */
  readonly code: string
  /** The family of the code. */
  readonly type: string
  /** The first field at fault. */
  readonly param: string | null
  /** Every field at fault, and what is wrong with it. */
  readonly fields: { path: string; says: string }[]
  /** The operator finds the request by it. */
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

/** A proxy in between answers in words of its own, so nothing is taken for granted here. */
function errorIn(body: string): Problem {
  try {
    const { error } = JSON.parse(body)
    return typeof error?.code === 'string' ? error : {}
  } catch {
    return {}
  }
}

/** Calls operations by their route; `createStoa` puts names and types on it. */
export function connect({ baseUrl, key, fetch = globalThis.fetch }: StoaOptions) {
  const base = baseUrl.replace(/\/+$/, '')

  /** Names in the path's braces come from the input; the rest is the query of a GET or DELETE, else the body. */
  async function ask(method: string, path: string, input: object, { signal }: CallOptions = {}): Promise<Response> {
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

  async function call<Output>(...request: Parameters<typeof ask>): Promise<Output> {
    const response = await ask(...request)
    return (response.status === 204 ? undefined : await response.json()) as Output
  }

  /** Every item of a listing; a page is asked for when its first item is. */
  async function* all<Item>(method: string, path: string, input: { after?: string }, options?: CallOptions) {
    let { after } = input
    do {
      const page = await call<{ data: Item[]; next: string }>(method, path, { ...input, after }, options)
      yield* page.data
      after = page.next
    } while (after)
  }

  return { ask, call, all }
}

/** An empty segment or one of dots is resolved away by URLs, and would call another operation than the one meant. */
function segment(name: string, value: unknown): string {
  const text = String(value ?? '')
  if (['', '.', '..'].includes(text)) throw new TypeError(`\`${name}\` must not be "${text}"`)
  return encodeURIComponent(text)
}
