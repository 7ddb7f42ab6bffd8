// The door of every operation that is not public: who is it, may they, and are they within their bounds. Whatever is
// refused here is refused before a byte of the body is read.
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../engines/engines.ts'
import type { Writer } from '../kit/caller.ts'
import type { Credentials } from '../kit/credentials.ts'
import type { Operation } from '../kit/operation.ts'
import { authenticate, authorise, requireOwnPage } from './authenticate.ts'
import type { Exchange } from './exchange.ts'
import { requireReach } from './limits.ts'
import type { Rates } from './rates.ts'

export type AdmitOptions = { credentials: Credentials; rates: Rates; engines: { clock: Clock } }
type Headers = Record<string, string>

/** Tells the exchange who is calling, and answers what the answer's head says of the caller's rate. */
export function admit(
  options: AdmitOptions,
  operation: Operation,
  exchange: Exchange,
  request: IncomingMessage,
  query: Record<string, unknown>,
): Headers | null | Promise<Headers | null> {
  const caller = authenticate(request, query, operation.access, options.credentials)
  if (!(caller instanceof Promise)) return enter(options, operation, exchange, request, caller)
  return caller.then(known => enter(options, operation, exchange, request, known))
}

function enter(
  options: AdmitOptions,
  operation: Operation,
  exchange: Exchange,
  request: IncomingMessage,
  caller: Writer,
): Headers | null {
  exchange.caller = caller
  if (caller.credential.kind === 'session') requireOwnPage(request, caller, options.engines.clock)
  return permit(options, operation, exchange.method, caller)
}

/** The same for a caller who is known already. */
export function permit({ rates }: AdmitOptions, operation: Operation, method: string, caller: Writer): Headers | null {
  const { id, rate } = caller.credential
  const headers = rate === null ? null : rates.take(id, rate)
  authorise(operation.access, caller)
  requireReach(operation, method, caller)
  return headers
}
