// Sends an attempt that has been recorded, and says what becomes of its delivery.
import type { Clock, Http } from '../../../engines/engines.ts'
import type { KeysOf } from './keys.ts'
import { type Outcome, post } from './post.ts'
import { signedHeaders } from './signature.ts'
import type { Started } from './start.ts'
import type { Ended } from './store.ts'

/** After the first attempt, and after the second. */
const PAUSES_MS = [1_000, 5_000]
export const ATTEMPTS_MAX = PAUSES_MS.length + 1

type By = { http: Http; clock: Clock; keysOf: KeysOf }

/** The signature is of now, also in a second attempt; the delivery id stays. */
export async function sendStarted(by: By, started: Started): Promise<Ended> {
  const { delivery, attempt, attemptsMax, subject } = started
  const outcome = started.status === 'disabled' ? DISABLED : await sendOnce(by, started)
  const { durationMs, ...rest } = outcome
  const isLast = attempt >= attemptsMax || started.status === 'disabled'
  const status = outcome.error === null ? 'ok' : isLast ? 'failed' : 'retrying'
  const pauseMs = PAUSES_MS[attempt - 1] ?? 0
  const due = status === 'retrying' ? new Date(by.clock.now().getTime() + pauseMs).toISOString() : null
  return { delivery, attempt, subject, status, ...rest, durationMs, due }
}

/** A test is sent in any case. */
export function sendOnce({ http, clock, keysOf }: By, started: Started): Promise<Outcome> {
  const { org, webhook, url, delivery, subject, body, secret, former, formerUntil } = started
  const at = clock.now()
  const isFormerValid = former !== null && formerUntil !== null && Date.parse(formerUntil) > at.getTime()
  const keys = [secret, ...(isFormerValid ? [former] : [])].map(sealed => keysOf(org, webhook, sealed))
  return post(http, url, signedHeaders(keys, { delivery, subject, body, at }), body)
}

const DISABLED: Outcome = { httpStatus: null, error: 'The endpoint was disabled.', response: '', durationMs: 0 }
