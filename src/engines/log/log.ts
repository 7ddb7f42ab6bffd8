// The log in PostgreSQL: every event in the order of its commit. The events of an organisation are in one lane.
import type { Database, Envelope, Log } from '../engines.ts'
import { openNotifier } from './notifier.ts'
import { trimParts } from './parts.ts'
import * as store from './store.ts'
import { expressionOf, isSubject } from './subjects.ts'

const LANES = 16
const CHANNEL = 'bus'

export type LogOptions = {
  db: Database
  /** Told of what nobody else hears of. */
  warn: (error: unknown, what: string, fields: Record<string, unknown>) => void
}

export function openLog({ db, warn }: LogOptions): Log {
  const own = db.background.for('the log')
  let wake = (_lanes: readonly number[]) => {}
  const notifier = openNotifier(lanes =>
    store.notifyReaders(own.autocommit, CHANNEL, lanes).catch(error => warn(error, 'the log', {})),
  )
  return {
    lanes: LANES,
    append: async (tx, envelopes) => {
      if (envelopes.length === 0) return
      await store.insertEvents(tx, envelopes.map(newEvent))
      const lanes = [...new Set(envelopes.map(({ tenant }) => laneOf(tenant)))]
      tx.afterCommit(() => {
        wake(lanes)
        notifier.notify(lanes)
      })
    },
    read: async (sql, lane, after, subjects, limit) => {
      const rows = await store.selectEvents(sql, lane, store.placeFrom(after), expressionOf(subjects), limit)
      const last = rows.at(-1)
      const entries = rows.flatMap(({ tenant, subject, envelope }) =>
        envelope === null ? [] : [{ tenant, subject, envelope }],
      )
      const position = last ? store.positionOf(last) : after
      if (rows.length === limit) return { entries, position, rest: 'now' }
      const isLater = await store.hasLaterEvents(sql, lane, store.placeFrom(position))
      return { entries, position, rest: isLater ? 'later' : 'none' }
    },
    head: async sql => {
      const head = await store.selectHead(sql)
      return Array.from({ length: LANES }, () => head)
    },
    unread: (sql, places) => store.selectUnread(sql, places),
    adopt: async (tx, places) => {
      if (!(await store.isOfAnotherServer(tx, places))) return null
      await store.lockLog(tx)
      const head = await store.republishUnread(tx, places)
      return Array.from({ length: LANES }, () => head)
    },
    watch: async onAppend => {
      wake = onAppend
      // After a lost connection, polling finds what notifications were missed.
      await db.listen(
        CHANNEL,
        payload => onAppend(lanesIn(Number(payload))),
        () => {},
      )
    },
    trim: options => trimParts({ ...options, troubled: error => warn(error, 'the log', {}) }),
    bytes: sql => store.selectBytes(sql),
    close: notifier.close,
  }
}

function newEvent(envelope: Envelope): store.NewEvent {
  const { tenant, type: subject } = envelope
  if (!isSubject(subject)) throw new Error(`not a subject: ${subject.slice(0, 200)}`)
  return { lane: laneOf(tenant), tenant, subject, envelope: JSON.stringify(envelope) }
}

/** FNV-1a: the same in every process and version, because what is in the log stays in its lane. */
function laneOf(tenant: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < tenant.length; at++) hash = Math.imul(hash ^ tenant.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % LANES
}

const lanesIn = (bits: number) => Array.from({ length: LANES }, (_, lane) => lane).filter(lane => bits & (1 << lane))
