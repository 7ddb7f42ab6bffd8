import { type Service, service } from '../../kit/service.ts'
import * as consumers from './consumers.ts'
import * as deadLetters from './dead-letters.ts'
import * as engines from './engines.ts'
import * as hostTables from './host-tables.ts'
import * as mail from './mail.ts'
import * as queues from './queues.ts'
import { openRequestCounts } from './requests/counts.ts'
import * as requests from './requests/requests.ts'
import { trimLog, writeRequestCounts } from './schedule.ts'
import * as tables from './tables.ts'

/** `all` are the services whose background work is observed. */
export const o11yService = (all: () => readonly Service[]) =>
  service({
    name: 'o11y',
    what: 'Observability: traces, metrics and logs',
    operations: [engines, consumers, queues, deadLetters, tables, mail, requests],
    migrations: new URL('migrations/', import.meta.url),
    tables: hostTables,
    schedules: [trimLog, writeRequestCounts],
    open: async ({ engines: { db, clock }, warn }) => {
      const counts = openRequestCounts(db, clock)
      return {
        state: {
          consumers: new Set(all().flatMap(one => one.consumers.map(({ id }) => id))),
          queues: new Set(all().flatMap(one => one.queues.map(({ id }) => id))),
          tables: all().flatMap(({ name: service, tables }) => tables.map(table => ({ service, table }))),
          analytics: db.analytics,
          counts,
        },
        provides: { countRequest: counts.count },
        close: () => counts.flush().catch(warn), // The database may be down; the process ends all the same.
      }
    },
  })
