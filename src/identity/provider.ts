// Configures oidc-provider: authorization code with PKCE as the only flow, JWT access tokens for the API, rotating
// refresh tokens.
import { createHmac } from 'node:crypto'
import type { JWK } from 'jose'
import Provider, {
  type Adapter,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import { EngineUnavailable } from '../engines/engines.ts'
import { jsonBody } from '../kit/answer.ts'
import { contentPolicy, continuePage } from './pages.ts'
import { payloadAsRead, thisRequest } from './request.ts'

export const PATHS = {
  discovery: '/.well-known/openid-configuration',
  authorize: '/v1/iam/oauth/authorize',
  token: '/v1/iam/oauth/token',
  userinfo: '/v1/iam/oauth/userinfo',
  jwks: '/v1/iam/.well-known/jwks',
  logout: '/v1/iam/oauth/logout',
} as const
/** The same document for OAuth 2.0 clients (RFC 8414), such as MCP clients. */
export const OAUTH_DISCOVERY = '/.well-known/oauth-authorization-server'
const DISCOVERY: ReadonlySet<string> = new Set([PATHS.discovery, OAUTH_DISCOVERY])
/** Fifteen times faster to sign than RS256, which ID tokens use because every client supports it. */
export const ACCESS_TOKEN_ALG = 'ES256'
export const SIGN_IN_PATH = '/sign-in'
export const SESSION_COOKIE = '__Host-stoa-id'
const SCOPES = ['openid', 'profile', 'email']
/** The parameter of an authorization request with which Stoa's own app asks for an organisation. */
export const ORG_PARAM = 'org'

const MINUTE_S = 60
const DAY_S = 24 * 60 * MINUTE_S
export const ACCESS_TOKEN_S = 15 * MINUTE_S
const REFRESH_S = 30 * DAY_S
/** People must sign in again after this time, even if they refresh their tokens. */
const SESSION_S = 90 * DAY_S

/** From the first page to the last. Anyone can start a sign-in, and it is stored for this long. */
const INTERACTION_S = 20 * MINUTE_S

/** A person who may sign in to an app: a member or customer of the app's organisation, or a member of the one they chose. */
export type Person = {
  user: string
  email: string
  emailVerified: boolean
  name: string
  org: string | null
  role: string
  /** Of a customer. */
  metadata?: Record<string, unknown>
}

/** The audience of an app's tokens, null for the API, and their additional claims. */
export type TokenRules = { audience: string | null; claims: readonly string[] }

export type ClaimGrant = (
  session: string,
  claim: { client: string; before: string | null; grant: string },
) => Promise<string>

export type ProviderOptions = {
  issuer: string
  /** The audience of access tokens: the base URL of the API. */
  audience: string
  keys: JWK[]
  cookieKeys: string[]
  adapter: (model: string) => Adapter
  /** The client id of Stoa's own app, where people choose an organisation. */
  ownClient: string
  /** The person as a member of the client's organisation or of the one chosen for the grant; null for non-members. */
  findPerson: (user: string, clientId: string, grantId: string | null) => Promise<Person | null>
  tokenRules: (clientId: string) => Promise<TokenRules | null>
  /** Sets the grant of a session for a client unless another tab was first; returns the grant that is set. */
  claimGrant: ClaimGrant
  /** `error` is called with a description of the app's mistake, or with null for a failure on our side. */
  page: { error: (message: string | null) => string; logout: (form: string) => string; loggedOut: () => string }
}

export function buildProvider(options: ProviderOptions): Provider {
  const { issuer, adapter, page } = options
  const configuration: Configuration = {
    adapter,
    jwks: { keys: options.keys as never },
    ...tokenConfiguration(),
    ...protocolConfiguration(options.cookieKeys),
    // Other apps belong to one organisation.
    extraParams: {
      [ORG_PARAM]: ({ oidc }) => {
        if (oidc.client?.clientId !== options.ownClient) delete oidc.params?.[ORG_PARAM]
      },
    },
    findAccount: (ctx, user, token) =>
      account(options, ctx, user, (token as { grantId?: string } | undefined)?.grantId),
    loadExistingGrant: ctx => grantFor(ctx, options),
    interactions: { policy: signInPolicy(), url: (_ctx, interaction) => `${SIGN_IN_PATH}/${interaction.uid}` },
    renderError: (ctx, { error, error_description }) => {
      ctx.type = 'html'
      ctx.body = page.error(error === 'server_error' ? null : (error_description ?? error))
    },
    features: features(options),
  }
  const provider = new Provider(issuer, configuration)
  renameAtSignIn(provider)
  deriveSuccessors(provider, options.cookieKeys[0] as string)
  // The X-Forwarded-* headers are trusted because origin.ts sets them.
  provider.proxy = true
  const unavailable = new WeakSet<object>()
  provider.on('server_error', (ctx, error) => {
    if (error instanceof EngineUnavailable) unavailable.add(ctx.req)
  })
  provider.use(async (ctx, next) => {
    await next()
    if (unavailable.has(ctx.req)) answerUnavailable(ctx as unknown as KoaContextWithOIDC)
    removeScripts(ctx as unknown as KoaContextWithOIDC)
    writeJson(ctx as unknown as KoaContextWithOIDC)
  })
  return provider
}

/** The library changes a session's id after every interaction, which would sign out the browser's other tabs. Here the id
 *  changes only when a person signs in. */
function renameAtSignIn({ Session }: Provider): void {
  const { resetIdentifier } = Session.prototype
  Session.prototype.resetIdentifier = function () {
    const before = payloadAsRead(`Session ${this.jti}`)
    if (before && before.accountId === this.accountId && before.loginTs === this.loginTs) return
    thisRequest().renamed.add(this.jti)
    resetIdentifier.call(this)
  }
}

/** A refresh token has one successor, derived from the token and a secret; every use within the grace period returns it. If
 *  each use created a new token, a thief and the owner could both keep refreshing. */
function deriveSuccessors({ RefreshToken }: Provider, secret: string): void {
  const { prototype } = RefreshToken as unknown as { prototype: { generateTokenId(): string } }
  const { generateTokenId } = prototype
  prototype.generateTokenId = function () {
    const { replaced } = thisRequest()
    if (replaced === null) return generateTokenId.call(this)
    return createHmac('sha256', secret).update(`successor of ${replaced}`).digest('base64url')
  }
}

function features({ audience, tokenRules, page }: ProviderOptions): NonNullable<Configuration['features']> {
  return {
    devInteractions: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    userinfo: { enabled: true },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) => {
        const returnUri = (ctx.oidc.session?.state as { postLogoutRedirectUri?: string } | undefined)
          ?.postLogoutRedirectUri
        ctx.set('content-security-policy', contentPolicy(returnUri === undefined ? '' : new URL(returnUri).origin))
        ctx.body = page.logout(withClient(form, ctx))
      },
      postLogoutSuccessSource: ctx => {
        ctx.body = page.loggedOut()
      },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: async (_ctx, client) => (await tokenRules(client?.clientId ?? ''))?.audience ?? audience,
      useGrantedResource: () => true,
      getResourceServerInfo: async (_ctx, resource, client) => {
        const own = (await tokenRules(client.clientId))?.audience ?? audience
        if (![own, `${own}/`].includes(resource)) throw new errors.InvalidTarget()
        return {
          scope: SCOPES.join(' '),
          audience: own,
          accessTokenFormat: 'jwt',
          accessTokenTTL: ACCESS_TOKEN_S,
          jwt: { sign: { alg: ACCESS_TOKEN_ALG } },
        }
      },
    },
  }
}

/** Retry-After of a 503, in seconds. */
export const RETRY_S = 2

/** oidc-provider reports an unreachable database as an internal error. */
function answerUnavailable(ctx: KoaContextWithOIDC): void {
  const { body } = ctx
  ctx.status = 503
  ctx.body = typeof body === 'object' ? { ...body, error: 'temporarily_unavailable' } : body
  ctx.set('retry-after', String(RETRY_S))
}

/** With a final newline, like the JSON answers of the API. The content type is set already. */
function writeJson(ctx: KoaContextWithOIDC): void {
  const { body } = ctx
  if (isPlainObject(body)) ctx.body = jsonBody(body)
}

const isPlainObject = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype

/** oidc-provider advertises form_post and renders pages that need a script, and neither can be configured. The content
 *  security policy forbids scripts. */
function removeScripts(ctx: KoaContextWithOIDC): void {
  if (DISCOVERY.has(ctx.path) && ctx.status === 200) {
    ctx.body = { ...(ctx.body as object), response_modes_supported: ['query', 'fragment'] }
  }
  const page = typeof ctx.body === 'string' ? continuePage(ctx.body) : null
  if (page === null) return
  const { Interaction, Session } = ctx.oidc.entities
  const { postLogoutRedirectUri } = (Session?.state ?? {}) as { postLogoutRedirectUri?: string }
  const targets = [Interaction?.params.redirect_uri, postLogoutRedirectUri].filter(uri => typeof uri === 'string')
  ctx.set('content-security-policy', contentPolicy(targets.map(uri => new URL(uri).origin).join(' ')))
  ctx.body = withClient(page, ctx)
}

/** Adds the client id to the sign-out form, because the app selects the session. */
function withClient(html: string, { oidc }: KoaContextWithOIDC): string {
  const { clientId } = (oidc.session?.state ?? {}) as { clientId?: string }
  const client = clientId ?? oidc.client?.clientId ?? oidc.entities.Interaction?.params.client_id
  if (typeof client !== 'string') return html
  return html.replace(`${PATHS.logout}/confirm"`, `${PATHS.logout}/confirm?client_id=${encodeURIComponent(client)}"`)
}

function tokenConfiguration(): Configuration {
  return {
    ttl: {
      AccessToken: ACCESS_TOKEN_S,
      AuthorizationCode: MINUTE_S,
      IdToken: ACCESS_TOKEN_S,
      Interaction: INTERACTION_S,
      Session: SESSION_S,
      Grant: SESSION_S,
      RefreshToken: REFRESH_S,
    },
    issueRefreshToken: (_ctx, client, code) =>
      client.grantTypeAllowed('refresh_token') && code.kind === 'AuthorizationCode',
    rotateRefreshToken: true,
    // Signing out revokes all tokens of the sign-in.
    expiresWithSession: () => true,
    // The account is always set: only the token endpoint issues tokens, after looking up the person of the same grant.
    extraTokenClaims: (ctx, token) => {
      const { person, more } = ctx.oidc.account as unknown as { person: Person; more: object }
      return { owner: person.org, email: person.email, sid: (token as { grantId?: string }).grantId, ...more }
    },
    claims: { openid: ['sub', 'owner', 'role', 'metadata'], profile: ['name'], email: ['email', 'email_verified'] },
    scopes: SCOPES,
  }
}

function protocolConfiguration(cookieKeys: string[]): Configuration {
  const cookie = { httpOnly: true, sameSite: 'lax', secure: true, signed: true } as const
  return {
    routes: {
      authorization: PATHS.authorize,
      token: PATHS.token,
      userinfo: PATHS.userinfo,
      jwks: PATHS.jwks,
      end_session: PATHS.logout,
    },
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'none'],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    clientDefaults: { id_token_signed_response_alg: 'RS256', response_types: ['code'] },
    cookies: {
      keys: cookieKeys,
      names: { session: SESSION_COOKIE, interaction: '__Secure-stoa-id-step', resume: '__Secure-stoa-id-resume' },
      long: { ...cookie, path: '/' },
      short: cookie,
    },
    conformIdTokenClaims: false,
  }
}

async function account(
  { findPerson, tokenRules }: ProviderOptions,
  ctx: KoaContextWithOIDC,
  user: string,
  grantId?: string,
) {
  const clientId = ctx.oidc.client?.clientId
  const person = clientId === undefined ? null : await findPerson(user, clientId, grantId ?? null)
  if (!person) return undefined
  const { email, emailVerified, name, org } = person
  const more = claimsFor(person, await tokenRules(clientId as string))
  return {
    accountId: user,
    person,
    more,
    claims: async () => ({
      sub: user,
      owner: org,
      email,
      email_verified: emailVerified,
      ...(name && { name }),
      ...more,
    }),
  }
}

/** The claims configured for the app. */
export function claimsFor({ role, metadata = {} }: Person, rules: TokenRules | null): object {
  const { claims = [] } = rules ?? {}
  const fields = Object.entries(metadata).filter(([name]) => claims.includes(`metadata.${name}`))
  return {
    ...(claims.includes('role') && { role }),
    ...(fields.length > 0 && { metadata: Object.fromEntries(fields) }),
  }
}

/** A signed-in person who is not a member of the app's organisation is asked to sign in with another account. */
function signInPolicy() {
  const policy = interactionPolicy.base()
  const notAMember = new interactionPolicy.Check(
    'not_a_member',
    'the account that is signed in has no access to this app',
    'login_required',
    ctx => !!ctx.oidc.session?.accountId && !ctx.oidc.account,
  )
  policy.get('login')?.checks.add(notAMember)
  return policy
}

/** Creates the grant without asking for consent: apps belong to the person's own organisation. Stoa's own app gets its
 *  grant in the step in which the person chooses an organisation. */
async function grantFor(ctx: KoaContextWithOIDC, options: ProviderOptions) {
  const { ownClient, claimGrant } = options
  const { client, session, provider, account, result } = ctx.oidc
  if (!client || !session?.accountId || !account) return undefined
  const known = (result?.consent as { grantId?: string } | undefined)?.grantId ?? session.grantIdFor(client.clientId)
  const existing = known ? await provider.Grant.find(known) : undefined
  if (existing || client.clientId === ownClient) return existing
  const audience = (await options.tokenRules(client.clientId))?.audience ?? options.audience
  const grant = await newGrant(provider, { clientId: client.clientId, accountId: session.accountId }, audience)
  const claim = { client: client.clientId, before: known ?? null, grant: grant.jti }
  const claimed = await claimGrant(session.jti, claim)
  if (claimed === grant.jti) return grant
  await grant.destroy()
  return provider.Grant.find(claimed)
}

export async function newGrant(provider: Provider, owner: { clientId: string; accountId: string }, audience: string) {
  const grant = new provider.Grant(owner)
  grant.addOIDCScope(SCOPES.join(' '))
  // Clients that parse the URL of the API add the slash.
  for (const resource of [audience, `${audience}/`]) grant.addResourceScope(resource, SCOPES.join(' '))
  await grant.save()
  return grant
}
