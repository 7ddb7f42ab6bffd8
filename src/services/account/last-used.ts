// When keys were last used. Uses are collected in memory and written in batches, by a schedule: a write for each request
// would cost more than the request.
import type { Database } from '../../engines/engines.ts'
import { updateLastUsed } from './store.ts'

export type LastUsed = {
  note(key: string, atMs: number): void
  flush(): Promise<void>
}

export function openLastUsed(db: Database, warn: (error: unknown) => void): LastUsed {
  const pending = new Map<string, string>()

  async function flush(): Promise<void> {
    if (pending.size === 0) return
    const uses = new Map(pending)
    pending.clear()
    let left: Iterable<string> = uses.keys()
    try {
      left = await updateLastUsed(db.autocommit, uses)
    } catch (error) {
      warn(error)
    }
    // Retried with the next flush, unless the key was used again meanwhile.
    for (const key of left) if (!pending.has(key)) pending.set(key, uses.get(key) as string)
  }

  return {
    note: (key, atMs) => void pending.set(key, new Date(atMs).toISOString()),
    flush,
  }
}
