// The state of the service: API keys, which another service manages, and the URLs of invitations.
import type { Clock, Random, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { type Opened, type Opening, serviceKit } from '../../kit/service.ts'
import { insertAudit } from './audit/store.ts'

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

/** How many of each an organisation may have. */
export type Maxima = { members: number; invites: number; apps: number; workspaces: number }

export type Iam = {
  keys: Keys
  maxima: Maxima
  /** The link that is mailed with an invitation. */
  invitationUrl(token: string): string
  /** The link that is mailed to a new address. */
  addressUrl(token: string): string
}

export const { operation, queue, schedule } = serviceKit<Iam>()

type IamSettings = Record<'STOA_MEMBERS_MAX' | 'STOA_INVITES_MAX' | 'STOA_APPS_MAX' | 'STOA_WORKSPACES_MAX', number>

const maximaFrom = (settings: IamSettings): Maxima => ({
  members: settings.STOA_MEMBERS_MAX,
  invites: settings.STOA_INVITES_MAX,
  apps: settings.STOA_APPS_MAX,
  workspaces: settings.STOA_WORKSPACES_MAX,
})

export const openIam =
  (keys: Keys) =>
  async ({ identity, settings }: Opening<IamSettings>): Promise<Opened<Iam>> => ({
    state: {
      keys,
      maxima: maximaFrom(settings),
      invitationUrl: token => identity.signIn.invitationUrl(token),
      addressUrl: token => identity.signIn.addressUrl(token),
    },
    provides: { audit: insertAudit },
  })
