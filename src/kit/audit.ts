// What the audit trail keeps of a write.
import type { Tx } from '../engines/engines.ts'
import type { OrgId, Principal } from './caller.ts'
import type { Changes } from './write.ts'

export type AuditRecord = {
  /** In whose trail. */
  org: OrgId
  /** Without a person, the credential says who it was. */
  caller: Pick<Principal, 'user' | 'email'> & { credential: { id: string } }
  /** What was done, `project.create`. */
  what: string
  /** To which thing. */
  on: string
  changes: Changes | null
  at: string
  ip: string
  requestId: string
}

/** Writes a record in the transaction of the write it tells of. */
export type AuditTrail = (db: Tx, record: AuditRecord) => Promise<void>
