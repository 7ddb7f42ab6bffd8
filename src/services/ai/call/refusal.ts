// The errors of providers, and what they mean for the client.
import type { HttpFailure, HttpResponse } from '../../../engines/engines.ts'
import { Fault } from '../../../kit/fault.ts'
import type { Offer } from '../models/offer.ts'
import { tellsError, withoutSecrets } from './secrets.ts'
import { jsonIn } from './texts.ts'

const ERROR_BYTES_MAX = 64 * 1024
const LINE_MAX = 300

/** `isTransient`: another attempt, or another provider, may succeed. */
export class AttemptFailed extends Error {
  readonly fault: Fault
  readonly isTransient: boolean
  constructor(fault: Fault, isTransient: boolean) {
    super(fault.message, { cause: fault })
    this.fault = fault
    this.isTransient = isTransient
  }
}

export function failureOf(error: HttpFailure, by: string): AttemptFailed {
  const code = error.reason === 'timeout' ? 'upstream_timeout' : 'upstream_unreachable'
  const what = whatFailed(error)
  return new AttemptFailed(new Fault(code, { message: `The provider ${by} ${what}.`, cause: error }), true)
}

function whatFailed({ reason, cause }: HttpFailure): string {
  if (reason === 'timeout') return 'did not answer in time'
  if (reason === 'size') return 'returned an answer that is too large'
  const { code } = (cause ?? {}) as { code?: unknown }
  return code === 'UND_ERR_HEADERS_OVERFLOW'
    ? 'returned an answer with a header that is too large'
    : 'could not be reached'
}

export const unusable = (by: string, cause?: unknown): AttemptFailed =>
  new AttemptFailed(
    new Fault('upstream_unreachable', { message: `The provider ${by} returned an unusable answer.`, cause }),
    true,
  )

export const notAsked = (by: string): AttemptFailed =>
  new AttemptFailed(
    new Fault('upstream_unreachable', {
      message: `The provider ${by} answered with a stream, which was not requested.`,
    }),
    true,
  )

export const refusalIn = async (answer: HttpResponse, offer: Offer): Promise<AttemptFailed> =>
  refusalOf(answer.status, jsonIn(await head(answer)), answer, offer)

/** Some providers answer 200 with only an error. A response with the status failed is passed on, because clients know it. */
export function refusalWithin(json: object, answer: HttpResponse, offer: Offer): AttemptFailed | null {
  const { error, object, code, choices, content, output, data } = json as Record<string, unknown>
  if (!tellsError(json) || object === 'response') return null
  if ([choices, content, output, data].some(made => Array.isArray(made) && made.length > 0)) return null
  const { code: inner, type } = Object(error ?? {}) as { code?: unknown; type?: unknown }
  const status =
    [inner, code].find(isStatus) ?? STATUS_OF.get(inner) ?? STATUS_OF.get(code) ?? STATUS_OF.get(type) ?? 500
  return refusalOf(status, json, answer, offer)
}

/** The statuses of errors in a stream, which come without one. Codes say more than types: a wrong key is of the type
 *  `invalid_request_error`, too. */
const STATUS_OF = new Map<unknown, number>([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['invalid_api_key', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['overloaded_error', 529],
])

const isStatus = (code: unknown): code is number => typeof code === 'number' && code >= 400 && code <= 599

function refusalOf(status: number, json: unknown, answer: HttpResponse, offer: Offer): AttemptFailed {
  const { by } = offer
  const said = saidIn(json, offer.at.apiKey)
  const cause = new Error(`${by} answered ${status}: ${said.code ?? ''} ${said.message ?? ''}`.trim())
  // Money and credentials of the operator: neither the client nor another attempt can help.
  if (status === 401 || status === 402 || status === 403 || isAboutMoney(said)) {
    const message = `The provider ${by} rejected the credential or the account of this service. Tell the operator of this service.`
    return new AttemptFailed(new Fault('upstream_refused', { message, cause }), false)
  }
  if (status === 429) {
    const retryAfterS = Math.min(Math.max(Number(answer.headers['retry-after']) || 1, 1), 3600)
    const message = `The provider ${by} has too many requests. Try again in ${retryAfterS} s.`
    return new AttemptFailed(new Fault('upstream_busy', { message, retryAfterS, cause }), true)
  }
  if (status >= 400 && status <= 499 && status !== 408) {
    const message = `The provider ${by} refused the request with status ${status}${ending(said.message)}`
    const fields = said.param === null ? {} : { fields: [{ path: said.param, says: 'was refused by the provider' }] }
    return new AttemptFailed(new Fault('model_refused', { message, cause, ...fields }), false)
  }
  const message = `The provider ${by} failed with status ${status}${ending(said.message)}`
  return new AttemptFailed(new Fault('upstream_unreachable', { message, cause }), true)
}

const ending = (message: string | null) => (message === null ? '.' : `: ${message.replace(/\.$/, '')}.`)

/** The part of its message that is safe to show in a terminal or a log. */
function firstLine(text: string): string | null {
  const [line = ''] = text.trim().split(/[\r\n\v\f\u0085\u2028\u2029]/, 1)
  const shown = line
    .replace(UNSEEN, '')
    .slice(0, LINE_MAX)
    // Replaces half a surrogate pair at the cut.
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed()
    .trim()
  return shown === '' ? null : shown
}

/** Control characters, and those that turn the direction of text. */
const UNSEEN = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

async function head({ body }: HttpResponse): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body) {
    parts.push(part)
    size += part.length
    if (size > ERROR_BYTES_MAX) break
  }
  return Buffer.concat(parts).toString('utf8')
}

type Said = { message: string | null; code: string | null; param: string | null }

/** OpenAI and Anthropic both send an object `error`; others send a text, a `message` or a `detail`, all of it in a list, or
 *  nothing readable. */
function saidIn(json: unknown, apiKey: string | null): Said {
  const whole = Object((Array.isArray(json) ? json[0] : json) ?? {}) as Record<string, unknown>
  const error = whole.error ?? whole
  const fields = (typeof error === 'object' ? error : { message: error }) as Record<string, unknown>
  const { message, detail, code, type, param, details } = fields
  const text = (value: unknown) => (typeof value === 'string' ? firstLine(withoutSecrets(value, apiKey)) : null)
  // From this, the tool runner of Anthropic's client learns that the model has no threads.
  const { error_code: detailCode } = (details ?? {}) as { error_code?: unknown }
  const isAboutThreads = typeof detailCode === 'string' && detailCode.startsWith('thread_')
  return {
    message: text(message) ?? text(whole.message) ?? text(textOf(detail ?? whole.detail)),
    code: text(code) ?? text(type),
    param: isAboutThreads ? 'thread' : text(param),
  }
}

/** Some have a list of what is wrong, each with its place. */
function textOf(detail: unknown): unknown {
  if (!Array.isArray(detail)) return detail
  const { msg, loc } = (detail[0] ?? {}) as { msg?: unknown; loc?: unknown }
  return typeof msg === 'string' && Array.isArray(loc) ? `${loc.join('.')}: ${msg}` : (msg ?? detail[0])
}

const MONEY =
  /^(insufficient_quota|billing_error|credit_balance_exhausted|(organization|project)_spend_limit_exceeded)$/

const isAboutMoney = ({ code }: Said) => code !== null && MONEY.test(code)
