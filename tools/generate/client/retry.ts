// Runs attempts, and decides whether and when a failed one is retried.
import { attempt, type FailedAttempt, type Performed, type Reader } from './attempt.ts'
import { orAborted, sleep, TIMER_MS_MAX } from './deadline.ts'
import { StoaApiError, type StoaError } from './errors.ts'
import type { CallOptions, ClientSettings } from './options.ts'
import type { ApiRequest } from './request.ts'
import type { CsrfToken } from './session.ts'

/** The bound of the first wait, which doubles with every attempt. Waits are random below it ("full jitter"), so that
 *  clients that failed together do not retry together. */
const BACKOFF_MS = 500
const BACKOFF_MS_MAX = 8_000

const TIMEOUT_MS = 60_000
/** A model may take minutes to answer. */
const MODEL_TIMEOUT_MS = 600_000

/** Retries until an attempt succeeds or no further one is allowed. Reading may continue: the caller ends the deadline. */
export async function performed<Data>(
  made: ApiRequest,
  read: Reader<Data>,
  options: CallOptions,
  settings: ClientSettings,
  csrfToken: CsrfToken | null,
): Promise<Performed<Data>> {
  const { signal, retries = settings.retries } = options
  const timeoutMs = options.timeoutMs ?? settings.timeoutMs ?? (made.isCostly ? MODEL_TIMEOUT_MS : TIMEOUT_MS)
  let tries = 0
  let refusedToken: string | null = null
  while (true) {
    signal?.throwIfAborted()
    const needsToken = csrfToken !== null && made.method !== 'GET'
    const token: string | null = needsToken ? await orAborted(csrfToken(refusedToken), signal) : null
    if (token !== null) made.headers['x-csrf-token'] = token
    const outcome = await attempt(made, read, settings, timeoutMs, signal)
    if ('data' in outcome) return outcome
    if (token !== null && refusedToken === null && isTokenRefused(outcome.error)) {
      refusedToken = token
      continue
    }
    const waitMs = tries < retries ? waitMsAfter(outcome, made.isRepeatable, tries, settings.retryWaitMaxMs) : null
    if (waitMs === null) throw outcome.error
    tries++
    await sleep(waitMs, signal)
  }
}

const isTokenRefused = (error: StoaError) => error instanceof StoaApiError && error.code === 'csrf_token_required'

/** The wait before the next attempt; null if there must be none. `tries` counts the earlier retries. */
function waitMsAfter({ again, retryAfter }: FailedAttempt, isRepeatable: boolean, tries: number, maxMs: number) {
  if (again === 'never' || (again === 'repeatable' && !isRepeatable)) return null
  const askedMs = 1000 * (retryAfter ?? 0)
  if (askedMs > Math.min(maxMs, TIMER_MS_MAX)) return null
  return Math.max(askedMs, backoffMs(tries, maxMs))
}

export const backoffMs = (tries: number, maxMs: number) =>
  Math.random() * Math.min(BACKOFF_MS * 2 ** tries, BACKOFF_MS_MAX, maxMs)
