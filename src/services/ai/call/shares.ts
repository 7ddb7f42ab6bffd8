// The limits on an organisation's use of a model: calls per minute and concurrent calls, in this process.
import type { Clock } from '../../../engines/engines.ts'
import { openAttempts as openCounts } from '../../../fair/attempts.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { Fault } from '../../../kit/fault.ts'
import type { Offer } from '../models/offer.ts'

const MINUTE_MS = 60_000

/** Begins a call, and returns the function that ends it. Raises 429. */
export type EnterModel = (org: OrgId, offer: Offer) => () => void

export function openModelShares(clock: Clock): EnterModel {
  const begun = openCounts(MINUTE_MS, clock.elapsedMs)
  const running = new Map<string, number>()
  return (org, { id, by, bounds: { rate, concurrency } }) => {
    if (rate === undefined && concurrency === undefined) return () => {}
    const name = `${org} ${by} ${id}`
    const waitMs = rate === undefined ? 0 : begun.waitMs(name, rate)
    if (waitMs > 0) throw refused(id, `${rate} calls a minute`, Math.ceil(waitMs / 1000))
    const now = running.get(name) ?? 0
    if (concurrency !== undefined && now >= concurrency) throw refused(id, `${concurrency} calls at once`, 1)
    begun.count(name)
    running.set(name, now + 1)
    return () => {
      const left = (running.get(name) ?? 1) - 1
      if (left === 0) running.delete(name)
      else running.set(name, left)
    }
  }
}

const refused = (model: string, most: string, retryAfterS: number) =>
  new Fault('model_limit', {
    message: `An organisation may make at most ${most} to the model ${model}. Try again in ${retryAfterS} s.`,
    retryAfterS,
  })
