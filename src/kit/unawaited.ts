// Work that nobody waits for: its errors are logged, and a service that closes waits for its end.

export type Unawaited = {
  start(work: Promise<unknown>): void
  ended(): Promise<void>
}

export function openUnawaited(warn: (error: unknown) => void): Unawaited {
  const running = new Set<Promise<unknown>>()
  return {
    start: work => {
      const ended = work.catch(warn).finally(() => running.delete(ended))
      running.add(ended)
    },
    ended: async () => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
