// All errors that callers can receive: one class, one table. The message is for the caller and says what to do; the
// cause is only logged.

const FAULTS = {
  invalid_input: [400, 'invalid_request_error'],
  malformed_request: [400, 'invalid_request_error'],
  sign_in_failed: [400, 'invalid_request_error'],
  credential_required: [401, 'authentication_error'],
  credential_refused: [401, 'authentication_error'],
  key_expired: [401, 'authentication_error'],
  key_revoked: [401, 'authentication_error'],
  ingest_key_required: [401, 'authentication_error'],
  key_budget: [402, 'budget_error'],
  forbidden: [403, 'permission_error'],
  ingest_key_unknown: [403, 'permission_error'],
  key_limit: [403, 'permission_error'],
  csrf_token_required: [403, 'permission_error'],
  https_required: [403, 'permission_error'],
  not_found: [404, 'not_found_error'],
  method_not_allowed: [405, 'invalid_request_error'],
  request_timeout: [408, 'invalid_request_error'],
  conflict: [409, 'conflict_error'],
  body_too_large: [413, 'invalid_request_error'],
  unsupported_media_type: [415, 'invalid_request_error'],
  expectation_failed: [417, 'invalid_request_error'],
  key_rate: [429, 'rate_limit_error'],
  too_many_tries: [429, 'rate_limit_error'],
  headers_too_large: [431, 'invalid_request_error'],
  internal: [500, 'api_error'],
  not_held: [501, 'api_error'],
  not_built: [501, 'api_error'],
  upstream_unreachable: [502, 'api_error'],
  mail_unreachable: [502, 'api_error'],
  overloaded: [503, 'api_error'],
  starting: [503, 'api_error'],
  database_unreachable: [503, 'api_error'],
  warehouse_unreachable: [503, 'api_error'],
  bus_unreachable: [503, 'api_error'],
} as const satisfies Record<string, readonly [status: number, type: string]>

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
      type: FAULTS[this.code][1],
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

/** Also the answer for what belongs to another organisation, so that callers cannot probe for it. */
export const notFound = (what: string) => new Fault('not_found', { message: `There is no such ${what}.` })
