// Retries the events of organisations with a failed event, with backoff; after too many attempts the event becomes a dead
// letter. The organisation's later events wait, so that its events stay in order.
import { ConstraintViolated, type Tx } from '../../engines/engines.ts'
import * as store from '../../kit/host/consumers.store.ts'
import { BATCH_MAX, errorMessage, type Failure, type Handler, openTurn, type ReaderOptions, sizeAfter } from './lane.ts'

export const TRIES_MAX = 20
/** More than there are processes. */
const CANDIDATES = 20

type Attempt = { held: store.Held; events: store.WaitingEvent[] }

/** Tries the organisation that has been due the longest. Returns false if none is due. */
export async function retryHeld(options: ReaderOptions, consumer: Handler): Promise<boolean> {
  const turn = openTurn(options, consumer)
  let attempt: Attempt | null = null
  try {
    return await options.db.transaction(async db => {
      attempt = await lockDue(options, db, consumer.id)
      if (!attempt) return false
      const { held, events } = attempt
      const handled = await turn.handle(db, events)
      // As many as one transaction handles; twice as many if the last one handled all.
      const size = Math.min(2 * (handled < events.length ? handled : held.size), BATCH_MAX)
      await release(options, consumer.id, db, { ...held, size: Math.max(size, 1) }, events.slice(0, handled))
      return true
    })
  } catch (error) {
    const failure = turn.failureOf(error)
    // The lane's reader added an event while the last one was deleted, so the organisation stays held.
    if (!failure && error instanceof ConstraintViolated) return true
    if (!failure || attempt === null) throw error
    options.failed(consumer.id, failure.tenant, error)
    const { held, events } = attempt as Attempt
    await options.db.transaction(db => postpone(options, consumer.id, db, held, events, failure))
    return true
  }
}

/** The organisation that has been due the longest and that no other process is trying, with its next events. */
async function lockDue({ clock, limits }: ReaderOptions, db: Tx, consumer: string): Promise<Attempt | null> {
  const now = clock.now().toISOString()
  for (const { tenant, size } of await store.selectDueTenants(db, consumer, now, CANDIDATES)) {
    // Sent together; the statements after the first one see what the last holder of the lock committed.
    const [isLocked, held, events] = await Promise.all([
      store.tryLock(db, consumer, tenant, limits.lateMs),
      store.selectHeldTenants(db, consumer, tenant, now),
      store.selectWaiting(db, consumer, tenant, size),
    ])
    if (isLocked && held) return { held, events: events.slice(0, held.size) }
  }
  return null
}

/** Records that the events were handled. */
async function release(
  { clock }: ReaderOptions,
  consumer: string,
  db: Tx,
  { tenant, size }: store.Held,
  events: readonly store.WaitingEvent[],
): Promise<void> {
  const due = clock.now().toISOString()
  await Promise.all([
    store.deleteWaiting(db, consumer, tenant, events),
    store.updateHeld(db, consumer, { tenant, size, tries: 0, due, error: '' }),
    store.deleteHeldIfEmpty(db, consumer, tenant),
  ])
}

async function postpone(
  { clock, limits: { backoffMs, backoffMaxMs } }: ReaderOptions,
  consumer: string,
  db: Tx,
  { tenant, tries: before }: store.Held,
  events: readonly store.WaitingEvent[],
  failure: Failure,
): Promise<void> {
  const now = clock.now()
  const error = errorMessage(failure.error)
  const update = (size: number, tries: number, waitMs: number) =>
    store.updateHeld(db, consumer, { tenant, size, tries, due: new Date(now.getTime() + waitMs).toISOString(), error })
  const [first] = events
  const isAlone = failure.handled === 0 && failure.size === 1
  if (!isAlone || !first) return update(sizeAfter(failure), 0, 0)
  const tries = before + 1
  if (tries < TRIES_MAX) return update(1, tries, Math.min(backoffMaxMs, backoffMs * 2 ** (tries - 1)))
  await store.insertDeadLetter(db, consumer, first, error, now.toISOString())
  await store.deleteWaiting(db, consumer, tenant, [first])
  await update(1, 0, 0)
  await store.deleteHeldIfEmpty(db, consumer, tenant)
}
