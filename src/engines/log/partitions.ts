// The log has one partition per day. A partition is deleted a day after its end, when every consumer has passed it. A
// consumer that is no longer declared holds it for a week: its name may have been changed by mistake.
import { createPartition, dropPartition, selectPartitions } from '../db/partitions.ts'
import type { TrimOptions } from '../engines.ts'
import * as store from './store.ts'

const DAY_MS = 24 * 60 * 60_000
/** Partitions are created this many days ahead. If none is created, the default partition takes the events. */
const DAYS_AHEAD = 3
const KEEP_MS = DAY_MS
const KEEP_FOR_UNDECLARED_MS = 7 * DAY_MS
/** Rows per transaction, small enough not to delay other writes. */
const BATCH = 5_000

export async function trimPartitions(options: TrimOptions & { troubled: (error: unknown) => void }): Promise<void> {
  const { db, write, now, signal, troubled } = options
  const existing = await selectPartitions(db, 'bus_log')
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  // Not for today: an event that is being written to the default partition would violate that partition's new bounds.
  for (let ahead = 1; ahead <= DAYS_AHEAD; ahead++) {
    const day = today + ahead * DAY_MS
    if (existing.includes(nameOf(day))) continue
    await write(tx => createPartition(tx, 'bus_log', nameOf(day), isoOf(day), isoOf(day + DAY_MS))).catch(error => {
      if (signal.aborted) throw error
      troubled(error)
    })
  }
  const readersAfter = (ageMs: number) =>
    ageMs < KEEP_FOR_UNDECLARED_MS ? [...options.declared, ...options.undeclared] : options.declared
  for (const name of existing) {
    const from = dayOf(name)
    const ageMs = now.getTime() - (from + DAY_MS)
    if (ageMs < KEEP_MS || signal.aborted) continue
    const isUnread = await store.isUnread(db, readersAfter(ageMs), isoOf(from), isoOf(from + DAY_MS))
    if (!isUnread) await write(tx => dropPartition(tx, name))
  }
  for (const [ageMs, readers] of [
    [KEEP_MS, [...options.declared, ...options.undeclared]],
    [KEEP_FOR_UNDECLARED_MS, options.declared],
  ] as const) {
    const before = isoOf(now.getTime() - ageMs)
    while (!signal.aborted && (await write(tx => store.deleteOther(tx, readers, before, BATCH))) > 0) {}
  }
}

const isoOf = (ms: number) => new Date(ms).toISOString()
const nameOf = (day: number) => `bus_log_${isoOf(day).slice(0, 10).replaceAll('-', '')}`
const dayOf = (name: string) => Date.parse(name.slice(-8).replace(/(\d{4})(\d\d)/, '$1-$2-'))
