// Entries of the audit trail.
import type { Tx } from '../engines/engines.ts'
import type { OrgId, Principal } from './caller.ts'
import type { Changes } from './write.ts'

export type AuditRecord = {
  /** The organisation whose trail gets the entry. */
  org: OrgId
  /** `user` and `email` are null for a credential without a person; its id then identifies the caller. */
  caller: Pick<Principal, 'user' | 'email'> & { credential: { id: string } }
  /** The name of the change, such as `project.create`. */
  what: string
  /** The thing that was changed. */
  on: string
  changes: Changes | null
  at: string
  ip: string
  requestId: string
}

/** Writes a record in the transaction of the change it describes. */
export type AuditTrail = (db: Tx, record: AuditRecord) => Promise<void>
