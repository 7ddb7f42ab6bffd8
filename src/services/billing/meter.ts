// The meter of this process: holds and settlements of many calls share transactions.
import { type Database, EngineUnavailable } from '../../engines/engines.ts'
import type { OrgId, Principal } from '../../kit/caller.ts'
import type { Publishing } from '../../kit/events.ts'
import { Fault } from '../../kit/fault.ts'
import type { Charge, Hold, Meter } from '../../kit/meter.ts'
import { openUnawaited } from '../../kit/unawaited.ts'
import { type Settlement, settleAll } from './settle.ts'
import * as store from './store.ts'

/** A hold that is not renewed for so long belongs to a process that died. */
export const HOLD_MS = 120_000
const RENEW_MS = 30_000
/** Charges per transaction. */
const GROUP_MAX = 500
/** Charges that wait because the database cannot be reached. While there are more, no call begins: nothing that is used
 *  goes unpaid. */
const WAITING_MAX = 10_000
const AGAIN_MS = 500
/** How long a caller waits for what was used before. */
const SETTLED_MS = 10_000

export type MeterOptions = Publishing & {
  db: Database
  /** Whether organisations pay in advance. */
  isPrepaid: boolean
  warn: (error: unknown) => void
}

type Waiting = Settlement & { done: () => void }

export function openMeter(options: MeterOptions): Meter & { close(): Promise<void> } {
  const { clock, random, warn } = options
  const db = options.db.for('the meter')
  const held = new Set<string>()
  const unawaited = openUnawaited(warn)
  const expiry = () => new Date(clock.now().getTime() + HOLD_MS).toISOString()
  const settler = openSettler(options, db)
  const renew = () => {
    if (held.size > 0) unawaited.start(store.renewHolds(db.autocommit, [...held], expiry()))
  }
  const renewing = setInterval(renew, RENEW_MS)
  renewing.unref()

  async function hold(caller: Principal, amount: number): Promise<Hold> {
    if (settler.isFull()) throw unavailable()
    const id = `txn_${random.token(24)}`
    await store.insertHolds(db.autocommit, [{ id, org: caller.org, amount }], expiry())
    held.add(id)
    const end = () => {
      if (!held.delete(id)) throw new Error(`the hold ${id} has ended already`)
    }
    return {
      id,
      settle: (charge: Charge) => {
        end()
        return settler.settle({ id, caller, charge })
      },
      release: () => {
        end()
        // What cannot be deleted now expires.
        unawaited.start(store.deleteHolds(db.autocommit, [id]))
      },
    }
  }

  return {
    isPrepaid: options.isPrepaid,
    admit: async (sql, { org }) => {
      if (!options.isPrepaid) return
      const now = clock.now().toISOString()
      const [balance, holds] = await Promise.all([
        store.selectAccount(sql, org, 'balance'),
        store.sumHolds(sql, org, now),
      ])
      if (balance - holds <= 0) throw insufficient()
    },
    hold,
    settled: settler.settled,
    close: async () => {
      clearInterval(renewing)
      await settler.close()
      await unawaited.ended()
    },
  }
}

/** Writes one group at a time. A group that fails is tried again: what was used must be paid. */
function openSettler(by: MeterOptions, db: Database) {
  let waiting: Waiting[] = []
  /** How many are written together. */
  let size = GROUP_MAX
  let running: Promise<void> | null = null
  const closing = new AbortController()
  /** How many charges of an organisation are not written yet, and who waits for them. */
  const open = new Map<string, { count: number; last: Promise<void> }>()

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.slice(0, size)
      const failure = await failureOf(group)
      if (failure === null || (group.length === 1 && !(failure instanceof EngineUnavailable))) {
        if (failure !== null) by.warn(refused(group[0] as Waiting, failure))
        waiting = waiting.slice(group.length)
        size = Math.min(2 * size, GROUP_MAX)
        for (const { done } of group) done()
      } else if (failure instanceof EngineUnavailable) {
        if (failure.state !== 'conflict') by.warn(failure)
        if (closing.signal.aborted) return
        await by.clock.sleep(AGAIN_MS, closing.signal)
      } else size = Math.ceil(group.length / 2) // Until the charge that the database refuses is alone.
    }
  }

  const failureOf = (group: readonly Settlement[]): Promise<unknown> =>
    db
      .transaction(tx => settleAll(by, tx, group))
      .then(
        () => null,
        error => error ?? new Error('no reason'),
      )

  function settle(settlement: Settlement): Promise<void> {
    const { org } = settlement.caller
    const { promise, resolve } = Promise.withResolvers<void>()
    const count = (open.get(org)?.count ?? 0) + 1
    open.set(org, { count, last: promise })
    const done = () => {
      const left = open.get(org)
      if (left && left.count > 1) open.set(org, { ...left, count: left.count - 1 })
      else open.delete(org)
      resolve()
    }
    waiting.push({ ...settlement, done })
    running ??= run().finally(() => {
      running = null
    })
    return promise
  }

  return {
    settle,
    /** Groups are written in order, so that the last one is enough. */
    settled: (org: OrgId) => {
      const last = open.get(org)?.last
      return last ? inTime(last, by.clock) : null
    },
    isFull: () => waiting.length >= WAITING_MAX,
    close: async () => {
      closing.abort()
      await running
      if (waiting.length > 0) by.warn(new Error(`${waiting.length} calls could not be settled before the end`))
    },
  }
}

/** Raises 503 if it takes long. */
function inTime(settled: Promise<void>, clock: MeterOptions['clock']): Promise<void> {
  const over = new AbortController()
  const late = clock.sleep(SETTLED_MS, over.signal).then(
    () => {
      throw unavailable()
    },
    () => {}, // It is settled.
  )
  return Promise.race([settled, late]).finally(() => over.abort())
}

/** For the log: whoever operates this must write it into the journal. */
const refused = ({ id, caller, charge }: Settlement, cause: unknown) => {
  const { amount, product, model, metadata } = charge
  const what = JSON.stringify({ id, org: caller.org, amount, product, model, metadata })
  return new Error(`the database refused a charge, which is not settled: ${what}`, { cause })
}

const unavailable = () =>
  new Fault('database_unreachable', {
    message: 'What was used cannot be settled at the moment. Try again.',
    retryAfterS: 2,
  })

const insufficient = () =>
  new Fault('insufficient_balance', {
    message: 'The balance of the organisation is used up. Ask the operator of this service for credit.',
  })
