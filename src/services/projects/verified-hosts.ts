// Which hosts are verified, checked for every request from a page of another origin. Results are cached, negative ones
// too, and dropped at once when a host is verified, detached or no longer verified.
import type { Clock, Database } from '../../engines/engines.ts'
import { openCache } from '../../kit/cache.ts'
import { selectOwner } from './store.ts'

export type VerifiedHosts = (host: string) => boolean | Promise<boolean>

export async function openVerifiedHosts(db: Database, clock: Clock): Promise<VerifiedHosts> {
  const cache = openCache<boolean>()
  await db.listen('domains', cache.drop, cache.clear)
  return host => {
    const nowMs = clock.now().getTime()
    const cached = cache.get(host, nowMs)
    if (cached !== undefined) return cached
    const lookUp = async () => ({ value: (await selectOwner(db, host)) !== null, aliases: [host] })
    return cache.load(host, nowMs, lookUp).then(verified => verified ?? false)
  }
}
