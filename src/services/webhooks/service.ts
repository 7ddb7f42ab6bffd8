import { type Service, service } from '../../kit/service.ts'
import { count, setting } from '../../kit/setting.ts'
import * as deliveries from './deliveries.ts'
import { fanOut } from './dispatch/consumer.ts'
import { deliveries as deliveryQueue } from './dispatch/deliveries.ts'
import { openSigningKeys } from './dispatch/keys.ts'
import { openDeliveryCounts } from './dispatch/measured.ts'
import { openSubscriptions } from './dispatch/subscriptions.ts'
import * as endpoints from './endpoints.ts'
import { deleteOfDeleted } from './schedule.ts'
import * as subjects from './subjects.ts'
import * as tables from './tables.ts'

/** `all` are the services whose events can be sent. */
export const webhooksService = (all: () => readonly Service[]) =>
  service({
    name: 'webhooks',
    what: "Events delivered to an organisation's own endpoints, signed",
    operations: [endpoints, deliveries, subjects],
    migrations: new URL('migrations/', import.meta.url),
    tables,
    settings: {
      STOA_WEBHOOKS_AT_ONCE: setting('Deliveries that are sent to one webhook endpoint at the same time', '8', count),
      STOA_WEBHOOKS_BACKLOG_MAX: setting(
        'Deliveries that may wait for one webhook endpoint',
        '100000',
        count,
        'Further ones fail with the error `backlog` and can be sent again',
      ),
      STOA_WEBHOOKS_BACKLOG_DAYS: setting(
        'Days after which a waiting delivery fails',
        '3',
        count,
        'It has the error `backlog` and can be sent again',
      ),
      STOA_WEBHOOKS_KEPT_DAYS: setting('Days for which webhook deliveries are kept', '30', count),
    },
    consumers: [fanOut],
    queues: [deliveryQueue],
    schedules: [deleteOfDeleted],
    open: async ({ engines, settings, baseUrl: source }) => {
      const measured = openDeliveryCounts()
      const keysOf = openSigningKeys(engines.seal)
      const state = {
        keptDays: settings.STOA_WEBHOOKS_KEPT_DAYS,
        concurrency: settings.STOA_WEBHOOKS_AT_ONCE,
        backlogMax: settings.STOA_WEBHOOKS_BACKLOG_MAX,
        backlogDays: settings.STOA_WEBHOOKS_BACKLOG_DAYS,
        source,
        subjects: subjects.subjectsOf(all(), source),
        testing: [],
        keysOf,
        subscriptionsOf: openSubscriptions(),
        measured,
      }
      return { state, gauges: measured.gauges }
    },
  })
