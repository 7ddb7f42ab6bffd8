// What other parts may use of identity management.
import { hash } from '@node-rs/argon2'
import type { Database, Engines } from '../../engines/engines.ts'
import type { AuditTrail } from '../../kit/audit.ts'
import type { OrgId } from '../../kit/caller.ts'
import * as store from './store.ts'

export const auditTrail: AuditTrail = store.insertAudit
export const nobodyYet = store.lockWhileEmpty

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Makes an organisation with the person who owns it, and answers that person's id. */
export async function foundOrganisation(
  { clock, random }: Pick<Engines, 'clock' | 'random'>,
  db: Database,
  { org, name, owner }: { org: OrgId; name: string; owner: { email: string; password: string } },
): Promise<string> {
  const created = clock.now().toISOString()
  const user = `usr_${random.token(24)}`
  await store.insertOrganisation(db, org, name, created)
  await store.insertUser(db, { id: user, email: owner.email, password: await hash(owner.password, ARGON2ID), created })
  await store.insertMember(db, org, user, 'owner', created)
  return user
}
