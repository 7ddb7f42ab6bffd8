// Writes the charges of this process: what was used must be paid.
import type { Database } from '../../engines/engines.ts'
import type { Publishing } from '../../kit/events.ts'
import type { Groups } from '../../kit/groups.ts'
import { openInsistentGroups } from '../../kit/insistent-groups.ts'
import { type Settlement, settleAll } from './settle.ts'

/** `placed` resolves when its hold is written, or will not be. */
export type Charging = Settlement & { org: string; placed: Promise<unknown> }

export type ChargeWriterOptions = Publishing & { db: Database; warn: (error: unknown) => void }

export function openChargeWriter(by: ChargeWriterOptions): Groups<Charging> {
  const { db, warn, clock } = by
  const groups = openInsistentGroups<Charging>({
    ...{ clock, warn, refused },
    write: async group => {
      // Otherwise a hold would be written after its end.
      await Promise.all(group.map(({ placed }) => placed))
      await db.transaction(tx => settleAll(by, tx, group))
    },
  })
  return {
    ...groups,
    close: async () => {
      await groups.close()
      if (groups.size() > 0) warn(new Error(`${groups.size()} calls could not be settled before the end`))
    },
  }
}

/** For the log: whoever operates this must write it into the journal. */
function refused({ id, caller, charge }: Settlement, cause: unknown): Error {
  const { amount, product, model, metadata } = charge
  const what = JSON.stringify({ id, org: caller.org, amount, product, model, metadata })
  return new Error(`the database refused a charge, which is not settled: ${what}`, { cause })
}
