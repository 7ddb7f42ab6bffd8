// Outgoing HTTP over undici. The guard checks the resolved address that is connected to, so a name cannot be checked
// with one address and called with another (DNS rebinding).
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { type Http, HttpFailure, type HttpRequest, type HttpResponse } from '../engines.ts'
import { dispatch } from './dispatch.ts'
import { type AddressGuard, addressGuard } from './guard.ts'

export type HttpOptions = {
  /** Addresses that the guard allows although they are not public. */
  allow: readonly string[]
  /** Additional certificate authorities to trust, in PEM. */
  ca?: string
}

const CONNECT_TIMEOUT_MS = 10_000

export function openHttp(options: HttpOptions): Http {
  const tls = options.ca ? { ca: options.ca } : {}
  const dispatchers = {
    public: new Agent({ connect: guardedConnector(addressGuard(options.allow), tls) }),
    configured: new Agent({ connect: { ...tls, timeout: CONNECT_TIMEOUT_MS } }),
  }
  const close = async () => {
    await Promise.all(Object.values(dispatchers).map(agent => agent.destroy()))
  }
  return { ...httpOver(dispatchers), close }
}

/** The engine over the given dispatchers, which the caller closes; tests pass undici's MockAgent. */
export function httpOver(dispatchers: Record<'public' | 'configured', Dispatcher>): Http {
  async function sendOnce(request: HttpRequest, url: URL, signal: AbortSignal | null): Promise<HttpResponse> {
    const { method, headers, body, bodyBytesMax, stream, timeoutMs, gapMs = timeoutMs } = request
    const head = await dispatch(dispatchers[request.reach ?? 'public'], {
      ...{ url, method, bodyBytesMax, signal, failure: error => failure(error, request.signal) },
      ...(headers && { headers }),
      ...(body && { body }),
      headersTimeout: stream ? timeoutMs : 0,
      bodyTimeout: stream ? gapMs : 0,
    })
    return { ...head, url: url.href }
  }

  return {
    send: async request => {
      const deadline = request.stream ? [] : [AbortSignal.timeout(request.timeoutMs)]
      const signals = request.signal ? [...deadline, request.signal] : deadline
      const signal = signals.length > 1 ? AbortSignal.any(signals) : (signals[0] ?? null)
      let url = new URL(request.url)
      try {
        for (let hops = request.redirects ?? 0; ; hops--) {
          const response = await sendOnce(request, url, signal)
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
    close: async () => {},
  }
}

function guardedConnector(permits: AddressGuard, tls: { ca?: string }): buildConnector.connector {
  const dial = buildConnector({ ...tls, timeout: CONNECT_TIMEOUT_MS })
  // Not dns.lookup: it shares four threads with the file system, and reads /etc/hosts.
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  return (options, callback) => {
    resolve(resolver, options.hostname).then(
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

async function resolve(resolver: Resolver, hostname: string): Promise<string[]> {
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (isIP(bare)) return [bare]
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(bare), resolver.resolve6(bare)])
  const found = [v4, v6].flatMap(outcome => (outcome.status === 'fulfilled' ? outcome.value : []))
  if (found.length === 0)
    throw new HttpFailure('network', `${hostname} has no address`, (v4 as { reason?: unknown }).reason)
  return found
}

function failure(error: unknown, callerSignal?: AbortSignal): Error {
  if (error instanceof HttpFailure) return error
  if (callerSignal?.aborted) return error as Error
  const { name, code, message } = error as { name?: string; code?: string; message?: string }
  if (name === 'TimeoutError' || (String(code).startsWith('UND_ERR_') && String(code).endsWith('_TIMEOUT'))) {
    return new HttpFailure('timeout', 'no response within the timeout', error)
  }
  return new HttpFailure('network', `the call failed: ${code ?? message}`, error)
}
