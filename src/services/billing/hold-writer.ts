// Writes the holds of this process, and decides what prepaying organisations get.

import type { Database } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { type Groups, openGroups } from '../../kit/groups.ts'
import { type OrgGroups, openOrgGroups } from '../../kit/org-groups.ts'
import * as store from './store.ts'

/** Holds per statement. */
const GROUP_MAX = 500
/** While writing a hold takes less than this, calls begin before it is written. */
const WELL_MS = 100

/** `least` is the smallest sufficient amount. The outcome is: held, refused for lack of money, or failed. */
export type Placing = store.NewHold & { least: number; became: 'waiting' | 'held' | 'refused' | 'failed' }

export type HoldWriter = OrgGroups<Placing> & {
  /** Whether the last hold of the organisation was written, and the next one does not wait for long. */
  isWell(org: OrgId): boolean
}

export type HoldWriterOptions = {
  db: Database
  isPrepaid: boolean
  /** When a hold that is written now ends, unless it is renewed. */
  expiry: () => string
  /** Resolves when the organisation's earlier usage is in the journal, so that nothing is held for it any more. */
  booked: (org: OrgId) => Promise<void>
  warn: (error: unknown) => void
}

export function openHoldWriter(options: HoldWriterOptions): HoldWriter {
  /** Organisations whose holds are being written, since when, and those whose last one could not be. */
  const writing = new Map<string, number>()
  const failed = new Set<string>()

  function openOne(org: OrgId): Groups<Placing> {
    const write = async (group: readonly Placing[]): Promise<[]> => {
      writing.set(org, performance.now())
      try {
        await place(options, org, group)
        failed.delete(org)
      } catch (error) {
        for (const hold of group) if (hold.became === 'waiting') hold.became = 'failed'
        failed.add(org)
        options.warn(error)
      }
      writing.delete(org)
      return []
    }
    return openGroups({ sizeMax: () => GROUP_MAX, write, ...(options.isPrepaid && { lingerMs: 0 }) })
  }

  return {
    ...openOrgGroups(openOne),
    isWell: org => !failed.has(org) && performance.now() - (writing.get(org) ?? Number.POSITIVE_INFINITY) < WELL_MS,
  }
}

async function place({ db, isPrepaid, expiry, booked }: HoldWriterOptions, org: OrgId, group: readonly Placing[]) {
  const own = db.for(org)
  if (await store.insertHolds(own.autocommit, org, group, expiry(), isPrepaid)) {
    for (const hold of group) hold.became = 'held'
    return
  }
  await booked(org)
  // The balance may not cover all of them, so they are tried one after the other.
  for (const hold of group) {
    const isHeld = await own.transaction(async tx => {
      const { amount, held } = await store.lockBalance(tx, org)
      hold.amount = Math.max(Math.min(hold.amount, amount - held), hold.least)
      return store.insertHolds(tx, org, [hold], expiry(), isPrepaid)
    })
    hold.became = isHeld ? 'held' : 'refused'
  }
}
