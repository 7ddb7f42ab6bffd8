// The state of the service: the committer, and what it knows of organisations, visitors and senders.
import type { Database, Warehouse } from '../../engines/engines.ts'
import { openAttempts } from '../../fair/attempts.ts'
import { type Opening, serviceKit } from '../../kit/service.ts'
import { type Committer, openCommitter } from './committer.ts'
import { openVisitors, type Visitors } from './visitors.ts'

export type EventState = {
  committer: Committer
  warehouse: Warehouse
  /** For reads over many rows. */
  analytics: Database
  visitorOf: Visitors
  /** Milliseconds until a client or peer may send again; counts the share of a request if it may. */
  ceiling(client: string, peer: string, share: number): number
  /** The `source` of events. */
  baseUrl: string
  /** Whether the log is too large to accept more events, and the size at which it is. */
  logBytesMax: number
  isLogFull: boolean
}

export const { operation, schedule, consumer } = serviceKit<EventState>()

const MINUTE_MS = 60_000

type Values = { STOA_EVENTS_PER_CLIENT: number; STOA_EVENTS_PER_PEER: number; STOA_LOG_MAX_GB: number }

export async function openEventService({ engines, settings, baseUrl, warn }: Opening<Values>) {
  const { db, log, warehouse, clock, random } = engines
  const committer = openCommitter({ db, log, now: clock.now, warn })
  const requests = openAttempts(MINUTE_MS, clock.elapsedMs)
  const ceiling = (client: string, peer: string, share: number) => {
    const waitMs = Math.max(
      requests.waitMs(`client ${client}`, settings.STOA_EVENTS_PER_CLIENT),
      requests.waitMs(`peer ${peer}`, settings.STOA_EVENTS_PER_PEER),
    )
    if (waitMs > 0) return waitMs
    requests.count(`client ${client}`, share)
    requests.count(`peer ${peer}`, share)
    return 0
  }
  const visitorOf = openVisitors(db, clock, random)
  const bound = { logBytesMax: settings.STOA_LOG_MAX_GB * 1024 ** 3, isLogFull: false }
  return {
    state: { committer, warehouse, analytics: db.analytics, visitorOf, ceiling, baseUrl, ...bound },
    close: committer.close,
  }
}
