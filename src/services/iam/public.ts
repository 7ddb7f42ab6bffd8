// What other parts may use of identity management.
import type { Engines } from '../../engines/engines.ts'
import type { AuditTrail } from '../../kit/audit.ts'
import type { OrgId } from '../../kit/caller.ts'
import { openSecret } from './apps.ts'
import { admitMember, digestOf } from './people.ts'
import { loadKeys } from './sign-in/signing-keys.ts'
import * as store from './store.ts'

export { DEFAULT_BRAND } from './apps.ts'

export const auditTrail: AuditTrail = store.insertAudit
export const nobodyYet = store.lockWhileEmpty

/** Makes an organisation with the person who owns it, and answers that person's id. */
export async function foundOrganisation(
  engines: Pick<Engines, 'db' | 'clock' | 'random'>,
  { org, name, owner }: { org: OrgId; name: string; owner: { email: string; password: string } },
): Promise<string> {
  await store.insertOrganisation(engines.db, org, name, engines.clock.now().toISOString())
  const { email, password } = owner
  const newcomer = { email, passwordDigest: await digestOf(password), passwordBy: null }
  const { user } = await admitMember(engines, org, newcomer, 'owner')
  return user
}

const PROOF = { org: 'admin', name: 'proof of the root key', text: 'sealed when the database was new' }

/** Whether this database's secrets open under our root key. The first to ask of a new database decides. */
export async function hasRootKey({ db, seal }: Pick<Engines, 'db' | 'seal'>): Promise<boolean> {
  const kept = await store.keepProof(db, seal.seal(PROOF.org, PROOF.name, PROOF.text))
  try {
    return seal.unseal(PROOF.org, PROOF.name, kept) === PROOF.text
  } catch {
    return false // It does not open: that is the answer.
  }
}

/** What sign-in needs to know of apps, people and who belongs where. */
export const signInDirectory = (engines: Engines) => ({
  keys: (brand: string) => loadKeys(engines, brand),
  client: async (id: string, brand: string) => {
    const client = await store.selectClient(engines.db, id, brand)
    return client && { ...client, secret: openSecret(engines.seal, client) }
  },
  person: (user: string, client: string) => store.selectClientMember(engines.db, user, client),
  account: (email: string) => store.selectAccount(engines.db, email),
})
