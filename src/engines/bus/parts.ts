// The log has one part per day. A part is deleted a day after its end if every consumer has passed it, and in any case
// after a week.

import { createPart, dropPart, selectParts } from '../db/parts.ts'
import type { Sql, Tx } from '../engines.ts'
import * as store from './store.ts'

const DAY_MS = 24 * 60 * 60_000
/** Parts are made this many days ahead. If nobody makes them, the default part takes the events. */
const DAYS_AHEAD = 3
/** For replays. */
const KEEP_MS = DAY_MS
const KEEP_MAX_MS = 7 * DAY_MS
const SET_ASIDE_KEEP_MS = 30 * DAY_MS

type Write = <T>(work: (db: Tx) => Promise<T>) => Promise<T>

export type PartsOptions = {
  db: Sql
  write: Write
  now: Date
  consumers: readonly string[]
  /** Events were deleted that some consumer had not handled. */
  lost: (count: number) => void
  troubled: (error: unknown) => void
}

export async function maintainParts(options: PartsOptions): Promise<void> {
  const { db, write, now, consumers, lost, troubled } = options
  const existing = await selectParts(db, 'bus_log')
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  // Not for today: an event that is being written to the default part would violate the new limits of that part.
  for (let ahead = 1; ahead <= DAYS_AHEAD; ahead++) {
    const day = today + ahead * DAY_MS
    if (existing.includes(nameOf(day))) continue
    await write(tx => createPart(tx, 'bus_log', nameOf(day), isoOf(day), isoOf(day + DAY_MS))).catch(troubled)
  }
  for (const name of existing) {
    const from = dayOf(name)
    const age = now.getTime() - (from + DAY_MS)
    if (age < KEEP_MS) continue
    const unread = await store.countUnread(db, consumers, isoOf(from), isoOf(from + DAY_MS))
    if (unread > 0 && age < KEEP_MAX_MS) continue
    await write(tx => dropPart(tx, name))
    if (unread > 0) lost(unread)
  }
  const before = (ms: number) => isoOf(now.getTime() - ms)
  await write(tx => store.deleteOther(tx, before(KEEP_MS), before(KEEP_MAX_MS + DAY_MS)))
  await write(tx => store.deleteOldSetAside(tx, before(SET_ASIDE_KEEP_MS)))
}

const isoOf = (ms: number) => new Date(ms).toISOString()
const nameOf = (day: number) => `bus_log_${isoOf(day).slice(0, 10).replaceAll('-', '')}`
const dayOf = (name: string) => Date.parse(name.slice(-8).replace(/(\d{4})(\d\d)/, '$1-$2-'))
