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

// Organisations, their members and their apps, and the trail of what was done.

export type ListAuditInput = {
  /** How many to answer; 50 unless said, 200 at most */
  limit?: number
  /** The `next` of the page before; omit it for the first page */
  after?: string
}

export type ListAuditOutput = {
  data: {
    id: string
    /** When it was done */
    at: string
    /** Who did it, by id */
    user: string
    /** Who did it, by the e-mail address of that time */
    email: string
    /** With which key or session, by id */
    credential: string
    /** What was done */
    what: string
    /** To which thing */
    on: string
    /** From which address */
    ip: string
    /** The X-Request-Id of the request that did it */
    requestId: string
  }[]
  /** Send it as `after` to get the next page; empty on the last */
  next: string
}

// API keys and browser sessions.

export type GetCsrfInput = Record<string, never>

export type GetCsrfOutput = {
  csrfToken: string
  /** How many seconds it is good for */
  expiresIn: number
}

export type ListKeysInput = {
  /** How the key stands */
  status?: 'active' | 'expired' | 'revoked'
  /** How many to answer; 50 unless said, 200 at most */
  limit?: number
  /** The `next` of the page before; omit it for the first page */
  after?: string
}

export type ListKeysOutput = {
  data: {
    id: string
    name: string
    type: 'secret' | 'publishable'
    /** How it starts, to tell it by */
    prefix: string
    /** The whole key, if it is publishable */
    key?: string
    /** How the key stands */
    status: 'active' | 'expired' | 'revoked'
    /** The e-mail address of its owner */
    creator: string
    /** When it was created */
    created: string
    /** When it stops working */
    expires?: string
    /** What it is held to */
    limit?: string[]
    /** 0 is no cap */
    budget?: {
      /** Its cap a UTC calendar month, in cents */
      month: number
      /** Its cap in all, in cents */
      total: number
    }
    /** How many requests it may make in any 60 seconds */
    rate?: number
    /** What it has spent in all, in cents */
    spend: number
    /** What it has spent in this UTC calendar month, in cents */
    spendMonth: number
    /** When it was last used, to the minute */
    lastUsed?: string
    /** The e-mail address of who revoked it */
    revokedBy?: string
    /** When it was revoked */
    revokedAt?: string
  }[]
  /** Send it as `after` to get the next page; empty on the last */
  next: string
}

export type CreateKeyInput = {
  /** The key's name: one line, not blank, at most 120 characters */
  name: string
  /** `secret` unless said: for servers, acts as its owner; `publishable` may be public, writes events */
  type?: 'secret' | 'publishable'
  /** What the key is held to, `read:risk`, `project:web-shop`; none means everything its owner may do */
  limit?: string[] | null
  /** What the key may spend; the two are set together */
  budget?: {
    /** For model calls in a UTC calendar month, in cents; 0 is no cap */
    month?: number
    /** For model calls in all, in cents; 0 is no cap */
    total?: number
  } | null
  /** How many requests it may make in any 60 seconds */
  rate?: number | null
  /** When it stops working */
  expires?: string | null
}

export type CreateKeyOutput = {
  id: string
  name: string
  type: 'secret' | 'publishable'
  /** How it starts, to tell it by */
  prefix: string
  /** The whole key. Keep it now */
  key: string
  /** How the key stands */
  status: 'active' | 'expired' | 'revoked'
  /** The e-mail address of its owner */
  creator: string
  /** When it was created */
  created: string
  /** When it stops working */
  expires?: string
  /** What it is held to */
  limit?: string[]
  /** 0 is no cap */
  budget?: {
    /** Its cap a UTC calendar month, in cents */
    month: number
    /** Its cap in all, in cents */
    total: number
  }
  /** How many requests it may make in any 60 seconds */
  rate?: number
  /** What it has spent in all, in cents */
  spend: number
  /** What it has spent in this UTC calendar month, in cents */
  spendMonth: number
  /** When it was last used, to the minute */
  lastUsed?: string
  /** The e-mail address of who revoked it */
  revokedBy?: string
  /** When it was revoked */
  revokedAt?: string
}

export type UpdateKeyInput = {
  /** A key's id, `key_…` */
  id: string
  /** The key's name: one line, not blank, at most 120 characters */
  name?: string
  /** What the key is held to, `read:risk`, `project:web-shop`; none means everything its owner may do */
  limit?: string[] | null
  /** What the key may spend; the two are set together */
  budget?: {
    /** For model calls in a UTC calendar month, in cents; 0 is no cap */
    month?: number
    /** For model calls in all, in cents; 0 is no cap */
    total?: number
  } | null
  /** How many requests it may make in any 60 seconds */
  rate?: number | null
  /** When it stops working */
  expires?: string | null
}

export type UpdateKeyOutput = {
  id: string
  name: string
  type: 'secret' | 'publishable'
  /** How it starts, to tell it by */
  prefix: string
  /** The whole key, if it is publishable */
  key?: string
  /** How the key stands */
  status: 'active' | 'expired' | 'revoked'
  /** The e-mail address of its owner */
  creator: string
  /** When it was created */
  created: string
  /** When it stops working */
  expires?: string
  /** What it is held to */
  limit?: string[]
  /** 0 is no cap */
  budget?: {
    /** Its cap a UTC calendar month, in cents */
    month: number
    /** Its cap in all, in cents */
    total: number
  }
  /** How many requests it may make in any 60 seconds */
  rate?: number
  /** What it has spent in all, in cents */
  spend: number
  /** What it has spent in this UTC calendar month, in cents */
  spendMonth: number
  /** When it was last used, to the minute */
  lastUsed?: string
  /** The e-mail address of who revoked it */
  revokedBy?: string
  /** When it was revoked */
  revokedAt?: string
}

export type DeleteKeyInput = {
  /** A key's id, `key_…` */
  id: string
}

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

export type ListDomainsInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** How many to answer; 50 unless said, 200 at most */
  limit?: number
  /** The `next` of the page before; omit it for the first page */
  after?: string
}

export type ListDomainsOutput = {
  data: {
    /** The name in lower case and ASCII */
    host: string
    /** `live` once it is verified */
    status: 'pending' | 'live'
    /** Whether its TXT record was seen */
    verified: boolean
    /** What has to stand in the DNS for the host to be verified, and to stay so */
    records: {
      type: 'TXT'
      name: string
      value: string
    }[]
    /** When it was attached */
    created: string
    /** What the check saw, in the answer of one */
    detail?: string
  }[]
  /** Send it as `after` to get the next page; empty on the last */
  next: string
}

export type AttachDomainInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** A host's name, such as shop.example.com, without scheme, port or wildcard */
  host: string
}

export type AttachDomainOutput = {
  /** The name in lower case and ASCII */
  host: string
  /** `live` once it is verified */
  status: 'pending' | 'live'
  /** Whether its TXT record was seen */
  verified: boolean
  /** What has to stand in the DNS for the host to be verified, and to stay so */
  records: {
    type: 'TXT'
    name: string
    value: string
  }[]
  /** When it was attached */
  created: string
  /** What the check saw, in the answer of one */
  detail?: string
}

export type DetachDomainInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** A host's name, such as shop.example.com, without scheme, port or wildcard */
  host: string
}

export type VerifyDomainInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** A host's name, such as shop.example.com, without scheme, port or wildcard */
  host: string
}

export type VerifyDomainOutput = {
  /** The name in lower case and ASCII */
  host: string
  /** `live` once it is verified */
  status: 'pending' | 'live'
  /** Whether its TXT record was seen */
  verified: boolean
  /** What has to stand in the DNS for the host to be verified, and to stay so */
  records: {
    type: 'TXT'
    name: string
    value: string
  }[]
  /** When it was attached */
  created: string
  /** What the check saw, in the answer of one */
  detail?: string
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

    // Organisations, their members and their apps, and the trail of what was done.

    /**
     * What was done in the organisation, by whom, to what, when and from where, newest first.
     * `GET /v1/iam/audit`
     */
    listAudit: (input: ListAuditInput = {}, options?: CallOptions) =>
      host.call<ListAuditOutput>('GET', '/v1/iam/audit', input, options),

    /** The same, item by item through every page. */
    listAuditAll: (input: ListAuditInput = {}, options?: CallOptions) =>
      host.all<ListAuditOutput['data'][number]>('GET', '/v1/iam/audit', input, options),

    // API keys and browser sessions.

    /**
     * The token a browser session sends as X-CSRF-Token with every write; a bearer needs none.
     * `GET /v1/account/csrf`
     */
    getCsrf: (input: GetCsrfInput = {}, options?: CallOptions) =>
      host.call<GetCsrfOutput>('GET', '/v1/account/csrf', input, options),

    /**
     * The caller's keys, for an owner or admin all of the organisation's, newest first.
     * `GET /v1/account/keys`
     */
    listKeys: (input: ListKeysInput = {}, options?: CallOptions) =>
      host.call<ListKeysOutput>('GET', '/v1/account/keys', input, options),

    /** The same, item by item through every page. */
    listKeysAll: (input: ListKeysInput = {}, options?: CallOptions) =>
      host.all<ListKeysOutput['data'][number]>('GET', '/v1/account/keys', input, options),

    /**
     * Creates a key; the answer alone carries the whole text of a secret one, in `key`.
     * `POST /v1/account/keys`
     */
    createKey: (input: CreateKeyInput, options?: CallOptions) =>
      host.call<CreateKeyOutput>('POST', '/v1/account/keys', input, options),

    /**
     * Changes what is given of one's own key; null, and for `limit` also [], takes a bound away.
     * `PATCH /v1/account/keys/{id}`
     */
    updateKey: (input: UpdateKeyInput, options?: CallOptions) =>
      host.call<UpdateKeyOutput>('PATCH', '/v1/account/keys/{id}', input, options),

    /**
     * Revokes exactly that key; it stays listed, with who revoked it and when.
     * `DELETE /v1/account/keys/{id}`
     */
    deleteKey: (input: DeleteKeyInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/account/keys/{id}', input, options),

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

    /**
     * The project's hosts, by name.
     * `GET /v1/projects/{slug}/domains`
     */
    listDomains: (input: ListDomainsInput, options?: CallOptions) =>
      host.call<ListDomainsOutput>('GET', '/v1/projects/{slug}/domains', input, options),

    /** The same, item by item through every page. */
    listDomainsAll: (input: ListDomainsInput, options?: CallOptions) =>
      host.all<ListDomainsOutput['data'][number]>('GET', '/v1/projects/{slug}/domains', input, options),

    /**
     * Attaches a host to the project, pending until it is verified; attached again, answers what is there.
     * `POST /v1/projects/{slug}/domains`
     */
    attachDomain: (input: AttachDomainInput, options?: CallOptions) =>
      host.call<AttachDomainOutput>('POST', '/v1/projects/{slug}/domains', input, options),

    /**
     * Detaches a host; its pages may no longer call this service.
     * `DELETE /v1/projects/{slug}/domains/{host}`
     */
    detachDomain: (input: DetachDomainInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/projects/{slug}/domains/{host}', input, options),

    /**
     * Looks for the TXT record; the host is live if it is there, and pending if it is not or no longer.
     * `POST /v1/projects/{slug}/domains/{host}/verify`
     */
    verifyDomain: (input: VerifyDomainInput, options?: CallOptions) =>
      host.call<VerifyDomainOutput>('POST', '/v1/projects/{slug}/domains/{host}/verify', input, options),
  }
}
