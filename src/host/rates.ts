// The rate of a key: at most so many requests in any 60 seconds (a sliding-window log), over all processes on the
// database. A process leases a few permits at a time, and counts the requests that use them by itself.
import { type Clock, EngineUnavailable } from '../engines/engines.ts'
import type { OrgId } from '../kit/caller.ts'
import { type LeasePermits, RATE_WINDOW_MS } from '../kit/host/permits.ts'
import { applyLease, isUnused, type KeyRate, newKeyRate, reportOf, takePermit } from './key-rate.ts'

/** A lease is a twentieth of the rate: small enough to leave most of it to other processes. */
const SHARES = 20
/** How often expired unused permits are returned. */
const RETURN_EVERY_MS = 500

export type Rates = {
  /** Counts a request of that key and returns the RateLimit header with the remaining number, or refuses it. A promise
   *  if it has to ask the database. */
  consume(org: OrgId, key: string, rate: number): string | Promise<string>
  /** Returns all unused permits. */
  close(): Promise<void>
}

type Shared = KeyRate & {
  /** One request to the database at a time: each reports everything that this process has used. */
  asking: Promise<void> | null
  /** How many requests wait for the database. */
  waiting: number
}

export function openRates(clock: Clock, leasePermits: LeasePermits): Rates {
  const known = new Map<string, Shared>()
  /** Keys with a lease; the lease that ends first comes first. */
  const leased = new Set<Shared>()
  let sweptMs = clock.elapsedMs()

  function sweep(nowMs: number): void {
    sweptMs = nowMs
    for (const [key, one] of known) if (one.waiting === 0 && !one.asking && isUnused(one, nowMs)) known.delete(key)
  }

  function open(org: OrgId, key: string, rate: number): Shared {
    const fresh = { ...newKeyRate(org, key, rate), asking: null, waiting: 0 }
    known.set(key, fresh)
    return fresh
  }

  async function waitForPermit(one: Shared, rate: number): Promise<string> {
    one.waiting++
    try {
      for (;;) {
        await (one.asking ?? ask(one, rate, Math.max(one.waiting, Math.ceil(rate / SHARES))))
        const header = takePermit(one, rate, clock.elapsedMs())
        if (header !== null) return header
      }
    } finally {
      one.waiting--
    }
  }

  /** Reports what was used, and gets up to `wanted` permits in place of the remaining ones. */
  function ask(one: Shared, rate: number, wanted: number): Promise<void> {
    leased.delete(one)
    one.asking = lease(one, rate, wanted).finally(() => {
      one.asking = null
    })
    return one.asking
  }

  async function lease(one: Shared, rate: number, wanted: number): Promise<void> {
    const [nowMs, systemMs] = [clock.elapsedMs(), clock.now().getTime()]
    const report = reportOf(one, nowMs, systemMs)
    const answer = await leasePermits({ ...report, rate, wanted, waiting: one.waiting }).catch(nothingDone)
    applyLease(one, answer, nowMs, systemMs)
    if (answer.granted === 0) return
    leased.add(one)
    if (clock.elapsedMs() >= one.permitsUntilMs) throw new EngineUnavailable('db', 'busy')
  }

  async function returnUnused(isDue: (one: Shared) => boolean): Promise<void> {
    for (const one of [...leased]) {
      if (!isDue(one)) return
      leased.delete(one)
      if (one.permits === 0 || one.asking) continue
      try {
        await ask(one, one.rate, 0)
      } catch {
        return // The database is down. These permits count as used; the others are tried again.
      }
    }
  }

  const timer = setInterval(
    () => void returnUnused(({ permitsUntilMs }) => permitsUntilMs <= clock.elapsedMs()),
    RETURN_EVERY_MS,
  ).unref()
  return {
    consume: (org, key, rate) => {
      const nowMs = clock.elapsedMs()
      if (nowMs - sweptMs > RATE_WINDOW_MS) sweep(nowMs)
      const one = known.get(key) ?? open(org, key, rate)
      return takePermit(one, rate, nowMs) ?? waitForPermit(one, rate)
    },
    close: () => {
      clearInterval(timer)
      return returnUnused(() => true)
    },
  }
}

/** Whatever the database did, the request has not started. */
function nothingDone(error: unknown): never {
  throw error instanceof EngineUnavailable && error.state === 'unknown'
    ? new EngineUnavailable('db', 'down', error)
    : error
}
