// What a provider says when it refuses or fails, and what that means for the client.
import type { HttpFailure, HttpResponse } from '../../../engines/engines.ts'
import { Fault } from '../../../kit/fault.ts'
import type { Offer } from '../models/offer.ts'
import { jsonIn } from './texts.ts'

const ERROR_BYTES_MAX = 64 * 1024
const MESSAGE_MAX = 1_000
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
  const what = error.reason === 'timeout' ? 'did not answer in time' : 'could not be reached'
  return new AttemptFailed(new Fault(code, { message: `The provider ${by} ${what}.`, cause: error }), true)
}

export const unusable = (by: string, cause?: unknown): AttemptFailed =>
  new AttemptFailed(
    new Fault('upstream_unreachable', { message: `The provider ${by} gave an unusable answer.`, cause }),
    true,
  )

export const refusalIn = async (answer: HttpResponse, offer: Offer): Promise<AttemptFailed> =>
  refusalOf(answer.status, jsonIn(await head(answer)), answer, offer)

/** Some providers answer 200 with nothing but an error. */
export function refusalWithin(json: object, answer: HttpResponse, offer: Offer): AttemptFailed | null {
  const { error = null, choices, content, output, data } = json as Record<string, unknown>
  if (error === null || (choices ?? content ?? output ?? data) !== undefined) return null
  const { code } = error as { code?: unknown }
  return refusalOf(typeof code === 'number' && code >= 400 && code <= 599 ? code : 500, json, answer, offer)
}

function refusalOf(status: number, json: unknown, answer: HttpResponse, offer: Offer): AttemptFailed {
  const { by } = offer
  const said = saidIn(json, offer.at.apiKey)
  const cause = new Error(`${by} answered ${status}: ${said.code ?? ''} ${said.message ?? ''}`.trim())
  // Money and credentials of the operator: neither the client nor another attempt can help.
  if (status === 401 || status === 402 || status === 403 || isAboutMoney(said)) {
    const message = `The provider ${by} refused the credential or the account of this service. Tell its operator.`
    return new AttemptFailed(new Fault('upstream_refused', { message, cause }), false)
  }
  if (status === 429) {
    const retryAfterS = Math.min(Math.max(Number(answer.headers['retry-after']) || 1, 1), 3600)
    const message = `The provider ${by} has too many requests. Try again in ${retryAfterS} s.`
    return new AttemptFailed(new Fault('upstream_busy', { message, retryAfterS, cause }), true)
  }
  if (status >= 400 && status <= 499 && status !== 408) {
    const message = `The provider ${by} refused the request: ${said.message ?? `status ${status}`}`
    const fields = said.param === null ? {} : { fields: [{ path: said.param, says: 'was refused by the provider' }] }
    return new AttemptFailed(new Fault('model_refused', { message, cause, ...fields }), false)
  }
  const message = `The provider ${by} failed with status ${status}${firstLine(said.message)}.`
  return new AttemptFailed(new Fault('upstream_unreachable', { message, cause }), true)
}

/** Of what it said, without the full stop. */
function firstLine(message: string | null): string {
  const [line = ''] = (message ?? '').trim().split(/[\r\n]/, 1)
  return line === '' ? '' : `: ${line.slice(0, LINE_MAX).replace(/\.$/, '')}`
}

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

/** OpenAI and Anthropic both have an object `error`; others a text, or nothing that can be read. Some repeat the key that
 *  they refuse. */
function saidIn(json: unknown, apiKey: string | null): Said {
  const { error } = (json ?? {}) as { error?: unknown }
  const fields = (typeof error === 'object' ? (error ?? {}) : { message: error }) as Record<string, unknown>
  const { message, code, type, param, details } = fields
  const text = (value: unknown) => {
    if (typeof value !== 'string' || value === '') return null
    return (apiKey === null ? value : value.replaceAll(apiKey, '[key]')).slice(0, MESSAGE_MAX)
  }
  // By which the tool runner of Anthropic's client learns that the model has no threads.
  const { error_code: detail } = (details ?? {}) as { error_code?: unknown }
  const isAboutThreads = typeof detail === 'string' && detail.startsWith('thread_')
  return { message: text(message), code: text(code) ?? text(type), param: isAboutThreads ? 'thread' : text(param) }
}

const MONEY =
  /^(insufficient_quota|billing_error|credit_balance_exhausted|(organization|project)_spend_limit_exceeded)$/

const isAboutMoney = ({ code }: Said) => code !== null && MONEY.test(code)
