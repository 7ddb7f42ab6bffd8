// Outgoing HTTP over undici. The guard checks the resolved address that is connected to, so a name cannot be checked
// with one address and called with another (DNS rebinding).
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { SecureContext } from 'node:tls'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { type Http, HttpFailure, type HttpRequest, type HttpResponse } from '../engines.ts'
import { trusting } from '../tls/trusted.ts'
import { dispatch } from './dispatch.ts'
import { type AddressGuard, addressGuard, isLocalhost } from './guard.ts'

export type HttpOptions = {
  /** Addresses that the guard allows although they are private. */
  allow: readonly string[]
  /** Additional certificate authorities to trust, in PEM. */
  ca?: string
  /** Resolvers to use instead of the system's. */
  dns?: readonly string[]
}

const CONNECT_TIMEOUT_MS = 10_000
/** How long an idle connection is kept, whatever the server says: there may be thousands of servers. */
const IDLE = { keepAliveTimeout: 2_000, keepAliveMaxTimeout: 2_000 }
/** The time limit of a DNS look-up before a call, while a caller waits for the answer. */
const LOOK_UP_MS = 3_000

export function openHttp(options: HttpOptions): Http {
  const tls = { secureContext: trusting(options.ca) }
  const permits = addressGuard(options.allow)
  const resolver = newResolver(options.dns ?? [])
  const dispatchers = {
    public: new Agent({ connect: guardedConnector(permits, resolver, tls), ...IDLE }),
    configured: new Agent({ connect: { ...tls, timeout: CONNECT_TIMEOUT_MS } }),
  }
  const close = async () => {
    await Promise.all(Object.values(dispatchers).map(agent => agent.destroy()))
  }
  return { ...httpOver(dispatchers, isPublicBy(permits, resolver)), close }
}

/** The engine over the given dispatchers, which the caller closes; tests pass undici's MockAgent. */
export function httpOver(
  dispatchers: Record<'public' | 'configured', Dispatcher>,
  isPublic: Http['isPublic'] = async () => true,
): Http {
  async function sendOnce(request: HttpRequest, url: URL, untilMs: number): Promise<HttpResponse> {
    const { method, headers, body, bodyBytesMax, stream, timeoutMs, gapMs = timeoutMs } = request
    const head = await dispatch(dispatchers[request.reach ?? 'public'], {
      ...{ url, method, bodyBytesMax, failure: error => failure(error, request.signal) },
      signal: request.signal ?? null,
      timeoutMs: stream ? null : Math.max(untilMs - performance.now(), 0),
      ...(headers && { headers }),
      ...(body && { body }),
      ...(request.onSent && { onSent: request.onSent }),
      headersTimeout: stream ? timeoutMs : 0,
      bodyTimeout: stream ? gapMs : 0,
    })
    return { ...head, url: url.href }
  }

  return {
    send: async request => {
      const untilMs = performance.now() + request.timeoutMs
      let url = new URL(request.url)
      try {
        for (let hops = request.redirects ?? 0; ; hops--) {
          const response = await sendOnce(request, url, untilMs)
          const location = response.headers.location
          if (!request.redirects || response.status < 300 || response.status > 399 || !location) return response
          response.body.destroy()
          if (hops === 0) throw new HttpFailure('redirect', `more than ${request.redirects} redirects`)
          url = new URL(String(location), url)
          if (url.protocol !== 'https:') throw new HttpFailure('redirect', 'redirected to a URL that is not https')
        }
      } catch (error) {
        throw failure(error, request.signal)
      }
    },
    isPublic,
    close: async () => {},
  }
}

function guardedConnector(
  permits: AddressGuard,
  resolver: Resolver,
  tls: { secureContext: SecureContext },
): buildConnector.connector {
  const dial = buildConnector({ ...tls, timeout: CONNECT_TIMEOUT_MS })
  return (options, callback) => {
    resolve(resolver, permits, options.hostname).then(
      addresses => {
        // All addresses must pass: mixing a private address with public ones is a way to bypass a guard.
        if (!addresses.every(permits)) {
          callback(new HttpFailure('address', `${options.hostname} is not a public address`), null)
        } else {
          const servername = options.servername || (isIP(options.hostname) ? '' : options.hostname)
          dial({ ...options, hostname: addresses[0]!, servername }, callback)
        }
      },
      error => callback(error, null),
    )
  }
}

/** Not dns.lookup: it shares four threads with the file system, and reads /etc/hosts. */
function newResolver(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

function isPublicBy(permits: AddressGuard, resolver: Resolver): Http['isPublic'] {
  return async url => {
    const late = wait(LOOK_UP_MS, null, { ref: false })
    const { hostname } = new URL(url)
    const addresses = await Promise.race([resolve(resolver, permits, hostname).catch(() => null), late])
    return addresses === null ? null : addresses.every(permits)
  }
}

const LOOPBACK = ['127.0.0.1', '::1']

async function resolve(resolver: Resolver, permits: AddressGuard, hostname: string): Promise<string[]> {
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (isIP(bare)) return [bare]
  // Name servers need not know it (RFC 6761). Allowing one of the two loopback addresses means that one.
  if (isLocalhost(bare)) return LOOPBACK.some(permits) ? LOOPBACK.filter(permits) : LOOPBACK
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(bare), resolver.resolve6(bare)])
  const found = [v4, v6].flatMap(outcome => (outcome.status === 'fulfilled' ? outcome.value : []))
  if (found.length > 0) return found
  const reasons = [v4, v6].map(
    outcome => (outcome as PromiseRejectedResult).reason as NodeJS.ErrnoException | undefined,
  )
  const failed = reasons.find(reason => reason && !NO_ADDRESS.has(reason.code ?? ''))
  const says = failed ? `could not be looked up: ${failed.code}` : 'has no address'
  throw new HttpFailure('network', `${hostname} ${says}`, failed ?? reasons[0])
}

const NO_ADDRESS = new Set(['ENOTFOUND', 'ENODATA'])

function failure(error: unknown, callerSignal?: AbortSignal): Error {
  if (error instanceof HttpFailure) return error
  if (callerSignal?.aborted) return error as Error
  const { name, code, message } = error as { name?: string; code?: string; message?: string }
  if (name === 'TimeoutError' || (String(code).startsWith('UND_ERR_') && String(code).endsWith('_TIMEOUT'))) {
    return new HttpFailure('timeout', 'no response within the timeout', error)
  }
  return new HttpFailure('network', `the call failed: ${code ?? message}`, error)
}
