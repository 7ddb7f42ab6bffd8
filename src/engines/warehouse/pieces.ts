// The parts of a time span at the highest level that counts were added up to: months, days, and quarters of an hour at its ends.
import { startOf } from './calendar.ts'
import { LEVELS } from './compact.ts'
import type { Piece } from './lens.store.ts'

type Span = { fromMs: number; toMs: number }
/** The zone of days and months, and until when they are complete. */
export type Built = { zone: string; addedMs: number }

/** `built` is null if there are no days and months. Months are used up to the level `highest`. */
export function piecesIn({ fromMs, toMs }: Span, built: Built | null, highest: number = LEVELS.month): Piece[] {
  const pieces: Piece[] = []
  const add = (level: number, from: number, to: number) => {
    const last = pieces.at(-1)
    if (last?.level === level) last.toMs = to
    else if (from < to) pieces.push({ level, fromMs: from, toMs: to })
  }
  let at = fromMs
  if (built !== null && highest !== LEVELS.quarter) {
    while (at < Math.min(toMs, built.addedMs)) {
      const [level, end] = nextOf(built, at, toMs, highest)
      add(level, at, end)
      at = end
    }
  }
  if (at < toMs) add(LEVELS.quarter, at, toMs)
  return pieces
}

/** A day or month that is not over yet counts as far as it is complete. */
function nextOf({ zone, addedMs }: Built, at: number, toMs: number, highest: number): [level: number, end: number] {
  const until = Math.min(toMs, addedMs)
  const nextDay = Math.min(startOf(zone, 'day', at, 1), addedMs)
  if (startOf(zone, 'day', at) !== at || nextDay > toMs) return [LEVELS.quarter, Math.min(nextDay, until)]
  if (highest === LEVELS.day || startOf(zone, 'month', at) !== at) return [LEVELS.day, nextDay]
  const nextMonth = Math.min(startOf(zone, 'month', at, 1), addedMs)
  return nextMonth <= toMs ? [LEVELS.month, nextMonth] : [LEVELS.day, nextDay]
}
