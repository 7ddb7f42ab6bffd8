// The state of the service: its bounds, the source of its events, what can be subscribed to, and what sends deliveries.
import { serviceKit } from '../../kit/service.ts'
import type { Dispatcher } from './dispatch/dispatcher.ts'
import type { KeysOf } from './dispatch/keys.ts'
import type { SubscriptionsOf } from './dispatch/subscriptions.ts'
import type { SubjectEntry } from './subjects.ts'

export type Webhooks = {
  endpointsMax: number
  /** How long deliveries are kept. */
  keptDays: number
  source: string
  subjects: readonly SubjectEntry[]
  /** The endpoints of tests that run. */
  testing: string[]
  keysOf: KeysOf
  subscriptionsOf: SubscriptionsOf
  dispatcher: Dispatcher
}

export const { operation, schedule, consumer } = serviceKit<Webhooks>()
