// Turns whatever was thrown into the fault that is answered.
import { EngineUnavailable } from '../engines/engines.ts'
import { Fault, type FaultCode } from '../kit/fault.ts'

/** What the host itself may answer, for any operation. */
export const HOST_FAULTS: readonly FaultCode[] = [
  ...(['invalid_input', 'malformed_request', 'credential_required', 'credential_refused', 'forbidden'] as const),
  ...(['https_required', 'method_not_allowed', 'request_timeout', 'body_too_large', 'unsupported_media_type'] as const),
  ...(['key_expired', 'key_revoked', 'key_limit', 'key_rate', 'csrf_token_required'] as const),
  ...(['ingest_key_required', 'ingest_key_unknown'] as const),
  ...(['headers_too_large', 'expectation_failed', 'overloaded', 'database_unreachable'] as const),
]

export function faultFor(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (error instanceof EngineUnavailable) return engineFault(error)
  switch ((error as { code?: unknown } | null)?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge()
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Fault('unsupported_media_type', { message: 'Send the body as application/json.' })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return malformed('The body is not as long as its Content-Length says.', error)
    case 'ECONNRESET': // The client's own connection: engines translate theirs before they throw.
      return malformed('The connection broke before the request was whole.', error)
    case 'FST_ERR_BAD_URL':
      return malformed('The path is not valid percent-encoding.', error)
    default:
      return new Fault('internal', {
        message: 'Something went wrong on our side. Try again; if it stays, tell the operator the request id.',
        cause: error,
      })
  }
}

export const malformed = (message: string, cause?: unknown) => new Fault('malformed_request', { message, cause })

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Methods that only read. */
export const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

export const isMethod = (method: string): boolean => (METHODS as readonly string[]).includes(method)

/** For methods no path here has. */
export const methodUnknown = (method: string) =>
  new Fault('method_not_allowed', {
    message: `${method} is not a method here.`,
    headers: { allow: METHODS.join(', ') },
  })

export function bodyTooLarge(limit?: number): Fault {
  const bound = limit === undefined ? '' : `; the limit here is ${limit} bytes`
  return new Fault('body_too_large', { message: `The body is too large${bound}.`, headers: { connection: 'close' } })
}

function engineFault(error: EngineUnavailable): Fault {
  if (error.state === 'busy') {
    const message = 'Too much is going on right now; nothing was done. Try again in a moment.'
    return new Fault('overloaded', { message, retryAfterS: 1, cause: error })
  }
  if (error.engine === 'mail') {
    const message = 'The mail could not be sent, so nothing was done. Try again later.'
    return new Fault('mail_unreachable', { message, retryAfterS: 60, cause: error })
  }
  const message = 'The database cannot be reached right now. Try again in a moment.'
  return new Fault('database_unreachable', { message, retryAfterS: 2, cause: error })
}
