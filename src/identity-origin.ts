// Puts the identity provider behind a port of its own, with the same door as the API's: TLS, limits, draining. Every brand
// is a provider of its own behind that one port; the name a browser asks for says which.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { BlockList } from 'node:net'
import { decodeJwt } from 'jose'
import { StartRefused } from './config.ts'
import type { Engines } from './engines/engines.ts'
import { arrivalFault, clientAddress, originForm } from './host/arrival.ts'
import { corsHeaders, type Origins } from './host/cors.ts'
import type { Histogram } from './host/histogram.ts'
import { type Listener, passUnread } from './host/listener.ts'
import type { Log } from './host/log.ts'
import { openGuesses } from './identity/guesses.ts'
import { type Identity, type IdentityOptions, openIdentity } from './identity/origin.ts'
import { PATHS, SIGN_IN_PATH } from './identity/provider.ts'
import { formPoster } from './in-process.ts'
import { DEFAULT_BRAND } from './kit/brand.ts'
import type { Fault } from './kit/fault.ts'
import type { IdentityProvider } from './kit/sign-in.ts'
import { CALLBACK_PATH, LOGIN_PATH } from './services/account/public.ts'
import { keepBrands, OWN_CLIENT, openDirectory } from './services/iam/public.ts'

export type IdentityOriginOptions = {
  engines: Engines
  listener: Listener
  requestId: () => string
  trusted: BlockList | null
  log: Log
  /** How browsers reach each brand, the default one first. */
  issuers: ReadonlyMap<string, string>
  /** The base address of the API, which access tokens are for. */
  audience: string
}

/** What the host has that is needed to serve. */
export type Beside = { isVerified: Origins['isVerified']; requests: Pick<Histogram, 'of'> }

export type IdentityOrigin = IdentityProvider & {
  /** Opens the door: until then every request is answered 503. */
  serve(beside: Beside): void
  drain(graceMs: number): Promise<void>
}

export async function openIdentityOrigin(options: IdentityOriginOptions): Promise<IdentityOrigin> {
  const { engines, audience, issuers, listener, log } = options
  if (new Set(issuers.values()).size < issuers.size) throw new StartRefused('STOA_IAM_URL: two brands have one origin')
  const own = { client: OWN_CLIENT, callback: audience + CALLBACK_PATH, loginUrl: audience + LOGIN_PATH }
  await keepBrands(engines, [...issuers.keys()], own.callback)
  const guesses = openGuesses(engines.clock)
  const origins: Origins = { own: new Set([audience, ...issuers.values()]), isVerified: () => false }
  const opened = await Promise.all([...issuers].map(one => openBrand(options, one, origins, { own, guesses })))
  const first = opened[0] as Brand
  return {
    signIn: first.signIn,
    verifyToken: async text =>
      (await opened.find(({ issuer }) => issuer === issuerIn(text))?.verifyToken(text)) ?? null,
    serve: ({ isVerified, requests }) => {
      origins.isVerified = isVerified
      const observe = requests.of('identity.none')
      listener.serve(handler(options, opened, reporter(options, requests)), (id, status, ip) => {
        observe('any', status, 0)
        log.request({ id, operation: 'identity.none', method: 'none', status, ms: 0, ip, caller: null })
      })
    },
    drain: listener.drain,
  }
}

/** Hands each request to the brand whose name it asks for, or to the first. */
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
    const asked = brands.find(({ issuer }) => new URL(issuer).host === request.headers.host?.toLowerCase())
    ;(asked ?? first).handle(request, response)
  }
}

/** By what they are for, of which there are only so many. */
const NAMES = new Map<string, string>(Object.entries(PATHS).map(([name, path]) => [path, name]))

function nameOf(path: string): string {
  const beneath = [SIGN_IN_PATH, PATHS.authorize, PATHS.logout].find(one => path.startsWith(`${one}/`))
  return NAMES.get(beneath ?? path) ?? (beneath ? 'signIn' : 'none')
}

/** Tells in the log and the metrics what became of each request, and in its answer by what name. */
function reporter({ trusted, log, requestId }: IdentityOriginOptions, requests: Pick<Histogram, 'of'>) {
  const observers = new Map([...NAMES.values(), 'signIn', 'none'].map(name => [name, requests.of(`identity.${name}`)]))
  return (request: IncomingMessage, response: ServerResponse): void => {
    const [id, startedMs] = [requestId(), performance.now()]
    const ip = clientAddress(request, trusted) // Before the headers go that tell it.
    const name = nameOf((request.url ?? '').split('?', 1)[0] as string)
    response.setHeader('x-request-id', id)
    response.on('close', () => {
      if (!request.complete) passUnread(request)
      const [method = '', status, ms] = [request.method, response.statusCode, performance.now() - startedMs]
      observers.get(name)?.(method, status, ms / 1000)
      log.request({ id, operation: `identity.${name}`, method, status, ms, ip, caller: null })
    })
  }
}

/** At the door, before anybody looks who it is for. */
function refuse(fault: Fault, response: ServerResponse): void {
  const head = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...fault.headers }
  response.writeHead(fault.status, head).end(`${fault.message}\n`)
}

type Brand = Identity & { issuer: string }

async function openBrand(
  { engines, audience, trusted, log }: IdentityOriginOptions,
  [brand, issuer]: [string, string],
  origins: Origins,
  shared: Pick<IdentityOptions, 'own' | 'guesses'>,
): Promise<Brand> {
  const identity = await openIdentity({
    ...{ ...shared, engines, issuer, audience, directory: await openDirectory(engines, brand) },
    addressOf: request => clientAddress(request, trusted),
    corsHeaders: async origin => corsHeaders(origin, origins),
    failed: error => log.events.error({ err: error, brand }, 'identity'),
    ask: formPoster,
  })
  return { ...identity, issuer }
}

/** Who a token says it is from, which decides whose keys it is checked with. */
function issuerIn(text: string): unknown {
  try {
    return decodeJwt(text).iss
  } catch {
    return undefined // Then it is from nobody here.
  }
}

/** The origins of the brands, those of the settings and the local one where none is set. */
export function issuersFrom(named: ReadonlyMap<string, string>, local: string): Map<string, string> {
  return new Map([[DEFAULT_BRAND, local], ...named])
}
