// The state of the service: API keys, which another service manages, and the URLs of invitations.

import type { Clock, Engines, Random, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import type { CustomerMails } from '../../kit/host/sign-in.ts'
import { type Opened, type Opening, serviceKit } from '../../kit/service.ts'
import type { Bounds, Table } from '../../kit/table.ts'
import { insertAudit } from './audit/store.ts'
import { openEndedOrgs } from './orgs/ended.ts'

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
  /** The tables of the whole host. */
  tables: readonly Table[]
  engines: Engines
  bounds: Bounds
  /** The audience of tokens for this API, and the source of events. */
  baseUrl: string
  /** The issuer of the first brand. */
  issuer(): string
  /** The link that is mailed with an invitation. */
  invitationUrl(token: string): string
  /** The link that is mailed to a new address. */
  addressUrl(token: string): string
  /** The mails to customers of an organisation about their account. */
  customerMails(org: OrgId): Promise<CustomerMails>
}

export const { operation, queue, schedule } = serviceKit<Iam>()

export const openIam =
  (keys: Keys) =>
  async ({ engines, identity, bounds, tables, baseUrl, warn }: Opening): Promise<Opened<Iam>> => ({
    state: {
      ...{ keys, tables, engines, bounds, baseUrl },
      issuer: () => identity.signIn.issuer,
      invitationUrl: token => identity.signIn.invitationUrl(token),
      addressUrl: token => identity.signIn.addressUrl(token),
      customerMails: org => identity.signIn.customerMails(org),
    },
    provides: { audit: insertAudit, endedOrgs: await openEndedOrgs(engines.db, warn) },
  })
