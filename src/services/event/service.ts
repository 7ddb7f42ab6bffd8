import { service } from '../../kit/service.ts'
import { count, setting } from '../../kit/setting.ts'
import { appendRows, appendUsage } from './consumers.ts'
import * as ingest from './ingest.ts'
import * as install from './install.ts'
import * as lenses from './lenses/operations.ts'
import * as newest from './newest.ts'
import { addUpCounts, checkLogSize, countStoredEvents, makePartitions } from './schedule.ts'
import { eventSettings } from './settings.ts'
import { type EventState, openEventService } from './state.ts'
import * as tables from './tables.ts'
import * as tag from './tag/tag.ts'

const SETTINGS = {
  STOA_EVENTS_PER_CLIENT: setting(
    'Requests with events per minute and client address, for keys that browsers may hold',
    '300',
    count,
  ),
  STOA_EVENTS_PER_PEER: setting(
    'The same for the address of the connection, which may be a proxy of many clients',
    '6000',
    count,
  ),
  STOA_LOG_MAX_GB: setting(
    'Size of the event log in GiB at which events are refused with 503, because consumers do not keep up',
    '100',
    count,
    'Events that a consumer has not read are never deleted',
  ),
}

export const event = service<EventState, typeof SETTINGS>({
  name: 'event',
  what: 'Event ingest, and the analytics read from it',
  operations: [ingest, newest, lenses, tag, install],
  migrations: new URL('migrations/', import.meta.url),
  tables,
  settings: SETTINGS,
  orgSettings: eventSettings,
  schedules: [checkLogSize, makePartitions, addUpCounts, countStoredEvents],
  consumers: [appendRows, appendUsage],
  open: openEventService,
})
