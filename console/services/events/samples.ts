// One event, sent with each SDK that the host understands.
import type { Sample } from '../../parts/code.tsx'

const EVENT = `'Order Completed'`
const ORDER = `{ revenue: 12.5, currency: 'EUR' }`

export const samplesOf = (address: string, key: string): Sample[] => [
  {
    name: 'curl',
    code: `curl ${address}/v1/event \\
  -H "Authorization: Bearer ${key}" \\
  --json '{"event": "Order Completed", "distinctId": "user-1", "revenue": 12.5, "currency": "EUR"}'`,
  },
  {
    name: 'stoa-client',
    code: `import { createEvents } from 'stoa-client'

const events = createEvents({ baseUrl: '${address}', key: '${key}' })
events.capture({ event: ${EVENT}, distinctId: 'user-1', revenue: 12.5, currency: 'EUR', properties: { plan: 'pro' } })
await events.flush()`,
  },
  {
    name: 'posthog-js',
    code: `import posthog from 'posthog-js'

posthog.init('${key}', { api_host: '${address}/v1/event/posthog' })
posthog.capture(${EVENT}, ${ORDER})`,
  },
  {
    name: 'posthog-node',
    code: `import { PostHog } from 'posthog-node'

const posthog = new PostHog('${key}', { host: '${address}/v1/event/posthog' })
posthog.capture({ distinctId: 'user-1', event: ${EVENT}, properties: ${ORDER} })
await posthog.shutdown()`,
  },
  {
    name: 'Segment',
    code: `import { Analytics } from '@segment/analytics-node'

const segment = new Analytics({ writeKey: '${key}', host: '${address}', path: '/v1/event/segment/v1/batch' })
segment.track({ userId: 'user-1', event: ${EVENT}, properties: ${ORDER} })
await segment.closeAndFlush()`,
  },
  {
    name: 'RudderStack',
    code: `import Rudder from '@rudderstack/rudder-sdk-node'

const rudder = new Rudder('${key}', { dataPlaneUrl: '${address}/v1/event/rudderstack' })
rudder.track({ userId: 'user-1', event: ${EVENT}, properties: ${ORDER} })`,
  },
  {
    name: 'Amplitude',
    code: `import * as amplitude from '@amplitude/analytics-node'

await amplitude.init('${key}', { serverUrl: '${address}/v1/event/amplitude' }).promise
await amplitude.track(${EVENT}, ${ORDER}, { user_id: 'user-1' }).promise`,
  },
  {
    name: 'Mixpanel',
    code: `import Mixpanel from 'mixpanel'

const mixpanel = Mixpanel.init('${key}', { host: '${new URL(address).host}', path: '/v1/event/mixpanel' })
mixpanel.track(${EVENT}, { distinct_id: 'user-1', revenue: 12.5, currency: 'EUR' })`,
  },
]
