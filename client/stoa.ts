// GENERATED from the operation declarations by `npm run generate`; do not edit.
//
// The typed client of a Stoa host. It needs nothing but `fetch`, so it runs in browsers and in Node alike.
//
//   const stoa = createStoa({ baseUrl: 'https://localhost:8443', key: 'sk-…' })
//   const project = await stoa.createProject({ slug: 'web-shop', name: 'Web shop' })
//   for await (const { slug } of stoa.listProjectsAll()) …

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
    const told = errorIn(body)
    super(told.message ?? `The answer was ${response.status} ${response.statusText}`.trim())
    this.status = response.status
    this.code = told.code ?? 'unknown'
    this.type = told.type ?? 'unknown'
    this.param = told.param ?? null
    this.fields = told.fields ?? []
    this.requestId = told.request_id ?? response.headers.get('x-request-id')
  }
}

type Told = Partial<Pick<StoaError, 'code' | 'message' | 'type' | 'param' | 'fields'> & { request_id: string }>

/** A proxy in between answers in words of its own, so nothing is taken for granted here. */
function errorIn(body: string): Told {
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

// The host itself.

export type ListServicesInput = Record<string, never>

export type ListServicesOutput = {
  version: 'v1'
  services: {
    name: string
    path: string
    what: string
    /** How many operations this host has for it; 0 when it is not built yet, or runs elsewhere */
    operations: number
  }[]
}

export type GetHealthInput = Record<string, never>

export type GetHealthOutput = {
  status: 'up'
  engines: {
    db: 'up'
  }
}

export type GetOpenapiInput = Record<string, never>

export type GetOpenapiOutput = Record<string, unknown>

// The products an organisation builds; what belongs to one of them names it.

export type ListProjectsInput = {
  /** How many to answer; 50 unless said, 200 at most */
  limit?: number
  /** The `next` of the page before; omit it for the first page */
  after?: string
}

export type ListProjectsOutput = {
  data: {
    /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string
    /** The project's name: one line, not blank, at most 120 characters */
    name: string
    /** When it was created */
    created: string
    /** When it was last changed */
    updated: string
  }[]
  /** Send it as `after` to get the next page; empty on the last */
  next: string
}

export type CreateProjectInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The project's name: one line, not blank, at most 120 characters */
  name: string
}

export type CreateProjectOutput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The project's name: one line, not blank, at most 120 characters */
  name: string
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
}

export type GetProjectInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
}

export type GetProjectOutput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The project's name: one line, not blank, at most 120 characters */
  name: string
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
}

export type UpdateProjectInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The project's name: one line, not blank, at most 120 characters */
  name: string
}

export type UpdateProjectOutput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The project's name: one line, not blank, at most 120 characters */
  name: string
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
}

export type DeleteProjectInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
}

export type Stoa = ReturnType<typeof createStoa>

export function createStoa(options: StoaOptions) {
  const host = connect(options)
  return {
    // The host itself.

    /**
     * The services of this host.
     * `GET /v1`
     */
    listServices: (input: ListServicesInput = {}, options?: CallOptions) =>
      host.call<ListServicesOutput>('GET', '/v1', input, options),

    /**
     * Whether the host can serve; 503 names the engine that is down.
     * `GET /v1/health`
     */
    getHealth: (input: GetHealthInput = {}, options?: CallOptions) =>
      host.call<GetHealthOutput>('GET', '/v1/health', input, options),

    /**
     * This interface as an OpenAPI 3.1 document.
     * `GET /v1/openapi.json`
     */
    getOpenapi: (input: GetOpenapiInput = {}, options?: CallOptions) =>
      host.call<GetOpenapiOutput>('GET', '/v1/openapi.json', input, options),

    // The products an organisation builds; what belongs to one of them names it.

    /**
     * The organisation's projects, by slug.
     * `GET /v1/projects`
     */
    listProjects: (input: ListProjectsInput = {}, options?: CallOptions) =>
      host.call<ListProjectsOutput>('GET', '/v1/projects', input, options),

    /** The same, item by item through every page. */
    listProjectsAll: (input: ListProjectsInput = {}, options?: CallOptions) =>
      host.all<ListProjectsOutput['data'][number]>('GET', '/v1/projects', input, options),

    /**
     * Creates a project.
     * `POST /v1/projects`
     */
    createProject: (input: CreateProjectInput, options?: CallOptions) =>
      host.call<CreateProjectOutput>('POST', '/v1/projects', input, options),

    /**
     * One project.
     * `GET /v1/projects/{slug}`
     */
    getProject: (input: GetProjectInput, options?: CallOptions) =>
      host.call<GetProjectOutput>('GET', '/v1/projects/{slug}', input, options),

    /**
     * Renames a project.
     * `PATCH /v1/projects/{slug}`
     */
    updateProject: (input: UpdateProjectInput, options?: CallOptions) =>
      host.call<UpdateProjectOutput>('PATCH', '/v1/projects/{slug}', input, options),

    /**
     * Deletes a project and everything in it.
     * `DELETE /v1/projects/{slug}`
     */
    deleteProject: (input: DeleteProjectInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/projects/{slug}', input, options),
  }
}
