// One attempt: sends the request and reads the answer.
import { type Deadline, startDeadline } from './deadline.ts'
import { apiError, faultIn, retryAfterIn, StoaConnectionError, type StoaError } from './errors.ts'
import type { ClientSettings } from './options.ts'
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

/** Reads the body of a successful answer. Throws a SyntaxError if it is no JSON. */
export type Reader<Data> = (response: Response) => Promise<Data>

/** Statuses of conditions that pass. 409 is none: what exists would contradict a repeated call just the same. */
const PASSING = [408, 429, 502, 503, 504]

/** Rejects only with the reason of the caller's signal. */
export async function attempt<Data>(
  { route, method, url, headers, body, mayRedirect }: ApiRequest,
  read: Reader<Data>,
  { fetch, session }: Pick<ClientSettings, 'fetch' | 'session'>,
  timeoutMs: number,
  outer: AbortSignal | undefined,
): Promise<Performed<Data> | FailedAttempt> {
  const deadline = startDeadline(timeoutMs, outer)
  const { signal } = deadline
  // After a redirect, `fetch` would send a POST as a GET, which is another operation, and custom headers to any origin.
  const redirect = 'manual' as const
  // Not every runtime knows `credentials`, so that it is set only where it is needed.
  const init = { method, headers, body, redirect, signal, ...(session && { credentials: 'include' as const }) }
  let response: Response | undefined
  try {
    response = await fetch(url, init)
    if (response.ok || (mayRedirect && isRedirect(response))) return { data: await read(response), response, deadline }
    const failure = failureOf(route, response, await response.text())
    deadline.end()
    return failure
  } catch (thrown) {
    const cause = signal.aborted ? signal.reason : thrown
    deadline.cancel()
    outer?.throwIfAborted()
    if (response && thrown instanceof SyntaxError && !hasType(response, 'application/json')) {
      return { error: foreignAnswer(route, response, thrown), again: 'never', retryAfter: null }
    }
    const what = response ? 'the answer was cut off' : 'there was no answer'
    const message = `${route}: ${what}: ${new URL(url).origin}, ${wordsOf(cause)}`
    const error = new StoaConnectionError(message, { cause, response })
    return { error, again: isUnsent(cause) ? 'always' : 'repeatable', retryAfter: null }
  }
}

/** For an answer that is not 2xx. */
function failureOf(route: string, response: Response, body: string): FailedAttempt {
  const again = PASSING.includes(response.status) ? 'repeatable' : 'never'
  return { error: errorOf(route, response, body), again, retryAfter: retryAfterIn(response.headers) }
}

function errorOf(route: string, response: Response, body: string): StoaError {
  try {
    const fault = faultIn(JSON.parse(body))
    return fault ? apiError(fault, response) : foreignAnswer(route, response)
  } catch (cause) {
    return foreignAnswer(route, response, cause)
  }
}

export function foreignAnswer(route: string, response: Response, cause?: unknown): StoaConnectionError {
  const status = `${response.status} ${response.statusText}`.trimEnd()
  const message = `${route}: the answer (${status}) is not one of a Stoa host; check \`baseUrl\` and the proxies in between.`
  return new StoaConnectionError(message, { cause, response })
}

/** Browsers do not tell the status and the headers of a redirect. */
const isRedirect = ({ status, type }: Response) => (status >= 300 && status < 400) || type === 'opaqueredirect'

export const hasType = ({ headers }: Response, type: string) => headers.get('content-type')?.startsWith(type) === true

/** The codes with which Node's `fetch` fails before it has a connection. Browsers do not tell. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

const isUnsent = (error: unknown) => UNSENT.includes(codeOf(error) ?? '')

/** `fetch failed` says nothing; the code of its cause does. */
function wordsOf(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.message : String(error))
}

function codeOf(error: unknown): string | undefined {
  const { cause } = (error ?? {}) as { cause?: { code?: string } }
  return cause?.code
}
