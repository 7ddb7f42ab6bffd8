// The state of the service: API keys, which another service manages, and the URLs of invitations.
import type { Clock, Random, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { type Opened, type Opening, serviceKit } from '../../kit/service.ts'
import { insertAudit } from './trail/store.ts'

/** Issues and revokes API keys when organisations and members are added or removed. Implemented by the account service,
 *  which depends on this one and must not be imported here. */
export type Keys = {
  /** Issues an unlimited secret key for that person; returns its text. */
  issue(
    engines: { db: Tx; clock: Clock; random: Random },
    owner: { org: OrgId; user: string; name: string },
  ): Promise<string>
  /** Revokes all keys of a person in an organisation. */
  revokeOf(db: Tx, org: OrgId, user: string, by: string, at: string): Promise<void>
}

export type Iam = {
  keys: Keys
  /** The link that is mailed with an invitation. */
  invitationUrl(token: string): string
}

export const { operation, schedule } = serviceKit<Iam>()

export const openIam =
  (keys: Keys) =>
  async ({ identity }: Opening): Promise<Opened<Iam>> => ({
    state: { keys, invitationUrl: token => identity.signIn.invitationUrl(token) },
    provides: { audit: insertAudit },
  })
