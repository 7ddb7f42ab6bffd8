// Browser sessions: a random text in a cookie, of which only the digest is kept.

import type { OrgId } from '../../kit/caller.ts'
import type { Context } from '../../kit/operation.ts'
import { digestOf } from './key-text.ts'
import { insertSession } from './store.ts'

/** Begins a session of that person in that organisation, which ends with the sign-in it comes of, and answers the value
 *  of its cookie; null if that has ended, or the membership. */
export async function beginSession(
  { db, clock, random }: Pick<Context, 'db' | 'clock' | 'random'>,
  { org, user, signIn, lastsMs }: { org: OrgId; user: string; signIn: string | null; lastsMs: number },
): Promise<string | null> {
  const text = random.token(43)
  const id = `ses_${random.token(24)}`
  const now = clock.now()
  const expires = new Date(now.getTime() + lastsMs).toISOString()
  const grant = signIn === null ? null : digestOf(signIn)
  const isBegun = await insertSession(db, {
    id,
    org,
    user,
    digest: digestOf(text),
    signIn: grant,
    created: now.toISOString(),
    expires,
  })
  return isBegun ? text : null
}
