// Which session an event belongs to: the one that its SDK names, or else one of its visitor in which at most 30 minutes pass
// between two events. Sessions are within one project and workspace. Events are assigned in the order of their arrival: one
// that arrives late and lies between two sessions belongs to the earlier one, and never joins them.
import { hash } from 'node:crypto'

export const GAP_MS = 30 * 60_000
const BOUNCE_MS = 10_000

/** `holder` is whose session it is if the SDK names none. */
export type Session = {
  id: string
  holder: string | null
  project: string | null
  workspace: string | null
  firstMs: number
  lastMs: number
  pageviews: number
  /** When its last event arrived. */
  seenMs: number
}

export type SessionEvent = Pick<Session, 'project' | 'workspace'> & {
  id: string
  atMs: number
  receivedMs: number
  visitor: string
  sessionId: string | null
  isPageview: boolean
}

/** What a session adds to the counts of the time at which it began. */
export type Visit = { firstMs: number; bounces: number; ms: number }

export const visitOf = ({ firstMs, lastMs, pageviews }: Pick<Session, 'firstMs' | 'lastMs' | 'pageviews'>): Visit => {
  const ms = lastMs - firstMs
  return { firstMs, bounces: pageviews === 1 && ms < BOUNCE_MS ? 1 : 0, ms }
}

const placeOf = ({ project, workspace }: Pick<Session, 'project' | 'workspace'>) =>
  `${project ?? ''}/${workspace ?? ''}`
export const holderOf = (event: SessionEvent): string => `${placeOf(event)}/${event.visitor}`

/** The id of the session that the SDK names. */
export const namedId = (event: SessionEvent): string => uuidOf(`named ${placeOf(event)}/${event.sessionId}`)

function uuidOf(text: string): string {
  const hex = hash('sha256', text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** A time span around events of a holder, whose sessions may be continued. */
export type Span = { holder: string; fromMs: number; toMs: number }

/** The spans of events whose SDKs name no session. Events that are far apart have their own. */
export function spansOf(events: readonly SessionEvent[]): Span[] {
  const byHolder = Map.groupBy(
    events.filter(({ sessionId }) => sessionId === null),
    holderOf,
  )
  return [...byHolder].flatMap(([holder, own]) => {
    const spans: Span[] = []
    for (const atMs of own.map(one => one.atMs).sort((a, b) => a - b)) {
      const last = spans.at(-1)
      if (last && atMs - last.toMs <= 2 * GAP_MS) last.toMs = atMs
      else spans.push({ holder, fromMs: atMs, toMs: atMs })
    }
    return spans
  })
}

/** Assigns events to these sessions and to new ones, which it changes. */
export function openSessions(existing: readonly Session[]) {
  const byId = new Map(existing.map(one => [one.id, one]))
  const byHolder = new Map<string, Session[]>()
  for (const one of existing) if (one.holder !== null) listOf(byHolder, one.holder).push(one)
  for (const list of byHolder.values()) list.sort((a, b) => a.firstMs - b.firstMs)

  function named(event: SessionEvent): Session {
    const id = namedId(event)
    const found = byId.get(id)
    if (found) return found
    const { project, workspace, atMs, receivedMs: seenMs } = event
    const begun = { id, holder: null, project, workspace, firstMs: atMs, lastMs: atMs, pageviews: 0, seenMs }
    byId.set(id, begun)
    return begun
  }

  function ofVisitor(event: SessionEvent): Session {
    const { project, workspace, atMs, receivedMs: seenMs } = event
    const holder = holderOf(event)
    const list = listOf(byHolder, holder)
    const next = firstAfter(list, atMs)
    const [earlier, later] = [list[next - 1], list[next]]
    if (earlier && atMs - earlier.lastMs <= GAP_MS) return earlier
    if (later && later.firstMs - atMs <= GAP_MS) return later
    const id = uuidOf(`begun ${event.id}`)
    const begun = { id, holder, project, workspace, firstMs: atMs, lastMs: atMs, pageviews: 0, seenMs }
    list.splice(next, 0, begun)
    byId.set(id, begun)
    return begun
  }

  return {
    assign: (event: SessionEvent): Session => {
      const session = event.sessionId === null ? ofVisitor(event) : named(event)
      session.firstMs = Math.min(session.firstMs, event.atMs)
      session.lastMs = Math.max(session.lastMs, event.atMs)
      session.seenMs = Math.max(session.seenMs, event.receivedMs)
      if (event.isPageview) session.pageviews++
      return session
    },
  }
}

/** The index of the first session that begins after that time. */
function firstAfter(list: readonly Session[], atMs: number): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle] as Session).firstMs <= atMs) low = middle + 1
    else high = middle
  }
  return low
}

function listOf(lists: Map<string, Session[]>, key: string): Session[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}
