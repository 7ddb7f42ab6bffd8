// The parts of a time span at the highest level that counts were added up to: months, days, and quarters of an hour at its ends.
import { startOf } from './calendar.ts'
import { LEVELS } from './compact.ts'
import type { Piece } from './lens.store.ts'

type Span = { fromMs: number; toMs: number }

/** `zone` is that of the days and months; null if there are none. Months are used up to the level `highest`. */
export function piecesIn({ fromMs, toMs }: Span, zone: string | null, highest: number = LEVELS.month): Piece[] {
  const pieces: Piece[] = []
  const add = (level: number, from: number, to: number) => {
    const last = pieces.at(-1)
    if (last?.level === level) last.toMs = to
    else pieces.push({ level, fromMs: from, toMs: to })
  }
  for (let at = fromMs; at < toMs; ) {
    const next = zone === null || highest === LEVELS.quarter ? null : nextOf(zone, at, toMs, highest)
    const [level, end] = next ?? [LEVELS.quarter, toMs]
    add(level, at, end)
    at = end
  }
  return pieces
}

function nextOf(zone: string, at: number, toMs: number, highest: number): [level: number, end: number] {
  const nextDay = startOf(zone, 'day', at, 1)
  if (startOf(zone, 'day', at) !== at || nextDay > toMs) return [LEVELS.quarter, Math.min(nextDay, toMs)]
  if (highest === LEVELS.day || startOf(zone, 'month', at) !== at) return [LEVELS.day, nextDay]
  const nextMonth = startOf(zone, 'month', at, 1)
  return nextMonth <= toMs ? [LEVELS.month, nextMonth] : [LEVELS.day, nextDay]
}
