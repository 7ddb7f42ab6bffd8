// Ids for visitors who have none: a hash of address, user agent and organisation with a salt that changes every day and is
// deleted after two. After that, visitors cannot be identified, nor followed over days or organisations.
import { createHash } from 'node:crypto'
import { type Clock, type Database, EngineUnavailable, type Random } from '../../engines/engines.ts'
import { saltOf } from './store.ts'

const SALT_BYTES = 16

export type Visitors = (org: string, address: string, agent: string) => Promise<string>

export function openVisitors(db: Database, clock: Clock, random: Random): Visitors {
  let current: { day: string; salt: Promise<Uint8Array> } | null = null

  function saltOfToday(): Promise<Uint8Array> {
    const day = clock.now().toISOString().slice(0, 10)
    if (current?.day === day) return current.salt
    const salt = db.transaction(tx => saltOf(tx, day, random.bytes(SALT_BYTES)))
    current = { day, salt }
    salt.catch(() => {
      current = null // The next visitor loads it again.
    })
    return salt.catch(notWritten)
  }

  return async (org, address, agent) => {
    const hash = createHash('sha256').update(await saltOfToday())
    return `visitor_${hash
      .update(JSON.stringify([org, address, agent]))
      .digest('base64url')
      .slice(0, 22)}`
  }
}

/** Whether the salt was written does not matter to the sender: the event was not. */
function notWritten(error: unknown): never {
  if (error instanceof EngineUnavailable && error.state === 'unknown') throw new EngineUnavailable('db', 'down', error)
  throw error
}
