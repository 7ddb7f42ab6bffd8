// Resolves keys to callers, remembering those it has seen. A key that changes is forgotten at once, in every process
// on the same database; unknown keys are never remembered.
import type { Clock, Database } from '../../engines/engines.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Credentials } from '../../kit/credentials.ts'
import { Fault } from '../../kit/fault.ts'
import { digestOf, isWellSpelled } from './key-text.ts'
import { findCallerByDigest } from './store.ts'

/** The bound on how long a change could go unnoticed if a notification were lost. */
const REMEMBERED_MS = 30_000
/** About 50 MB of callers; the oldest is forgotten first. */
const REMEMBERED_MAX = 100_000

export async function openKeyring(db: Database, clock: Clock): Promise<Credentials> {
  const remembered = new Map<string, { caller: Caller; until: number }>()
  /** Counts changes, so that a look-up that raced one is not remembered. */
  let changes = 0

  await db.listen(
    'keys',
    digest => {
      changes++
      remembered.delete(digest)
    },
    () => {
      changes++
      remembered.clear()
    },
  )

  async function lookUp(digest: string): Promise<Caller> {
    const before = changes
    const caller = await findCallerByDigest(db, digest)
    if (!caller) throw refused('This key is not known here. Check that it was copied whole and not deleted.')
    if (changes === before) {
      if (remembered.size >= REMEMBERED_MAX) remembered.delete(remembered.keys().next().value as string)
      remembered.set(digest, { caller, until: clock.now().getTime() + REMEMBERED_MS })
    }
    return caller
  }

  return {
    secretKey: text => {
      const digest = digestOf(text)
      const known = remembered.get(digest)
      if (known && known.until > clock.now().getTime()) return known.caller
      remembered.delete(digest)
      if (!isWellSpelled(text)) throw refused('This is not a key: its check digits are wrong. Was it copied whole?')
      return lookUp(digest)
    },
  }
}

const refused = (message: string) =>
  new Fault('credential_refused', { message, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })
