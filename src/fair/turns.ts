// Spreads work that arrives at the same moment over several turns of the event loop, a few starts in each. Users are served
// in turn: one that sends hundreds of requests delays the others by a few of them, not by all.

export type Turns = (user: string, start: () => void) => void

export function openTurns(perTurn: number): Turns {
  const waiting = new Map<string, (() => void)[]>()
  let started = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(turn) // After the connections were read, so that new users are in the queue.
  }

  function turn(): void {
    isScheduled = false
    started = 0
    if (waiting.size === 0) return
    schedule()
    for (const [user, starts] of waiting) {
      if (started === perTurn) return
      started++
      const start = starts.shift() as () => void
      waiting.delete(user)
      if (starts.length > 0) waiting.set(user, starts) // To the end.
      start()
    }
  }

  return (user, start) => {
    if (started < perTurn && waiting.size === 0) {
      // The count is reset only when it nears the limit: scheduling a turn for each start would cost more than counting.
      if (++started > perTurn / 2) schedule()
      start()
      return
    }
    schedule()
    const own = waiting.get(user)
    if (own) own.push(start)
    else waiting.set(user, [start])
  }
}
