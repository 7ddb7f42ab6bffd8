// The identity origin: the six OpenID Connect paths, the sign-in pages, and one constant page for every other path.
// Headers that oidc-provider would trust are overwritten here first.

import { createHash } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { JWK } from 'jose'
import type Provider from 'oidc-provider'
import type { AdapterPayload } from 'oidc-provider'
import type { Engines } from '../engines/engines.ts'
import { clientNetwork } from '../fair/address.ts'
import type { OrgId } from '../kit/caller.ts'
import type { CustomerMails, SignIn } from '../kit/host/sign-in.ts'
import type { AccountPage, App, CustomerAccount, CustomerDirectory, PendingChange } from '../services/iam/public.ts'
import { type AccessToken, tokenVerifier } from './access-tokens.ts'
import { ACCOUNT_PATH, identityAccount } from './account.ts'
import { adapterFactory, claimGrant, grantOrg, isSignedIn, setGrantOrg } from './adapter.ts'
import { ADDRESS_CHANGE, addressChange, addressPath } from './address.ts'
import { isSameBrowser } from './browser-id.ts'
import type { Membership } from './choice.ts'
import { customerAccount } from './customers/account.ts'
import { callbacksOf } from './customers/account-url.ts'
import { customerOptions, dressOf } from './customers/options.ts'
import { CUSTOMER_STEPS } from './customers/steps.ts'
import { readForm, show } from './forms.ts'
import { formPoster } from './in-process.ts'
import { INVITATION, type InvitationOptions, invitation } from './invitation.ts'
import { ownApp } from './own-app.ts'
import { contentPolicy, loggedOutPage, logoutPage, NOTHING_HERE } from './pages.ts'
import { openMailLimiter, type PasswordLimiter, type StartLimiter } from './password-limiter.ts'
import { answerFailure, ENDED, isStartRefused, NO_APP, requestProblem } from './problems.ts'
import { buildProvider, OAUTH_DISCOVERY, PATHS, type ProviderOptions, SIGN_IN_PATH } from './provider.ts'
import { clientNamed, enterRealm } from './realm.ts'
import { inOneRequest, signalOf, thisRequest } from './request.ts'
import { FORGOTTEN_PATH, forgotten, RESET, reset, resetPath } from './reset.ts'
import { signIn } from './sign-in.ts'
import { userInfo } from './userinfo.ts'

/** The organisations, people and apps that sign-in at one brand needs. */
export type Directory = {
  brand: string
  client(id: string, user: string): Promise<Client | null>
  person: ProviderOptions['findPerson']
  memberships(user: string): Promise<Membership[]>
  /** The user id, and the argon2id hash of the password if the account has one. */
  account(email: string): Promise<{ user: string; password: string | null } | null>
  invitation: InvitationOptions['invitation']
  join(token: string, passwordDigest: string | null, address: string): ReturnType<InvitationOptions['join']>
  passwordProblem: InvitationOptions['passwordProblem']
  accountPage: AccountPage
  customerAccount: CustomerAccount
  sendReset(email: string, linkOf: (token: string) => string): Promise<void>
  findReset(token: string): Promise<string | null>
  /** The address of the account; null if the link is no longer valid. */
  finishReset(token: string, passwordDigest: string, address: string): Promise<string | null>
  findAddressChange(token: string): Promise<PendingChange | null>
  finishAddressChange(token: string, address: string, mails: CustomerMails | null): Promise<AddressMoved | null>
  customers: CustomerDirectory
  /** The published keys, active ones first, and the secret that cookies are signed with. */
  keys(): Promise<Keys>
}
type AddressMoved = { user: string; from: string; to: string }
export type Keys = { signing: JWK[]; cookieSecret: string }
export type Client = App & { org: OrgId; secret: string | null }

export type IdentityOptions = {
  engines: Engines
  directory: Directory
  /** `https://id.example.com` */
  issuer: string
  /** The base URL of the API. */
  audience: string
  /** Stoa's own app, with which people sign in to the API itself. */
  own: { client: string; callback: string; loginUrl: string }
  addressOf: (request: IncomingMessage) => string
  limiter: PasswordLimiter
  starts: StartLimiter
  /** The CORS headers for an allowed origin; null for all others. */
  corsHeaders: (origin: string, address: string) => Promise<Record<string, string> | null>
  onError: (error: unknown) => void
  /** Whether an address belongs to a disposable mail provider; null if that is not known. */
  isDisposable: (org: OrgId, email: string) => Promise<boolean | null>
  /** Called when a sign-in is refused because too many were started. */
  onTooMany: () => void
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': contentPolicy(),
  vary: 'Origin',
}

/** The exact paths passed to oidc-provider, which itself ignores case and serves further well-known documents. */
const EXACT: ReadonlySet<string> = new Set([
  ...Object.values(PATHS),
  OAUTH_DISCOVERY,
  `${PATHS.logout}/confirm`,
  `${PATHS.logout}/success`,
])
const RESUME = new RegExp(`^${PATHS.authorize}/([\\w-]{1,64})$`)
const STEP = new RegExp(`^${SIGN_IN_PATH}/[\\w-]{1,64}(/(${CUSTOMER_STEPS.join('|')}))?$`)
/** Set before `overrideHeaders`, which drops CORS headers that are set later. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'Authorization, Content-Type',
  'access-control-max-age': '600',
}
/** The paths that scripts of other origins may call. */
const CROSS_ORIGIN: ReadonlySet<string> = new Set([
  PATHS.discovery,
  OAUTH_DISCOVERY,
  PATHS.jwks,
  PATHS.token,
  PATHS.userinfo,
])

export type Identity = {
  handle: RequestListener
  verifyToken: (text: string) => Promise<AccessToken | null>
  signIn: SignIn
}

export async function openIdentity(options: IdentityOptions): Promise<Identity> {
  const { engines, directory, issuer, audience, own, onError } = options
  const [current, steps] = await Promise.all([openCurrent(options), stepOptions(options)])
  const publicKeys = async () => ({ keys: (await directory.keys()).signing.map(publicPart) })
  const verifyToken = tokenVerifier({ clock: engines.clock, issuer, audience, publicKeys })
  // UserInfo belongs to the issuer, so it also accepts tokens whose audience is an app's own API.
  const verifyAnyToken = tokenVerifier({ clock: engines.clock, issuer, audience: null, publicKeys })
  const forUserInfo = {
    verify: verifyAnyToken,
    isSignedIn: (signIn: string) => isSignedIn(engines, directory.brand, signIn),
    person: directory.person,
    tokenRules: (id: string) => directory.client(id, thisRequest().client),
    audience,
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s)
    const address = options.addressOf(request) // Read first: overrideHeaders deletes the X-Forwarded-* headers.
    const { origin } = request.headers
    const isCrossOrigin = CROSS_ORIGIN.has(path)
    const cors = origin !== undefined && isCrossOrigin ? await options.corsHeaders(origin, address) : null
    const isPreflight = request.method === 'OPTIONS' && isCrossOrigin
    const headers = { ...headersFor(path, issuer), ...cors, ...(cors && isPreflight && PREFLIGHT) }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    overrideHeaders(request, response, new URL(issuer).host)
    // The length of a chunked body is unknown in advance, and the rest of one that is too long is not read.
    if (request.headers['transfer-encoding'] !== undefined) response.shouldKeepAlive = false
    const { provider, toProvider, cookieKey } = current()
    const by = { ...steps, address, provider, cookieKey }
    if (isPreflight) return void response.writeHead(204).end()
    if (request.method === 'POST' && path === PATHS.logout) return logoutByGet(request, response)
    if (path === FORGOTTEN_PATH) return forgotten(by, request, response)
    const resetToken = path.match(RESET)?.[1]
    if (resetToken !== undefined) return reset(by, resetToken, request, response)
    const addressToken = path.match(ADDRESS_CHANGE)?.[1]
    if (addressToken !== undefined) {
      const change = await directory.findAddressChange(addressToken)
      const app = await customerApp(directory, clientNamed(path, query))
      enterRealm(request, response, change?.org ?? null)
      const dress = await dressOf(steps, app && app.org === change?.org ? app : null)
      const mails = dress?.mails ?? (change?.org ? await steps.customers.mails(change.org) : null)
      return addressChange({ ...by, dress, mails }, addressToken, change, request, response)
    }
    const invitationToken = path.match(INVITATION)?.[1]
    if (invitationToken !== undefined) return invitation(by, invitationToken, request, response)
    if (STEP.test(path)) return signIn(by, request, response)
    if (path === ACCOUNT_PATH || path.startsWith(`${ACCOUNT_PATH}/`)) {
      const [named, change] = [clientNamed(path, query), path.slice(ACCOUNT_PATH.length)]
      const app = await customerApp(directory, named)
      if (named !== null && !app && !(await steps.client(named))) return show(response, 404, NO_APP)
      enterRealm(request, response, app?.org ?? null)
      return app ? customerAccount(by, app, change, request, response) : identityAccount(by, change, request, response)
    }
    if (path === PATHS.userinfo) return userInfo(forUserInfo, request, response)
    if (path === PATHS.authorize && isStartRefused(options, query, response)) return
    const resumed = path.match(RESUME)?.[1]
    const interaction = resumed ? await provider.Interaction.find(resumed) : undefined
    // The browser that returns from the sign-in pages must be the one that completed them.
    if (interaction?.result && !isSameBrowser(request, interaction.result.browser)) return show(response, 400, ENDED)
    if (EXACT.has(path) || resumed) {
      const client = interaction ? String(interaction.params.client_id) : clientNamed(path, query)
      enterRealm(request, response, (await customerApp(directory, client))?.org ?? null)
      return toProvider(request, response)
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(NOTHING_HERE)
  }

  const handle: RequestListener = (request, response) => {
    const client = clientNetwork(options.addressOf(request))
    const signal = () => signalOf(response)
    inOneRequest(client, signal, () => answer(request, response)).catch(error =>
      answerFailure(error, response, onError),
    )
  }
  return {
    handle,
    verifyToken,
    signIn: ownApp({ postForm: formPoster(handle), verifyToken, issuer, customerMails: steps.customers.mails, ...own }),
  }
}

/** The app, if it is for customers. */
async function customerApp(directory: Directory, id: string | null): Promise<Client | null> {
  const app = id === null ? null : await directory.client(id, thisRequest().client)
  return app?.people === 'users' ? app : null
}

/** The options of the sign-in and invitation pages, except those that change with the keys. */
async function stepOptions(options: IdentityOptions) {
  const { engines, directory, audience, issuer, own, limiter } = options
  // Verified for unknown accounts, so that they take as long as existing ones.
  const { passwords } = engines
  const dummyHash = await passwords.hash('', 'no account has this password')
  return {
    ...directory,
    limiter,
    audience,
    issuer,
    ownClient: own.client,
    loginUrl: own.loginUrl,
    accountUrl: issuer + ACCOUNT_PATH,
    newBrowserId: () => engines.random.token(20),
    randomToken: (length: number) => engines.random.token(length),
    checkPassword: async (email: string, password: string) => {
      const account = await directory.account(email)
      const { client, signal } = thisRequest()
      const isRight = await passwords.verify(client, account?.password ?? dummyHash, password, signal())
      return isRight && account?.password ? { user: account.user, proof: digestOf(account.password) } : null
    },
    proofOf: async (email: string) => {
      const account = await directory.account(email)
      return account?.password ? digestOf(account.password) : null
    },
    ...resetOptions(options),
    customers: await customerOptions(options),
    addressUrl: (token: string) => issuer + addressPath(token),
    client: (id: string) => directory.client(id, thisRequest().client),
    join: async (token: string, password: string | null, address: string) => {
      const { client, signal } = thisRequest()
      const digest = password === null ? null : await passwords.hash(client, password, signal())
      return directory.join(token, digest, address)
    },
    isMember: async (user: string, clientId: string) => (await directory.person(user, clientId, null)) !== null,
    setGrantOrg: (grantId: string, org: OrgId) => setGrantOrg(engines, directory.brand, grantId, org),
    grantOrg: (grantId: string) => grantOrg(engines, directory.brand, grantId),
    claimGrant: claimGrant.bind(null, engines, directory.brand),
  }
}

/** Limit on mails being prepared in the background. */
const MAILS_PENDING_MAX = 100

function resetOptions({ engines, directory, issuer, onError }: IdentityOptions) {
  const { passwords } = engines
  const countMail = openMailLimiter(engines)
  let pending = 0
  return {
    countMail: async () => (pending < MAILS_PENDING_MAX ? countMail(thisRequest().client) : 1),
    sendReset: (email: string) => {
      pending++
      const sent = directory.sendReset(email, token => issuer + resetPath(token))
      sent.catch(onError).finally(() => pending--)
    },
    findReset: directory.findReset,
    finishAddressChange: async (token: string, address: string, mails: CustomerMails | null) => {
      const change = await directory.finishAddressChange(token, address, mails)
      return change?.to ?? null
    },
    finishReset: async (token: string, password: string, address: string) => {
      const { client, signal } = thisRequest()
      const email = await directory.finishReset(token, await passwords.hash(client, password, signal()), address)
      return email !== null
    },
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** How often the keys are reloaded, so that new ones are used without a restart. */
const KEYS_MAX_AGE_MS = 30_000

type Current = { provider: Provider; toProvider: RequestListener; cookieKey: string; kids: string }

/** Returns the provider for the current keys. Its keys are fixed at construction, so it is rebuilt when they change. */
async function openCurrent(options: IdentityOptions): Promise<() => Current> {
  const { engines, directory } = options
  const build = (keys: Keys): Current => {
    const provider = providerWith(options, keys)
    const toProvider = provider.callback() as RequestListener
    return { provider, toProvider, cookieKey: keys.cookieSecret, kids: kidsOf(keys) }
  }
  let current = build(await directory.keys())
  let checkedMs = engines.clock.elapsedMs()
  const reload = async () => {
    const keys = await directory.keys()
    if (kidsOf(keys) !== current.kids) current = build(keys)
  }
  return () => {
    if (engines.clock.elapsedMs() - checkedMs > KEYS_MAX_AGE_MS) {
      checkedMs = engines.clock.elapsedMs()
      reload().catch(options.onError)
    }
    return current
  }
}

const kidsOf = ({ signing }: Keys) => signing.map(({ kid }) => kid).join()

function providerWith(options: IdentityOptions, keys: Keys): Provider {
  const { engines, directory, issuer, audience, own, onError } = options
  const provider = buildProvider({
    issuer,
    audience,
    keys: keys.signing,
    cookieKeys: [keys.cookieSecret],
    findPerson: async (user, client, grant) => {
      const { person } = thisRequest()
      return person?.of === `${user} ${client} ${grant}` ? person.found : directory.person(user, client, grant)
    },
    ownClient: own.client,
    tokenRules: id => directory.client(id, thisRequest().client),
    claimGrant: claimGrant.bind(null, engines, directory.brand),
    adapter: adapterFactory(engines, directory.brand, async id => {
      const client = await directory.client(id, thisRequest().client)
      return client ? metadataOf(client, callbacksOf(issuer, client), id !== own.client) : undefined
    }),
    page: { error: requestProblem, logout: logoutPage, loggedOut: loggedOutPage },
  })
  provider.on('server_error', (_ctx, error) => onError(error))
  return provider
}

/** Redirects a posted logout to GET: a cross-site POST carries no SameSite=Lax cookies, so oidc-provider would find no
 *  session. */
async function logoutByGet(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const fields = await readForm(request, response)
  response.writeHead(303, { location: `${PATHS.logout}?${fields ?? ''}` }).end()
}

/** Keys and discovery change rarely, and every client fetches them when it starts. */
const CACHED: ReadonlySet<string> = new Set([PATHS.discovery, OAUTH_DISCOVERY, PATHS.jwks])
const CACHED_S = 300
const LOCAL = /^https:\/\/(localhost|127\.|\[::1\])/

function headersFor(path: string, issuer: string): Record<string, string> {
  return {
    ...HEADERS,
    ...(CACHED.has(path) && { 'cache-control': `public, max-age=${CACHED_S}` }),
    // On localhost it would force https on every other server of the developer's machine.
    ...(!LOCAL.test(issuer) && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

/** Browsers send less than 200. The library that reads it takes quadratic time. */
const ACCEPT_CHARS_MAX = 1_000

/** oidc-provider builds URLs from the Host header and allows CORS for every origin on some responses. So Host is set to
 *  the issuer, Origin is removed, and the CORS headers it sets anyway are dropped. */
function overrideHeaders({ headers }: IncomingMessage, response: ServerResponse, host: string): void {
  const setHeader = response.setHeader.bind(response)
  response.setHeader = (name, value) => (/^access-control-/i.test(name) ? response : setHeader(name, value))
  for (const name of Object.keys(headers)) if (name.startsWith('x-forwarded-')) delete headers[name]
  delete headers.origin
  if ((headers.accept?.length ?? 0) > ACCEPT_CHARS_MAX) delete headers.accept
  headers.host = host
  headers['x-forwarded-proto'] = 'https'
}

/** The public part of a key. */
function publicPart({ kty, crv, x, y, n, e, kid, alg, use }: JWK): object {
  return Object.fromEntries(Object.entries({ kty, crv, x, y, n, e, kid, alg, use }).filter(([, value]) => value))
}

function metadataOf(
  { id, name, secret, logoutUris }: Client,
  redirectUris: string[],
  mayRefresh: boolean,
): AdapterPayload {
  return {
    client_id: id,
    client_name: name,
    redirect_uris: redirectUris,
    post_logout_redirect_uris: logoutUris,
    grant_types: ['authorization_code', ...(mayRefresh ? ['refresh_token'] : [])],
    response_types: ['code'],
    ...(secret === null
      ? { token_endpoint_auth_method: 'none' }
      : { token_endpoint_auth_method: 'client_secret_basic', client_secret: secret }),
  }
}
