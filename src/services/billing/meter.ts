// The meter of this process: holds and settlements of many calls share transactions.
import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Sql } from '../../engines/engines.ts'
import type { OrgId, Principal } from '../../kit/caller.ts'
import type { Publishing } from '../../kit/events.ts'
import { Fault } from '../../kit/fault.ts'
import type { Charge, Hold, Meter } from '../../kit/meter.ts'
import { openUnawaited } from '../../kit/unawaited.ts'
import { openChargeWriter } from './charge-writer.ts'
import { openHoldWriter } from './hold-writer.ts'
import * as store from './store.ts'

/** A hold that is not renewed for so long belongs to a process that died. */
export const HOLD_MS = 120_000
/** Charges that wait because the database cannot be reached. While there are more, no call begins: nothing that is used
 *  goes unpaid. */
const WAITING_MAX = 10_000
/** How long the end of the process waits for calls that are being settled. */
const CLOSE_MS = 5_000
/** How long a caller waits for what was used before. */
const SETTLED_MS = 10_000

export type MeterOptions = Publishing & {
  db: Database
  /** Whether organisations pay in advance. */
  isPrepaid: boolean
  warn: (error: unknown) => void
}

export type OpenMeter = Meter & {
  /** The holds of calls that run. To be called several times within HOLD_MS. */
  renew(): Promise<void>
  close(): Promise<void>
}

export function openMeter(options: MeterOptions): OpenMeter {
  const { clock, random, warn, isPrepaid } = options
  const db = options.db.for('the meter')
  const held = new Set<string>()
  const unawaited = openUnawaited(warn)
  const expiry = () => new Date(clock.now().getTime() + HOLD_MS).toISOString()
  const holds = openHoldWriter(rows => store.insertHolds(db.autocommit, rows, expiry()), warn)
  const charges = openChargeWriter({ ...options, db })

  function hold(caller: Principal, amount: number): Hold | Promise<Hold> {
    if (charges.size() >= WAITING_MAX) throw unavailable()
    const { org } = caller
    const row = { id: `txn_${random.token(24)}`, org, amount, isWritten: false }
    const { id } = row
    const placed = holds.add(row)
    held.add(id)
    const end = () => {
      if (!held.delete(id)) throw new Error(`the hold ${id} has ended already`)
      holds.remove(row)
    }
    const hold: Hold = {
      id,
      settle: (charge: Charge) => {
        end()
        return charges.add({ id, org, caller, charge, placed })
      },
      release: () => {
        end()
        // What cannot be deleted now expires.
        unawaited.start(placed.then(() => (row.isWritten ? store.deleteHolds(db.autocommit, [id]) : undefined)))
      },
    }
    if (!isPrepaid && holds.isWell()) return hold
    return (holds.written(org) as Promise<void>).then(() => {
      if (row.isWritten) return hold
      end()
      throw unavailable()
    })
  }

  async function admit(sql: Sql, { org }: Principal): Promise<void> {
    if (!isPrepaid) return
    const now = clock.now().toISOString()
    const [balance, held] = await Promise.all([store.selectAccount(sql, org, 'balance'), store.sumHolds(sql, org, now)])
    if (balance - held <= 0) throw insufficient()
  }

  function settled(org: OrgId): Promise<void> | null {
    const [placed, written] = [holds.written(org), charges.written(org)]
    return placed || written ? inTime(Promise.all([placed, written]), clock) : null
  }

  return {
    isPrepaid,
    admit,
    hold,
    settled,
    renew: async () => {
      if (held.size > 0) await store.renewHolds(db.autocommit, [...held], expiry())
    },
    close: async () => {
      // Calls whose clients were told to leave have yet to be settled.
      for (const untilMs = performance.now() + CLOSE_MS; held.size > 0 && performance.now() < untilMs; ) await wait(10)
      if (held.size > 0) warn(new Error(`${held.size} calls had not ended before the end, and are not settled`))
      await holds.close()
      await charges.close()
      await unawaited.ended()
    },
  }
}

/** Raises 503 if it takes long. */
function inTime(settled: Promise<unknown>, clock: MeterOptions['clock']): Promise<void> {
  const over = new AbortController()
  const late = clock.sleep(SETTLED_MS, over.signal).then(
    () => {
      throw unavailable()
    },
    () => {}, // It is settled.
  )
  return Promise.race([settled.then(() => {}), late]).finally(() => over.abort())
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
