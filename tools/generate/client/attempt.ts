// One attempt: sends the request and reads the answer.
import { adviceOn, foreignAnswer, isLasting } from './advice.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { apiError, faultIn, retryAfterIn, StoaApiError, StoaConnectionError, type StoaError } from './errors.ts'
import { type ClientSettings, isPage } from './options.ts'
import type { ApiRequest } from './request.ts'

/** The deadline of a successful attempt is still running. */
export type Performed<Data> = { data: Data; response: Response; deadline: Deadline }

/** `again` says when to retry: always, because the host cannot have received the request; if the request is repeatable;
 *  or never. */
export type FailedAttempt = {
  error: StoaError
  again: 'always' | 'repeatable' | 'never'
  /** The seconds after which the host asks to be called again. */
  retryAfter: number | null
}

/** Reads the body of a successful answer. */
export type Reader<Data> = (response: Response) => Promise<Data>

/** Thrown by a reader for a body that is not JSON. */
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

/** Statuses of temporary conditions. 409 is not one: a repeated call would conflict in the same way. */
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
  // Following a redirect, `fetch` would turn a POST into a GET, which is another operation, and send custom headers to any
  // origin.
  const redirect = 'manual' as const
  // Not every runtime supports `credentials` and `keepalive`, so they are set only where needed.
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
  const what = response ? 'the answer was incomplete' : 'there was no answer'
  const code = codeOf(cause)
  // `fetch failed` is meaningless; the code of its cause is not.
  const words = code || (cause instanceof Error ? cause.message : String(cause))
  const advice = isLate || response ? '' : adviceOn(code, isPage())
  const message = `${route}: ${what}: ${new URL(url).origin}, ${words}${advice && `. ${advice}`}`
  const error = new StoaConnectionError(message, { cause, response })
  // Another attempt would take as long, and the model's work so far is charged.
  const isVain = isLasting(code) || (isLate && isCostly)
  return { error, again: isVain ? 'never' : UNSENT.includes(code) ? 'always' : 'repeatable', retryAfter: null }
}

/** For an answer that is not 2xx. */
function failureOf({ route, isCostly }: ApiRequest, response: Response, body: string): FailedAttempt {
  const error = errorOf(route, response, body)
  const { status } = response
  // The host has already retried with the model's providers as often as is useful.
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

/** Browsers do not reveal the status and headers of a redirect. */
const isRedirect = ({ status, type }: Response) => (status >= 300 && status < 400) || type === 'opaqueredirect'

export const hasType = ({ headers }: Response, type: string) => headers.get('content-type')?.startsWith(type) === true

/** The error codes of Node's `fetch` before it has a connection. Browsers do not report them. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** Empty in browsers, which do not report it. */
function codeOf(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: { code?: string } }
  return cause?.code ?? ''
}
