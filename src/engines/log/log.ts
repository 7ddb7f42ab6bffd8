// The log in PostgreSQL. Each organisation's events are in one lane, numbered within it.
import type { Database, Envelope, Log, Random, Removal, Sql } from '../engines.ts'
import { openNotifier } from './notifier.ts'
import { trimPartitions } from './partitions.ts'
import * as store from './store.ts'
import { isSubject } from './subjects.ts'

const LANES = 16
const CHANNEL = 'bus'

export type LogOptions = {
  db: Database
  random: Random
  /** Called with errors that no caller receives. */
  warn: (error: unknown, what: string, fields: Record<string, unknown>) => void
}

export function openLog({ db, random, warn }: LogOptions): Log {
  const own = db.background.for('the log')
  const settle = openSettled()
  const me = random.token(16)
  let wake: Parameters<Log['watch']>[0] = () => {}
  const notifier = openNotifier(lanes =>
    store.notifyReaders(own.autocommit, CHANNEL, `${lanes} ${me}`).catch(error => warn(error, 'the log', {})),
  )
  return {
    driver: 'PostgreSQL',
    lanes: LANES,
    append: async (tx, envelopes, ingested) => {
      if (envelopes.length === 0) return
      await store.appendEvents(
        tx,
        envelopes.map((envelope, at) => newEvent(envelope, ingested?.[at] ?? null)),
      )
      const lanes = [...new Set(envelopes.map(({ tenant }) => laneOf(tenant)))]
      const subjects = [...new Set(envelopes.map(({ type }) => type))]
      tx.afterCommit(() => {
        wake(lanes, subjects)
        notifier.notify(lanes)
      })
    },
    read: async (sql, lane, after, subjects, limit) => {
      const rows = await store.selectEvents(sql, lane, after, subjects, limit)
      const settled = await settle(sql, lane, Number(after), rows)
      const entries = settled.flatMap(({ tenant, subject, envelope, ingested }) =>
        envelope === null ? [] : [{ tenant, subject, envelope, ingested }],
      )
      const position = String(settled.at(-1)?.position ?? after)
      if (settled.length < rows.length) return { entries, position, rest: 'later' }
      return { entries, position, rest: rows.length === limit ? 'now' : 'none' }
    },
    head: tx => store.selectHead(tx, LANES),
    unread: (sql, positions) => store.selectUnread(sql, positions),
    watch: async onAppend => {
      wake = onAppend
      // After a lost connection, polling finds what notifications were missed.
      await db.listen(
        CHANNEL,
        payload => {
          const [lanes, sender] = payload.split(' ')
          if (sender !== me) onAppend(lanesIn(Number(lanes)), null)
        },
        () => {},
      )
    },
    trim: options => trimPartitions({ ...options, troubled: error => warn(error, 'the log', {}) }),
    remove: (removal, tenant) => removeEntries(removal, laneOf(tenant), tenant),
    bytes: sql => store.selectBytes(sql),
    close: notifier.close,
  }
}

/** The positions of one transaction. */
const REMOVED_AT_ONCE = 5_000

async function removeEntries({ db, signal, write }: Removal, lane: number, tenant: string): Promise<number> {
  const { first, last } = await store.selectEnds(db, lane)
  let removed = 0
  for (let from = first; from <= last && !signal.aborted; from += REMOVED_AT_ONCE) {
    removed += await write(tx => store.deleteEntries(tx, lane, tenant, { from, to: from + REMOVED_AT_ONCE }))
  }
  return removed
}

function newEvent(envelope: Envelope, ingested: string | null): store.NewEvent {
  const { tenant, type: subject } = envelope
  if (!isSubject(subject)) throw new Error(`not a subject: ${subject.slice(0, 200)}`)
  return { lane: laneOf(tenant), tenant, subject, envelope: JSON.stringify(envelope), ingested }
}

/** Finds how far a lane can be read. A missing number before an existing event belongs to a transaction that is still
 *  running or was rolled back: one of those running when the gap was first seen. */
function openSettled() {
  const seen = new Map<number, { last: number; next: number }>()
  return async (sql: Sql, lane: number, after: number, rows: readonly store.LogRow[]) => {
    const [first, last] = [rows[0], rows.at(-1)]
    if (!first || !last || last.position === after + rows.length) return rows
    const before = seen.get(lane)
    const hasEnded = before === undefined || before.next <= first.oldest
    const gone = before && hasEnded ? before.last : 0
    let expected = after + 1
    const unsettled = rows.findIndex(({ position }) => {
      const isMissing = position > expected && position > gone
      expected = position + 1
      return isMissing
    })
    if (unsettled === -1) return rows
    if (hasEnded) seen.set(lane, { last: last.position, next: await store.selectNext(sql) })
    return rows.slice(0, unsettled)
  }
}

/** FNV-1a: the same in every process and version, because what is in the log stays in its lane. */
function laneOf(tenant: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < tenant.length; at++) hash = Math.imul(hash ^ tenant.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % LANES
}

const lanesIn = (bits: number) => Array.from({ length: LANES }, (_, lane) => lane).filter(lane => bits & (1 << lane))
