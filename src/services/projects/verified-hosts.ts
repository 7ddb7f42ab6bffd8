// Which hosts are verified, checked for every request from a page of another origin. Results are cached, negative ones
// too, and dropped immediately when a host is verified, detached or no longer verified.
import type { Clock, Database } from '../../engines/engines.ts'
import { clientNetwork } from '../../fair/address.ts'
import { openCache } from '../../kit/cache.ts'
import { selectHolder } from './store.ts'

/** `address` is that of the client that asks. */
export type VerifiedHosts = (host: string, address: string) => boolean | Promise<boolean>

export async function openVerifiedHosts(db: Database, clock: Clock): Promise<VerifiedHosts> {
  const cache = openCache<boolean>(db.isListening)
  await db.listen('domains', cache.drop, cache.clear)
  return (host, address) => {
    const nowMs = clock.now().getTime()
    const lookUp = async () => ({ value: (await selectHolder(db, host)) !== null, aliases: [host] })
    const cached = cache.get(host, nowMs, lookUp)
    if (cached !== undefined) return cached
    return cache.load(host, nowMs, clientNetwork(address), lookUp).then(verified => verified ?? false)
  }
}
