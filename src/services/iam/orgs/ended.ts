// Deleted organisations that still have rows. Their cache entries, and whatever runs for them, end immediately.
import type { Database } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import type { EndedOrgs } from '../../../kit/service.ts'
import * as store from './store.ts'

export const ORGS_CHANNEL = 'orgs'

export async function openEndedOrgs(db: Database, warn: (error: unknown) => void): Promise<EndedOrgs> {
  const ended = new Set<string>()
  const listeners: ((org: OrgId) => void)[] = []
  const end = (org: string) => {
    ended.add(org)
    for (const listener of listeners) listener(org as OrgId)
  }
  const load = async () => {
    for (const org of await store.selectDeletedOrgs(db)) if (!ended.has(org)) end(org)
  }
  await db.listen(ORGS_CHANNEL, end, () => void load().catch(warn))
  await load()
  return { has: org => ended.has(org), onEnd: listener => void listeners.push(listener) }
}
