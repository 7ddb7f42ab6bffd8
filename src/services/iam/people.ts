// People, and how they come to belong to an organisation.
import { hash } from '@node-rs/argon2'
import type { Clock, Random, Tx } from '../../engines/engines.ts'
import type { OrgId, Role } from '../../kit/caller.ts'
import { Fault } from '../../kit/fault.ts'
import * as store from './store.ts'

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Worked out before a transaction begins: it takes as long as a guess of it is meant to take. Keyboards differ in how they
 *  compose what looks the same. */
export const digestOf = (password: string): Promise<string> => hash(password.normalize('NFKC'), ARGON2ID)

/** `passwordBy` is the organisation whose admin gave the password; null when it was an operator, or nobody. */
export type NewPerson = { email: string; passwordDigest: string | null; passwordBy: OrgId | null }

/** Makes somebody a member, who is new here or has an account already, and answers their id. Who has an account keeps
 *  the password they chose: it opens other organisations too. */
export async function admitMember(
  { db, clock, random }: { db: Tx; clock: Clock; random: Random },
  org: OrgId,
  { email, passwordDigest, passwordBy }: NewPerson,
  role: Role,
): Promise<store.Member> {
  const created = clock.now().toISOString()
  const address = email.toLowerCase()
  const id = `usr_${random.token(24)}`
  const isNew = await store.insertUser(db, { id, email: address, password: passwordDigest, passwordBy, created })
  const { user, passwordBy: givenBy } = isNew ? { user: id, passwordBy } : await store.selectUser(db, address)
  if (givenBy !== null && givenBy !== org) {
    // Whoever gave it knows it, and would come along into this organisation.
    throw new Fault('conflict', {
      message: `${address} has an account whose password another organisation gave; invite them, so that they choose one of their own.`,
      fields: [{ path: 'email', says: 'has a password of another organisation' }],
    })
  }
  if (!isNew && passwordDigest !== null) {
    throw new Fault('conflict', {
      message: `${address} has an account already and keeps its password; leave \`password\` out.`,
      fields: [{ path: 'password', says: 'is not for others to set' }],
    })
  }
  if (!(await store.insertMember(db, org, user, role, created))) {
    throw new Fault('conflict', {
      message: `${address} is a member already.`,
      fields: [{ path: 'email', says: 'is a member already' }],
    })
  }
  return { user, email: address, role, created }
}
