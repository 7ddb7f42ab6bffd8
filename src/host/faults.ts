// Maps thrown errors to faults.
import { type EngineName, EngineUnavailable, HttpFailure } from '../engines/engines.ts'
import { Fault, type FaultCode, type FieldFault } from '../kit/fault.ts'

/** Faults that the host itself may answer, for any operation. */
export const HOST_FAULTS: readonly FaultCode[] = [
  ...(['invalid_input', 'malformed_request', 'credential_required', 'credential_refused', 'forbidden'] as const),
  ...(['https_required', 'method_not_allowed', 'request_timeout', 'body_too_large', 'unsupported_media_type'] as const),
  ...(['key_expired', 'key_replaced', 'key_revoked', 'key_limit', 'key_rate', 'key_budget'] as const),
  ...(['csrf_token_required', 'too_many_tries', 'insufficient_balance', 'not_found'] as const),
  ...(['ingest_key_required', 'ingest_key_unknown', 'headers_too_large', 'expectation_failed'] as const),
  ...(['starting', 'overloaded', 'database_unreachable', 'warehouse_unreachable', 'bus_unreachable'] as const),
]

export function faultFor(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (error instanceof EngineUnavailable) return engineFault(error)
  if (error instanceof HttpFailure) {
    return new Fault('upstream_unreachable', {
      message: 'A service needed for this request did not answer.',
      cause: error,
    })
  }
  // This is the client's connection: engines throw their own error classes.
  if ((error as { code?: unknown } | null)?.code === 'ECONNRESET') {
    return malformed('The connection was closed before the request was complete.', error)
  }
  return new Fault('internal', {
    message: 'Internal error. Try again; if it persists, report the request id.',
    cause: error,
  })
}

export const malformed = (message: string, cause?: unknown) => new Fault('malformed_request', { message, cause })

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

export const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

export const isMethod = (method: string): boolean => (METHODS as readonly string[]).includes(method)

/** For methods that no route supports. */
export const methodUnknown = (method: string) =>
  new Fault('method_not_allowed', {
    message: `The method ${method} is not supported.`,
    headers: { allow: METHODS.join(', ') },
  })

export const bodyTooLarge = (limit: number) =>
  new Fault('body_too_large', { message: `The body is too large; the limit is ${limit} bytes.` })

export const starting = () =>
  new Fault('starting', { message: 'This host is starting. Try again in a moment.', retryAfterS: 1 })

export const stopping = () =>
  new Fault('overloaded', { message: 'This host is stopping. Try again in a moment.', retryAfterS: 1 })

export const orgDeleted = () => new Fault('credential_refused', { message: 'The organisation was deleted.' })

/** The fault for each engine that can be unreachable. The other engines run in this process. */
const UNREACHABLE: Partial<Record<EngineName, [code: FaultCode, message: string, retryAfterS: number]>> = {
  db: ['database_unreachable', 'The database cannot be reached right now. Try again in a moment.', 2],
  warehouse: ['warehouse_unreachable', 'The warehouse cannot be reached right now. Try again in a moment.', 2],
  log: ['bus_unreachable', 'The bus cannot be reached right now. Try again in a moment.', 2],
  mail: ['mail_unreachable', 'The e-mail could not be sent, so nothing was done. Try again later.', 60],
  http: ['upstream_unreachable', 'A service needed for this request did not answer. Try again in a moment.', 2],
  dns: ['upstream_unreachable', 'The name servers did not answer. Try again in a moment.', 2],
}

/** Somebody must free disk space, so a retry within seconds would fail too. */
export const diskFull = (cause: unknown, fields: FieldFault[] = []) =>
  new Fault('database_unreachable', {
    message: 'The disk of the database is full, so nothing can be saved. The operator must free disk space.',
    retryAfterS: 60,
    cause,
    fields,
  })

function engineFault(error: EngineUnavailable): Fault {
  if (error.state === 'unknown') {
    const message =
      'The connection to the database was lost while saving. Check whether the change was saved before you try again.'
    return new Fault('database_unreachable', { message, cause: error })
  }
  if (error.state === 'full') return diskFull(error)
  const unreachable = error.state === 'down' ? UNREACHABLE[error.engine] : undefined
  if (unreachable) {
    const [code, message, retryAfterS] = unreachable
    return new Fault(code, { message, retryAfterS, cause: error })
  }
  const message =
    error.state === 'slow'
      ? 'This took longer than a request may, so nothing was done. Ask for less, for example for a shorter time, or try again later.'
      : 'The host is overloaded; nothing was done. Try again in a moment.'
  return new Fault('overloaded', { message, retryAfterS: 1, cause: error })
}
