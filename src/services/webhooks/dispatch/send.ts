// Sends one attempt of a delivery.
import type { Clock, Http } from '../../../engines/engines.ts'
import type { Attempted } from '../../../kit/queue.ts'
import type { KeysOf } from './keys.ts'
import { type Outcome, post } from './post.ts'
import { signedHeaders } from './signature.ts'
import type { Sent, Target } from './store.ts'

type By = { http: Http; clock: Clock; keysOf: KeysOf }

/** Where it is sent to, and what; null if its event is not kept any more. */
export type Loaded = { target: Target; sent: Sent | null }

export type Result = Outcome & { subject: string | null }

/** Undefined if there was no file descriptor for it, which is no fault of the endpoint. */
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

/** The signature is of now, also in a second attempt; the delivery id stays. A test is sent in any case. */
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
