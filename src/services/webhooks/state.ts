// The state of the service: its bounds, the source of its events, and what can be subscribed to.
import { serviceKit } from '../../kit/service.ts'
import type { KeysOf } from './dispatch/keys.ts'
import type { Measured } from './dispatch/measured.ts'
import type { SubscriptionsOf } from './dispatch/subscriptions.ts'

/** An event that can be sent to endpoints. */
export type SubjectEntry = { subject: string; what: string; example: Record<string, unknown> }

export type Webhooks = {
  /** How long deliveries are kept. */
  keptDays: number
  /** Concurrent attempts for each endpoint. */
  concurrency: number
  /** Deliveries that may wait for an endpoint, and for how long. */
  backlogMax: number
  backlogDays: number
  source: string
  subjects: readonly SubjectEntry[]
  /** The endpoints of tests that run. */
  testing: string[]
  keysOf: KeysOf
  subscriptionsOf: SubscriptionsOf
  measured: Measured
}

export const { operation, schedule, consumer, queue } = serviceKit<Webhooks>()
