// What other parts may use of identity management.
import { createHash } from 'node:crypto'
import type { Engines, Tx } from '../../engines/engines.ts'
import { openCache } from '../../kit/cache.ts'
import { type OrgId, PLATFORM_ORG } from '../../kit/caller.ts'
import { openSecret } from './apps.ts'
import { passwordProblem } from './fields.ts'
import { findInvitation, join } from './invitations/invitation.ts'
import { admitMember, digestOf } from './people.ts'
import { loadKeys } from './sign-in/signing-keys.ts'
import * as signIn from './sign-in/store.ts'
import * as store from './store.ts'

export * as oidc from './oidc/store.ts'
export { endGrant, endSignIn, findSignIn, holdSignIn } from './oidc/store.ts'
export { emailsOf, selectMember as findMember } from './store.ts'
export { findWorkspaceToken, workspaceIn } from './workspace-tokens.ts'
export const hasNoUsers = store.lockWhileEmpty

/** Makes an organisation with the person who owns it, and answers that person's id. */
export async function createOrganisation(
  engines: Pick<Engines, 'clock' | 'random'> & { db: Tx },
  { org, name, owner }: { org: OrgId; name: string; owner: { email: string; password: string } },
): Promise<string> {
  await store.insertOrganisation(engines.db, org, name, engines.clock.now().toISOString())
  const { email, password } = owner
  const member = { email, passwordDigest: await digestOf(password), passwordBy: null }
  const { user } = await admitMember(engines, org, member, 'owner')
  return user
}

const PROOF = { org: 'admin', name: 'proof of the root key', text: 'sealed when the database was new' }

/** Whether this database's secrets open under our root key. The first to ask of a new database decides. */
export async function hasRootKey({ db, seal }: Pick<Engines, 'db' | 'seal'>): Promise<boolean> {
  const kept = await store.keepProof(db.autocommit, seal.seal(PROOF.org, PROOF.name, PROOF.text))
  try {
    return seal.unseal(PROOF.org, PROOF.name, kept) === PROOF.text
  } catch {
    return false // It does not open: that is the answer.
  }
}

/** The app by which people sign in to the platform itself. */
const OWN_APP = { app: 'console', id: `${PLATFORM_ORG}-console`, name: 'Stoa' }
export const OWN_CLIENT = OWN_APP.id

/** Makes the brands that settings name, and at each the platform's own app with the address people come back to. */
export async function keepBrands(
  { db, clock }: Pick<Engines, 'db' | 'clock'>,
  brands: readonly string[],
  callback: string,
): Promise<void> {
  const created = clock.now().toISOString()
  await db.transaction(async tx => {
    await signIn.keepBrands(tx, brands)
    for (const brand of brands) {
      await signIn.upsertOwnApp(tx, PLATFORM_ORG, { ...OWN_APP, brand, redirectUris: [callback], created })
    }
  })
}

/** What sign-in at one brand needs to know of apps, people and who belongs where. Apps are cached until they change:
 *  every token is asked for by one, and its secret takes long to open. */
export async function openDirectory(engines: Engines, brand: string) {
  const { db, clock, seal } = engines
  const cache = openCache<signIn.Client & { secret: string | null }>()
  await db.listen('apps', cache.drop, cache.clear)
  const look = async (id: string) => {
    const client = await signIn.selectClient(db, { brand, id })
    return client && { value: { ...client, secret: openSecret(seal, client) }, aliases: [`${brand} ${id}`] }
  }
  return {
    brand,
    keys: () => loadKeys(engines, brand),
    client: async (id: string) => {
      const nowMs = clock.now().getTime()
      return cache.get(id, nowMs) ?? cache.load(id, nowMs, () => look(id))
    },
    person: (user: string, id: string, grantId: string | null) =>
      signIn.selectClientMember(db, user, { brand, id }, grantId === null ? null : digestOfGrant(grantId)),
    memberships: (user: string) => store.selectMemberships(db, user),
    account: (email: string) => store.selectAccount(db, email),
    invitation: (token: string) => findInvitation(engines, token),
    join: (token: string, password: string | null, ip: string) => join(engines, token, password, ip),
    passwordProblem,
  }
}

const digestOfGrant = (grantId: string) => createHash('sha256').update(grantId).digest()
