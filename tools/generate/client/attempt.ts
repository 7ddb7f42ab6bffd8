// One attempt: sends the request and reads the answer.
import { adviceOn, foreignAnswer, isLasting } from './advice.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { apiError, faultIn, retryAfterIn, StoaApiError, StoaConnectionError, type StoaError } from './errors.ts'
import { type ClientSettings, isPage } from './options.ts'
import type { ApiRequest } from './request.ts'

/** The deadline of a successful attempt is still running. */
export type Performed<Data> = { data: Data; response: Response; deadline: Deadline }

/** `again` says when another attempt may help: always, because the host cannot have received the request; if the request
 *  is repeatable; or never. */
export type FailedAttempt = {
  error: StoaError
  again: 'always' | 'repeatable' | 'never'
  /** In how many seconds the host asks to be called again. */
  retryAfter: number | null
}

/** Reads the body of a successful answer. */
export type Reader<Data> = (response: Response) => Promise<Data>

/** What a reader throws for a body that is no JSON. */
export class NotJson extends Error {
  readonly body: string

  constructor(body: string, cause: unknown) {
    super('no JSON', { cause })
    this.body = body
  }
}

export async function readJson<Data>(response: Response): Promise<Data> {
  if (response.status === 204) return undefined as Data
  const body = await response.text()
  try {
    return JSON.parse(body) as Data
  } catch (cause) {
    throw new NotJson(body, cause)
  }
}

/** Statuses of conditions that pass. 409 is none: what exists would contradict a repeated call just the same. */
const PASSING = [408, 429, 502, 503, 504]

/** Rejects only with the reason of the caller's signal. */
export async function attempt<Data>(
  made: ApiRequest,
  read: Reader<Data>,
  { fetch, session }: Pick<ClientSettings, 'fetch' | 'session'>,
  timeoutMs: number,
  outer: AbortSignal | undefined,
): Promise<Performed<Data> | FailedAttempt> {
  const { route, method, url, headers, body, mayRedirect, keepalive } = made
  const deadline = startDeadline(timeoutMs, outer)
  const { signal } = deadline
  // After a redirect, `fetch` would send a POST as a GET, which is another operation, and custom headers to any origin.
  const redirect = 'manual' as const
  // Not every runtime knows `credentials` and `keepalive`, so that they are set only where they are needed.
  const more = { ...(session && { credentials: 'include' as const }), ...(keepalive && { keepalive }) }
  let response: Response | undefined
  try {
    response = await fetch(url, { method, headers, body, redirect, signal, ...more })
    if (response.ok || (mayRedirect && isRedirect(response))) return { data: await read(response), response, deadline }
    const failure = failureOf(made, response, await response.text())
    deadline.end()
    return failure
  } catch (thrown) {
    const isLate = signal.aborted
    deadline.cancel()
    outer?.throwIfAborted()
    if (response && thrown instanceof NotJson && !hasType(response, 'application/json')) {
      return { error: foreignAnswer(route, response, thrown.body, thrown.cause), again: 'never', retryAfter: null }
    }
    const cause = isLate ? signal.reason : thrown instanceof NotJson ? thrown.cause : thrown
    return lostAnswer(made, cause, isLate, response)
  }
}

function lostAnswer(
  { route, url, isCostly }: ApiRequest,
  cause: unknown,
  isLate: boolean,
  response: Response | undefined,
): FailedAttempt {
  const what = response ? 'the answer was cut off' : 'there was no answer'
  const code = codeOf(cause)
  // `fetch failed` says nothing; the code of its cause does.
  const words = code || (cause instanceof Error ? cause.message : String(cause))
  const advice = isLate || response ? '' : adviceOn(code, isPage())
  const message = `${route}: ${what}: ${new URL(url).origin}, ${words}${advice && `. ${advice}`}`
  const error = new StoaConnectionError(message, { cause, response })
  // Another attempt would take as long, and what the model has done until then is paid.
  const isVain = isLasting(code) || (isLate && isCostly)
  return { error, again: isVain ? 'never' : UNSENT.includes(code) ? 'always' : 'repeatable', retryAfter: null }
}

/** For an answer that is not 2xx. */
function failureOf({ route, isCostly }: ApiRequest, response: Response, body: string): FailedAttempt {
  const error = errorOf(route, response, body)
  const { status } = response
  // The host has asked the providers of the model as often as that may help.
  const isVain = isCostly && (status === 504 || (status === 502 && error instanceof StoaApiError))
  const again = PASSING.includes(status) && !isVain ? 'repeatable' : 'never'
  return { error, again, retryAfter: retryAfterIn(response.headers) }
}

function errorOf(route: string, response: Response, body: string): StoaError {
  try {
    const fault = faultIn(JSON.parse(body))
    return fault ? apiError(fault, response) : foreignAnswer(route, response, body)
  } catch (cause) {
    return foreignAnswer(route, response, body, cause)
  }
}

/** Browsers do not tell the status and the headers of a redirect. */
const isRedirect = ({ status, type }: Response) => (status >= 300 && status < 400) || type === 'opaqueredirect'

export const hasType = ({ headers }: Response, type: string) => headers.get('content-type')?.startsWith(type) === true

/** The codes with which Node's `fetch` fails before it has a connection. Browsers do not tell. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** Empty in browsers, which do not tell. */
function codeOf(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: { code?: string } }
  return cause?.code ?? ''
}
