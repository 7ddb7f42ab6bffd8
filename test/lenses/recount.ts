// Counts events as their definitions say (docs/guides/lenses.md), in the simplest way, to compare the lenses with. `events` are in
// the order of their arrival.
import type { Condition, EventRow } from '../../src/engines/engines.ts'

const GAP_MS = 30 * 60_000

export type Counted = EventRow & { atMs: number; who: string; visit: Visit }
export type Visit = { firstMs: number; lastMs: number; pageviews: number; visitor: string; named: string | null }

/** Who each event counts as, and the session that it belongs to. */
export function counted(events: Iterable<EventRow>): Counted[] {
  const seen = new Set<string>()
  const joins: { id: string; to: string; atMs: number }[] = []
  const joinsOf = new Map<string, typeof joins>()
  const targets = new Set<string>()
  const visits = new Map<string, Visit[]>()
  const all: Counted[] = []
  const whoAt = (id: string, atMs: number) => {
    const known = (joinsOf.get(id) ?? []).filter(one => one.atMs <= atMs)
    return known.length === 0 ? id : (known.reduce((a, b) => (b.atMs >= a.atMs ? b : a)).to as string)
  }
  for (const event of events) {
    if (seen.has(event.id)) continue
    seen.add(event.id)
    const atMs = Date.parse(event.timestamp)
    if (event.join && !targets.has(event.join.id)) {
      const { id } = event.join
      const to = whoAt(event.join.to, atMs)
      const own = joinsOf.get(id) ?? []
      if (to !== id && whoAt(id, atMs) !== to && own.length < 50 && !own.some(one => one.atMs === atMs)) {
        joinsOf.set(id, [...own, { id, to, atMs }])
        targets.add(to)
      }
    }
    const who = whoAt(event.visitor, atMs)
    all.push({ ...event, atMs, who, visit: visitOf(visits, event, who, atMs) })
  }
  return all
}

function visitOf(visits: Map<string, Visit[]>, event: EventRow, who: string, atMs: number): Visit {
  const { sessionId, project, workspace } = event
  const key = JSON.stringify([project, workspace, sessionId === null ? { who } : sessionId])
  const own = visits.get(key) ?? []
  visits.set(key, own)
  const inside = own.find(({ firstMs, lastMs }) => firstMs <= atMs && atMs <= lastMs)
  const before = own
    .filter(({ lastMs }) => lastMs < atMs && atMs - lastMs <= GAP_MS)
    .sort((a, b) => b.lastMs - a.lastMs)
  const after = own
    .filter(({ firstMs }) => firstMs > atMs && firstMs - atMs <= GAP_MS)
    .sort((a, b) => a.firstMs - b.firstMs)
  const found = sessionId === null ? (inside ?? before[0] ?? after[0]) : own[0]
  const visit = found ?? { firstMs: atMs, lastMs: atMs, pageviews: 0, visitor: who, named: sessionId }
  if (!found) own.push(visit)
  visit.firstMs = Math.min(visit.firstMs, atMs)
  visit.lastMs = Math.max(visit.lastMs, atMs)
  if (event.event === '$pageview') visit.pageviews++
  return visit
}

export const meets = (event: EventRow, { of, operator, values }: Condition): boolean => {
  const name = of.startsWith('properties.') ? of.slice('properties.'.length) : null
  const value = name === null ? (event[of as 'path'] ?? null) : (JSON.parse(event.properties)[name] ?? null)
  const text = value === null ? null : String(value)
  const [wanted = ''] = values
  if (operator === 'is') return text === wanted
  if (operator === 'not') return text !== wanted
  if (operator === 'contains') return text?.includes(wanted) === true
  if (operator === 'starts') return text?.startsWith(wanted) === true
  if (operator === 'in') return text !== null && values.includes(text)
  if (operator === 'set') return (text !== null) === (wanted !== 'false')
  const number = text !== null && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null
  return number !== null && (operator === 'gt' ? number > Number(wanted) : number < Number(wanted))
}

/** What happened from one time to another; the sessions are those that began then. */
export function recount(all: readonly Counted[], fromMs: number, toMs: number) {
  const events = all.filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
  return { events: events.length, ...ofEvents(events), ...ofVisits(all, fromMs, toMs) }
}

/** With conditions, sessions count that began then and have one of the events. */
export function recountWhere(all: readonly Counted[], fromMs: number, toMs: number, where: readonly Condition[]) {
  const events = all.filter(
    one => one.atMs >= fromMs && one.atMs < toMs && where.every(condition => meets(one, condition)),
  )
  return { events: events.length, ...ofEvents(events), ...ofVisits(events, fromMs, toMs) }
}

const ofEvents = (events: readonly Counted[]) => ({
  pageviews: events.filter(({ event }) => event === '$pageview').length,
  visitors: new Set(events.map(({ who }) => who)).size,
})

function ofVisits(events: readonly Counted[], fromMs: number, toMs: number) {
  const visits = [...new Set(events.map(({ visit }) => visit))].filter(
    ({ firstMs }) => firstMs >= fromMs && firstMs < toMs,
  )
  return {
    sessions: visits.length,
    bounces: visits.filter(one => one.pageviews === 1 && one.lastMs - one.firstMs < 10_000).length,
    ms: visits.reduce((sum, one) => sum + one.lastMs - one.firstMs, 0),
  }
}
