// Writes the usage of this process's calls to their holds, which commits a charge; the client waits for it. The charge is
// written into the journal right after, by this process or, if it dies, by another.
import type { Clock, Database } from '../../engines/engines.ts'
import { openInsistentGroups } from '../../kit/insistent-groups.ts'
import { type OrgGroups, openOrgGroups } from '../../kit/org-groups.ts'
import * as store from './store.ts'

/** `placed` resolves when its hold is written, or will not be. `book` is called once it is committed. */
export type HoldOutcome = store.EndedHold & { placed: Promise<unknown>; book: () => void }

const LINGER_MS = 3
/** A call waits for others to share a write if so many calls run for each of them, because those end soon too. */
const RUNNING_EACH = 4

export type EndWriterOptions = {
  db: Database
  clock: Clock
  warn: (error: unknown) => void
  /** How many calls run. */
  running: () => number
  /** Until when only this process writes the charge into the journal. */
  expiry: () => string
}

export function openEndWriter({ db, clock, warn, running, expiry }: EndWriterOptions): OrgGroups<HoldOutcome> {
  const groups = openOrgGroups<HoldOutcome>(org =>
    openInsistentGroups<HoldOutcome>({
      ...{ clock, warn, refused, lingerMs: LINGER_MS },
      enough: () => Math.ceil(running() / RUNNING_EACH),
      write: async group => {
        // Otherwise a hold would be written after its end.
        await Promise.all(group.map(({ placed }) => placed))
        await store.endHolds(db.for(org).autocommit, org, group, expiry())
        for (const { book } of group) book()
      },
    }),
  )
  return {
    ...groups,
    close: async () => {
      await groups.close()
      const left = groups.size()
      if (left > 0)
        warn(new Error(`the usage of ${left} calls could not be written before the shutdown; their holds are charged`))
    },
  }
}

/** The charge is still written into the journal, unless this process dies before. */
function refused({ id, org, book }: HoldOutcome, cause: unknown): Error {
  book()
  return new Error(`the database refused to commit the charge ${id} of ${org}`, { cause })
}
