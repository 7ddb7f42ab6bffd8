// What the audit trail keeps of a write.
import type { Database } from '../engines/engines.ts'
import type { Caller, Credential, OrgId } from './caller.ts'

export type AuditRecord = {
  /** In whose trail. */
  org: OrgId
  caller: Pick<Caller, 'user' | 'email'> & { credential: Pick<Credential, 'id'> }
  /** What was done, `project.create`. */
  what: string
  /** To which thing. */
  on: string
  at: string
  ip: string
  requestId: string
}

/** Writes a record in the transaction of the write it tells of. */
export type AuditTrail = (db: Database, record: AuditRecord) => Promise<void>

/** What a write returns that found everything as it should be: answered as it says, and not recorded. */
export class Unchanged<T> {
  readonly output: T
  constructor(output: T) {
    this.output = output
  }
}
