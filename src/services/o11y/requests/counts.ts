// How many requests organisations make. They are counted in memory and added to the table by a schedule: a write for each
// request would cost more than the request. A process that is killed loses the last seconds.
import type { Clock, Database } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { addCounts, type Counts } from './store.ts'

export type RequestCounts = {
  count(org: OrgId, status: number): void
  flush(): Promise<void>
}

export function openRequestCounts(db: Database, clock: Clock): RequestCounts {
  let pending = new Map<OrgId, Counts>()

  function countsOf(org: OrgId): Counts {
    const known = pending.get(org)
    if (known) return known
    const fresh = { requests: 0, refused: 0, failed: 0 }
    pending.set(org, fresh)
    return fresh
  }

  return {
    count: (org, status) => {
      const of = countsOf(org)
      of.requests++
      if (status >= 500) of.failed++
      else if (status >= 400) of.refused++
    },
    flush: async () => {
      if (pending.size === 0) return
      const taken = pending
      pending = new Map()
      try {
        await addCounts(db.background.autocommit, taken, clock.now().toISOString())
      } catch (error) {
        // With the next flush.
        for (const [org, { requests, refused, failed }] of taken) {
          const of = countsOf(org)
          of.requests += requests
          of.refused += refused
          of.failed += failed
        }
        throw error
      }
    },
  }
}
