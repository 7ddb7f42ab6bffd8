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

/** Tells the exchange who is calling. Answers nothing when that could be settled at once. */
export function admit(
  options: AdmitOptions,
  operation: Operation,
  exchange: Exchange,
  request: IncomingMessage,
  query: Record<string, unknown>,
): Promise<void> | undefined {
  const caller = authenticate(request, query, operation.access, options.credentials)
  if (caller instanceof Promise) return caller.then(known => enter(options, operation, exchange, request, known))
  enter(options, operation, exchange, request, caller)
}

function enter(
  { rates, engines }: AdmitOptions,
  operation: Operation,
  exchange: Exchange,
  request: IncomingMessage,
  caller: Writer,
): void {
  exchange.caller = caller
  const { kind, id, rate } = caller.credential
  if (kind === 'session') requireOwnPage(request, caller, engines.clock)
  if (rate !== null) exchange.rate = rates.take(id, rate)
  authorise(operation.access, caller)
  requireReach(operation, exchange.method, caller)
}
