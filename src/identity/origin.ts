// Serves the identity provider on a separate port, with the same TLS, limits and draining as the API. Each brand is a
// separate provider on that port, selected by the Host header.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { BlockList } from 'node:net'
import { decodeJwt } from 'jose'
import { type Engines, EngineUnavailable } from '../engines/engines.ts'
import { arrivalFault, clientAddress, originForm } from '../host/arrival.ts'
import { corsHeaders, type Origins } from '../host/cors.ts'
import type { Histogram } from '../host/histogram.ts'
import { discardUnread, type Listener } from '../host/listener.ts'
import type { Log } from '../host/log.ts'
import type { Refusals } from '../host/refusals.ts'
import { UNANSWERED } from '../host/scope.ts'
import type { Fault } from '../kit/fault.ts'
import { DEFAULT_BRAND } from '../kit/host/brand.ts'
import type { IdentityProvider } from '../kit/host/sign-in.ts'
import { StartRefused } from '../kit/setting.ts'
import type { Bounds } from '../kit/table.ts'
import { CALLBACK_PATH, LOGIN_PATH } from '../services/account/public.ts'
import { IssuerChanged, OWN_CLIENT, openDirectory, syncBrands } from '../services/iam/public.ts'
import { ACCOUNT_PATH } from './account.ts'
import { perClient } from './client-db.ts'
import { type Identity, type IdentityOptions, openIdentity } from './identity.ts'
import { openPasswordLimiter, startLimiter } from './password-limiter.ts'
import { OAUTH_DISCOVERY, PATHS, SIGN_IN_PATH } from './provider.ts'

export type IdentityOriginOptions = {
  engines: Engines
  listener: Listener
  requestId: () => string
  trusted: BlockList | null
  log: Log
  /** The public origin of each brand, the default brand first. */
  issuers: ReadonlyMap<string, string>
  /** The origins named in the settings. */
  configured: ReadonlyMap<string, string>
  /** The base URL of the API: the audience of access tokens. */
  audience: string
  /** Pages of these origins may call this origin with credentials. */
  ownOrigins: readonly string[]
  /** How many sign-ins one client address may start per minute. */
  startsPerMinute: number
  refusals: Refusals
  /** How many members an organisation may have. */
  bounds: Bounds
}

/** Supplied by the host once it is ready. */
export type ServeOptions = Pick<IdentityOptions, 'isDisposable'> & {
  isVerified: Origins['isVerified']
  requests: Pick<Histogram, 'of'>
}

export type IdentityOrigin = IdentityProvider & {
  /** Starts serving; until then every request is answered 503. */
  serve(options: ServeOptions): void
  drain(graceMs: number): Promise<void>
}

export async function openIdentityOrigin(options: IdentityOriginOptions): Promise<IdentityOrigin> {
  const { engines, audience, issuers, listener, log } = options
  if (new Set(issuers.values()).size < issuers.size)
    throw new StartRefused('STOA_IAM_URL: two brands have the same origin')
  const own = { client: OWN_CLIENT, callback: audience + CALLBACK_PATH, loginUrl: audience + LOGIN_PATH }
  await syncBrands(engines, issuers, options.configured, own.callback).catch(error => {
    throw error instanceof IssuerChanged ? issuerRefused(error, issuers) : error
  })
  const limiter = openPasswordLimiter({ ...engines, db: perClient(engines.db) })
  const starts = startLimiter(engines.clock, options.startsPerMinute)
  // Unused until the host is ready: nothing is served before.
  const asked: Pick<IdentityOptions, 'isDisposable'> = { isDisposable: async () => null }
  const isDisposable: IdentityOptions['isDisposable'] = (org, email) => asked.isDisposable(org, email)
  const origins: Origins = { own: new Set(options.ownOrigins), isVerified: () => false }
  const opened = await Promise.all(
    [...issuers].map(entry => openBrand(options, entry, origins, { own, limiter, starts, isDisposable })),
  )
  const first = opened[0] as Brand
  return {
    signIn: first.signIn,
    verifyToken: async text =>
      (await opened.find(({ issuer }) => issuer === issuerIn(text))?.verifyToken(text)) ?? null,
    serve: ({ isVerified, isDisposable, requests }) => {
      origins.isVerified = isVerified
      asked.isDisposable = isDisposable
      const observe = requests.of('identity.none')
      listener.serve(handler(options, opened, reporter(options, requests)), (id, fault, ip) => {
        observe('any', fault.status, 0)
        log.refused(id, 'identity.none', fault, ip)
      })
    },
    drain: listener.drain,
  }
}

function issuerRefused({ brand, before }: IssuerChanged, issuers: ReadonlyMap<string, string>): StartRefused {
  const which = brand === DEFAULT_BRAND ? 'the issuer' : `the issuer of the brand ${brand}`
  return new StartRefused(
    `STOA_IAM_URL: ${which} is ${before} in this database and cannot become ${issuers.get(brand)}: apps and tokens are bound to it; set it back`,
  )
}

/** Dispatches each request to the brand whose host it names, or else to the first brand. */
function handler(
  { trusted }: IdentityOriginOptions,
  brands: readonly Brand[],
  report: RequestListener,
): RequestListener {
  const first = brands[0] as Brand
  return (request, response) => {
    report(request, response)
    const refusal = arrivalFault(request, trusted)
    if (refusal) return refuse(refusal, response)
    if (!request.url?.startsWith('/')) request.url = originForm(request.url ?? '')
    const named = brands.find(({ issuer }) => new URL(issuer).host === request.headers.host?.toLowerCase())
    const brand = named ?? first
    brand.handle(request, response)
  }
}

/** Operation names by path: a fixed set, so that logs and metrics have bounded labels. */
const NAMES = new Map<string, string>([
  ...Object.entries(PATHS).map(([name, path]) => [path, name] as const),
  [OAUTH_DISCOVERY, 'discovery'],
  [ACCOUNT_PATH, 'account'],
])

function nameOf(path: string): string {
  const parent = [SIGN_IN_PATH, ACCOUNT_PATH, PATHS.authorize, PATHS.logout].find(prefix =>
    path.startsWith(`${prefix}/`),
  )
  return NAMES.get(parent ?? path) ?? (parent ? 'signIn' : 'none')
}

/** Logs and counts each request, and returns its id in `X-Request-Id`. */
function reporter({ trusted, log, requestId }: IdentityOriginOptions, requests: Pick<Histogram, 'of'>) {
  const observers = new Map([...NAMES.values(), 'signIn', 'none'].map(name => [name, requests.of(`identity.${name}`)]))
  return (request: IncomingMessage, response: ServerResponse): void => {
    const id = requestId()
    const startedMs = performance.now()
    const ip = clientAddress(request, trusted) // Read first: the brand's handler deletes the X-Forwarded-* headers.
    const name = nameOf((request.url ?? '').split('?', 1)[0] as string)
    response.setHeader('x-request-id', id)
    response.on('close', () => {
      if (!request.complete) discardUnread(request)
      const { method = '' } = request
      const status = response.headersSent ? response.statusCode : UNANSWERED
      const ms = performance.now() - startedMs
      observers.get(name)?.(method, status, ms / 1000)
      log.request({ id, operation: `identity.${name}`, method, status, ms, ip, caller: null })
    })
  }
}

function refuse(fault: Fault, response: ServerResponse): void {
  const head = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...fault.headers }
  response.writeHead(fault.status, head).end(`${fault.message}\n`)
}

type Brand = Identity & { issuer: string }

async function openBrand(
  options: IdentityOriginOptions,
  [brand, issuer]: [string, string],
  origins: Origins,
  shared: Pick<IdentityOptions, 'own' | 'limiter' | 'starts' | 'isDisposable'>,
): Promise<Brand> {
  const { audience, trusted, log, bounds } = options
  const engines = { ...options.engines, db: perClient(options.engines.db) }
  const onError = (error: unknown) => {
    if (error instanceof EngineUnavailable) options.refusals.count(`identity_${error.engine}_${error.state}`, error)
    else log.events.error({ err: error, brand }, 'identity')
  }
  const identity = await openIdentity({
    ...shared,
    engines,
    issuer,
    audience,
    directory: await openDirectory(engines, brand, { bounds, source: audience }),
    addressOf: request => clientAddress(request, trusted),
    corsHeaders: async (origin, address) => corsHeaders(origin, address, origins),
    onError,
    onTooMany: () => options.refusals.count('sign_ins_per_address'),
  })
  return { ...identity, issuer }
}

/** The unverified issuer of a token, which selects the brand that verifies it. */
function issuerIn(text: string): unknown {
  try {
    return decodeJwt(text).iss
  } catch {
    return undefined // Not a JWT.
  }
}

/** The origin of each brand: `named` from the settings, and `local` for the default brand unless it is named. */
export function issuersFrom(named: ReadonlyMap<string, string>, local: string): Map<string, string> {
  return new Map([[DEFAULT_BRAND, local], ...named])
}
