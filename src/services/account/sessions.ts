// Browser sessions: a random text in a cookie, of which only the digest is kept.
import type { Clock, Random, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { holdSignIn } from '../iam/public.ts'
import { digestOf } from './key-text.ts'
import { insertSession } from './store.ts'

/** Begins a session of that person in that organisation, which ends with the sign-in it comes of, and answers the value
 *  of its cookie; null if that has ended, or the membership. */
export async function beginSession(
  { db, clock, random }: { db: Tx; clock: Clock; random: Random },
  { org, user, signIn, lastsMs }: { org: OrgId; user: string; signIn: string; lastsMs: number },
): Promise<string | null> {
  const grant = digestOf(signIn)
  const brand = await holdSignIn(db, grant, { org, user })
  if (brand === null) return null
  const text = random.token(43)
  const id = `ses_${random.token(24)}`
  const now = clock.now()
  const expires = new Date(now.getTime() + lastsMs).toISOString()
  const times = { created: now.toISOString(), expires }
  await insertSession(db, { id, org, user, digest: digestOf(text), signIn: grant, brand, ...times })
  return text
}
