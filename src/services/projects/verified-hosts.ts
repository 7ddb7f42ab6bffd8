// Which hosts are verified, asked by every request that comes from a page of another origin. What was looked up is
// remembered, "no" included, and forgotten at once when a host is verified, detached or no longer verified.
import type { Clock, Database } from '../../engines/engines.ts'
import { openCache } from '../../kit/cache.ts'
import { selectHolder } from './store.ts'

export type VerifiedHosts = (host: string) => boolean | Promise<boolean>

export async function openVerifiedHosts(db: Database, clock: Clock): Promise<VerifiedHosts> {
  const cache = openCache<boolean>()
  await db.listen('domains', cache.drop, cache.clear)
  return host => {
    const nowMs = clock.now().getTime()
    const known = cache.get(host, nowMs)
    if (known !== undefined) return known
    const look = async () => ({ value: (await selectHolder(db, host)) !== null, aliases: [host] })
    return cache.load(host, nowMs, look).then(verified => verified ?? false)
  }
}
