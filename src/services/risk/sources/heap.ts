// Stops parsing before the heap of the worker thread is full: if a large allocation fails, V8 ends the whole process,
// not only the thread.
import { getHeapStatistics } from 'node:v8'
import { resourceLimits } from 'node:worker_threads'
import { Unreadable } from './source.ts'

/** The other half leaves enough heap for a hash table to double. */
const SHARE_MAX = 0.5

export const OUT_OF_MEMORY = 'The document cannot be read within the memory there is for it'

export function requireHeap(): void {
  const { maxOldGenerationSizeMb = Number.POSITIVE_INFINITY } = resourceLimits
  const usedMb = getHeapStatistics().used_heap_size / 2 ** 20
  if (usedMb > maxOldGenerationSizeMb * SHARE_MAX) throw new Unreadable(OUT_OF_MEMORY)
}
