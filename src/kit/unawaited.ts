// Work that nobody waits for: its errors are logged, and a closing service waits for it to end.

export type Unawaited = {
  start(work: Promise<unknown>): void
  ended(): Promise<void>
}

export function openUnawaited(warn: (error: unknown) => void): Unawaited {
  let running = 0
  let waiting: (() => void)[] = []
  function end(): void {
    if (--running > 0) return
    for (const resolve of waiting) resolve()
    waiting = []
  }
  return {
    start: work => {
      running++
      work.catch(warn).then(end)
    },
    ended: async () => {
      while (running > 0) await new Promise<void>(resolve => waiting.push(resolve))
    },
  }
}
