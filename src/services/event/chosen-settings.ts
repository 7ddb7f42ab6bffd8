// What organisations have chosen for their events, cached, because every request needs it.
import type { Clock, Database } from '../../engines/engines.ts'
import { openCache } from '../../kit/cache.ts'
import type { OrgId } from '../../kit/caller.ts'
import { type EventSettings, selectSettings } from './store.ts'

export const SETTINGS_CHANNEL = 'event_settings'

export const DEFAULT_SETTINGS: EventSettings = { storeAddresses: false, scrub: false, retentionDays: null }

export type ChosenSettings = (org: OrgId) => EventSettings | Promise<EventSettings>

export async function openChosenSettings(db: Database, clock: Clock): Promise<ChosenSettings> {
  const cache = openCache<EventSettings>(db.isListening)
  await db.listen(SETTINGS_CHANNEL, cache.drop, cache.clear)
  return org => {
    const nowMs = clock.now().getTime()
    const lookUp = async () => ({ value: (await selectSettings(db, org)) ?? DEFAULT_SETTINGS, aliases: [org] })
    const cached = cache.get(org, nowMs, lookUp)
    return cached ?? cache.load(org, nowMs, org, lookUp).then(found => found ?? DEFAULT_SETTINGS)
  }
}
