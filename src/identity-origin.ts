// Puts the identity provider behind a port of its own, with the same door as the API's: TLS, limits, draining.
import type { RequestListener } from 'node:http'
import type { BlockList } from 'node:net'
import type { Engines } from './engines/engines.ts'
import { clientAddress } from './host/arrival.ts'
import { corsHeaders, type Origins } from './host/cors.ts'
import { listen } from './host/host.ts'
import { createListener, type ListenerOptions } from './host/listener.ts'
import type { Log } from './host/log.ts'
import { type Identity, openIdentity } from './identity/origin.ts'
import { DEFAULT_BRAND, signInDirectory } from './services/iam/public.ts'

export type IdentityOriginOptions = {
  engines: Engines
  tls: ListenerOptions['tls']
  trusted: BlockList | null
  log: Log
  address: { host: string; port: number }
  /** How browsers reach it, once its port is known. */
  issuerAt: (port: number) => string
  audience: string
  isVerified: Origins['isVerified']
}

export type IdentityOrigin = Pick<Identity, 'verifyToken'> & { url: string; drain(graceMs: number): Promise<void> }

export async function openIdentityOrigin(options: IdentityOriginOptions): Promise<IdentityOrigin> {
  const { engines, tls, trusted, log, audience } = options
  const prefix = `idr_${engines.random.token(12)}`
  let count = 0
  let handle: RequestListener = (_request, response) => void response.writeHead(503).end()
  const listener = createListener({
    ...{ tls, trusted },
    requestId: () => `${prefix}${count++}`,
    refused: () => {},
    handle: (request, response) => handle(request, response),
  })
  const port = await listen(listener.server, options.address.host, options.address.port)
  const issuer = options.issuerAt(port)
  const origins = { own: new Set([audience, issuer]), isVerified: options.isVerified }
  const identity = await openIdentity({
    ...{ engines, issuer, audience, brand: DEFAULT_BRAND, directory: signInDirectory(engines) },
    addressOf: request => clientAddress(request, trusted),
    corsHeaders: async origin => corsHeaders(origin, origins),
    failed: error => log.events.error({ err: error }, 'identity'),
  })
  handle = identity.handle
  const drain = async (graceMs: number) => {
    identity.close()
    await listener.drain(graceMs)
  }
  return { url: issuer, verifyToken: identity.verifyToken, drain }
}
