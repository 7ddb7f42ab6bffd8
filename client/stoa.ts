// GENERATED from the operation declarations by `npm run generate`; do not edit.
//
// The typed client of a Stoa host. It needs only `fetch` and runs in browsers and in Node.
//
//   const stoa = createStoa({ baseUrl: 'https://localhost:8443', key: 'sk-…' })
//   const project = await stoa.createProject({ slug: 'web-shop', name: 'Web shop' })
//   for await (const { slug } of stoa.listProjectsAll()) …

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

// The host itself.

export type ListServicesInput = Record<string, never>

export type ListServicesOutput = {
  /** The version of this API */
  version: 'v1'
  /** Every service, also those that have no operation yet */
  services: {
    /** The name, by which keys are limited to it */
    name: string
    /** The path that its operations are below */
    path: string
    /** What it does */
    what: string
    /** How many of its operations this host serves; 0 if it is not available yet or runs elsewhere */
    operations: number
  }[]
}

export type GetHealthInput = Record<string, never>

export type GetHealthOutput = {
  /** The host can serve requests */
  status: 'up'
  /** What the host depends on */
  engines: {
    /** The database */
    db: 'up'
  }
}

export type GetOpenapiInput = Record<string, never>

// Organisations, their members and apps, and the audit trail.

export type ListAppsInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type ListAppsOutput = {
  /** The items of this page */
  data: {
    /** The client id, `<org>-<app>` */
    id: string
    /** Its short name */
    app: string
    /** The brand at whose origin people sign in */
    brand: string
    /** The name that people see when they sign in */
    name: string
    /** Whether it has a secret */
    type: 'confidential' | 'public'
    /** The URLs that people may return to after signing in */
    redirectUris: string[]
    /** The URLs that people may return to after signing out */
    logoutUris: string[]
    /** Whether its tokens carry the role of their person */
    trusted: boolean
    /** When it was created */
    created: string
    /** When it was last changed */
    updated: string
  }[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
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
  /** Whether the app's tokens carry the role of their person. Those of other apps act as a member and cannot issue or reveal credentials. Only owners can set it */
  trusted?: boolean
}

export type CreateAppOutput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** Its short name */
  app: string
  /** The brand at whose origin people sign in */
  brand: string
  /** The name that people see when they sign in */
  name: string
  /** Whether it has a secret */
  type: 'confidential' | 'public'
  /** The URLs that people may return to after signing in */
  redirectUris: string[]
  /** The URLs that people may return to after signing out */
  logoutUris: string[]
  /** Whether its tokens carry the role of their person */
  trusted: boolean
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
  /** The client secret. It is returned only this once */
  secret?: string
}

export type GetAppInput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** The brand at whose origin people sign in to the app; `default` if omitted */
  brand?: string
}

export type GetAppOutput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** Its short name */
  app: string
  /** The brand at whose origin people sign in */
  brand: string
  /** The name that people see when they sign in */
  name: string
  /** Whether it has a secret */
  type: 'confidential' | 'public'
  /** The URLs that people may return to after signing in */
  redirectUris: string[]
  /** The URLs that people may return to after signing out */
  logoutUris: string[]
  /** Whether its tokens carry the role of their person */
  trusted: boolean
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
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
  /** Whether the app's tokens carry the role of their person. Those of other apps act as a member and cannot issue or reveal credentials. Only owners can set it */
  trusted?: boolean
}

export type UpdateAppOutput = {
  /** The client id, `<org>-<app>` */
  id: string
  /** Its short name */
  app: string
  /** The brand at whose origin people sign in */
  brand: string
  /** The name that people see when they sign in */
  name: string
  /** Whether it has a secret */
  type: 'confidential' | 'public'
  /** The URLs that people may return to after signing in */
  redirectUris: string[]
  /** The URLs that people may return to after signing out */
  logoutUris: string[]
  /** Whether its tokens carry the role of their person */
  trusted: boolean
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
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
  /** The client secret. It is returned only this once */
  secret: string
}

export type ListAuditInput = {
  /** Only what the person with this id did */
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

export type ListAuditOutput = {
  /** The items of this page */
  data: {
    /** The id of the entry; later ones are greater */
    id: string
    /** When the action happened */
    at: string
    /** The id of the person who acted; absent if the credential belongs to no person */
    user?: string
    /** The e-mail address of that person at the time */
    email?: string
    /** The id of the key or session that was used; `stoa` for what Stoa did by itself */
    credential: string
    /** The name of the action */
    what: string
    /** The id or name of what was changed */
    on: string
    /** The old and new values, by field name */
    changes?: Record<string, {
      /** The old value; absent if there was none */
      from?: unknown
      /** The new value; absent if there is none */
      to?: unknown
    }>
    /** The IP address of the client; empty for what Stoa did by itself */
    ip: string
    /** The `X-Request-Id` of the request; empty without one */
    requestId: string
  }[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
}

export type ListInvitesInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type ListInvitesOutput = {
  /** The items of this page */
  data: {
    /** An invite's id, `inv_…` */
    id: string
    /** An e-mail address */
    email: string
    /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
    role: 'owner' | 'admin' | 'member'
    /** The e-mail address of the person who sent the invite */
    invitedBy: string
    /** When the invite was sent */
    created: string
    /** When the link expires */
    expires: string
  }[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
}

export type CreateInviteInput = {
  /** An e-mail address */
  email: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: 'owner' | 'admin' | 'member'
}

export type CreateInviteOutput = {
  /** An invite's id, `inv_…` */
  id: string
  /** An e-mail address */
  email: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: 'owner' | 'admin' | 'member'
  /** The e-mail address of the person who sent the invite */
  invitedBy: string
  /** When the invite was sent */
  created: string
  /** When the link expires */
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
  /** Whether the person has proved access to the mailbox */
  emailVerified: boolean
  /** The name that the person gave; empty if none */
  name: string
  /** The slug of the organisation that the credential belongs to */
  org: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: 'owner' | 'admin' | 'member'
  /** The project of this request; null without one */
  project: string | null
  /** Whether the caller is a superadmin */
  superadmin: boolean
  /** The credential that a request was made with */
  credential: {
    /** A secret key, the session of a browser, or an access token */
    kind: 'secret' | 'session' | 'token'
    /** Its id, as in the audit trail */
    id: string
    /** Whether the credential has a limit, a budget or a rate */
    limited: boolean
  }
  /** All organisations that the person is a member of; for the token of an app that is not trusted, only its own */
  orgs: {
    /** The slug of the organisation */
    org: string
    /** Its name */
    name: string
    /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
    role: 'owner' | 'admin' | 'member'
  }[]
}

export type UpdateMeInput = {
  /** The person's name: one line, not blank, at most 120 characters */
  name: string
}

export type UpdateMeOutput = {
  /** The new name */
  name: string
}

export type ChangeEmailInput = {
  /** An e-mail address */
  email: string
  /** The person's present password */
  current: string
}

export type ChangeEmailOutput = {
  /** The new address, in lower case */
  email: string
}

export type ListMyInvitationsInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type ListMyInvitationsOutput = {
  /** The items of this page */
  data: {
    /** An invite's id, `inv_…` */
    id: string
    /** The slug of the organisation */
    org: string
    /** Its name */
    name: string
    /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
    role: 'owner' | 'admin' | 'member'
    /** The e-mail address of the person who sent the invite */
    invitedBy: string
    /** When the invite was sent */
    created: string
    /** When it expires */
    expires: string
  }[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
}

export type AcceptInvitationInput = {
  /** An invite's id, `inv_…` */
  id: string
}

export type AcceptInvitationOutput = {
  /** The slug of the organisation */
  org: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: 'owner' | 'admin' | 'member'
}

export type DeclineInvitationInput = {
  /** An invite's id, `inv_…` */
  id: string
}

export type ChangePasswordInput = {
  /** The person's present password */
  current: string
  /** At least 12 characters; length matters more than special characters */
  password: string
}

export type ListMembersInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type ListMembersOutput = {
  /** The items of this page */
  data: {
    /** A person's id, `usr_…` */
    user: string
    /** An e-mail address */
    email: string
    /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
    role: 'owner' | 'admin' | 'member'
    /** When they joined */
    created: string
  }[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
}

export type AddMemberInput = {
  /** An e-mail address */
  email: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: 'owner' | 'admin' | 'member'
  /** At least 12 characters; length matters more than special characters */
  password?: string
}

export type AddMemberOutput = {
  /** A person's id, `usr_…` */
  user: string
  /** An e-mail address */
  email: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: 'owner' | 'admin' | 'member'
  /** When they joined */
  created: string
}

export type UpdateMemberInput = {
  /** A person's id, `usr_…` */
  user: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: 'owner' | 'admin' | 'member'
}

export type UpdateMemberOutput = {
  /** A person's id, `usr_…` */
  user: string
  /** An e-mail address */
  email: string
  /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
  role: 'owner' | 'admin' | 'member'
  /** When they joined */
  created: string
}

export type RemoveMemberInput = {
  /** A person's id, `usr_…` */
  user: string
}

export type ListOrgsInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type ListOrgsOutput = {
  /** The items of this page */
  data: {
    /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string
    /** The organisation's name: one line, not blank, at most 120 characters */
    name: string
    /** When it was created */
    created: string
    /** When it was last changed */
    updated: string
  }[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
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
  /** The first owner */
  owner: {
    /** A person's id, `usr_…` */
    user: string
    /** An e-mail address */
    email: string
  }
  /** An unlimited secret key of the owner. It is returned only this once */
  key: string
}

export type GetOrgInput = {
  /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
}

export type GetOrgOutput = {
  /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The organisation's name: one line, not blank, at most 120 characters */
  name: string
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
}

export type UpdateOrgInput = {
  /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The organisation's name: one line, not blank, at most 120 characters */
  name: string
}

export type UpdateOrgOutput = {
  /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The organisation's name: one line, not blank, at most 120 characters */
  name: string
  /** When it was created */
  created: string
  /** When it was last changed */
  updated: string
}

export type DeleteOrgInput = {
  /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** The slug again, to confirm: lower-case letters, digits and inner hyphens, at most 40 characters */
  confirm: string
}

export type ListSessionsInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type ListSessionsOutput = {
  /** The items of this page */
  data: {
    /** A sign-in's id, `sin_…` */
    id: string
    /** A person's id, `usr_…` */
    user: string
    /** An e-mail address */
    email: string
    /** The client id of the app */
    app: string
    /** When the person signed in */
    created: string
  }[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
}

export type EndSessionInput = {
  /** A sign-in's id, `sin_…` */
  id: string
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

export type ListWorkspacesInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type ListWorkspacesOutput = {
  /** The items of this page */
  data: {
    /** A workspace's id, `wsp_…` */
    id: string
    /** The workspace's name: one line, not blank, at most 120 characters */
    name: string
    /** When it was created */
    created: string
  }[]
  /** Send it as `after` to get the next page; empty on the last page */
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
  /** When the token expires, at most a year from now; 30 days from now if omitted */
  expires?: string
}

export type CreateWorkspaceTokenOutput = {
  /** The token, a JWT. It is returned only this once */
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
  /** The same for people; it is not shown */
  error_description?: string
}

export type GetCsrfInput = Record<string, never>

export type GetCsrfOutput = {
  /** Belongs to this session and ends with it */
  csrfToken: string
  /** How many seconds the token is valid */
  expiresIn: number
}

export type ListKeysInput = {
  /** Whether a key works; only an `active` one does */
  status?: 'active' | 'expired' | 'revoked'
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type ListKeysOutput = {
  /** The items of this page */
  data: {
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
    status: 'active' | 'expired' | 'revoked'
    /** The e-mail address of its owner */
    creator: string
    /** When it was created */
    created: string
    /** When it stops working */
    expires?: string
    /** The entries it is restricted to */
    limit?: string[]
    /** What a key may spend; 0 means no cap */
    budget?: {
      /** Its cap per UTC calendar month, in cents */
      month: number
      /** Its cap in total, in cents */
      total: number
    }
    /** Requests it may make in any 60 seconds */
    rate?: number
    /** What it has spent in total, in cents */
    spend: number
    /** What it has spent in this UTC calendar month, in cents */
    spendMonth: number
    /** When it was last used, to the minute */
    lastUsed?: string
    /** The e-mail address of the person who revoked it */
    revokedBy?: string
    /** When it was revoked */
    revokedAt?: string
  }[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
}

export type CreateKeyInput = {
  /** The key's name: one line, not blank, at most 120 characters */
  name: string
  /** `secret`, the default, is for servers and acts as its owner; `publishable` may be public and writes events */
  type?: 'secret' | 'publishable'
  /** Restricts the key to entries such as `read:risk` or `project:web-shop`; none allows all that its owner may do */
  limit?: string[] | null
  /** What the key may spend; both caps are set together, and one left out is 0 */
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
  status: 'active' | 'expired' | 'revoked'
  /** The e-mail address of its owner */
  creator: string
  /** When it was created */
  created: string
  /** When it stops working */
  expires?: string
  /** The entries it is restricted to */
  limit?: string[]
  /** What a key may spend; 0 means no cap */
  budget?: {
    /** Its cap per UTC calendar month, in cents */
    month: number
    /** Its cap in total, in cents */
    total: number
  }
  /** Requests it may make in any 60 seconds */
  rate?: number
  /** What it has spent in total, in cents */
  spend: number
  /** What it has spent in this UTC calendar month, in cents */
  spendMonth: number
  /** When it was last used, to the minute */
  lastUsed?: string
  /** The e-mail address of the person who revoked it */
  revokedBy?: string
  /** When it was revoked */
  revokedAt?: string
}

export type UpdateKeyInput = {
  /** A key's id, `key_…` */
  id: string
  /** The key's name: one line, not blank, at most 120 characters */
  name?: string
  /** Restricts the key to entries such as `read:risk` or `project:web-shop`; none allows all that its owner may do */
  limit?: string[] | null
  /** What the key may spend; both caps are set together, and one left out is 0 */
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

export type UpdateKeyOutput = {
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
  status: 'active' | 'expired' | 'revoked'
  /** The e-mail address of its owner */
  creator: string
  /** When it was created */
  created: string
  /** When it stops working */
  expires?: string
  /** The entries it is restricted to */
  limit?: string[]
  /** What a key may spend; 0 means no cap */
  budget?: {
    /** Its cap per UTC calendar month, in cents */
    month: number
    /** Its cap in total, in cents */
    total: number
  }
  /** Requests it may make in any 60 seconds */
  rate?: number
  /** What it has spent in total, in cents */
  spend: number
  /** What it has spent in this UTC calendar month, in cents */
  spendMonth: number
  /** When it was last used, to the minute */
  lastUsed?: string
  /** The e-mail address of the person who revoked it */
  revokedBy?: string
  /** When it was revoked */
  revokedAt?: string
}

export type DeleteKeyInput = {
  /** A key's id, `key_…` */
  id: string
}

export type StartLoginInput = {
  /** The path on this host the browser is sent to after sign-in; by default it is sent to the person's account page */
  to?: string
}

export type LogoutInput = Record<string, never>

// The products an organisation builds; resources of a product name its project.

export type ListProjectsInput = {
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type ListProjectsOutput = {
  /** The items of this page */
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
  /** Send it as `after` to get the next page; empty on the last page */
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
  /** How many to return; default 50, at most 200 */
  limit?: number
  /** The `next` of the previous page; omitted or empty for the first page */
  after?: string
}

export type ListDomainsOutput = {
  /** The items of this page */
  data: {
    /** The name in lower case and ASCII */
    host: string
    /** `live` once it is verified */
    status: 'pending' | 'live'
    /** Whether its TXT record was found */
    verified: boolean
    /** The DNS records that the host needs to become and to stay verified */
    records: {
      /** The type of the record */
      type: 'TXT'
      /** Where to set it */
      name: string
      /** What it must contain */
      value: string
    }[]
    /** When it was attached */
    created: string
    /** How many daily checks in a row did not find the TXT record of a live host; after 3 it is pending. Absent if the last one found it */
    missedChecks?: number
    /** What the check found; only in the answer of a check */
    detail?: string
  }[]
  /** Send it as `after` to get the next page; empty on the last page */
  next: string
}

export type AttachDomainInput = {
  /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
  slug: string
  /** A host name, such as shop.example.com, without scheme, port or wildcard */
  host: string
}

export type AttachDomainOutput = {
  /** The name in lower case and ASCII */
  host: string
  /** `live` once it is verified */
  status: 'pending' | 'live'
  /** Whether its TXT record was found */
  verified: boolean
  /** The DNS records that the host needs to become and to stay verified */
  records: {
    /** The type of the record */
    type: 'TXT'
    /** Where to set it */
    name: string
    /** What it must contain */
    value: string
  }[]
  /** When it was attached */
  created: string
  /** How many daily checks in a row did not find the TXT record of a live host; after 3 it is pending. Absent if the last one found it */
  missedChecks?: number
  /** What the check found; only in the answer of a check */
  detail?: string
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

export type VerifyDomainOutput = {
  /** The name in lower case and ASCII */
  host: string
  /** `live` once it is verified */
  status: 'pending' | 'live'
  /** Whether its TXT record was found */
  verified: boolean
  /** The DNS records that the host needs to become and to stay verified */
  records: {
    /** The type of the record */
    type: 'TXT'
    /** Where to set it */
    name: string
    /** What it must contain */
    value: string
  }[]
  /** When it was attached */
  created: string
  /** How many daily checks in a row did not find the TXT record of a live host; after 3 it is pending. Absent if the last one found it */
  missedChecks?: number
  /** What the check found; only in the answer of a check */
  detail?: string
}

// Reference sets for risk decisions, with an organisation's own overrides.

export type ListReferenceInput = Record<string, never>

export type ListReferenceOutput = {
  /** Every set, always in the same order */
  sets: {
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
    sources: {
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
    }[]
  }[]
  /** Sets older than their maximum age */
  stale: string[]
  /** Sets that cannot be consulted: a key checked against one is unknown, not clean */
  refused: string[]
}

export type RefreshReferenceInput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** Accepts a list that grew or shrank more than tenfold; never one that is empty or cannot be read */
  force?: boolean
  /** Only for sets that are stored elsewhere */
  receipts?: {
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
  }[]
}

export type RefreshReferenceOutput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** The version of the set after the refresh */
  version: string
  /** Whether the set is still older than its maximum age */
  stale: boolean
  /** The result for each source */
  took: {
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
  }[]
}

export type ResolveReferenceInput = {
  /** What to look up; at most 100 keys */
  keys: string[]
  /** Which sets to consult; by default every set that can read a key */
  sets?: string[]
}

export type ResolveReferenceOutput = {
  /** One for each set and key consulted */
  answers: {
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
    /** What an override says of its key: `deny` counts as a member of the set, `allow` does not */
    verdict?: 'allow' | 'deny'
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
  }[]
  /** Every set that took part */
  consulted: {
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
  }[]
  /** Consulted sets that are older than their maximum age */
  stale: string[]
  /** Sets that could not be consulted: a key checked against one is unknown, not clean */
  refused: string[]
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
  set: {
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
    sources: {
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
    }[]
  }
  /** The overrides of this page */
  overrides: {
    /** What it is about, in its normal form */
    key: string
    /** What an override says of its key: `deny` counts as a member of the set, `allow` does not */
    verdict: 'allow' | 'deny'
    /** The reason that was given */
    note?: string
    /** The e-mail address of the person who wrote it */
    by: string
    /** When it was written */
    at: string
  }[]
  /** The value of `after` for the next page; empty on the last page */
  next: string
}

export type SetReferenceInput = {
  /** The name of a set; GET /v1/risk/reference lists them */
  set: string
  /** The overrides; of several on the same key the last one counts */
  entries: {
    /** What to look up: an e-mail address or domain, an IP address or network, a card number prefix, a user agent, an AS number or a digest; at most 512 bytes */
    key: string
    /** What an override says of its key: `deny` counts as a member of the set, `allow` does not */
    verdict: 'allow' | 'deny'
    /** Why, at most 512 bytes */
    note?: string
  }[]
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

export type Stoa = ReturnType<typeof createStoa>

export function createStoa(options: StoaOptions) {
  const host = connect(options)
  return {
    // The host itself.

    /**
     * List the services of this host.
     * `GET /v1`
     */
    listServices: (input: ListServicesInput = {}, options?: CallOptions) =>
      host.call<ListServicesOutput>('GET', '/v1', input, options),

    /**
     * Check whether the host can serve requests; a 503 names the engine that is down.
     * `GET /v1/health`
     */
    getHealth: (input: GetHealthInput = {}, options?: CallOptions) =>
      host.call<GetHealthOutput>('GET', '/v1/health', input, options),

    /**
     * Get this API as an OpenAPI 3.1 document.
     * `GET /v1/openapi.json`
     */
    getOpenapi: (input: GetOpenapiInput = {}, options?: CallOptions) =>
      host.send('GET', '/v1/openapi.json', input, options),

    // Organisations, their members and apps, and the audit trail.

    /**
     * Lists the organisation's apps, by client id and brand.
     * `GET /v1/iam/apps`
     */
    listApps: (input: ListAppsInput = {}, options?: CallOptions) =>
      host.call<ListAppsOutput>('GET', '/v1/iam/apps', input, options),

    /** The same, as an iterator over the items of all pages. */
    listAppsAll: (input: ListAppsInput = {}, options?: CallOptions) =>
      host.all<ListAppsOutput['data'][number]>('GET', '/v1/iam/apps', input, options),

    /**
     * Registers an app; for a confidential app, only this response contains the secret.
     * `POST /v1/iam/apps`
     */
    createApp: (input: CreateAppInput, options?: CallOptions) =>
      host.call<CreateAppOutput>('POST', '/v1/iam/apps', input, options),

    /**
     * Returns one app, without its secret.
     * `GET /v1/iam/apps/{id}`
     */
    getApp: (input: GetAppInput, options?: CallOptions) =>
      host.call<GetAppOutput>('GET', '/v1/iam/apps/{id}', input, options),

    /**
     * Changes the given fields of an app.
     * `PATCH /v1/iam/apps/{id}`
     */
    updateApp: (input: UpdateAppInput, options?: CallOptions) =>
      host.call<UpdateAppOutput>('PATCH', '/v1/iam/apps/{id}', input, options),

    /**
     * Deletes an app; people can no longer sign in to it, and its tokens end.
     * `DELETE /v1/iam/apps/{id}`
     */
    deleteApp: (input: DeleteAppInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/iam/apps/{id}', input, options),

    /**
     * Replaces the secret of a confidential app immediately, and returns the new one.
     * `POST /v1/iam/apps/{id}/secret`
     */
    rotateAppSecret: (input: RotateAppSecretInput, options?: CallOptions) =>
      host.call<RotateAppSecretOutput>('POST', '/v1/iam/apps/{id}/secret', input, options),

    /**
     * Lists the audit trail: who did what to which object, when and from where, newest first.
     * `GET /v1/iam/audit`
     */
    listAudit: (input: ListAuditInput = {}, options?: CallOptions) =>
      host.call<ListAuditOutput>('GET', '/v1/iam/audit', input, options),

    /** The same, as an iterator over the items of all pages. */
    listAuditAll: (input: ListAuditInput = {}, options?: CallOptions) =>
      host.all<ListAuditOutput['data'][number]>('GET', '/v1/iam/audit', input, options),

    /**
     * Lists the open invites, newest first.
     * `GET /v1/iam/invites`
     */
    listInvites: (input: ListInvitesInput = {}, options?: CallOptions) =>
      host.call<ListInvitesOutput>('GET', '/v1/iam/invites', input, options),

    /** The same, as an iterator over the items of all pages. */
    listInvitesAll: (input: ListInvitesInput = {}, options?: CallOptions) =>
      host.all<ListInvitesOutput['data'][number]>('GET', '/v1/iam/invites', input, options),

    /**
     * Invites a person by mail, with a link that is valid for a week; an earlier invite to the same address ends.
     * `POST /v1/iam/invites`
     */
    createInvite: (input: CreateInviteInput, options?: CallOptions) =>
      host.call<CreateInviteOutput>('POST', '/v1/iam/invites', input, options),

    /**
     * Withdraws an invite: its link is no longer valid.
     * `DELETE /v1/iam/invites/{id}`
     */
    deleteInvite: (input: DeleteInviteInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/iam/invites/{id}', input, options),

    /**
     * Returns the caller, their organisation and the credential in use.
     * `GET /v1/iam/me`
     */
    getMe: (input: GetMeInput = {}, options?: CallOptions) =>
      host.call<GetMeOutput>('GET', '/v1/iam/me', input, options),

    /**
     * Changes the caller's name, which apps see with the scope `profile`.
     * `PATCH /v1/iam/me`
     */
    updateMe: (input: UpdateMeInput, options?: CallOptions) =>
      host.call<UpdateMeOutput>('PATCH', '/v1/iam/me', input, options),

    /**
     * Mails a link to a new address, with which the caller's account is moved to it.
     * `POST /v1/iam/me/email`
     */
    changeEmail: (input: ChangeEmailInput, options?: CallOptions) =>
      host.call<ChangeEmailOutput>('POST', '/v1/iam/me/email', input, options),

    /**
     * Lists the open invitations to the caller's address, newest first.
     * `GET /v1/iam/me/invitations`
     */
    listMyInvitations: (input: ListMyInvitationsInput = {}, options?: CallOptions) =>
      host.call<ListMyInvitationsOutput>('GET', '/v1/iam/me/invitations', input, options),

    /** The same, as an iterator over the items of all pages. */
    listMyInvitationsAll: (input: ListMyInvitationsInput = {}, options?: CallOptions) =>
      host.all<ListMyInvitationsOutput['data'][number]>('GET', '/v1/iam/me/invitations', input, options),

    /**
     * Accepts an invitation: the caller becomes a member of the organisation.
     * `POST /v1/iam/me/invitations/{id}/accept`
     */
    acceptInvitation: (input: AcceptInvitationInput, options?: CallOptions) =>
      host.call<AcceptInvitationOutput>('POST', '/v1/iam/me/invitations/{id}/accept', input, options),

    /**
     * Declines an invitation: it ends, and its link is no longer valid.
     * `POST /v1/iam/me/invitations/{id}/decline`
     */
    declineInvitation: (input: DeclineInvitationInput, options?: CallOptions) =>
      host.call<void>('POST', '/v1/iam/me/invitations/{id}/decline', input, options),

    /**
     * Changes the caller's password and ends all their other sign-ins.
     * `POST /v1/iam/me/password`
     */
    changePassword: (input: ChangePasswordInput, options?: CallOptions) =>
      host.call<void>('POST', '/v1/iam/me/password', input, options),

    /**
     * Lists the organisation's members, by e-mail address.
     * `GET /v1/iam/members`
     */
    listMembers: (input: ListMembersInput = {}, options?: CallOptions) =>
      host.call<ListMembersOutput>('GET', '/v1/iam/members', input, options),

    /** The same, as an iterator over the items of all pages. */
    listMembersAll: (input: ListMembersInput = {}, options?: CallOptions) =>
      host.all<ListMembersOutput['data'][number]>('GET', '/v1/iam/members', input, options),

    /**
     * Creates the account of a new member; whoever has an account already, or is to be more, is invited instead.
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
     * Removes a member and ends their keys and sessions immediately; members can remove themselves.
     * `DELETE /v1/iam/members/{user}`
     */
    removeMember: (input: RemoveMemberInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/iam/members/{user}', input, options),

    /**
     * Lists the caller's organisation, or all organisations for superadmins, by slug.
     * `GET /v1/iam/orgs`
     */
    listOrgs: (input: ListOrgsInput = {}, options?: CallOptions) =>
      host.call<ListOrgsOutput>('GET', '/v1/iam/orgs', input, options),

    /** The same, as an iterator over the items of all pages. */
    listOrgsAll: (input: ListOrgsInput = {}, options?: CallOptions) =>
      host.all<ListOrgsOutput['data'][number]>('GET', '/v1/iam/orgs', input, options),

    /**
     * Creates an organisation with its owner; `key` is an unlimited key of the owner, returned only this once.
     * `POST /v1/iam/orgs`
     */
    createOrg: (input: CreateOrgInput, options?: CallOptions) =>
      host.call<CreateOrgOutput>('POST', '/v1/iam/orgs', input, options),

    /**
     * Returns one organisation.
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
     * Deletes an organisation and all its data; `confirm` must repeat its slug, which is not used again.
     * `DELETE /v1/iam/orgs/{slug}`
     */
    deleteOrg: (input: DeleteOrgInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/iam/orgs/{slug}', input, options),

    /**
     * Lists the caller's sign-ins, or all of the organisation for an owner or admin, newest first.
     * `GET /v1/iam/sessions`
     */
    listSessions: (input: ListSessionsInput = {}, options?: CallOptions) =>
      host.call<ListSessionsOutput>('GET', '/v1/iam/sessions', input, options),

    /** The same, as an iterator over the items of all pages. */
    listSessionsAll: (input: ListSessionsInput = {}, options?: CallOptions) =>
      host.all<ListSessionsOutput['data'][number]>('GET', '/v1/iam/sessions', input, options),

    /**
     * Ends a sign-in immediately, with its tokens and its browser session.
     * `DELETE /v1/iam/sessions/{id}`
     */
    endSession: (input: EndSessionInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/iam/sessions/{id}', input, options),

    /**
     * Publishes new signing keys, which sign after an hour; old keys stay published until their tokens have expired.
     * `POST /v1/iam/signing-keys`
     */
    rotateSigningKeys: (input: RotateSigningKeysInput = {}, options?: CallOptions) =>
      host.call<RotateSigningKeysOutput>('POST', '/v1/iam/signing-keys', input, options),

    /**
     * Lists the organisation's workspaces, newest first.
     * `GET /v1/iam/workspaces`
     */
    listWorkspaces: (input: ListWorkspacesInput = {}, options?: CallOptions) =>
      host.call<ListWorkspacesOutput>('GET', '/v1/iam/workspaces', input, options),

    /** The same, as an iterator over the items of all pages. */
    listWorkspacesAll: (input: ListWorkspacesInput = {}, options?: CallOptions) =>
      host.all<ListWorkspacesOutput['data'][number]>('GET', '/v1/iam/workspaces', input, options),

    /**
     * Creates a workspace.
     * `POST /v1/iam/workspaces`
     */
    createWorkspace: (input: CreateWorkspaceInput, options?: CallOptions) =>
      host.call<CreateWorkspaceOutput>('POST', '/v1/iam/workspaces', input, options),

    /**
     * Deletes a workspace; its tokens end immediately.
     * `DELETE /v1/iam/workspaces/{id}`
     */
    deleteWorkspace: (input: DeleteWorkspaceInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/iam/workspaces/{id}', input, options),

    /**
     * Issues a token that writes page views, errors and clicks for a workspace; it can be used in browsers.
     * `POST /v1/iam/workspaces/{id}/tokens`
     */
    createWorkspaceToken: (input: CreateWorkspaceTokenInput, options?: CallOptions) =>
      host.call<CreateWorkspaceTokenOutput>('POST', '/v1/iam/workspaces/{id}/tokens', input, options),

    // API keys and browser sessions.

    /**
     * The callback of sign-in: starts the session of the browser and redirects it to the path given at login.
     * `GET /v1/account/callback`
     */
    finishLogin: (input: FinishLoginInput, options?: CallOptions) =>
      host.send('GET', '/v1/account/callback', input, options),

    /**
     * The token a browser session must send as X-CSRF-Token with every write; bearer credentials need none.
     * `GET /v1/account/csrf`
     */
    getCsrf: (input: GetCsrfInput = {}, options?: CallOptions) =>
      host.call<GetCsrfOutput>('GET', '/v1/account/csrf', input, options),

    /**
     * The caller's keys, newest first; for an owner or admin, all keys of the organisation.
     * `GET /v1/account/keys`
     */
    listKeys: (input: ListKeysInput = {}, options?: CallOptions) =>
      host.call<ListKeysOutput>('GET', '/v1/account/keys', input, options),

    /** The same, as an iterator over the items of all pages. */
    listKeysAll: (input: ListKeysInput = {}, options?: CallOptions) =>
      host.all<ListKeysOutput['data'][number]>('GET', '/v1/account/keys', input, options),

    /**
     * Creates a key; only this answer contains the full text of a secret key, in `key`.
     * `POST /v1/account/keys`
     */
    createKey: (input: CreateKeyInput, options?: CallOptions) =>
      host.call<CreateKeyOutput>('POST', '/v1/account/keys', input, options),

    /**
     * Changes the given fields of the caller's own key; null, and for `limit` also [], removes a bound.
     * `PATCH /v1/account/keys/{id}`
     */
    updateKey: (input: UpdateKeyInput, options?: CallOptions) =>
      host.call<UpdateKeyOutput>('PATCH', '/v1/account/keys/{id}', input, options),

    /**
     * Revokes only this key; it stays listed, with who revoked it and when.
     * `DELETE /v1/account/keys/{id}`
     */
    deleteKey: (input: DeleteKeyInput, options?: CallOptions) =>
      host.call<void>('DELETE', '/v1/account/keys/{id}', input, options),

    /**
     * Redirects a browser to sign-in, from which it returns with a session.
     * `GET /v1/account/login`
     */
    startLogin: (input: StartLoginInput = {}, options?: CallOptions) =>
      host.send('GET', '/v1/account/login', input, options),

    /**
     * Signs out: ends the session or token it is called with, and all others from the same sign-in.
     * `POST /v1/account/logout`
     */
    logout: (input: LogoutInput = {}, options?: CallOptions) =>
      host.send('POST', '/v1/account/logout', input, options),

    // The products an organisation builds; resources of a product name its project.

    /**
     * The organisation's projects, by slug.
     * `GET /v1/projects`
     */
    listProjects: (input: ListProjectsInput = {}, options?: CallOptions) =>
      host.call<ListProjectsOutput>('GET', '/v1/projects', input, options),

    /** The same, as an iterator over the items of all pages. */
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

    /** The same, as an iterator over the items of all pages. */
    listDomainsAll: (input: ListDomainsInput, options?: CallOptions) =>
      host.all<ListDomainsOutput['data'][number]>('GET', '/v1/projects/{slug}/domains', input, options),

    /**
     * Attaches a host to the project, pending until it is verified; returns the existing one if already attached.
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
     * Looks up the TXT record; the host becomes live if it is found, and pending if it is missing or was removed.
     * `POST /v1/projects/{slug}/domains/{host}/verify`
     */
    verifyDomain: (input: VerifyDomainInput, options?: CallOptions) =>
      host.call<VerifyDomainOutput>('POST', '/v1/projects/{slug}/domains/{host}/verify', input, options),

    // Reference sets for risk decisions, with an organisation's own overrides.

    /**
     * Lists every set with its version and age. Read `stale` and `refused` first.
     * `GET /v1/risk/reference`
     */
    listReference: (input: ListReferenceInput = {}, options?: CallOptions) =>
      host.call<ListReferenceOutput>('GET', '/v1/risk/reference', input, options),

    /**
     * Imports what the sources of a set publish now; `force` accepts a list that grew or shrank more than tenfold.
     * `POST /v1/risk/reference/refresh`
     */
    refreshReference: (input: RefreshReferenceInput, options?: CallOptions) =>
      host.call<RefreshReferenceOutput>('POST', '/v1/risk/reference/refresh', input, options),

    /**
     * Looks keys up: in the organisation's overrides first, then in the published members. Read `refused` before `hit`.
     * `POST /v1/risk/reference/resolve`
     */
    resolveReference: (input: ResolveReferenceInput, options?: CallOptions) =>
      host.call<ResolveReferenceOutput>('POST', '/v1/risk/reference/resolve', input, options),

    /**
     * Returns one set and the organisation's overrides on it, in key order.
     * `GET /v1/risk/reference/{set}`
     */
    getReference: (input: GetReferenceInput, options?: CallOptions) =>
      host.call<GetReferenceOutput>('GET', '/v1/risk/reference/{set}', input, options),

    /**
     * Writes the organisation's overrides on a set: all of them or none. A key's earlier override is replaced.
     * `PUT /v1/risk/reference/{set}`
     */
    setReference: (input: SetReferenceInput, options?: CallOptions) =>
      host.call<SetReferenceOutput>('PUT', '/v1/risk/reference/{set}', input, options),

    /**
     * Removes an override of the organisation; never a published member.
     * `DELETE /v1/risk/reference/{set}`
     */
    clearReference: (input: ClearReferenceInput, options?: CallOptions) =>
      host.call<ClearReferenceOutput>('DELETE', '/v1/risk/reference/{set}', input, options),
  }
}
