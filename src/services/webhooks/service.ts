import { type Service, service } from '../../kit/service.ts'
import { count, setting } from '../../kit/setting.ts'
import * as deliveries from './deliveries.ts'
import { dispatchEvents } from './dispatch/consumer.ts'
import { openDispatcher } from './dispatch/dispatcher.ts'
import { openKeys } from './dispatch/keys.ts'
import { openMeasured } from './dispatch/measured.ts'
import { openSubscriptions } from './dispatch/subscriptions.ts'
import * as endpoints from './endpoints.ts'
import { endpointFailing } from './events.ts'
import { deleteOldDeliveries } from './schedule.ts'
import * as subjects from './subjects.ts'

/** `all` are the services whose events can be sent. */
export const webhooksService = (all: () => readonly Service[]) =>
  service({
    name: 'webhooks',
    what: "Events delivered to an organisation's own endpoints, signed",
    operations: [endpoints, deliveries, subjects],
    migrations: new URL('migrations/', import.meta.url),
    settings: {
      STOA_WEBHOOKS_MAX: setting('Webhook endpoints that an organisation may have', '1000', count),
      STOA_WEBHOOKS_AT_ONCE: setting('Deliveries that are sent to one webhook endpoint at once', '8', count),
      STOA_WEBHOOKS_KEPT_DAYS: setting('Days for which webhook deliveries are kept', '30', count),
    },
    consumers: [dispatchEvents],
    schedules: [deleteOldDeliveries],
    emits: { 'the log of deliveries': endpointFailing },
    open: async ({ engines, settings, baseUrl: source, warn }) => {
      const concurrency = settings.STOA_WEBHOOKS_AT_ONCE
      const measured = openMeasured()
      const keysOf = openKeys(engines.seal)
      const dispatcher = openDispatcher({ ...engines, concurrency, keysOf, measured, source, warn })
      const state = {
        endpointsMax: settings.STOA_WEBHOOKS_MAX,
        keptDays: settings.STOA_WEBHOOKS_KEPT_DAYS,
        source,
        subjects: subjects.subjectsOf(all(), source),
        testing: [],
        keysOf,
        subscriptionsOf: openSubscriptions(),
        dispatcher,
      }
      return { state, work: dispatcher.run, gauges: measured.gauges }
    },
  })
