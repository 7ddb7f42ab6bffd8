// The meter of this process: holds and settlements of many calls share transactions.
import { setTimeout as wait } from 'node:timers/promises'
import { type Database, EngineUnavailable } from '../../engines/engines.ts'
import type { OrgId, Principal } from '../../kit/caller.ts'
import { Fault } from '../../kit/fault.ts'
import { type Charge, type Estimate, type Hold, METERED_MS_MAX, type Meter, type SoFar } from '../../kit/meter.ts'
import type { OrgGroups } from '../../kit/org-groups.ts'
import { openUnawaited, type Unawaited } from '../../kit/unawaited.ts'
import { type Charging, openChargeWriter } from './charge-writer.ts'
import { type HoldOutcome, openEndWriter } from './end-writer.ts'
import { type HoldWriter, openHoldWriter, type Placing } from './hold-writer.ts'
import { openPatience, type Patience, unavailable } from './patience.ts'
import { type SettlingOptions, settleLeft } from './settle.ts'
import * as store from './store.ts'

/** A hold that is not renewed for so long belongs to a process that died. */
export const HOLD_MS = 120_000
/** More than any balance; the sum of a group must be a number that the database takes. */
const HOLD_MAX = 10 ** 16
/** Holds of one transaction. */
const LEFT_MAX = 200
const REFUSED_MAX = 1_000
/** Usage is written into the journal within that time, unless its process died. */
const BOOKED_MS = 10_000
/** Longer than any call lasts: the call was lost. */
const LOST_MS = METERED_MS_MAX + 5 * 60_000
/** The most charges that wait while the database cannot be reached, of all organisations and of one. While there are more, no
 *  call begins, so that no usage goes unpaid. */
const WAITING_MAX = 10_000
const WAITING_OF_ORG_MAX = 1_000
/** How long a shutdown waits for calls that are being settled. */
const CLOSE_MS = 5_000
const AGAIN_MS = 500

export type MeterOptions = SettlingOptions & {
  db: Database
  /** Whether organisations pay in advance. */
  isPrepaid: boolean
  warn: (error: unknown) => void
}

export type OpenMeter = Meter & {
  /** Renews the holds of running calls, with their usage so far. To be called several times within HOLD_MS. */
  renew(): Promise<void>
  close(): Promise<void>
}

/** A running call. */
type Running = { row: Placing; placed: Promise<void>; sinceMs: number; soFar: () => SoFar }

type Open = MeterOptions & {
  running: Map<string, Running>
  holds: HoldWriter
  ends: OrgGroups<HoldOutcome>
  charges: OrgGroups<Charging>
  /** Charges of calls that have ended and are not in the journal yet. */
  unbooked: Set<string>
  /** Charges that the database rejects. */
  refused: Set<string>
  /** Holds that were released without knowing whether they were written, and since when: they may still be written. */
  doubtful: Map<string, number>
  patience: Patience
  unawaited: Unawaited
  /** Aborted at the end. */
  closed: AbortSignal
}

const inMs = ({ clock }: MeterOptions, ms: number) => new Date(clock.now().getTime() + ms).toISOString()

export function openMeter(options: MeterOptions): OpenMeter {
  const { clock, warn, isPrepaid, db } = options
  const running = new Map<string, Running>()
  const closed = new AbortController()
  const open: Open = {
    ...{ ...options, running, closed: closed.signal },
    holds: openHoldWriter({
      ...{ db, isPrepaid, warn, expiry: () => inMs(options, HOLD_MS) },
      booked: org => patience.inTime(booked(open, org)),
    }),
    ends: openEndWriter({ db, clock, warn, running: () => running.size, expiry: () => inMs(options, BOOKED_MS) }),
    charges: openChargeWriter(options),
    unbooked: new Set(),
    refused: new Set(),
    doubtful: new Map(),
    patience: openPatience(clock),
    unawaited: openUnawaited(warn),
  }
  const { holds, ends, charges, patience, unawaited } = open
  return {
    isPrepaid,
    hold: (caller, estimate) => hold(open, caller, estimate),
    settled: org => patience.inTime(Promise.all([holds.written(org), booked(open, org)])),
    renew: () => renew(open),
    close: async () => {
      // Calls whose connections are being closed have yet to be settled.
      const untilMs = performance.now() + CLOSE_MS
      while (running.size > 0 && performance.now() < untilMs) await wait(10)
      if (running.size > 0)
        warn(new Error(`${running.size} calls were still running at the shutdown; their holds are charged`))
      closed.abort()
      await holds.close()
      await ends.close()
      await charges.close()
      await unawaited.ended()
      patience.close()
    },
  }
}

function hold(open: Open, caller: Principal, estimate: Estimate): Hold | Promise<Hold> {
  const { holds, ends, charges, running, random, clock, isPrepaid, patience, unawaited } = open
  const { org } = caller
  if (ends.size() + charges.size() >= WAITING_MAX) throw unavailable()
  if (ends.sizeOf(org) + charges.sizeOf(org) >= WAITING_OF_ORG_MAX) throw unavailable()
  const row = placingOf(`txn_${random.token(24)}`, caller, estimate)
  const soFar = { amount: estimate.amount, metadata: estimate.metadata }
  const isWell = holds.isWell(org)
  const one: Running = { row, placed: holds.add(row), sinceMs: clock.elapsedMs(), soFar: () => soFar }
  running.set(row.id, one)
  if (!isPrepaid && isWell) return holdOf(open, one)
  holds.written(org)
  return patience.inTime(one.placed).then(
    () => {
      if (row.became === 'held') return holdOf(open, one)
      end(open, row.id)
      if (row.became === 'refused') throw insufficient()
      unawaited.start(releaseHold(open, row))
      throw notHeld()
    },
    () => {
      end(open, row.id)
      unawaited.start(one.placed.then(() => releaseHold(open, row)))
      throw notHeld()
    },
  )
}

function holdOf(open: Open, { row }: Running): Hold {
  const { patience, running, unawaited } = open
  const { id } = row
  return {
    id,
    get amount() {
      return row.amount
    },
    watch: soFar => {
      const one = running.get(id)
      if (one) one.soFar = soFar
    },
    settle: async used => {
      const one = end(open, id)
      if (one) await patience.inTime(charge(open, one, used))
    },
    release: async () => {
      const one = end(open, id)
      if (!one) return
      const released = one.placed.then(() => releaseHold(open, row))
      unawaited.start(released)
      await patience.inTime(released).catch(() => {}) // It is tried again.
    },
  }
}

/** Null if it has ended already. */
function end({ running, holds }: Open, id: string): Running | null {
  const one = running.get(id) ?? null
  running.delete(id)
  if (one) holds.remove(one.row)
  return one
}

/** Resolves when the charge is committed. Writing it into the journal follows and takes longer. */
function charge(open: Open, { row, placed }: Running, used: Charge): Promise<void> {
  const { ends, charges, isPrepaid, unbooked, clock } = open
  const { id, product, key, project } = row
  const org = row.org as OrgId
  // Capped, so that the excess is not taken from what other prepaid calls hold.
  const amount = isPrepaid ? Math.min(used.amount, row.amount) : used.amount
  const metadata = amount < used.amount ? { ...used.metadata, cappedFrom: used.amount } : used.metadata
  const { model, row: details = null, keeps = null } = used
  const ended = clock.now().toISOString()
  const about = { id, org, product, key, project, model, metadata, placed }
  const book = async () => {
    await charges.add({ ...about, amount, created: ended, row: details, keeps })
    unbooked.delete(id)
  }
  unbooked.add(id)
  if (keeps) {
    const kept = book()
    keeps.request.keeping = kept
    charges.written(org) // A caller waits for it.
    return kept
  }
  return ends.add({ ...about, soFar: amount, ended, details, book: () => void book() })
}

/** Resolves when the organisation's earlier usage is in the journal, whichever process writes it. */
async function booked(open: Open, org: OrgId): Promise<void> {
  const { ends, charges, unbooked, refused } = open
  await ends.written(org)
  await charges.written(org)
  const db = open.db.for(org)
  const left = (await store.selectEnded(db.autocommit, org)).filter(id => !unbooked.has(id) && !refused.has(id))
  for (let at = 0; at < left.length; at += LEFT_MAX) await bookLeft(open, db, left.slice(at, at + LEFT_MAX))
}

/** A charge that the database rejects is left to the schedule, so that it does not hold up others. */
async function bookLeft(open: Open, db: Database, ids: readonly string[]): Promise<void> {
  const { refused, warn } = open
  try {
    await db.transaction(async tx => settleLeft(open, tx, await store.lockHolds(tx, ids)))
  } catch (error) {
    if (error instanceof EngineUnavailable) throw error
    const half = Math.ceil(ids.length / 2)
    if (half < ids.length) {
      await bookLeft(open, db, ids.slice(0, half))
      return bookLeft(open, db, ids.slice(half))
    }
    if (refused.size >= REFUSED_MAX) refused.clear()
    for (const id of ids) refused.add(id)
    warn(error)
  }
}

async function renew(open: Open): Promise<void> {
  endLost(open)
  const held = [...open.running.values()].map(({ row, soFar }) => {
    const { amount, metadata } = soFar()
    return { id: row.id, soFar: open.isPrepaid ? Math.min(amount, row.amount) : amount, metadata }
  })
  if (held.length > 0) await store.renewHolds(open.db.for('the meter').autocommit, held, inMs(open, HOLD_MS))
  await releaseDoubtful(open)
}

/** A lost call is charged what is known of it. */
function endLost(open: Open): void {
  const { running, clock, warn } = open
  for (const [id, one] of running) {
    if (clock.elapsedMs() - one.sinceMs < LOST_MS) continue
    end(open, id)
    const { amount, metadata } = one.soFar()
    const what = JSON.stringify(metadata)
    warn(new Error(`the call ${id} of ${one.row.org} did not end in time; its known usage is settled: ${what}`))
    void charge(open, one, { amount, metadata, model: one.row.model })
  }
}

function placingOf(id: string, { org, project, credential }: Principal, estimate: Estimate): Placing {
  const { product, model, amount, metadata } = estimate
  const most = Math.min(estimate.most, HOLD_MAX)
  const least = Math.min(estimate.least ?? most, HOLD_MAX)
  const key = credential.kind === 'session' ? null : credential.id
  return { id, org, amount: most, least, product, model, key, project, soFar: amount, metadata, became: 'waiting' }
}

/** Repeats until it succeeds: otherwise the hold would be charged when it expires. */
async function releaseHold(open: Open, { id, org, became }: Placing): Promise<void> {
  // Nothing was sent for one that still waited.
  if (became === 'waiting' || became === 'refused') return
  if (became === 'failed') open.doubtful.set(id, open.clock.elapsedMs())
  for (;;) {
    try {
      return await releaseNow(open, org, [id])
    } catch (error) {
      if (open.closed.aborted || !(error instanceof EngineUnavailable)) throw error
      open.warn(error)
      await open.clock.sleep(AGAIN_MS, open.closed)
    }
  }
}

async function releaseNow({ db }: Open, org: OrgId, ids: readonly string[]): Promise<void> {
  await store.addToAccounts(db.for(org).autocommit, [{ org, kind: 'balance', amount: 0 }], ids)
}

/** Holds that were written after all, because the database completed a statement that this process had given up on. */
async function releaseDoubtful(open: Open): Promise<void> {
  const { doubtful, db, clock } = open
  if (doubtful.size === 0) return
  const written = await store.selectHolds(db.for('the meter').autocommit, [...doubtful.keys()])
  for (const { id, org } of written) await releaseNow(open, org, [id])
  for (const [id, sinceMs] of doubtful) if (clock.elapsedMs() - sinceMs > 2 * HOLD_MS) doubtful.delete(id)
}

const notHeld = () =>
  new Fault('database_unreachable', {
    message: 'The balance cannot be checked at the moment, so the call was not made. Try again.',
    retryAfterS: 2,
  })

const insufficient = () =>
  new Fault('insufficient_balance', {
    message:
      "The organisation's available balance does not cover what this call may cost. Ask the operator of this service for credit, or limit the output of the call.",
  })
