// All errors that callers can receive: one class, one table. The message tells the caller what to do; the cause is only
// logged. The meaning of a code is for the documentation.

const FAULTS = {
  invalid_input: [400, 'invalid_request_error', 'A field is missing, unknown or invalid; `fields` names each.'],
  malformed_request: [400, 'invalid_request_error', 'The request is not valid HTTP or its body is not valid JSON.'],
  sign_in_failed: [
    400,
    'invalid_request_error',
    'The sign-in was not started in this browser, took too long or was not completed.',
  ],
  unroutable_events: [400, 'invalid_request_error', 'None of the events could be stored; `fields` says why.'],
  too_many_events: [400, 'invalid_request_error', 'The request has more than 50 events.'],
  model_refused: [400, 'invalid_request_error', 'The model provider refused the request, with this message.'],
  credential_required: [401, 'authentication_error', 'The operation needs a credential, and none was sent.'],
  credential_refused: [
    401,
    'authentication_error',
    'The credential is unknown, no longer valid, or of a kind that is not accepted here.',
  ],
  key_expired: [401, 'authentication_error', 'The key has expired.'],
  key_replaced: [401, 'authentication_error', 'The key was rotated, and this old text is no longer valid.'],
  key_revoked: [401, 'authentication_error', 'The key was revoked.'],
  ingest_key_required: [401, 'authentication_error', 'Events need a key, and none was sent.'],
  key_budget: [402, 'budget_error', 'The key has used up its budget; the message names the month or the total.'],
  insufficient_balance: [402, 'budget_error', 'The organisation pays in advance, and its balance is used up.'],
  forbidden: [403, 'permission_error', 'The caller is known but may not do this.'],
  ingest_key_unknown: [403, 'permission_error', 'The key for events is unknown.'],
  insufficient_capability: [403, 'permission_error', 'The credential may not write any of these events.'],
  model_unpriced: [403, 'permission_error', 'The model has no price, and the key has a budget.'],
  key_limit: [403, 'permission_error', 'The limit of the key does not allow this request.'],
  csrf_token_required: [
    403,
    'permission_error',
    'A write by a browser session needs the header X-CSRF-Token, from `GET /v1/account/csrf`.',
  ],
  https_required: [403, 'permission_error', 'The request was not encrypted.'],
  not_found: [404, 'not_found_error', 'There is no such thing, or it belongs to another organisation.'],
  method_not_allowed: [
    405,
    'invalid_request_error',
    'The path has no operation with this method; the header Allow lists those it has.',
  ],
  request_timeout: [408, 'invalid_request_error', 'The request took too long to arrive.'],
  conflict: [409, 'conflict_error', 'The request conflicts with existing data, or would exceed a maximum number.'],
  body_too_large: [413, 'invalid_request_error', 'The body exceeds the limit of the operation.'],
  unsupported_media_type: [
    415,
    'invalid_request_error',
    'The body is not JSON, or is encoded in a way that the operation does not decode.',
  ],
  expectation_failed: [417, 'invalid_request_error', 'The header Expect asks for something other than 100-continue.'],
  key_rate: [429, 'rate_limit_error', 'The key has reached its rate limit; wait for Retry-After.'],
  ingest_rate: [
    429,
    'rate_limit_error',
    'The client address sends too many requests with events; wait for Retry-After.',
  ],
  too_many_tries: [429, 'rate_limit_error', 'There were too many attempts; wait for Retry-After.'],
  model_limit: [
    429,
    'rate_limit_error',
    'The organisation has reached its limit of calls to the model; wait for Retry-After.',
  ],
  upstream_busy: [
    429,
    'rate_limit_error',
    'The model provider refused the request because of its rate limit; wait for Retry-After.',
  ],
  headers_too_large: [431, 'invalid_request_error', 'The headers exceed their limit.'],
  internal: [500, 'api_error', 'An error of the host; report the request id if it persists.'],
  not_held: [501, 'api_error', 'This installation has no data for it.'],
  not_built: [501, 'api_error', 'The service has no operations yet.'],
  upstream_unreachable: [502, 'api_error', 'An external service needed for this request did not answer.'],
  upstream_refused: [502, 'api_error', 'The model provider refused the account of this host.'],
  mail_unreachable: [502, 'api_error', 'The e-mail could not be sent, and nothing was done.'],
  overloaded: [503, 'api_error', 'The host is overloaded or stopping, and nothing was done; wait for Retry-After.'],
  starting: [503, 'api_error', 'The host is starting; wait for Retry-After.'],
  database_unreachable: [503, 'api_error', 'The database cannot be reached; wait for Retry-After.'],
  warehouse_unreachable: [503, 'api_error', 'The warehouse cannot be reached; wait for Retry-After.'],
  bus_unreachable: [503, 'api_error', 'The bus cannot be reached; wait for Retry-After.'],
  upstream_timeout: [504, 'api_error', 'The model provider did not answer in time.'],
} as const satisfies Record<string, readonly [status: number, type: string, meaning: string]>

export type FaultCode = keyof typeof FAULTS
export const FAULT_CODES = Object.keys(FAULTS) as FaultCode[]

/** One invalid field of the input: its path, such as `entries.3.note`, and what it should be. */
export type FieldFault = { path: string; says: string }

export type FaultDetail = {
  message: string
  fields?: FieldFault[]
  retryAfterS?: number
  headers?: Record<string, string>
  cause?: unknown
}

export class Fault extends Error {
  readonly code: FaultCode
  readonly fields: FieldFault[]
  readonly headers: Record<string, string>

  constructor(code: FaultCode, { message, fields = [], retryAfterS, headers = {}, cause }: FaultDetail) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.fields = fields
    this.headers = retryAfterS === undefined ? headers : { ...headers, 'retry-after': String(retryAfterS) }
  }

  get status(): number {
    return statusOf(this.code)
  }

  /** The response body. Its outer shape is OpenAI's, so that model clients can read it unchanged. */
  body(requestId: string): FaultBody {
    const [first] = this.fields
    const error = {
      code: this.code,
      message: this.message,
      type: typeOf(this.code),
      param: first?.path ?? null,
      request_id: requestId,
    }
    return { error: first ? { ...error, fields: this.fields } : error }
  }
}

export type FaultBody = {
  error: {
    code: FaultCode
    message: string
    type: string
    param: string | null
    request_id: string
    fields?: FieldFault[]
  }
}

export const statusOf = (code: FaultCode): number => FAULTS[code][0]
export const typeOf = (code: FaultCode): string => FAULTS[code][1]
export const meaningOf = (code: FaultCode): string => FAULTS[code][2]

/** Also used for resources of other organisations, so that callers cannot probe for them. */
export const notFound = (what: string) => new Fault('not_found', { message: `There is no such ${what}.` })

/** Returns what was looked up, or raises `not_found`. */
export function orNotFound<T>(value: T | null, what: string): T {
  if (value === null) throw notFound(what)
  return value
}

/** `path` is the invalid field, if any, and `says` what is wrong with it. */
export const conflict = (message: string, path?: string, says = '') =>
  new Fault('conflict', { message, fields: path === undefined ? [] : [{ path, says }] })
