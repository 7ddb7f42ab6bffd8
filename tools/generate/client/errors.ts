// The errors that calls reject with, apart from the reason of an aborted signal:
//
//   StoaError
//     StoaApiError                the host answered with a fault
//       InvalidInputError           400, 405, 408, 413, 415, 417, 431
//       AuthenticationError         401
//       PermissionError             403
//       NotFoundError               404
//       ConflictError               409
//       RateLimitError              429
//       ServerError                 500, 501, 502, 503
//     StoaConnectionError         there was no answer from the host
//     WebhookVerificationError    a webhook could not be verified
import type { FaultCode } from '../../../src/kit/fault.ts'

export class StoaError extends Error {
  override name = 'StoaError'
}

/** The host answered with a fault. The message says what to do. */
export class StoaApiError extends StoaError {
  override name = 'StoaApiError'
  /** Identifies the kind of fault. A newer host may answer with codes that this client does not know. */
  readonly code: FaultCode
  /** The status of the answer; 200 if the fault arrived within an event stream. */
  readonly status: number
  /** The category of the code, such as `conflict_error`. */
  readonly type: string
  /** The first invalid field. */
  readonly param: string | null
  /** Every invalid field, and what is wrong with it. */
  readonly fields: { path: string; says: string }[]
  /** Identifies the request in the logs of the host. */
  readonly requestId: string | null
  /** The seconds after which the host may accept the call. */
  readonly retryAfter: number | null
  /** The headers of the answer. */
  readonly headers: Headers

  constructor(fault: FaultAnswer, response: Response) {
    super(fault.message)
    this.code = fault.code
    this.status = response.status
    this.type = fault.type
    this.param = fault.param ?? null
    this.fields = fault.fields ?? []
    this.requestId = fault.request_id ?? requestIdOf(response)
    this.retryAfter = retryAfterIn(response.headers)
    this.headers = response.headers
  }
}

/** The request is invalid; `fields` says what is wrong with which field. */
export class InvalidInputError extends StoaApiError {
  override name = 'InvalidInputError'
}

/** The credential is missing, wrong, expired or revoked. */
export class AuthenticationError extends StoaApiError {
  override name = 'AuthenticationError'
}

/** The credential may not do this. */
export class PermissionError extends StoaApiError {
  override name = 'PermissionError'
}

export class NotFoundError extends StoaApiError {
  override name = 'NotFoundError'
}

/** The request conflicts with existing data, such as a name that is taken. */
export class ConflictError extends StoaApiError {
  override name = 'ConflictError'
}

/** Too many calls; `retryAfter` says when to try again. */
export class RateLimitError extends StoaApiError {
  override name = 'RateLimitError'
}

/** The host, or something it depends on, failed. */
export class ServerError extends StoaApiError {
  override name = 'ServerError'
}

/** There was no answer from the host: a network failure, a timeout, or an answer that is not the JSON of a Stoa host. */
export class StoaConnectionError extends StoaError {
  override name = 'StoaConnectionError'
  /** The status of the answer; null if there was none. */
  readonly status: number | null
  /** The headers of the answer; null if there was none. */
  readonly headers: Headers | null

  constructor(message: string, { cause, response }: { cause?: unknown; response?: Response | undefined }) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = response?.status ?? null
    this.headers = response?.headers ?? null
  }
}

export type FaultAnswer = {
  code: FaultCode
  message: string
  type: string
  param?: string | null
  fields?: { path: string; says: string }[]
  request_id?: string
}

/** Null if the value is not a fault of the host: a proxy in between may answer in another format. */
export function faultIn(value: unknown): FaultAnswer | null {
  const { error } = (value ?? {}) as { error?: Partial<FaultAnswer> | null }
  const isFault = [error?.code, error?.message, error?.type].every(text => typeof text === 'string')
  return isFault ? (error as FaultAnswer) : null
}

export function apiError(fault: FaultAnswer, response: Response): StoaApiError {
  const families: Record<string, typeof StoaApiError> = {
    invalid_request_error: InvalidInputError,
    authentication_error: AuthenticationError,
    permission_error: PermissionError,
    not_found_error: NotFoundError,
    conflict_error: ConflictError,
    rate_limit_error: RateLimitError,
    api_error: ServerError,
    // In the messages format.
    overloaded_error: ServerError,
  }
  // A type such as `constructor` is not a category, although every object has a property of that name.
  const family = Object.hasOwn(families, fault.type) ? families[fault.type] : undefined
  return new (family ?? StoaApiError)(fault, response)
}

export const requestIdOf = (response: Response): string | null => response.headers.get('x-request-id')

/** In seconds. The header is a number of seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterIn(headers: Headers): number | null {
  const value = headers.get('retry-after')
  if (value === null) return null
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds))
}
