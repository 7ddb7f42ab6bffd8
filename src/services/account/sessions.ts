// Browser sessions: a random token in a cookie, of which only the digest is stored.
import type { Clock, Random, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { lockSignIn } from '../iam/public.ts'
import { digestOf } from './key-text.ts'
import { insertAccountSession } from './store.ts'

/** Starts a session of that person in that organisation, and returns the value of its cookie; null if the sign-in or
 *  the membership has ended. The session ends with its sign-in. */
export async function beginSession(
  { db, clock, random }: { db: Tx; clock: Clock; random: Random },
  { org, user, signIn, lastsMs }: { org: OrgId; user: string; signIn: string; lastsMs: number },
): Promise<string | null> {
  const grant = digestOf(signIn)
  const brand = await lockSignIn(db, grant, { org, user })
  if (brand === null) return null
  const text = random.token(43)
  const id = `ses_${random.token(24)}`
  const now = clock.now()
  const expires = new Date(now.getTime() + lastsMs).toISOString()
  const times = { created: now.toISOString(), expires }
  await insertAccountSession(db, { id, org, user, digest: digestOf(text), signIn: grant, brand, ...times })
  return text
}
