// Appends events of one organisation in the order of their arrival: decides who they count as and to which session they belong,
// and writes the rows, sessions and counts.
import type { Tx } from '../engines.ts'
import * as store from './append.store.ts'
import { openDeltas, PAGEVIEW } from './counts.ts'
import { type Join, openJoins } from './joins.ts'
import { namedId, openSessions, type Session, type SessionEvent, spansOf, visitOf } from './sessions.ts'
import type { EventRow, Usage } from './types.ts'

export async function appendEventRows(db: Tx, sent: readonly EventRow[]): Promise<void> {
  for (const [org, rows] of Map.groupBy(sent, row => row.org)) await appendOf(db, org, rows)
}

/** What model calls used. */
export async function appendUsage(db: Tx, org: string, used: readonly Usage[]): Promise<void> {
  const deltas = openDeltas()
  for (const one of used) deltas.addUsage(one)
  await store.insertDeltas(db, org, deltas.deltas())
}

async function appendOf(db: Tx, org: string, sent: readonly EventRow[]): Promise<void> {
  const [, existing, joins] = await Promise.all([
    store.lockCounting(db, org),
    store.selectExisting(db, org, sent),
    joinsOf(db, org, sent),
  ])
  await countEventRows(db, org, withoutRepeated(sent, existing), joins, rows => store.insertEventRows(db, rows))
}

type Joins = { known: readonly Join[]; targets: readonly string[] }

/** What is known of joins of the ids that occur in the rows. */
export async function joinsOf(db: Tx, org: string, rows: readonly EventRow[]): Promise<Joins> {
  const joining = rows.flatMap(({ join }) => join ?? [])
  const ids = new Set([...rows.map(({ visitor }) => visitor), ...joining.flatMap(({ id, to }) => [id, to])])
  const [known, targets] = await Promise.all([
    store.selectJoins(db, org, [...ids]),
    store.selectJoinTargets(
      db,
      org,
      joining.map(({ id }) => id),
    ),
  ])
  return { known, targets }
}

/** Decides what rows count as, in this order, and writes that; `write` stores the rows. */
export async function countEventRows(
  db: Tx,
  org: string,
  rows: readonly EventRow[],
  { known, targets }: Joins,
  write: (rows: readonly store.PlacedRow[]) => Promise<void>,
): Promise<void> {
  if (rows.length === 0) return
  const { visitors, joins } = visitorsOf(rows, known, targets)
  const events = rows.map((row, at) => sessionEventOf(row, visitors[at] as string))
  const named = new Set(events.flatMap(one => (one.sessionId === null ? [] : namedId(one))))
  const [existing, arrival] = await Promise.all([
    store.selectSessions(db, org, [...named], spansOf(events)),
    store.takeArrivals(db, org, rows.length),
  ])
  const { counted, sessions, changed } = countedOf(rows, events, existing)
  const placed = rows.map((row, at) => ({
    ...row,
    ...{ visitor: visitors[at] as string, session: sessions[at] as string, arrival: arrival - rows.length + at + 1 },
  }))
  await Promise.all([
    write(placed),
    store.insertJoins(db, org, joins),
    store.upsertSessions(db, org, changed),
    store.insertDeltas(db, org, counted),
    store.upsertErrors(db, org, rows),
  ])
}

function withoutRepeated(sent: readonly EventRow[], existing: readonly string[]): EventRow[] {
  const seen = new Set(existing)
  return sent.filter(({ id }) => seen.size !== seen.add(id).size)
}

function visitorsOf(rows: readonly EventRow[], known: readonly Join[], targets: readonly string[]) {
  const joins = openJoins(known, targets)
  const visitors = rows.map(({ visitor, join, timestamp }) => {
    const atMs = Date.parse(timestamp)
    if (join) joins.add({ ...join, atMs })
    return joins.visitorAt(visitor, atMs)
  })
  return { visitors, joins: joins.added() }
}

const sessionEventOf = (
  { id, project, workspace, timestamp, received, sessionId, event }: EventRow,
  visitor: string,
): SessionEvent => ({
  ...{ id, project, workspace, visitor, sessionId },
  atMs: Date.parse(timestamp),
  receivedMs: Date.parse(received),
  isPageview: event === PAGEVIEW,
})

/** What the rows count as. A session that changes is counted as it is then, instead of as it was. */
function countedOf(rows: readonly EventRow[], events: readonly SessionEvent[], before: readonly Session[]) {
  const deltas = openDeltas()
  const old = new Map(before.map(one => [one.id, { ...one }]))
  const assigning = openSessions(before)
  const changed = new Map<string, Session>()
  const sessions = events.map((event, at) => {
    const session = assigning.assign(event)
    changed.set(session.id, session)
    deltas.addEvent(rows[at] as EventRow, event.visitor, event.atMs)
    return session.id
  })
  for (const session of changed.values()) {
    const was = old.get(session.id)
    if (was) deltas.addVisit(was, visitOf(was), -1)
    deltas.addVisit(session, visitOf(session), 1)
  }
  return { counted: deltas.deltas(), sessions, changed: [...changed.values()] }
}
