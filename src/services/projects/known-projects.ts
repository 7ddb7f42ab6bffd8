// Which projects exist, checked for every request that names one in X-Project-Id. Existing projects are cached, and
// dropped immediately when they are deleted. Unknown ones are looked up each time, so that a new project is found.
import type { Clock, Database } from '../../engines/engines.ts'
import { openCache } from '../../kit/cache.ts'
import type { OrgId } from '../../kit/caller.ts'
import { selectProject } from './store.ts'

export type KnownProjects = (org: OrgId, slug: string) => boolean | Promise<boolean>

export async function openKnownProjects(db: Database, clock: Clock): Promise<KnownProjects> {
  const cache = openCache<true>(db.isListening)
  await db.listen('projects', cache.drop, cache.clear)
  return (org, slug) => {
    const name = `${org} ${slug}`
    const nowMs = clock.now().getTime()
    const lookUp = async () =>
      (await selectProject(db.for(org), org, slug)) === null ? null : { value: true as const, aliases: [name] }
    return cache.get(name, nowMs, lookUp) ?? cache.load(name, nowMs, org, lookUp).then(found => found !== null)
  }
}
