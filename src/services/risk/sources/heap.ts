// Stops what reads or gathers before the thread's heap is full: V8 ends the whole process, and not the thread alone, when a
// large piece is asked for that is not there.
import { getHeapStatistics } from 'node:v8'
import { resourceLimits } from 'node:worker_threads'
import { Unreadable } from './source.ts'

/** A table that doubles finds room in the rest. */
const SHARE_MAX = 0.5

export const OUT_OF_MEMORY = 'The document cannot be read within the memory there is for it'

export function requireHeap(): void {
  const { maxOldGenerationSizeMb = Number.POSITIVE_INFINITY } = resourceLimits
  const usedMb = getHeapStatistics().used_heap_size / 2 ** 20
  if (usedMb > maxOldGenerationSizeMb * SHARE_MAX) throw new Unreadable(OUT_OF_MEMORY)
}
