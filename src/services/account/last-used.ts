// When keys were last used. Noted in memory and written down together, to the minute: a write for each request would
// cost more than the request.
import type { Database } from '../../engines/engines.ts'
import { updateLastUsed } from './store.ts'

const FLUSH_MS = 1_000

export type LastUsed = {
  note(key: string, atMs: number): void
  flush(): Promise<void>
  close(): Promise<void>
}

export function openLastUsed(db: Database, warn: (error: unknown) => void): LastUsed {
  const noted = new Map<string, string>()

  async function flush(): Promise<void> {
    if (noted.size === 0) return
    const uses = new Map(noted)
    noted.clear()
    try {
      await updateLastUsed(db.autocommit, uses)
    } catch (error) {
      // Kept for the next time, unless the key was used again meanwhile.
      for (const [key, at] of uses) if (!noted.has(key)) noted.set(key, at)
      warn(error)
    }
  }

  const timer = setInterval(() => void flush(), FLUSH_MS).unref()
  return {
    note: (key, atMs) => void noted.set(key, new Date(atMs).toISOString()),
    flush,
    close: () => {
      clearInterval(timer)
      return flush()
    },
  }
}
