// Which hosts are verified, asked by every request that comes from a page of another origin. What was looked up is
// remembered, "no" included, and forgotten at once when a host is verified, detached or no longer verified.
import type { Clock, Database } from '../../engines/engines.ts'
import { openMemory } from '../../kit/memory.ts'
import { selectHolder } from './store.ts'

export type VerifiedHosts = (host: string) => boolean | Promise<boolean>

export async function openVerifiedHosts(db: Database, clock: Clock): Promise<VerifiedHosts> {
  const memory = openMemory<boolean>()
  await db.listen('domains', memory.forget, memory.clear)
  return host => {
    const nowMs = clock.now().getTime()
    const known = memory.get(host, nowMs)
    if (known !== undefined) return known
    return memory
      .learn(host, host, nowMs, async () => (await selectHolder(db, host)) !== null)
      .then(verified => verified ?? false)
  }
}
