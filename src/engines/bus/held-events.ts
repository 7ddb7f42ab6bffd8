// The events of organisations of which one failed: tried again with backoff, and set aside after too many tries. The events
// after it wait, so that those of an organisation stay in order.
import { type BusConsumer, ConstraintViolated, type Tx } from '../engines.ts'
import { BATCH_MAX, handleEvents, isNotOfTheEvent, type ReaderOptions } from './lane-reader.ts'
import * as store from './store.ts'

export const TRIES_MAX = 20
/** After a first failure; it doubles with each further one. Twenty tries take about an hour. */
const BACKOFF_MS = 1_000
const BACKOFF_MAX_MS = 5 * 60_000
/** More than there are processes. */
const CANDIDATES = 20
const ERROR_CHARACTERS_MAX = 2_000

type Attempt = { held: store.Held; events: store.LoggedEvent[] }

/** Tries the organisation that is due first. False if none is due. */
export async function retryHeld(options: ReaderOptions, consumer: BusConsumer): Promise<boolean> {
  let attempt: Attempt | null = null
  try {
    return await options.db.transaction(async db => {
      attempt = null
      const held = await lockDue(db, consumer.name, options.now().toISOString())
      if (!held) return false
      const limit = held.isOneByOne ? 1 : BATCH_MAX
      const events = await store.selectWaiting(db, consumer.name, held.tenant, limit)
      attempt = { held, events }
      const handled = await handleEvents(options, consumer, db, events)
      attempt = null
      await release(options, consumer, db, held, events.slice(0, handled))
      return true
    })
  } catch (error) {
    // The reader of the lane added an event while the last one was deleted: all is as before.
    if (attempt === null && error instanceof ConstraintViolated) return true
    if (attempt === null || isNotOfTheEvent(error) || options.signal.aborted) throw error
    const { held, events } = attempt as Attempt
    options.failed(consumer.name, held.tenant, error)
    await options.db.transaction(db => postpone(options, consumer, db, { held, events }, textOf(error)))
    return true
  }
}

/** The organisation that is due first and that no other process tries now. */
async function lockDue(db: Tx, consumer: string, now: string): Promise<store.Held | null> {
  for (const tenant of await store.selectDue(db, consumer, now, CANDIDATES)) {
    const held = (await store.tryLock(db, consumer, tenant)) && (await store.selectHeld(db, consumer, tenant, now))
    if (held) return held
  }
  return null
}

/** They were handled. The next ones are tried together again. */
async function release(
  { now }: ReaderOptions,
  consumer: BusConsumer,
  db: Tx,
  { tenant }: store.Held,
  events: readonly store.LoggedEvent[],
): Promise<void> {
  await store.deleteWaiting(db, consumer.name, tenant, events)
  const due = now().toISOString()
  await store.updateHeld(db, consumer.name, { tenant, isOneByOne: false, tries: 0, due, error: null })
  await store.deleteHeldIfEmpty(db, consumer.name, tenant)
}

async function postpone(
  { now }: ReaderOptions,
  consumer: BusConsumer,
  db: Tx,
  { held, events }: Attempt,
  error: string,
): Promise<void> {
  const at = now()
  const later = (ms: number) => new Date(at.getTime() + ms).toISOString()
  const { tenant } = held
  const update = (isOneByOne: boolean, tries: number, waitMs: number) =>
    store.updateHeld(db, consumer.name, { tenant, isOneByOne, tries, due: later(waitMs), error })
  const [first] = events
  if (events.length > 1 || !first) return update(true, 0, 0)
  const tries = held.tries + 1
  if (tries < TRIES_MAX) return update(true, tries, Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** (tries - 1)))
  await store.insertSetAside(db, consumer.name, first, error, at.toISOString())
  await store.deleteWaiting(db, consumer.name, tenant, [first])
  await update(false, 0, 0)
  await store.deleteHeldIfEmpty(db, consumer.name, tenant)
}

const textOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error))
    .slice(0, ERROR_CHARACTERS_MAX)
    .replaceAll('\0', '')
    .toWellFormed()
