// Keeps the sets fresh: each is imported again at half of its maximum age, one after the other.
import type { Clock } from '../../engines/engines.ts'
import { maxAgeMs } from './facts.ts'
import type { LoadedSet } from './loaded-sets.ts'
import { importSet } from './refresh.ts'
import { schedule } from './state.ts'

/** How often due sets are looked for. A source that failed is retried then. */
const INTERVAL_MS = 6 * 60 * 60_000
/** The interval while a set has no members. */
const URGENT_MS = 10 * 60_000
/** Longer than all sources together need on a slow connection. */
const DEADLINE_MS = 2 * 60 * 60_000

export const refreshSets = schedule({
  name: 'risk reference',
  everyMs: INTERVAL_MS,
  deadlineMs: DEADLINE_MS,
  run: async context => {
    const { state: risk, clock, signal } = context
    const failures: unknown[] = []
    for (const loaded of risk.loadedSets.all) {
      await risk.loadedSets.reload(loaded.entry.set)
      if (signal.aborted) break
      if (!isDue(loaded, clock)) continue
      try {
        await importSet(risk.engines, risk, loaded, false, signal) // Does nothing while a superadmin refreshes the set.
        await risk.loadedSets.reload(loaded.entry.set)
      } catch (error) {
        failures.push(error) // The other sets are still imported.
      }
    }
    if (failures.length > 0) throw failures[0]
    const isMissing = risk.loadedSets.all.some(({ entry, members }) => entry.kind === 'fetch' && !members)
    return isMissing ? { againInMs: URGENT_MS } : undefined
  },
})

/** Also true if a source failed last time. */
function isDue(loaded: LoadedSet, clock: Clock): boolean {
  const { entry, sources } = loaded
  if (entry.kind !== 'fetch') return false
  return entry.sources.some(({ source }) => {
    const row = sources.find(one => one.source === source)
    if (!row?.asOf || row.refusal !== null) return true
    return clock.now().getTime() - Date.parse(row.asOf) >= maxAgeMs(loaded) / 2
  })
}
