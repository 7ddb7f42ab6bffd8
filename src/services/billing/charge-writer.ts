// Writes the charges of this process into the journal.
import type { Database } from '../../engines/engines.ts'
import { openInsistentGroups } from '../../kit/insistent-groups.ts'
import { type OrgGroups, openOrgGroups } from '../../kit/org-groups.ts'
import { type Settlement, type SettlingOptions, settle } from './settle.ts'

/** `placed` resolves when its hold is written, or will not be. */
export type Charging = Settlement & { placed: Promise<unknown> }

/** The client does not wait for it, and its failure must not affect the answer. */
const LINGER_MS = 20

export type ChargeWriterOptions = SettlingOptions & {
  db: Database
  warn: (error: unknown) => void
}

export function openChargeWriter(by: ChargeWriterOptions): OrgGroups<Charging> {
  const { warn, clock } = by
  const alerted = new Set<string>()
  const groups = openOrgGroups<Charging>(org => {
    const db = by.db.for(org)
    return openInsistentGroups<Charging>({
      ...{ clock, warn, refused, lingerMs: LINGER_MS },
      write: async group => {
        // Otherwise a hold would be written after its end.
        await Promise.all(group.map(({ placed }) => placed))
        await settle(by, db, org, group, alerted)
      },
    })
  })
  return {
    ...groups,
    close: async () => {
      await groups.close()
      if (groups.size() > 0) warn(new Error(`${groups.size()} calls could not be settled before the shutdown`))
    },
  }
}

/** For the log: the operator must write it into the journal by hand. */
function refused({ id, org, amount, product, model, metadata }: Charging, cause: unknown): Error {
  const what = JSON.stringify({ id, org, amount, product, model, metadata })
  return new Error(`the database rejected a charge, which is not settled: ${what}`, { cause })
}
