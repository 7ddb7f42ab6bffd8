// The bus as a log in PostgreSQL. The events of an organisation are in one lane of it and are read in order.
import type { Bus, BusConsumer, Database, Envelope, Tx } from '../engines.ts'
import { openNotifier } from './notifier.ts'
import { maintainParts } from './parts.ts'
import { LANES, openReaders, type Readers } from './readers.ts'
import * as store from './store.ts'
import { isSubject } from './subjects.ts'

const CHANNEL = 'bus'

export type BusOptions = {
  db: Database
  now: () => Date
  /** How long a consumer may take for the events of one organisation in a batch; tests shorten it. */
  handleMs?: number
  /** How often this process looks for events of which it was not notified; tests shorten it. */
  pollMs?: number
  /** Told of what nobody else hears of. */
  warn: (error: unknown, what: string, fields: Record<string, unknown>) => void
}

const HANDLE_MS = 20_000
const POLL_MS = 1_000

export function openBus({ db, now, warn, handleMs = HANDLE_MS, pollMs = POLL_MS }: BusOptions): Bus {
  const own = db.for('the bus')
  let readers: Readers | null = null
  let names: string[] = []
  const troubled = (error: unknown) => warn(error, 'the bus', {})
  const notifier = openNotifier(lanes => store.notifyReaders(own.autocommit, CHANNEL, lanes).catch(troubled))

  return {
    publish: async (tx, envelopes) => {
      if (envelopes.length === 0) return
      const lanes = envelopes.map(({ tenant }) => laneOf(tenant))
      await store.insertEvents(
        tx,
        envelopes.map((one, at) => {
          const subject = requireSubject(one.type)
          return { lane: lanes[at] as number, tenant: one.tenant, subject, envelope: JSON.stringify(one) }
        }),
      )
      const distinct = [...new Set(lanes)]
      tx.afterCommit(() => {
        readers?.wake(distinct)
        notifier.notify(distinct)
      })
    },
    consume: async consumers => {
      if (readers) throw new Error('the consumers of this process run already')
      names = namesOf(consumers)
      const isAdopted = await own.transaction(tx => adoptLog(tx, names))
      if (isAdopted) warn(null, 'the log of the bus is of another server; events may be handled again', {})
      const failed = (consumer: string, tenant: string, error: unknown) =>
        warn(error, 'a consumer failed', { consumer, tenant })
      const opened = openReaders({ db: own, now, handleMs, pollMs, failed, troubled }, consumers)
      readers = opened
      // After a lost connection, polling finds what notifications were missed.
      await db.listen(
        CHANNEL,
        payload => opened.wake(lanesIn(Number(payload))),
        () => {},
      )
    },
    replay: async (tx, consumer, since) => {
      await store.lockLanes(tx, consumer, LANES)
      await store.resetPositions(tx, consumer, since.toISOString())
    },
    states: async sql => (names.length > 0 ? store.selectStates(sql, names) : []),
    setAside: async (sql, before, limit) => {
      const rows = await store.selectSetAside(sql, before, limit)
      return rows.map(({ envelope, ...row }) => ({ ...row, envelope: JSON.parse(envelope) as Envelope }))
    },
    retrySetAside: (tx, id) => store.moveToWaiting(tx, id, now().toISOString()),
    maintain: async write => {
      const lost = (count: number) =>
        warn(null, 'events were deleted that a consumer had not handled in a week', { count })
      await maintainParts({ db: own, write, now: now(), consumers: names, lost, troubled })
    },
    close: async () => {
      await notifier.close()
      await readers?.close()
    },
  }
}

/** Makes a log that was restored from a dump readable here. Returns whether it was one. */
async function adoptLog(tx: Tx, consumers: readonly string[]): Promise<boolean> {
  let isOther = await store.isOfAnotherServer(tx, LANES)
  if (isOther) {
    await store.lockLog(tx)
    isOther = await store.isOfAnotherServer(tx, LANES) // Another process may have done it meanwhile.
    if (isOther) await store.republishUnread(tx, consumers)
  }
  await store.insertPositions(tx, consumers, LANES)
  return isOther
}

function namesOf(consumers: readonly BusConsumer[]): string[] {
  const names = consumers.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice) throw new Error(`two consumers are named ${twice}`)
  return names
}

function requireSubject(subject: string): string {
  if (!isSubject(subject)) throw new Error(`not a subject: ${subject.slice(0, 200)}`)
  return subject
}

/** FNV-1a: the same in every process and version, because what is in the log stays in its lane. */
function laneOf(tenant: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < tenant.length; at++) hash = Math.imul(hash ^ tenant.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % LANES
}

const lanesIn = (bits: number) => Array.from({ length: LANES }, (_, lane) => lane).filter(lane => bits & (1 << lane))
