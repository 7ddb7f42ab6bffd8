// Finds a publishable key that a person can put into a page.
import type { Sql } from '../../engines/engines.ts'
import { administers, type Caller } from '../../kit/caller.ts'
import { parseLimits, permitsService } from '../../kit/host/limits.ts'
import { selectPublishableKeys } from './store.ts'

export type PublishableKey = { id: string; name: string; text: string }

/** The newest active one among the keys that `GET /v1/account/keys` lists for this person, with which events can be written
 *  where the caller acts: in its project, or in none. One that never expires comes first. */
export async function publishableKeyFor(db: Sql, caller: Caller, now: Date): Promise<PublishableKey | null> {
  const { org, user, project } = caller
  const keys = await selectPublishableKeys(db, org, administers(caller) ? null : user, now.toISOString())
  const fitting = keys.filter(({ limits }) => {
    const parsed = parseLimits(limits)
    if (parsed && !permitsService(parsed, 'event', false)) return false
    const projects = parsed?.project ?? null
    return project === null ? projects === null : projects?.size === 1 && projects.has(project)
  })
  const found = fitting.find(({ expires }) => expires === null) ?? fitting[0]
  return found ? { id: found.id, name: found.name, text: found.text } : null
}
