// All SQL on API keys.
import type { Sql } from '../../engines/engines.ts'
import type { Caller, OrgId, Role } from '../../kit/caller.ts'

export type NewKey = {
  id: string
  org: OrgId
  user: string
  name: string
  prefix: string
  digest: string
  created: string
}

export async function insertKey(db: Sql, key: NewKey): Promise<void> {
  await db`insert into keys (id, org, user_id, name, prefix, digest, created)
    values (${key.id}, ${key.org}, ${key.user}, ${key.name}, ${key.prefix}, decode(${key.digest}, 'hex'), ${key.created})`
}

export async function findCallerByDigest(db: Sql, digest: string): Promise<Caller | null> {
  const [row] = await db<{ id: string; org: OrgId; user_id: string; email: string; role: Role }>`
    select keys.id, keys.org, keys.user_id, users.email, members.role
    from keys
    join members on members.org = keys.org and members.user_id = keys.user_id
    join users on users.id = keys.user_id
    where digest = decode(${digest}, 'hex')`
  if (!row) return null
  return {
    org: row.org,
    user: row.user_id,
    email: row.email,
    role: row.role,
    credential: { kind: 'key', id: row.id },
  }
}
