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
  // By the text itself, because hashing it would be a tenth of a small request. It was in this memory anyway, in the
  // request; nothing of it is kept longer than it takes the next key to be learnt.
  const remembered = new Map<string, { caller: Caller; until: number; digest: string }>()
  const textOf = new Map<string, string>()
  /** Counts changes, so that a look-up that raced one is not remembered. */
  let changes = 0

  function forget(text: string, digest: string): void {
    remembered.delete(text)
    textOf.delete(digest)
  }

  /** All live equally long, so the oldest stand first. */
  function forgetOld(now: number): void {
    for (const [text, { until, digest }] of remembered) {
      if (until > now && remembered.size < REMEMBERED_MAX) break
      forget(text, digest)
    }
  }

  await db.listen(
    'keys',
    digest => {
      changes++
      forget(textOf.get(digest) ?? '', digest)
    },
    () => {
      changes++
      remembered.clear()
      textOf.clear()
    },
  )

  async function lookUp(text: string): Promise<Caller> {
    const before = changes
    const digest = digestOf(text)
    const caller = await findCallerByDigest(db, digest)
    if (!caller) throw refused('This key is not known here. Check that it was copied whole and not deleted.')
    const now = clock.now().getTime()
    forgetOld(now)
    if (changes === before) {
      remembered.set(text, { caller, until: now + REMEMBERED_MS, digest })
      textOf.set(digest, text)
    }
    return caller
  }

  return {
    secretKey: text => {
      const known = remembered.get(text)
      if (known && known.until > clock.now().getTime()) return known.caller
      if (known) forget(text, known.digest)
      if (!isWellSpelled(text)) throw refused('This is not a key: its check digits are wrong. Was it copied whole?')
      return lookUp(text)
    },
  }
}

const refused = (message: string) =>
  new Fault('credential_refused', { message, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })
