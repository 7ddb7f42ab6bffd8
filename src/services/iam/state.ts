// What identity management needs beside its tables: keys, which are another service's, and where people sign in.
import type { Clock, Random, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { type Opened, type Opening, serviceKit } from '../../kit/service.ts'
import * as store from './store.ts'

/** What is done with keys when organisations and members come and go. The account service does it: it knows keys by people,
 *  and must not be known here. */
export type Keys = {
  /** Makes an unlimited secret key of that person, and answers its text. */
  issue(
    engines: { db: Tx; clock: Clock; random: Random },
    whose: { org: OrgId; user: string; name: string },
  ): Promise<string>
  /** Revokes every key of one person in one organisation. */
  revokeOf(db: Tx, org: OrgId, user: string, by: string, at: string): Promise<void>
}

export type Iam = {
  keys: Keys
  /** The page on which whoever was sent that link joins an organisation. */
  invitationUrl(token: string): string
}

export const { operation, schedule } = serviceKit<Iam>()

export const openIam =
  (keys: Keys) =>
  async ({ identity }: Opening): Promise<Opened<Iam>> => ({
    state: { keys, invitationUrl: token => identity.signIn.invitationUrl(token) },
    provides: { audit: store.insertAudit },
  })
