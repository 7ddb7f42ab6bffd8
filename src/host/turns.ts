// Turns: work on the same thing, one after the other. Those who wait hold no connection to the database meanwhile, so
// that a crowd at one thing does not keep everybody else from theirs.

export type Turns = { take<T>(thing: string, work: () => Promise<T>): Promise<T> }

export function openTurns(): Turns {
  const last = new Map<string, Promise<void>>()
  return {
    take: (thing, work) => {
      const mine = (last.get(thing) ?? Promise.resolve()).then(work)
      const over = mine.then(
        () => {},
        () => {}, // Told to whoever waits for it; the next one's turn comes all the same.
      )
      last.set(thing, over)
      void over.then(() => last.get(thing) === over && last.delete(thing))
      return mine
    },
  }
}
