// Tries the routes to a model in order. A route that fails repeatedly is skipped for a while if there is another.
import type { Clock, Http } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { Fault } from '../../../kit/fault.ts'
import type { JsonObject } from '../translations/translation.ts'
import { attempt, type Answered as Once, type Sent } from './attempt.ts'
import { bodyFor, type Limit } from './body.ts'
import { AttemptFailed } from './refusal.ts'
import type { Route } from './route.ts'
import { openModelShares } from './shares.ts'

/** Attempts at one provider. */
const TRIES = 2
const PAUSE_MS = 200
const FAILURES_MAX = 3
const COOL_DOWN_MS = 30_000
const REMEMBERED_MAX = 10_000

/** `leave` ends the call: until then it counts towards the concurrency of its organisation. */
export type Answered = Once & { route: Route; leave: () => void }

/** What a client sent, and the limit that the host sets on its output. `attempted` is called for each attempt, even if it
 *  fails, and `reached` when a request is sent to a provider. */
export type Sending = Omit<Sent, 'body' | 'onSent'> & {
  org: OrgId
  json: JsonObject
  bytes: Buffer
  limit: Limit | null
  attempted: () => void
  reached: (route: Route) => void
}

/** Remembers recent failures by model and provider. */
export function openModelAttempts({ http, clock }: { http: Http; clock: Clock }) {
  const failing = new Map<string, { count: number; untilMs: number }>()
  const enter = openModelShares(clock)
  // Per organisation, so that the requests of one do not decide which provider another one gets.
  const keyOf = (org: OrgId, { offer }: Route) => `${org} ${offer.by} ${offer.upstream}`
  const isCooling = (key: string) => (failing.get(key)?.untilMs ?? 0) > clock.elapsedMs()

  function noteFailure(key: string): void {
    const count = (failing.get(key)?.count ?? 0) + 1
    if (failing.size >= REMEMBERED_MAX) failing.clear()
    const untilMs = count >= FAILURES_MAX ? clock.elapsedMs() + COOL_DOWN_MS : 0
    failing.set(key, { count, untilMs })
  }

  /** Returns the fault of the last attempt if another provider may succeed. */
  async function tryRoute(org: OrgId, route: Route, sent: Sent, attempted: () => void): Promise<Once | Fault> {
    for (let tries = 1; ; tries++) {
      attempted()
      try {
        const answered = await attempt(http, route, sent)
        failing.delete(keyOf(org, route))
        return answered
      } catch (error) {
        if (!(error instanceof AttemptFailed)) throw error
        if (!error.isTransient) throw error.fault
        // A busy or slow provider does not recover within a moment; another may be available.
        if (tries === TRIES || error.fault.code !== 'upstream_unreachable') {
          noteFailure(keyOf(org, route))
          return error.fault
        }
        await clock.sleep(PAUSE_MS, sent.signal)
      }
    }
  }

  /** Throws the failure of the last attempt, or says why there was none. */
  return async function send(routes: readonly Route[], sending: Sending): Promise<Answered> {
    const { org, json, bytes, limit, attempted, reached, ...sent } = sending
    const areCooling = (are: boolean) => routes.filter(route => isCooling(keyOf(org, route)) === are)
    let failure: unknown = null
    let untranslatable: unknown = null
    for (const route of [...areCooling(false), ...areCooling(true)]) {
      if (failure !== null && isCooling(keyOf(org, route))) break
      const body = bodyFor(route, json, bytes, limit)
      if (body instanceof Fault) {
        untranslatable ??= body
        continue
      }
      let leave = () => {}
      try {
        leave = enter(org, route.offer)
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        failure = error
        continue
      }
      try {
        const onSent = () => reached(route)
        const answered = await tryRoute(org, route, { ...sent, body, onSent }, attempted)
        if (!(answered instanceof Fault)) return { ...answered, route, leave }
        failure = answered
      } catch (error) {
        leave()
        throw error
      }
      leave()
    }
    throw failure ?? untranslatable
  }
}

export type Attempts = ReturnType<typeof openModelAttempts>
