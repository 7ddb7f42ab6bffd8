// Limits how often something may be done, such as sending mails, over all processes on the database.
import { createHash } from 'node:crypto'
import type { Clock, Tx } from '../../../engines/engines.ts'
import { type Counter, countGuess, selectEnd } from './guesses.store.ts'

export type Limit = { max: number; windowMs: number }

export const counterOf = (text: string, max: number): Counter => ({
  name: createHash('sha256').update(text).digest(),
  max,
})

/** Counts it; returns the seconds until the next one is allowed, 0 if this one is. */
export async function countWithin(
  { db, clock }: { db: Tx; clock: Clock },
  name: string,
  { max, windowMs }: Limit,
): Promise<number> {
  const nowMs = clock.now().getTime()
  const [at, ends] = [nowMs, nowMs + windowMs].map(ms => new Date(ms).toISOString()) as [string, string]
  const counter = counterOf(name, max)
  const { account } = await countGuess(db, null, counter, at, ends)
  if (account !== null) return 0
  const fullUntil = await selectEnd(db, [counter], at)
  // Null if the window ended in the meantime.
  return Math.max(1, Math.ceil((fullUntil === null ? 0 : Date.parse(fullUntil) - nowMs) / 1000))
}
