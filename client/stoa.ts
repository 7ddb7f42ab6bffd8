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

export type ListAppsInput = {
  /** How many to answer; 50 unless said, 200 at most */
  limit?: number
  /** The `next` of the page before; omit it for the first page */
  after?: string
}

export type ListAppsOutput = {
  data: {
    /** The client id, `<org>-<app>` */
    id: string
    app: string
    brand: string
    name: string
    type: 'confidential' | 'public'
    redirectUris: string[]
    logoutUris: string[]
    /** When it was created */
    created: string
    /** When it was last changed */
    updated: string
  }[]
  /** Send it as `after` to get the next page; empty on the last */
  next: string
}

export type CreateAppInput = {
  /** The app's short name: lower-case letters and digits, so that `<org>-<app>` is unique */
  app: string
  /** The brand at whose origin people sign in to it; without one, `default` */
  brand?: string
  /** The app's name, which people see when they sign in: one line, not blank, at most 120 characters */
  name?: string
  /** `confidential` for servers, which can keep a secret; `public` for browsers and devices */
  type: 'confidential' | 'public'
  /** Where people come back to after signing in: compared to the letter, no wildcards */
  redirectUris: string[]
  /** Where people may come back to after signing out */
  logoutUris?: string[]
}

export type CreateAppOutput = {
  /** The client id, `<org>-<app>` */
  id: string
  app: string
  brand: string
  name: string
  type: 'confidential' | 'public'
  redirectUris: string[]
  logoutUris: string[]
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
  /** The client secret. Keep it now */
  secret?: string
}

export type GetAppInput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** The brand at whose origin people sign in to it; without one, `default` */
  brand?: string
}

export type GetAppOutput = {
  /** The client id, `<org>-<app>` */
  id: string
  app: string
  brand: string
  name: string
  type: 'confidential' | 'public'
  redirectUris: string[]
  logoutUris: string[]
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
}

export type UpdateAppInput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** The brand at whose origin people sign in to it; without one, `default` */
  brand?: string
  /** The app's name, which people see when they sign in: one line, not blank, at most 120 characters */
  name?: string
  /** Where people come back to after signing in: compared to the letter, no wildcards */
  redirectUris?: string[]
  /** Where people may come back to after signing out */
  logoutUris?: string[]
}

export type UpdateAppOutput = {
  /** The client id, `<org>-<app>` */
  id: string
  app: string
  brand: string
  name: string
  type: 'confidential' | 'public'
  redirectUris: string[]
  logoutUris: string[]
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
}

export type DeleteAppInput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** The brand at whose origin people sign in to it; without one, `default` */
  brand?: string
}

export type RotateAppSecretInput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** The brand at whose origin people sign in to it; without one, `default` */
  brand?: string
}

export type RotateAppSecretOutput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** The client secret. Keep it now */
  secret: string
}

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
    /** Who did it, by id; absent where a credential stands for nobody */
    user?: string
    /** Who did it, by the e-mail address of that time */
    email?: string
    /** With which key or session, by id */
    credential: string
    /** What was done */
    what: string
    /** To which thing */
    on: string
    /** What changed, by the name of the field */
    changes?: Record<string, {
      from?: unknown
      to?: unknown
    }>
    /** From which address */
    ip: string
    /** The X-Request-Id of the request that did it */
    requestId: string
  }[]
  /** Send it as `after` to get the next page; empty on the last */
  next: string
}

export type ListInvitesInput = {
  /** How many to answer; 50 unless said, 200 at most */
  limit?: number
  /** The `next` of the page before; omit it for the first page */
  after?: string
}

export type ListInvitesOutput = {
  data: {
    /** An invite's id, `inv_…` */
    id: string
    /** An e-mail address */
    email: string
    /** owner and admin administer; an owner also decides about owners */
    role: 'owner' | 'admin' | 'member'
    /** The address of who asked them */
    invitedBy: string
    /** When they were asked */
    created: string
    /** Until when they can join */
    expires: string
  }[]
  /** Send it as `after` to get the next page; empty on the last */
  next: string
}

export type CreateInviteInput = {
  /** An e-mail address */
  email: string
  /** owner and admin administer; an owner also decides about owners */
  role: 'owner' | 'admin' | 'member'
}

export type CreateInviteOutput = {
  /** An invite's id, `inv_…` */
  id: string
  /** An e-mail address */
  email: string
  /** owner and admin administer; an owner also decides about owners */
  role: 'owner' | 'admin' | 'member'
  /** The address of who asked them */
  invitedBy: string
  /** When they were asked */
  created: string
  /** Until when they can join */
  expires: string
}

export type DeleteInviteInput = {
  /** An invite's id, `inv_…` */
  id: string
}

export type GetMeInput = Record<string, never>

export type GetMeOutput = {
  /** A person's id, `usr_…` */
  user: string
  /** An e-mail address */
  email: string
  /** The organisation the credential belongs to, by its slug */
  org: string
  /** owner and admin administer; an owner also decides about owners */
  role: 'owner' | 'admin' | 'member'
  /** The project this request acts in */
  project: string | null
  /** Whether they run the platform itself */
  superadmin: boolean
  credential: {
    kind: 'secret' | 'session' | 'token'
    id: string
    /** Whether it has a limit, a budget or a rate */
    limited: boolean
  }
  /** Every organisation this person belongs to */
  orgs: {
    org: string
    name: string
    /** owner and admin administer; an owner also decides about owners */
    role: 'owner' | 'admin' | 'member'
  }[]
}

export type ChangePasswordInput = {
  current: string
  /** At least 12 characters; longer beats stranger */
  password: string
}

export type ListMembersInput = {
  /** How many to answer; 50 unless said, 200 at most */
  limit?: number
  /** The `next` of the page before; omit it for the first page */
  after?: string
}

export type ListMembersOutput = {
  data: {
    /** A person's id, `usr_…` */
    user: string
    /** An e-mail address */
    email: string
    /** owner and admin administer; an owner also decides about owners */
    role: 'owner' | 'admin' | 'member'
    /** When they joined */
    created: string
  }[]
  /** Send it as `after` to get the next page; empty on the last */
  next: string
}

export type AddMemberInput = {
  /** An e-mail address */
  email: string
  /** owner and admin administer; an owner also decides about owners */
  role: 'owner' | 'admin' | 'member'
  /** At least 12 characters; longer beats stranger */
  password?: string
}

export type AddMemberOutput = {
  /** A person's id, `usr_…` */
  user: string
  /** An e-mail address */
  email: string
  /** owner and admin administer; an owner also decides about owners */
  role: 'owner' | 'admin' | 'member'
  /** When they joined */
  created: string
}

export type UpdateMemberInput = {
  /** A person's id, `usr_…` */
  user: string
  /** owner and admin administer; an owner also decides about owners */
  role: 'owner' | 'admin' | 'member'
}

export type UpdateMemberOutput = {
  /** A person's id, `usr_…` */
  user: string
  /** An e-mail address */
  email: string
  /** owner and admin administer; an owner also decides about owners */
  role: 'owner' | 'admin' | 'member'
  /** When they joined */
  created: string
}

export type RemoveMemberInput = {
  /** A person's id, `usr_…` */
  user: string
}

export type ListOrgsInput = {
  /** How many to answer; 50 unless said, 200 at most */
  limit?: number
  /** The `next` of the page before; omit it for the first page */
  after?: string
}

export type ListOrgsOutput = {
  data: {
    /** The organisation's slug, which never changes: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string
    /** The organisation's name: one line, not blank, at most 120 characters */
    name: string
    /** When it was created */
    created: string
    /** When it was last changed */
    updated: string
  }[]
  /** Send it as `after` to get the next page; empty on the last */
  next: string
}

export type CreateOrgInput = {
  /** The organisation's slug, which never changes: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The organisation's name: one line, not blank, at most 120 characters */
  name: string
  owner: {
    /** An e-mail address */
    email: string
    /** At least 12 characters; longer beats stranger */
    password?: string
  }
}

export type CreateOrgOutput = {
  /** The organisation's slug, which never changes: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The organisation's name: one line, not blank, at most 120 characters */
  name: string
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
  owner: {
    /** A person's id, `usr_…` */
    user: string
    /** An e-mail address */
    email: string
  }
  /** An unlimited secret key of the owner. Keep it now */
  key: string
}

export type GetOrgInput = {
  /** The organisation's slug, which never changes: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
}

export type GetOrgOutput = {
  /** The organisation's slug, which never changes: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The organisation's name: one line, not blank, at most 120 characters */
  name: string
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
}

export type UpdateOrgInput = {
  /** The organisation's slug, which never changes: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The organisation's name: one line, not blank, at most 120 characters */
  name: string
}

export type UpdateOrgOutput = {
  /** The organisation's slug, which never changes: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The organisation's name: one line, not blank, at most 120 characters */
  name: string
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
}

export type DeleteOrgInput = {
  /** The organisation's slug, which never changes: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The slug once more: lower-case letters, digits and inner hyphens, at most 40 characters */
  confirm: string
}

export type ListSessionsInput = {
  /** How many to answer; 50 unless said, 200 at most */
  limit?: number
  /** The `next` of the page before; omit it for the first page */
  after?: string
}

export type ListSessionsOutput = {
  data: {
    /** A sign-in's id, `sin_…` */
    id: string
    /** A person's id, `usr_…` */
    user: string
    /** An e-mail address */
    email: string
    /** The client id of the app */
    app: string
    /** When they signed in */
    created: string
  }[]
  /** Send it as `after` to get the next page; empty on the last */
  next: string
}

export type EndSessionInput = {
  /** A sign-in's id, `sin_…` */
  id: string
}

export type RotateSigningKeysInput = {
  /** The brand at whose origin people sign in to it; without one, `default` */
  brand?: string
}

export type RotateSigningKeysOutput = {
  /** When the new ones begin to sign */
  signsFrom: string
  /** When the old ones are no longer published */
  retires: string
}

export type ListWorkspacesInput = {
  /** How many to answer; 50 unless said, 200 at most */
  limit?: number
  /** The `next` of the page before; omit it for the first page */
  after?: string
}

export type ListWorkspacesOutput = {
  data: {
    /** A workspace's id, `wsp_…` */
    id: string
    /** The workspace's name: one line, not blank, at most 120 characters */
    name: string
    /** When it was created */
    created: string
  }[]
  /** Send it as `after` to get the next page; empty on the last */
  next: string
}

export type CreateWorkspaceInput = {
  /** The workspace's name: one line, not blank, at most 120 characters */
  name: string
}

export type CreateWorkspaceOutput = {
  /** A workspace's id, `wsp_…` */
  id: string
  /** The workspace's name: one line, not blank, at most 120 characters */
  name: string
  /** When it was created */
  created: string
}

export type DeleteWorkspaceInput = {
  /** A workspace's id, `wsp_…` */
  id: string
}

export type CreateWorkspaceTokenInput = {
  /** A workspace's id, `wsp_…` */
  id: string
  /** Until when it is good, a year from now at most; 30 days unless said */
  expires?: string
}

export type CreateWorkspaceTokenOutput = {
  /** The token. Keep it now */
  token: string
  /** Until when it is good */
  expires: string
}

// API keys and browser sessions.

export type FinishLoginInput = {
  state: string
  code?: string
  iss?: string
  error?: string
  error_description?: string
}

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

export type StartLoginInput = {
  /** Where on this host the browser goes after signing in; without one, to who it is signed in as */
  to?: string
}

export type LogoutInput = Record<string, never>

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

// Reference sets a risk decision needs, with an organisation's own overrides.

export type ListReferenceInput = Record<string, never>

export type ListReferenceOutput = {
  sets: {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string
    /** What the set holds */
    what: string
    kind: 'fetch' | 'local' | 'attest' | 'seam'
    match: 'exact' | 'domain' | 'net' | 'digits' | 'pattern' | 'range'
    /** How many members it has */
    keys: number
    /** Every contributing publisher with the digest of what it supplied */
    version: string
    /** When the oldest contributing publisher was current */
    asOf?: string
    /** How long ago that was, such as 192h0m0s */
    age?: string
    /** Whether it is past its bound; it still answers */
    stale: boolean
    /** Why the set cannot be consulted. If it is there, hit is no answer */
    refusal?: string
    /** How old it may be, such as 192h0m0s */
    maxAge: string
    /** How many entries the caller's organisation holds over it */
    overrides: number
    sources: {
      /** The publisher */
      source: string
      basis: 'licence' | 'registry' | 'operator' | 'own' | 'none'
      /** What the basis points at */
      terms: string
      /** Exactly where the data was taken from */
      origin: string
      /** Digest of what it supplied last */
      version?: string
      /** When this publisher was current */
      asOf?: string
      /** Members it contributed */
      keys: number
      /** Why the last take failed, if it did */
      refusal?: string
    }[]
  }[]
  /** Sets past their bound */
  stale: string[]
  /** Sets that cannot be consulted: a key checked against one is unknown, not clean */
  refused: string[]
}

export type RefreshReferenceInput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  force?: boolean
  /** For sets that are held elsewhere */
  receipts?: {
    /** The publisher the receipt is for */
    source: string
    /** Digest of what it supplied */
    version?: string
    /** Designations in that load */
    keys?: number
    /** When the load happened; on arrival unless said */
    asOf?: string
    /** Why the load failed, if it did */
    refusal?: string
  }[]
}

export type RefreshReferenceOutput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** The composed version after it */
  version: string
  /** Whether it is still past its bound */
  stale: boolean
  took: {
    source: string
    /** The digest that landed */
    version: string
    keys: number
    /** Members written by this run */
    wrote: number
    /** Whether the publisher says what it said before */
    unchanged: boolean
    /** Whether the run went on with a version that had landed in part */
    resumed: boolean
    /** Why the publisher contributed nothing */
    refusal?: string
  }[]
}

export type ResolveReferenceInput = {
  keys: string[]
  /** Which sets to consult; without any, every set that can read a key */
  sets?: string[]
}

export type ResolveReferenceOutput = {
  answers: {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string
    /** The key as it was asked */
    key: string
    /** Whether the key is a member. Says nothing where there is a refusal */
    hit: boolean
    /** The member that covered the key */
    matched?: string
    from?: 'override' | 'baseline'
    /** `allow` or `deny` */
    verdict?: 'allow' | 'deny'
    /** What is said about the member */
    value?: Record<string, string>
    /** Published risk weight, where the source gives one */
    score?: number
    /** Every contributing publisher with the digest of what it supplied */
    version: string
    /** When the oldest contributing publisher was current */
    asOf?: string
    /** How long ago that was, such as 192h0m0s */
    age?: string
    /** Whether it is past its bound; it still answers */
    stale: boolean
    /** Why the set cannot be consulted. If it is there, hit is no answer */
    refusal?: string
  }[]
  consulted: {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string
    /** Every contributing publisher with the digest of what it supplied */
    version: string
    /** When the oldest contributing publisher was current */
    asOf?: string
    /** Whether it is past its bound; it still answers */
    stale: boolean
    /** Why the set cannot be consulted. If it is there, hit is no answer */
    refusal?: string
  }[]
  /** Sets past their bound among those consulted */
  stale: string[]
  /** Sets that could not be consulted: a key checked against one is unknown, not clean */
  refused: string[]
}

export type GetReferenceInput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** The last key of the page before */
  after?: string
  /** How many; 200 unless said, 1000 at most */
  limit?: number
}

export type GetReferenceOutput = {
  set: {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string
    /** What the set holds */
    what: string
    kind: 'fetch' | 'local' | 'attest' | 'seam'
    match: 'exact' | 'domain' | 'net' | 'digits' | 'pattern' | 'range'
    /** How many members it has */
    keys: number
    /** Every contributing publisher with the digest of what it supplied */
    version: string
    /** When the oldest contributing publisher was current */
    asOf?: string
    /** How long ago that was, such as 192h0m0s */
    age?: string
    /** Whether it is past its bound; it still answers */
    stale: boolean
    /** Why the set cannot be consulted. If it is there, hit is no answer */
    refusal?: string
    /** How old it may be, such as 192h0m0s */
    maxAge: string
    /** How many entries the caller's organisation holds over it */
    overrides: number
    sources: {
      /** The publisher */
      source: string
      basis: 'licence' | 'registry' | 'operator' | 'own' | 'none'
      /** What the basis points at */
      terms: string
      /** Exactly where the data was taken from */
      origin: string
      /** Digest of what it supplied last */
      version?: string
      /** When this publisher was current */
      asOf?: string
      /** Members it contributed */
      keys: number
      /** Why the last take failed, if it did */
      refusal?: string
    }[]
  }
  overrides: {
    key: string
    /** `allow` or `deny` */
    verdict: 'allow' | 'deny'
    note?: string
    /** Who wrote it */
    by: string
    /** When it was written */
    at: string
  }[]
  /** The key to page from; empty on the last page */
  next: string
}

export type SetReferenceInput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  entries: {
    /** What is looked up: an e-mail address or domain, an address or network, a card prefix, a browser's name, an AS number, a digest; at most 512 bytes */
    key: string
    /** `allow` or `deny` */
    verdict: 'allow' | 'deny'
    /** Why, at most 512 bytes */
    note?: string
  }[]
}

export type SetReferenceOutput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** Entries written by this call */
  written: number
  /** How many the organisation now holds */
  overrides: number
}

export type ClearReferenceInput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** What is looked up: an e-mail address or domain, an address or network, a card prefix, a browser's name, an AS number, a digest; at most 512 bytes */
  key: string
}

export type ClearReferenceOutput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  key: string
  /** False when there was no such entry, which is no error */
  cleared: boolean
  /** How many remain */
  overrides: number
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
     * The organisation's apps, by client id and brand.
     * `GET /v1/iam/apps`
     */
    listApps: (input: ListAppsInput = {}, options?: CallOptions) =>
      host.call<ListAppsOutput>('GET', '/v1/iam/apps', input, options),

    /** The same, item by item through every page. */
    listAppsAll: (input: ListAppsInput = {}, options?: CallOptions) =>
      host.all<ListAppsOutput['data'][number]>('GET', '/v1/iam/apps', input, options),

    /**
     * Registers an app; the answer alone carries the secret of a confidential one.
     * `POST /v1/iam/apps`
     */
    createApp: (input: CreateAppInput, options?: CallOptions) =>
      host.call<CreateAppOutput>('POST', '/v1/iam/apps', input, options),

    /**
     * One app, without its secret.
     * `GET /v1/iam/apps/{id}`
     */
    getApp: (input: GetAppInput, options?: CallOptions) =>
      host.call<GetAppOutput>('GET', '/v1/iam/apps/{id}', input, options),

    /**
     * Changes what is given of an app.
     * `PATCH /v1/iam/apps/{id}`
     */
    updateApp: (input: UpdateAppInput, options?: CallOptions) =>
      host.call<UpdateAppOutput>('PATCH', '/v1/iam/apps/{id}', input, options),

    /**
     * Removes an app; nobody can sign in to it any more.
     * `DELETE /v1/iam/apps/{id}`
     */
    deleteApp: (input: DeleteAppInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/iam/apps/{id}', input, options),

    /**
     * Replaces the secret of a confidential app at once, and answers the new one.
     * `POST /v1/iam/apps/{id}/secret`
     */
    rotateAppSecret: (input: RotateAppSecretInput, options?: CallOptions) =>
      host.call<RotateAppSecretOutput>('POST', '/v1/iam/apps/{id}/secret', input, options),

    /**
     * What was done in the organisation, by whom, to what, when and from where, newest first.
     * `GET /v1/iam/audit`
     */
    listAudit: (input: ListAuditInput = {}, options?: CallOptions) =>
      host.call<ListAuditOutput>('GET', '/v1/iam/audit', input, options),

    /** The same, item by item through every page. */
    listAuditAll: (input: ListAuditInput = {}, options?: CallOptions) =>
      host.all<ListAuditOutput['data'][number]>('GET', '/v1/iam/audit', input, options),

    /**
     * Who was asked to join and has not yet, newest first.
     * `GET /v1/iam/invites`
     */
    listInvites: (input: ListInvitesInput = {}, options?: CallOptions) =>
      host.call<ListInvitesOutput>('GET', '/v1/iam/invites', input, options),

    /** The same, item by item through every page. */
    listInvitesAll: (input: ListInvitesInput = {}, options?: CallOptions) =>
      host.all<ListInvitesOutput['data'][number]>('GET', '/v1/iam/invites', input, options),

    /**
     * Asks somebody by mail to join, with a link that is good for a week; an earlier one to that address ends.
     * `POST /v1/iam/invites`
     */
    createInvite: (input: CreateInviteInput, options?: CallOptions) =>
      host.call<CreateInviteOutput>('POST', '/v1/iam/invites', input, options),

    /**
     * Withdraws an invite: its link leads nowhere any more.
     * `DELETE /v1/iam/invites/{id}`
     */
    deleteInvite: (input: DeleteInviteInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/iam/invites/{id}', input, options),

    /**
     * Who the caller is, in which organisation, and by which credential.
     * `GET /v1/iam/me`
     */
    getMe: (input: GetMeInput = {}, options?: CallOptions) =>
      host.call<GetMeOutput>('GET', '/v1/iam/me', input, options),

    /**
     * Changes the caller's password, and ends everything they are signed in to but for this sign-in.
     * `POST /v1/iam/me/password`
     */
    changePassword: (input: ChangePasswordInput, options?: CallOptions) =>
      host.call<void>('POST', '/v1/iam/me/password', input, options),

    /**
     * The organisation's members, by e-mail address.
     * `GET /v1/iam/members`
     */
    listMembers: (input: ListMembersInput = {}, options?: CallOptions) =>
      host.call<ListMembersOutput>('GET', '/v1/iam/members', input, options),

    /** The same, item by item through every page. */
    listMembersAll: (input: ListMembersInput = {}, options?: CallOptions) =>
      host.all<ListMembersOutput['data'][number]>('GET', '/v1/iam/members', input, options),

    /**
     * Adds a member; `password` is for people who have no account yet.
     * `POST /v1/iam/members`
     */
    addMember: (input: AddMemberInput, options?: CallOptions) =>
      host.call<AddMemberOutput>('POST', '/v1/iam/members', input, options),

    /**
     * Changes a member's role.
     * `PATCH /v1/iam/members/{user}`
     */
    updateMember: (input: UpdateMemberInput, options?: CallOptions) =>
      host.call<UpdateMemberOutput>('PATCH', '/v1/iam/members/{user}', input, options),

    /**
     * Removes a member, whose keys and sessions end at once; everybody may remove themselves.
     * `DELETE /v1/iam/members/{user}`
     */
    removeMember: (input: RemoveMemberInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/iam/members/{user}', input, options),

    /**
     * The caller's organisation; for operators all, by slug.
     * `GET /v1/iam/orgs`
     */
    listOrgs: (input: ListOrgsInput = {}, options?: CallOptions) =>
      host.call<ListOrgsOutput>('GET', '/v1/iam/orgs', input, options),

    /** The same, item by item through every page. */
    listOrgsAll: (input: ListOrgsInput = {}, options?: CallOptions) =>
      host.all<ListOrgsOutput['data'][number]>('GET', '/v1/iam/orgs', input, options),

    /**
     * Creates an organisation with its owner, and answers once an unlimited key of the owner, in `key`.
     * `POST /v1/iam/orgs`
     */
    createOrg: (input: CreateOrgInput, options?: CallOptions) =>
      host.call<CreateOrgOutput>('POST', '/v1/iam/orgs', input, options),

    /**
     * One organisation.
     * `GET /v1/iam/orgs/{slug}`
     */
    getOrg: (input: GetOrgInput, options?: CallOptions) =>
      host.call<GetOrgOutput>('GET', '/v1/iam/orgs/{slug}', input, options),

    /**
     * Renames an organisation.
     * `PATCH /v1/iam/orgs/{slug}`
     */
    updateOrg: (input: UpdateOrgInput, options?: CallOptions) =>
      host.call<UpdateOrgOutput>('PATCH', '/v1/iam/orgs/{slug}', input, options),

    /**
     * Deletes an organisation and everything in it; `confirm` repeats its slug.
     * `DELETE /v1/iam/orgs/{slug}`
     */
    deleteOrg: (input: DeleteOrgInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/iam/orgs/{slug}', input, options),

    /**
     * The caller's sign-ins, for an owner or admin all of the organisation's, newest first.
     * `GET /v1/iam/sessions`
     */
    listSessions: (input: ListSessionsInput = {}, options?: CallOptions) =>
      host.call<ListSessionsOutput>('GET', '/v1/iam/sessions', input, options),

    /** The same, item by item through every page. */
    listSessionsAll: (input: ListSessionsInput = {}, options?: CallOptions) =>
      host.all<ListSessionsOutput['data'][number]>('GET', '/v1/iam/sessions', input, options),

    /**
     * Ends a sign-in at once, with its tokens and the browser session it was made in.
     * `DELETE /v1/iam/sessions/{id}`
     */
    endSession: (input: EndSessionInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/iam/sessions/{id}', input, options),

    /**
     * Publishes new signing keys, which sign after an hour; the old ones stay published until their tokens ended.
     * `POST /v1/iam/signing-keys`
     */
    rotateSigningKeys: (input: RotateSigningKeysInput = {}, options?: CallOptions) =>
      host.call<RotateSigningKeysOutput>('POST', '/v1/iam/signing-keys', input, options),

    /**
     * The organisation's workspaces, newest first.
     * `GET /v1/iam/workspaces`
     */
    listWorkspaces: (input: ListWorkspacesInput = {}, options?: CallOptions) =>
      host.call<ListWorkspacesOutput>('GET', '/v1/iam/workspaces', input, options),

    /** The same, item by item through every page. */
    listWorkspacesAll: (input: ListWorkspacesInput = {}, options?: CallOptions) =>
      host.all<ListWorkspacesOutput['data'][number]>('GET', '/v1/iam/workspaces', input, options),

    /**
     * Creates a workspace.
     * `POST /v1/iam/workspaces`
     */
    createWorkspace: (input: CreateWorkspaceInput, options?: CallOptions) =>
      host.call<CreateWorkspaceOutput>('POST', '/v1/iam/workspaces', input, options),

    /**
     * Removes a workspace; its tokens end at once.
     * `DELETE /v1/iam/workspaces/{id}`
     */
    deleteWorkspace: (input: DeleteWorkspaceInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/iam/workspaces/{id}', input, options),

    /**
     * Makes a token that writes page views, errors and clicks for a workspace, and that a browser may hold.
     * `POST /v1/iam/workspaces/{id}/tokens`
     */
    createWorkspaceToken: (input: CreateWorkspaceTokenInput, options?: CallOptions) =>
      host.call<CreateWorkspaceTokenOutput>('POST', '/v1/iam/workspaces/{id}/tokens', input, options),

    // API keys and browser sessions.

    /**
     * Where a browser comes back to after signing in: begins its session, and sends it on.
     * `GET /v1/account/callback`
     */
    finishLogin: (input: FinishLoginInput, options?: CallOptions) =>
      host.ask('GET', '/v1/account/callback', input, options),

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

    /**
     * Sends a browser to sign in, from where it comes back with a session.
     * `GET /v1/account/login`
     */
    startLogin: (input: StartLoginInput = {}, options?: CallOptions) =>
      host.ask('GET', '/v1/account/login', input, options),

    /**
     * Signs out: ends the session or token it is called with, and what else came of the same sign-in.
     * `POST /v1/account/logout`
     */
    logout: (input: LogoutInput = {}, options?: CallOptions) =>
      host.ask('POST', '/v1/account/logout', input, options),

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

    // Reference sets a risk decision needs, with an organisation's own overrides.

    /**
     * Every set with its version and freshness. Read `stale` and `refused` first.
     * `GET /v1/risk/reference`
     */
    listReference: (input: ListReferenceInput = {}, options?: CallOptions) =>
      host.call<ListReferenceOutput>('GET', '/v1/risk/reference', input, options),

    /**
     * Takes what the publishers of a set have now; `force` accepts a list that has changed its size beyond belief.
     * `POST /v1/risk/reference/refresh`
     */
    refreshReference: (input: RefreshReferenceInput, options?: CallOptions) =>
      host.call<RefreshReferenceOutput>('POST', '/v1/risk/reference/refresh', input, options),

    /**
     * Looks keys up: the organisation's own entries first, what is published otherwise. Read `refused` before `hit`.
     * `POST /v1/risk/reference/resolve`
     */
    resolveReference: (input: ResolveReferenceInput, options?: CallOptions) =>
      host.call<ResolveReferenceOutput>('POST', '/v1/risk/reference/resolve', input, options),

    /**
     * One set, and the organisation's own entries over it, in key order.
     * `GET /v1/risk/reference/{set}`
     */
    getReference: (input: GetReferenceInput, options?: CallOptions) =>
      host.call<GetReferenceOutput>('GET', '/v1/risk/reference/{set}', input, options),

    /**
     * Writes entries of the organisation over a set: all of them or none. A key's earlier entry is replaced.
     * `PUT /v1/risk/reference/{set}`
     */
    setReference: (input: SetReferenceInput, options?: CallOptions) =>
      host.call<SetReferenceOutput>('PUT', '/v1/risk/reference/{set}', input, options),

    /**
     * Takes back an entry of the organisation's; never a published member.
     * `DELETE /v1/risk/reference/{set}`
     */
    clearReference: (input: ClearReferenceInput, options?: CallOptions) =>
      host.call<ClearReferenceOutput>('DELETE', '/v1/risk/reference/{set}', input, options),
  }
}
