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
import { listen } from './host/host.ts'
import { createListener, type ListenerOptions } from './host/listener.ts'
import type { Log } from './host/log.ts'
import { requestIds } from './host/server.ts'
import { openGuesses } from './identity/guesses.ts'
import { type Identity, type IdentityOptions, openIdentity } from './identity/origin.ts'
import { PATHS, SIGN_IN_PATH } from './identity/provider.ts'
import { DEFAULT_BRAND } from './kit/brand.ts'
import type { Fault } from './kit/fault.ts'
import { CALLBACK_PATH, LOGIN_PATH } from './services/account/public.ts'
import { keepBrands, OWN_CLIENT, openDirectory } from './services/iam/public.ts'

export type IdentityOriginOptions = {
  engines: Engines
  tls: ListenerOptions['tls']
  trusted: BlockList | null
  log: Log
  requests: Pick<Histogram, 'of'>
  address: { host: string; port: number }
  /** How browsers reach each brand, once the port is known. */
  issuersAt: (port: number) => ReadonlyMap<string, string>
  audience: string
  isVerified: Origins['isVerified']
}

export type IdentityOrigin = Pick<Identity, 'verifyToken' | 'signIn'> & {
  /** Where people of the first brand sign in. */
  url: string
  /** Makes known what sign-in needs to be in the database. */
  register(): Promise<void>
  drain(graceMs: number): Promise<void>
}

export async function openIdentityOrigin(options: IdentityOriginOptions): Promise<IdentityOrigin> {
  const { engines, audience } = options
  let handle: RequestListener = (_request, response) => void response.writeHead(503).end()
  const listener = openListener(options, (request, response) => handle(request, response))
  const port = await listen(listener.server, options.address.host, options.address.port)
  const issuers = options.issuersAt(port)
  if (new Set(issuers.values()).size < issuers.size) throw new StartRefused('STOA_IAM_URL: two brands have one origin')
  const own = { client: OWN_CLIENT, callback: audience + CALLBACK_PATH, loginUrl: audience + LOGIN_PATH }
  const guesses = openGuesses(engines.clock)
  const opened = await Promise.all([...issuers].map(one => openBrand(options, one, issuers, { own, guesses })))
  const first = opened[0] as Brand
  const report = reporter(options)
  handle = (request, response) => {
    report(request, response)
    const refusal = arrivalFault(request, options.trusted)
    if (refusal) return refuse(refusal, response)
    if (!request.url?.startsWith('/')) request.url = originForm(request.url ?? '')
    const asked = opened.find(({ issuer }) => new URL(issuer).host === request.headers.host?.toLowerCase())
    ;(asked ?? first).handle(request, response)
  }
  return {
    url: first.issuer,
    signIn: first.signIn,
    verifyToken: async text =>
      (await opened.find(({ issuer }) => issuer === issuerIn(text))?.verifyToken(text)) ?? null,
    register: () => keepBrands(engines, [...issuers.keys()], own.callback),
    drain: async graceMs => {
      for (const { close } of opened) close()
      await listener.drain(graceMs)
    },
  }
}

function openListener({ engines, tls, trusted, log, requests }: IdentityOriginOptions, handle: RequestListener) {
  const requestId = requestIds(engines.random, 'idr')
  const observe = requests.of('identity.none')
  const refused: ListenerOptions['refused'] = (id, status, ip) => {
    observe('any', status, 0)
    log.request({ id, operation: 'identity.none', method: 'none', status, ms: 0, ip, caller: null })
  }
  return createListener({ tls, trusted, handle, requestId, refused })
}

/** By what they are for, of which there are only so many. */
const NAMES = new Map<string, string>(Object.entries(PATHS).map(([name, path]) => [path, name]))

function nameOf(path: string): string {
  const beneath = [SIGN_IN_PATH, PATHS.authorize, PATHS.logout].find(one => path.startsWith(`${one}/`))
  return NAMES.get(beneath ?? path) ?? (beneath ? 'signIn' : 'none')
}

/** Tells in the log and the metrics what became of each request, and in its answer by what name. */
function reporter({ engines, trusted, log, requests }: IdentityOriginOptions) {
  const requestId = requestIds(engines.random, 'idr')
  const observers = new Map([...NAMES.values(), 'signIn', 'none'].map(name => [name, requests.of(`identity.${name}`)]))
  return (request: IncomingMessage, response: ServerResponse): void => {
    const [id, startedMs] = [requestId(), performance.now()]
    const ip = clientAddress(request, trusted) // Before the headers go that tell it.
    const name = nameOf((request.url ?? '').split('?', 1)[0] as string)
    response.setHeader('x-request-id', id)
    response.on('close', () => {
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
  { engines, audience, isVerified, trusted, log }: IdentityOriginOptions,
  [brand, issuer]: [string, string],
  issuers: ReadonlyMap<string, string>,
  shared: Pick<IdentityOptions, 'own' | 'guesses'>,
): Promise<Brand> {
  const origins = { own: new Set([audience, ...issuers.values()]), isVerified }
  const identity = await openIdentity({
    ...{ ...shared, engines, issuer, audience, directory: await openDirectory(engines, brand) },
    addressOf: request => clientAddress(request, trusted),
    corsHeaders: async origin => corsHeaders(origin, origins),
    failed: error => log.events.error({ err: error, brand }, 'identity'),
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
