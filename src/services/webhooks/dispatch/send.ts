// Sends one attempt of a delivery.
import type { Clock, Http } from '../../../engines/engines.ts'
import type { Attempted } from '../../../kit/queue.ts'
import type { KeysOf } from './keys.ts'
import { type Outcome, post } from './post.ts'
import { signedHeaders } from './signature.ts'
import type { Sent, Target } from './store.ts'

type By = { http: Http; clock: Clock; keysOf: KeysOf }

/** The target and the body; null if its event is no longer stored. */
export type Loaded = { target: Target; sent: Sent | null }

export type Result = Outcome & { subject: string | null }

/** Undefined if no file descriptor was free, which is not the endpoint's fault. */
export async function sendAttempt(
  by: By,
  delivery: string,
  { target, sent }: Loaded,
): Promise<Attempted<Result> | undefined> {
  const unsent = (error: string) => ({
    isOk: false,
    isFinal: true,
    result: { httpStatus: null, error, response: '', durationMs: 0, subject: sent?.subject ?? null },
  })
  if (target.status === 'disabled') return unsent('The endpoint was disabled.')
  if (sent === null) return unsent('Its event is no longer stored.')
  const outcome = await sendOnce(by, delivery, target, sent)
  return outcome && { isOk: outcome.error === null, result: { ...outcome, subject: sent.subject } }
}

/** Each attempt is signed with the current time; the delivery id stays the same. Tests are sent even if it is disabled. */
export function sendOnce(
  { http, clock, keysOf }: By,
  delivery: string,
  { org, webhook, url, secret, former, formerUntil }: Target,
  { subject, body }: Sent,
): Promise<Outcome | undefined> {
  const at = clock.now()
  const isFormerValid = former !== null && formerUntil !== null && Date.parse(formerUntil) > at.getTime()
  const keys = [secret, ...(isFormerValid ? [former] : [])].map(sealed => keysOf(org, webhook, sealed))
  return post(http, url, signedHeaders(keys, { delivery, subject, body, at }), body)
}
