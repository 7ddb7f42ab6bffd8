// Writes the charges of this process. A group that fails is tried again: what was used must be paid.
import { type Database, EngineUnavailable } from '../../engines/engines.ts'
import type { Publishing } from '../../kit/events.ts'
import { type Groups, openGroups } from './groups.ts'
import { type Settlement, settleAll } from './settle.ts'

/** Charges per transaction. */
const GROUP_MAX = 500
const AGAIN_MS = 500

/** `placed` resolves when its hold is written, or will not be. */
export type Charging = Settlement & { org: string; placed: Promise<unknown> }

export type ChargeWriterOptions = Publishing & { db: Database; warn: (error: unknown) => void }

export function openChargeWriter(by: ChargeWriterOptions): Groups<Charging> {
  const { db, warn, clock } = by
  const closing = new AbortController()
  let size = GROUP_MAX

  async function write(group: readonly Charging[]): Promise<readonly Charging[] | null> {
    // Otherwise a hold would be written after its end.
    await Promise.all(group.map(({ placed }) => placed))
    const failure = await failureOf(group)
    if (failure === null || (group.length === 1 && !(failure instanceof EngineUnavailable))) {
      if (failure !== null) warn(refused(group[0] as Charging, failure))
      size = Math.min(2 * size, GROUP_MAX)
      return []
    }
    if (failure instanceof EngineUnavailable) {
      if (failure.state !== 'conflict') warn(failure)
      if (closing.signal.aborted) return null
      await clock.sleep(AGAIN_MS, closing.signal)
    } else size = Math.ceil(group.length / 2) // Until the charge that the database refuses is alone.
    return group
  }

  const failureOf = (group: readonly Settlement[]): Promise<unknown> =>
    db
      .transaction(tx => settleAll(by, tx, group))
      .then(
        () => null,
        error => error ?? new Error('no reason'),
      )

  const groups = openGroups({ sizeMax: () => size, write })
  return {
    ...groups,
    close: async () => {
      closing.abort()
      await groups.close()
      if (groups.size() > 0) warn(new Error(`${groups.size()} calls could not be settled before the end`))
    },
  }
}

/** For the log: whoever operates this must write it into the journal. */
const refused = ({ id, caller, charge }: Settlement, cause: unknown) => {
  const { amount, product, model, metadata } = charge
  const what = JSON.stringify({ id, org: caller.org, amount, product, model, metadata })
  return new Error(`the database refused a charge, which is not settled: ${what}`, { cause })
}
