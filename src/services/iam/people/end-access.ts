// Ends access when a person's password changes: nobody who knew the old password may keep access.
import type { Tx } from '../../../engines/engines.ts'
import { type Ended, endSignInsOf } from '../sessions/oidc.store.ts'
import { endChangesOf } from './address-changes.store.ts'
import { endResetsOf } from './resets.store.ts'

/** Ends the sign-ins, except the one with the digest `kept`, and the links to choose a password or to change the address. */
export async function endAccessOf(db: Tx, user: string, kept: string | null, at: string): Promise<Ended[]> {
  const ended = await endSignInsOf(db, user, kept)
  await endResetsOf(db, user, at)
  await endChangesOf(db, user, at)
  return ended
}
