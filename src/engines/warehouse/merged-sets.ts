// Sets of visitors of whole days that were merged, in memory.
import type { Distinct } from './distinct.ts'

/** Merged sets, with the number of events in them. It only grows, so a set with that number is complete. */
export type Merged = { events: number; bytes: Buffer; distinct: Distinct }
export type MergedSets = { get(key: string, events: number): Merged | null; set(key: string, merged: Merged): void }

/** What an entry needs besides its set. */
const ENTRY_BYTES = 500

/** Forgets the sets that were not used for the longest time. */
export function openMergedSets(bytesMax: number): MergedSets {
  const kept = new Map<string, Merged>()
  let bytes = 0
  const sizeOf = ({ bytes: { length } }: Merged) => length + ENTRY_BYTES
  function remove(key: string): Merged | null {
    const found = kept.get(key)
    if (!found) return null
    kept.delete(key)
    bytes -= sizeOf(found)
    return found
  }
  function add(key: string, merged: Merged): void {
    kept.set(key, merged)
    bytes += sizeOf(merged)
  }
  return {
    get: (key, events) => {
      const found = remove(key)
      if (found?.events !== events) return null
      add(key, found)
      return found
    },
    set: (key, merged) => {
      remove(key)
      add(key, merged)
      for (const oldest of kept.keys()) {
        if (bytes <= bytesMax) break
        remove(oldest)
      }
    },
  }
}
