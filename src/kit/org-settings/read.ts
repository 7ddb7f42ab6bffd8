// Reads organisations' settings: from the database, or cached for what every request needs.
import type { Clock, Database, Sql } from '../../engines/engines.ts'
import { openCache } from '../cache.ts'
import type { OrgId } from '../caller.ts'
import { CHANNEL, selectChosen, selectChosenOrgs } from './store.ts'

/** The settings of a service: their fields with the default values. */
export type SettingFields<V extends object = object> = { service: string; defaults: V }

/** The current values; in a transaction, as seen by it. */
export async function readOrgSettings<V extends object>(db: Sql, fields: SettingFields<V>, org: OrgId): Promise<V> {
  return valuesIn(fields, (await selectChosen(db, fields.service, org))?.chosen)
}

/** The settings of organisations that have changed some, in the order of their slugs. */
export async function listOrgSettings<V extends object>(
  db: Sql,
  fields: SettingFields<V>,
  after: string,
  limit: number,
): Promise<{ org: OrgId; values: V }[]> {
  const rows = await selectChosenOrgs(db, fields.service, after, limit)
  return rows.map(({ org, chosen }) => ({ org, values: valuesIn(fields, chosen) }))
}

/** Only the declared fields: another version may have stored others. */
function valuesIn<V extends object>({ defaults }: SettingFields<V>, chosen: Partial<V> = {}): V {
  const values = { ...defaults }
  for (const name in defaults) if (chosen[name] !== undefined) values[name] = chosen[name]
  return values
}

export type OrgSettingsCache = {
  /** As of the last change that this process was notified of; synchronous if cached. */
  of<V extends object>(fields: SettingFields<V>, org: OrgId): V | Promise<V>
}

export async function openOrgSettings(db: Database, clock: Clock): Promise<OrgSettingsCache> {
  const cache = openCache<object>(db.isListening)
  await db.listen(CHANNEL, cache.drop, cache.clear)
  return {
    of: <V extends object>(fields: SettingFields<V>, org: OrgId) => {
      const nowMs = clock.now().getTime()
      const name = `${fields.service} ${org}`
      const lookUp = async () => {
        const row = await selectChosen(db, fields.service, org)
        return { value: valuesIn(fields, row?.chosen), aliases: [name], bytes: row?.bytes ?? 0 }
      }
      // The name contains the service, because only its fields are cached under it.
      const cached = cache.get(name, nowMs, lookUp) as V | undefined
      return cached ?? cache.load(name, nowMs, org, lookUp).then(found => (found ?? fields.defaults) as V)
    },
  }
}
