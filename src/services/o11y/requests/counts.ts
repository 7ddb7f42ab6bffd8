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

  function add(org: OrgId, { requests, refused, failed }: Counts): void {
    const of = pending.get(org) ?? { requests: 0, refused: 0, failed: 0 }
    of.requests += requests
    of.refused += refused
    of.failed += failed
    pending.set(org, of)
  }

  return {
    count: (org, status) => {
      const isFailed = status >= 500
      add(org, { requests: 1, refused: Number(status >= 400 && !isFailed), failed: Number(isFailed) })
    },
    flush: async () => {
      if (pending.size === 0) return
      const taken = pending
      pending = new Map()
      try {
        await addCounts(db.background.autocommit, taken, clock.now().toISOString())
      } catch (error) {
        for (const [org, counts] of taken) add(org, counts) // With the next flush.
        throw error
      }
    },
  }
}
