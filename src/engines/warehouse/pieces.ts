// The parts of a time span at the highest level that counts were added up to: months, days, and quarters of an hour at its ends.
import { startOf, type Unit } from './calendar.ts'
import { LEVELS } from './compact.ts'
import type { Parts, Piece, Span } from './lens.store.ts'

/** The zone of days and months, and until when they are complete. */
export type Built = { zone: string; addedMs: number }

/** `built` is null if there are no days and months. Months are used up to the level `highest`. */
export function partsOf({ fromMs, toMs }: Span, built: Built | null, highest: number = LEVELS.month): Parts {
  const pieces = piecesIn({ fromMs, toMs }, built, highest)
  return { fromMs, toMs, pieces, closed: built === null ? null : closedIn(pieces, built) }
}

/** Quarters, days, months, days and quarters, as far as there are any. */
function piecesIn({ fromMs, toMs }: Span, built: Built | null, highest: number): Piece[] {
  const all = { level: LEVELS.quarter, fromMs, toMs }
  if (built === null || highest === LEVELS.quarter) return [all]
  return split(all, LEVELS.day, built).flatMap(one =>
    one.level === LEVELS.day && highest === LEVELS.month ? split(one, LEVELS.month, built) : one,
  )
}

const UNITS: Record<number, Unit> = { [LEVELS.day]: 'day', [LEVELS.month]: 'month' }

/** The piece, with its middle at a higher level. A day or month that is not over yet counts as far as it is complete. */
function split(piece: Piece, level: number, { zone, addedMs }: Built): Piece[] {
  const { fromMs, toMs } = piece
  const unit = UNITS[level] as Unit
  const begun = startOf(zone, unit, fromMs)
  const first = begun === fromMs ? fromMs : startOf(zone, unit, fromMs, 1)
  const last = addedMs <= toMs ? addedMs : startOf(zone, unit, toMs)
  if (first >= last) return [piece]
  const pieces = [
    { ...piece, toMs: first },
    { level, fromMs: first, toMs: last },
    { ...piece, fromMs: last },
  ]
  return pieces.filter(one => one.fromMs < one.toMs)
}

/** Whole days and months: what is in one that is not over yet changes all the time. */
function closedIn(pieces: readonly Piece[], { zone, addedMs }: Built): Span | null {
  const whole = pieces.filter(({ level }) => level !== LEVELS.quarter)
  const [first, last] = [whole[0], whole.at(-1)]
  if (!first || !last) return null
  const toMs = Math.min(last.toMs, startOf(zone, last.level === LEVELS.month ? 'month' : 'day', addedMs))
  return toMs > first.fromMs ? { fromMs: first.fromMs, toMs } : null
}

/** The pieces inside the span, and those outside of it. */
export function splitBy(pieces: readonly Piece[], span: Span | null): [inside: Piece[], outside: Piece[]] {
  if (span === null) return [[], [...pieces]]
  const within = (fromMs: number, toMs: number) =>
    pieces
      .map(one => ({ ...one, fromMs: Math.max(one.fromMs, fromMs), toMs: Math.min(one.toMs, toMs) }))
      .filter(one => one.fromMs < one.toMs)
  return [
    within(span.fromMs, span.toMs),
    [...within(Number.NEGATIVE_INFINITY, span.fromMs), ...within(span.toMs, Number.POSITIVE_INFINITY)],
  ]
}
