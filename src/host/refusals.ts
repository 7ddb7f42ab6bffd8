// Counts refusals for lack of capacity, by reason. Logs each reason at most once a second, with the count: under a flood,
// one line per refusal would cost more than the refusal.
import type { Fault } from '../kit/fault.ts'
import type { Gauge } from '../kit/service.ts'
import type { Log } from './log.ts'

const LOG_MS = 1_000

export type Refusals = {
  /** `cause` is logged with the first refusal of a second. */
  count(reason: string, cause?: unknown): void
  metric(): Gauge
}

/** Logs a fault that the caller did not cause. Refusals for lack of capacity are only counted. */
export function reportFault(
  { log, refusals }: { log: Log; refusals: Refusals },
  fault: Fault,
  request: string,
  operation: string | undefined,
): void {
  if (fault.status === 503 || fault.status === 429) refusals.count(fault.code, fault.cause)
  else if (fault.status >= 500 && fault.code !== 'not_built') {
    log.events.error({ request, operation, err: fault.cause ?? fault }, fault.code)
  }
}

type Reason = { total: number; logged: number; timer: NodeJS.Timeout | null }

export function openRefusals(log: Log): Refusals {
  const reasons = new Map<string, Reason>()

  function report(name: string, reason: Reason, cause?: unknown): void {
    const count = reason.total - reason.logged
    reason.timer = null
    if (count === 0) return
    reason.logged = reason.total
    log.events.warn({ reason: name, count, ...(cause !== undefined && { err: cause }) }, 'refused')
    reason.timer = setTimeout(report, LOG_MS, name, reason).unref()
  }

  return {
    count: (name, cause) => {
      const reason = reasons.get(name) ?? { total: 0, logged: 0, timer: null }
      if (reason.total++ === 0) reasons.set(name, reason)
      if (reason.timer === null) report(name, reason, cause)
    },
    metric: () => ({
      name: 'stoa_refused_total',
      help: 'Requests and connections refused for lack of capacity, by reason',
      type: 'counter',
      samples: [...reasons].map(([reason, { total }]) => ({ labels: { reason }, value: total })),
    }),
  }
}
