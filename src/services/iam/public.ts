// The interface of this service for other services, the identity origin and the start.

import { createHash } from 'node:crypto'
import type { Engines, Tx } from '../../engines/engines.ts'
import { openCache } from '../../kit/cache.ts'
import { ADMIN_ORG, type OrgId } from '../../kit/caller.ts'
import type { CustomerMails } from '../../kit/host/sign-in.ts'
import type { Bounds } from '../../kit/table.ts'
import { openSecret } from './apps/apps.ts'
import * as apps from './apps/store.ts'
import { findInvitation, join } from './invites/invitation.ts'
import { openAccountPage } from './me/account-page.ts'
import { openCustomerAccount } from './me/customer-page.ts'
import * as members from './members/store.ts'
import { ORGS_CHANNEL } from './orgs/ended.ts'
import * as orgs from './orgs/store.ts'
import { isCustomerId } from './people/accounts.ts'
import { findChange, finishChange } from './people/address-change.ts'
import { passwordProblem } from './people/password-rules.ts'
import { addFirstOwner } from './people/people.ts'
import { findReset, finishReset, sendReset } from './people/reset.ts'
import * as people from './people/store.ts'
import * as rootKey from './root-key.store.ts'
import { loadKeys } from './signing-keys/keys.ts'
import { openCustomers } from './users/directory.ts'

export type { App } from './apps/store.ts'
export { insertAudit as recordInTrail } from './audit/store.ts'
export { sessionEnded } from './events.ts'
export { Email, UserId } from './fields.ts'
export type { AccountFacts, AccountPage } from './me/account-page.ts'
export type { CustomerAccount, CustomerFacts } from './me/customer-page.ts'
export type { Visitor } from './me/page-write.ts'
export { type MemberAccess, ownersOf, selectAccess as findMember } from './members/store.ts'
export { addNotice } from './notices.ts'
export { selectLiveOrg as findOrganisation } from './orgs/store.ts'
export type { PendingChange } from './people/address-changes.store.ts'
export * as guesses from './people/guesses.store.ts'
export * as limits from './people/limits.ts'
export { emailsOf } from './people/store.ts'
export * as oidc from './sessions/oidc.store.ts'
export { endGrant, endSignIn, findSignIn, lockSignIn, type SignedIn } from './sessions/oidc.store.ts'
export { signInId } from './sessions/store.ts'
export type { PendingCode } from './users/codes.store.ts'
export { type CustomerDirectory, openCustomers } from './users/directory.ts'
export type { CodeMail, CodeOutcome, EnteredCode, Purpose, SignedInCustomer } from './users/sign-in.ts'
export { findWorkspaceToken, workspaceIn } from './workspaces/tokens.ts'
export const hasNoOrganisations = orgs.lockWhileEmpty

/** Creates an organisation with its owner; returns the owner's user id. */
export async function createOrganisation(
  engines: Pick<Engines, 'clock' | 'random' | 'passwords'> & { db: Tx },
  { org, name, owner }: { org: OrgId; name: string; owner: { email: string; password: string } },
): Promise<string> {
  await orgs.insertOrganisation(engines.db, org, name, engines.clock.now().toISOString())
  const { email, password } = owner
  const member = { email, passwordDigest: await engines.passwords.hash(org, password), passwordBy: null }
  const { user } = await addFirstOwner(engines, org, member)
  return user
}

const PROOF = { org: 'admin', name: 'proof of the root key', text: 'sealed when the database was new' }

/** Whether the secrets of this database can be unsealed with our root key. In a new database, stores the proof first.
 *  */
export async function hasRootKey({ db, seal }: Pick<Engines, 'db' | 'seal'>): Promise<boolean> {
  const proof = await rootKey.insertProof(db.autocommit, seal.seal(PROOF.org, PROOF.name, PROOF.text))
  try {
    return seal.unseal(PROOF.org, PROOF.name, proof) === PROOF.text
  } catch {
    return false // Sealed with another root key.
  }
}

/** The app with which people sign in to Stoa itself. */
const OWN_APP = { app: 'console', id: `${ADMIN_ORG}-console`, name: 'Stoa' }
export const OWN_CLIENT = OWN_APP.id

/** A brand has a different issuer than at earlier starts. */
export class IssuerChanged extends Error {
  readonly brand: string
  readonly before: string
  constructor({ brand, issuer }: { brand: string; issuer: string }) {
    super(`the issuer of ${brand} was ${issuer}`)
    this.brand = brand
    this.before = issuer
  }
}

/** Creates the brands of the settings, and Stoa's own app at each of them with its redirect URI. Issuers in `fixed` are
 *  stored, and must be the same at every later start. */
export async function syncBrands(
  { db, clock }: Pick<Engines, 'db' | 'clock'>,
  issuers: ReadonlyMap<string, string>,
  fixed: ReadonlyMap<string, string>,
  callback: string,
): Promise<void> {
  const created = clock.now().toISOString()
  await db.transaction(async tx => {
    await apps.upsertBrands(tx, [...issuers.keys()])
    await apps.fixIssuers(tx, fixed)
    for (const stored of await apps.selectIssuers(tx)) {
      if (issuers.get(stored.brand) !== stored.issuer) throw new IssuerChanged(stored)
    }
    for (const brand of issuers.keys()) {
      await apps.upsertOwnApp(tx, ADMIN_ORG, { ...OWN_APP, brand, redirectUris: [callback], created })
    }
  })
}

/** The apps, people and memberships that sign-in at one brand needs. Apps are cached until they change: every token
 *  request reads one, and unsealing its secret is slow. `source` is that of its events. */
export async function openDirectory(
  engines: Engines,
  brand: string,
  { bounds, source }: { bounds: Bounds; source: string },
) {
  const { db, clock, seal } = engines
  const publishing = { ...engines, source }
  const cache = openCache<apps.Client & { secret: string | null }>(db.isListening)
  await db.listen('apps', cache.drop, cache.clear)
  await db.listen(ORGS_CHANNEL, cache.drop, cache.clear)
  const loadClient = async (id: string) => {
    const client = await apps.selectClient(db, { brand, id })
    if (!client) return null
    const bytes = [...client.redirectUris, ...client.logoutUris, client.logo].join().length
    return { value: { ...client, secret: openSecret(seal, client) }, aliases: [`${brand} ${id}`, client.org], bytes }
  }
  /** Resolves when this process has handled the notifications of the change, so that its caches are up to date. */
  const handled = async <T>(change: Promise<T>): Promise<T> => {
    const done = await change
    await db.waitForNotifications()
    return done
  }
  return {
    brand,
    keys: () => loadKeys(engines, brand),
    /** `user` is who asks: the address of the client. */
    client: async (id: string, user: string) => {
      const nowMs = clock.now().getTime()
      const lookUp = () => loadClient(id)
      return cache.get(id, nowMs, lookUp) ?? cache.load(id, nowMs, user, lookUp)
    },
    person: (user: string, id: string, grantId: string | null) =>
      isCustomerId(user)
        ? apps.selectClientCustomer(db, user, { brand, id })
        : apps.selectClientMember(db, user, { brand, id }, grantId === null ? null : digestOfGrant(grantId)),
    customers: openCustomers({ ...publishing, bounds }, () => loadKeys(engines, brand)),
    memberships: (user: string) => members.selectMemberships(db, user),
    account: (email: string) => people.selectAccount(db, email),
    invitation: (token: string) => findInvitation(engines, token),
    join: (token: string, passwordDigest: string | null, ip: string) =>
      handled(join({ ...publishing, bounds }, token, passwordDigest, ip)),
    passwordProblem,
    accountPage: openAccountPage(publishing, bounds),
    customerAccount: openCustomerAccount(publishing),
    sendReset: (email: string, linkOf: (token: string) => string) => sendReset(engines, email, linkOf),
    findReset: (token: string) => findReset(engines, token),
    finishReset: (token: string, passwordDigest: string, ip: string) =>
      handled(finishReset(engines, token, passwordDigest, ip)),
    findAddressChange: (token: string) => findChange(engines, token),
    finishAddressChange: (token: string, ip: string, mails: CustomerMails | null) =>
      handled(finishChange(publishing, token, ip, mails)),
  }
}

const digestOfGrant = (grantId: string) => createHash('sha256').update(grantId).digest()
