// The identity origin: the six paths of OpenID Connect, the sign-in pages, and one constant page for everything else. What
// oidc-provider would believe of a request's headers is settled here first.
import { createHash } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { hash, verify } from '@node-rs/argon2'
import type { JWK } from 'jose'
import type Provider from 'oidc-provider'
import type { AdapterPayload } from 'oidc-provider'
import type { Engines } from '../engines/engines.ts'
import type { SignIn } from '../kit/sign-in.ts'
import { type AccessToken, tokenVerifier } from './access-tokens.ts'
import { adapterFactory, chooseOrg, chosenOrg, claimGrant, isSignedIn } from './adapter.ts'
import { isBrowser } from './browser-mark.ts'
import type { Membership } from './choice.ts'
import { readForm, show } from './forms.ts'
import type { Guesses } from './guesses.ts'
import { INVITATION, type InvitationOptions, invitation } from './invitation.ts'
import { type OwnAppOptions, ownApp } from './own-app.ts'
import { contentPolicy, loggedOutPage, logoutPage, NOTHING_HERE } from './pages.ts'
import { answerFailure, queryProblem, requestProblem } from './problems.ts'
import { buildProvider, PATHS, type ProviderOptions, SIGN_IN_PATH } from './provider.ts'
import { inOneRequest } from './request.ts'
import { ENDED, signIn } from './sign-in.ts'
import { userInfo } from './userinfo.ts'

/** What sign-in at one brand needs to know of organisations, people and apps. */
export type Directory = {
  brand: string
  client(id: string): Promise<Client | null>
  person: ProviderOptions['findPerson']
  memberships(user: string): Promise<Membership[]>
  /** Who has that address, and the argon2id hash of their password if they have one. */
  account(email: string): Promise<{ user: string; password: string | null } | null>
  invitation: InvitationOptions['invitation']
  join: InvitationOptions['join']
  passwordProblem: InvitationOptions['passwordProblem']
  /** The published keys, the signing ones first, and what cookies are signed with. */
  keys(): Promise<Keys>
}
export type Keys = { signing: JWK[]; cookieSecret: string }
export type Client = {
  id: string
  name: string
  secret: string | null
  redirectUris: string[]
  logoutUris: string[]
}

export type IdentityOptions = {
  engines: Engines
  directory: Directory
  /** `https://id.example.com` */
  issuer: string
  /** The base address of the API. */
  audience: string
  /** The app by which people sign in to the API's own address, and where there they come back to. */
  own: { client: string; callback: string; loginUrl: string }
  addressOf: (request: IncomingMessage) => string
  guesses: Guesses
  /** The headers by which a page of that origin may read an answer, if it may. */
  corsHeaders: (origin: string) => Promise<Record<string, string> | null>
  failed: (error: unknown) => void
  /** Sends requests to a handler without leaving the process. */
  ask: (handle: RequestListener) => OwnAppOptions['ask']
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': contentPolicy(),
  vary: 'Origin',
}

/** The paths handed on, to the letter: oidc-provider would also take other cases, and further well-known documents. */
const EXACT: ReadonlySet<string> = new Set([
  ...Object.values(PATHS),
  `${PATHS.logout}/confirm`,
  `${PATHS.logout}/success`,
])
const RESUME = new RegExp(`^${PATHS.authorize}/([\\w-]{1,64})$`)
const STEP = new RegExp(`^${SIGN_IN_PATH}/[\\w-]{1,64}$`)
/** Told to scripts of other origins before they call. Set past what keeps oidc-provider from saying it. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'Authorization, Content-Type',
  'access-control-max-age': '600',
}
/** What scripts of other origins may call. */
const CROSS_ORIGIN: ReadonlySet<string> = new Set([PATHS.discovery, PATHS.jwks, PATHS.token, PATHS.userinfo])

export type Identity = {
  handle: RequestListener
  verifyToken: (text: string) => Promise<AccessToken | null>
  signIn: SignIn
}

export async function openIdentity(options: IdentityOptions): Promise<Identity> {
  const { engines, directory, issuer, audience, own, failed } = options
  const [current, steps] = await Promise.all([openCurrent(options), stepOptions(options)])
  const verifyToken = tokenVerifier({
    ...{ clock: engines.clock, issuer, audience },
    publicKeys: async () => ({ keys: (await directory.keys()).signing.map(withoutSecrets) }),
  })
  const forUserInfo = {
    verify: verifyToken,
    isSignedIn: (signIn: string) => isSignedIn(engines, directory.brand, signIn),
    person: directory.person,
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s)
    const address = options.addressOf(request) // Before the headers go that tell it.
    const { origin } = request.headers
    const cors = origin !== undefined && CROSS_ORIGIN.has(path) ? await options.corsHeaders(origin) : null
    for (const [name, value] of Object.entries({ ...headersFor(path, issuer), ...cors }))
      response.setHeader(name, value)
    vouchFor(request, response, new URL(issuer).host)
    // How long such a body is shows in the end, and the rest of one that is too long is read by nobody.
    if (request.headers['transfer-encoding'] !== undefined) response.shouldKeepAlive = false
    const { provider, toProvider, cookieKey } = current()
    if (request.method === 'OPTIONS' && CROSS_ORIGIN.has(path)) {
      return void response.writeHead(204, cors ? PREFLIGHT : {}).end()
    }
    if (request.method === 'POST' && path === PATHS.logout) return logoutByGet(request, response)
    if (STEP.test(path)) return signIn({ ...steps, address, provider, cookieKey }, request, response)
    const invited = path.match(INVITATION)?.[1]
    if (invited) return invitation({ ...steps, address, cookieKey }, invited, request, response)
    if (path === PATHS.userinfo) return userInfo(forUserInfo, request, response)
    if (path === PATHS.authorize) {
      const problem = queryProblem(query)
      if (problem) return show(response, 400, requestProblem(problem))
    }
    const resumed = path.match(RESUME)?.[1]
    if (resumed && !(await beganHere(provider, resumed, request))) return show(response, 400, ENDED)
    if (EXACT.has(path) || resumed) return toProvider(request, response)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(NOTHING_HERE)
  }

  const handle: RequestListener = (request, response) => {
    inOneRequest(() => answer(request, response)).catch(error => answerFailure(error, response, failed))
  }
  return { handle, verifyToken, signIn: ownApp({ ask: options.ask(handle), verifyToken, issuer, ...own }) }
}

/** What the steps of signing in and joining need, but for what changes with the keys. */
async function stepOptions({ engines, directory, audience, own, guesses }: IdentityOptions) {
  const nobody = await hash('nobody has this password')
  return {
    ...directory,
    ...{ guesses, audience, ownClient: own.client, loginUrl: own.loginUrl },
    newMark: () => engines.random.token(20),
    checkPassword: async (email: string, password: string) => {
      const account = await directory.account(email)
      const right = await verify(account?.password ?? nobody, password.normalize('NFKC'))
      return right && account?.password ? { user: account.user, proof: digestOf(account.password) } : null
    },
    isMember: async (user: string, clientId: string) => (await directory.person(user, clientId, null)) !== null,
    chooseOrg: (grantId: string, org: string) => chooseOrg(engines, directory.brand, grantId, org),
    chosenOrg: (grantId: string) => chosenOrg(engines, directory.brand, grantId),
    claimGrant: claimGrant.bind(null, engines, directory.brand),
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** Whether the browser that comes back from the steps of signing in is the one that went through them. */
async function beganHere(provider: Provider, uid: string, request: IncomingMessage): Promise<boolean> {
  const interaction = await provider.Interaction.find(uid)
  return !interaction?.result || isBrowser(request, interaction.result.browser)
}

/** How often keys are looked at: new ones come into use without a restart. */
const KEYS_KEPT_MS = 30_000

type Current = { provider: Provider; toProvider: RequestListener; cookieKey: string; kids: string }

/** The provider with the keys of now. It knows its keys from birth, so new keys mean a new one. */
async function openCurrent(options: IdentityOptions): Promise<() => Current> {
  const { engines, directory } = options
  const build = (keys: Keys): Current => {
    const provider = providerWith(options, keys)
    const toProvider = provider.callback() as RequestListener
    return { provider, toProvider, cookieKey: keys.cookieSecret, kids: kidsOf(keys) }
  }
  let current = build(await directory.keys())
  let lookedMs = engines.clock.elapsedMs()
  const look = async () => {
    const keys = await directory.keys()
    if (kidsOf(keys) !== current.kids) current = build(keys)
  }
  return () => {
    if (engines.clock.elapsedMs() - lookedMs > KEYS_KEPT_MS) {
      lookedMs = engines.clock.elapsedMs()
      look().catch(options.failed)
    }
    return current
  }
}

const kidsOf = ({ signing }: Keys) => signing.map(({ kid }) => kid).join()

function providerWith(options: IdentityOptions, keys: Keys): Provider {
  const { engines, directory, issuer, audience, own, failed } = options
  const provider = buildProvider({
    ...{ issuer, audience, keys: keys.signing, cookieKeys: [keys.cookieSecret], findPerson: directory.person },
    ownClient: own.client,
    claimGrant: claimGrant.bind(null, engines, directory.brand),
    adapter: adapterFactory(engines, directory.brand, async id => {
      const client = await directory.client(id)
      return client ? metadataOf(client, id !== own.client) : undefined
    }),
    page: { error: requestProblem, logout: logoutPage, loggedOut: loggedOutPage },
  })
  provider.on('server_error', (_ctx, error) => failed(error))
  return provider
}

/** oidc-provider takes logout by POST only with cookies that other sites' pages could send along. */
async function logoutByGet(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const fields = await readForm(request, response)
  response.writeHead(303, { location: `${PATHS.logout}?${fields ?? ''}` }).end()
}

/** Keys and what is offered change rarely, and are asked for by every client at every start. */
const CACHED: ReadonlySet<string> = new Set([PATHS.discovery, PATHS.jwks])
const CACHED_S = 300
const LOCAL = /^https:\/\/(localhost|127\.|\[::1\])/

function headersFor(path: string, issuer: string): Record<string, string> {
  return {
    ...HEADERS,
    ...(CACHED.has(path) && { 'cache-control': `public, max-age=${CACHED_S}` }),
    // On localhost it would forbid plain http to whatever else runs on the developer's machine.
    ...(!LOCAL.test(issuer) && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

/** oidc-provider makes URLs of the Host header, and lets every origin read some answers: it is told who we are, and of no
 *  origin, and what it says to origins all the same is not sent. */
function vouchFor({ headers }: IncomingMessage, response: ServerResponse, host: string): void {
  const setHeader = response.setHeader.bind(response)
  response.setHeader = (name, value) => (/^access-control-/i.test(name) ? response : setHeader(name, value))
  for (const name of Object.keys(headers)) if (name.startsWith('x-forwarded-')) delete headers[name]
  delete headers.origin
  headers.host = host
  headers['x-forwarded-proto'] = 'https'
}

/** What anybody may know of a key. */
function withoutSecrets({ kty, crv, x, y, n, e, kid, alg, use }: JWK): object {
  return Object.fromEntries(Object.entries({ kty, crv, x, y, n, e, kid, alg, use }).filter(([, value]) => value))
}

function metadataOf({ id, name, secret, redirectUris, logoutUris }: Client, refreshes: boolean): AdapterPayload {
  return {
    client_id: id,
    client_name: name,
    redirect_uris: redirectUris,
    post_logout_redirect_uris: logoutUris,
    grant_types: ['authorization_code', ...(refreshes ? ['refresh_token'] : [])],
    response_types: ['code'],
    ...(secret === null
      ? { token_endpoint_auth_method: 'none' }
      : { token_endpoint_auth_method: 'client_secret_basic', client_secret: secret }),
  }
}
