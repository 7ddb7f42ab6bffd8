// The interface of this service for other services, the identity origin and the start.
import { createHash } from 'node:crypto'
import type { Engines, Tx } from '../../engines/engines.ts'
import { openCache } from '../../kit/cache.ts'
import { ADMIN_ORG, type OrgId } from '../../kit/caller.ts'
import { openAccountPage } from './account-page.ts'
import { findChange, finishChange } from './addresses/change.ts'
import { openSecret } from './apps.ts'
import { findInvitation, join } from './invitations/invitation.ts'
import { passwordProblem } from './password-rules.ts'
import { addFirstOwner } from './people.ts'
import { findReset, finishReset, sendReset } from './resets/reset.ts'
import { loadKeys } from './sign-in/signing-keys.ts'
import * as signIn from './sign-in/store.ts'
import * as store from './store.ts'

export type { AccountFacts, AccountPage, Visitor } from './account-page.ts'
export { sessionEnded } from './events.ts'
export { UserId } from './fields.ts'
export * as guesses from './guesses/store.ts'
export { addNotice } from './notices.ts'
export * as oidc from './oidc/store.ts'
export { endGrant, endSignIn, findSignIn, lockSignIn, type SignedIn } from './oidc/store.ts'
export { signInId } from './sign-ins/store.ts'
export {
  emailsOf,
  type MemberAccess,
  ownersOf,
  selectAccess as findMember,
  selectOrg as findOrganisation,
} from './store.ts'
export { insertAudit as recordInTrail } from './trail/store.ts'
export { findWorkspaceToken, workspaceIn } from './workspace-tokens.ts'
export const hasNoOrganisations = store.lockWhileEmpty

/** Creates an organisation with its owner; returns the owner's user id. */
export async function createOrganisation(
  engines: Pick<Engines, 'clock' | 'random' | 'passwords'> & { db: Tx },
  { org, name, owner }: { org: OrgId; name: string; owner: { email: string; password: string } },
): Promise<string> {
  await store.insertOrganisation(engines.db, org, name, engines.clock.now().toISOString())
  const { email, password } = owner
  const member = { email, passwordDigest: await engines.passwords.hash(org, password), passwordBy: null }
  const { user } = await addFirstOwner(engines, org, member)
  return user
}

const PROOF = { org: 'admin', name: 'proof of the root key', text: 'sealed when the database was new' }

/** Whether the secrets of this database can be unsealed with our root key. In a new database, stores the proof first.
 *  */
export async function hasRootKey({ db, seal }: Pick<Engines, 'db' | 'seal'>): Promise<boolean> {
  const proof = await store.insertProof(db.autocommit, seal.seal(PROOF.org, PROOF.name, PROOF.text))
  try {
    return seal.unseal(PROOF.org, PROOF.name, proof) === PROOF.text
  } catch {
    return false // Sealed with another root key.
  }
}

/** The app with which people sign in to Stoa itself. */
const OWN_APP = { app: 'console', id: `${ADMIN_ORG}-console`, name: 'Stoa' }
export const OWN_CLIENT = OWN_APP.id

/** A brand has another issuer than in earlier starts. */
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
    await signIn.syncBrands(tx, [...issuers.keys()])
    await signIn.fixIssuers(tx, fixed)
    for (const stored of await signIn.selectIssuers(tx)) {
      if (issuers.get(stored.brand) !== stored.issuer) throw new IssuerChanged(stored)
    }
    for (const brand of issuers.keys()) {
      await signIn.upsertOwnApp(tx, ADMIN_ORG, { ...OWN_APP, brand, redirectUris: [callback], created })
    }
  })
}

/** The apps, people and memberships that sign-in at one brand needs. Apps are cached until they change: every token
 *  request reads one, and unsealing its secret is slow. `source` is that of its events. */
export async function openDirectory(
  engines: Engines,
  brand: string,
  { membersMax, source }: { membersMax: number; source: string },
) {
  const { db, clock, seal } = engines
  const publishing = { ...engines, source }
  const cache = openCache<signIn.Client & { secret: string | null }>(db.isListening)
  await db.listen('apps', cache.drop, cache.clear)
  const loadClient = async (id: string) => {
    const client = await signIn.selectClient(db, { brand, id })
    if (!client) return null
    const bytes = [...client.redirectUris, ...client.logoutUris].join().length
    return { value: { ...client, secret: openSecret(seal, client) }, aliases: [`${brand} ${id}`], bytes }
  }
  /** No cache of this process is older than the answer. */
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
      signIn.selectClientMember(db, user, { brand, id }, grantId === null ? null : digestOfGrant(grantId)),
    memberships: (user: string) => store.selectMemberships(db, user),
    account: (email: string) => store.selectAccount(db, email),
    invitation: (token: string) => findInvitation(engines, token),
    join: (token: string, passwordDigest: string | null, ip: string) =>
      handled(join({ ...publishing, membersMax }, token, passwordDigest, ip)),
    passwordProblem,
    accountPage: openAccountPage(publishing, membersMax),
    sendReset: (email: string, linkOf: (token: string) => string) => sendReset(engines, email, linkOf),
    findReset: (token: string) => findReset(engines, token),
    finishReset: (token: string, passwordDigest: string, ip: string) =>
      handled(finishReset(engines, token, passwordDigest, ip)),
    findAddressChange: (token: string) => findChange(engines, token),
    finishAddressChange: (token: string, ip: string) => handled(finishChange(publishing, token, ip)),
  }
}

const digestOfGrant = (grantId: string) => createHash('sha256').update(grantId).digest()
