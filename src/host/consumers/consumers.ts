// Runs the consumers of this process. A lane is read after a notification of new events, and polled once a second if it has
// some, because a process may die between its commit and its notification.
import { setTimeout as wait } from 'node:timers/promises'
import { type Database, INGESTED, type Log, matches, type Tx } from '../../engines/engines.ts'
import * as store from '../../kit/host/consumers.store.ts'
import { retryHeld } from './held.ts'
import { type Handler, type Limits, type ReaderOptions, readLane } from './lane.ts'

/** How many transactions of one consumer run at once in this process. */
const AT_ONCE_MAX = 4
/** The delay before reading again after events whose transaction has not ended; it doubles up to the second value.
 *  Processes that make large transactions one after the other should not delay others by more than one of them. */
const LATER_MS = 5
const LATER_MAX_MS = 40
/** The pause until the next transaction of held events, as a multiple of the duration of the last one. */
const REST_SHARE = 0.25
/** How long running transactions may take to end. */
const END_MS = 10_000
const LIMITS: Limits = {
  budgetMs: 4_000,
  lateMs: 8_000,
  pollMs: 1_000,
  backoffMs: 1_000, // Twenty tries take about an hour.
  backoffMaxMs: 5 * 60_000,
}

export type ConsumersOptions = Omit<ReaderOptions, 'signal' | 'limits' | 'failed'> & {
  limits?: Partial<Limits> | undefined
  warn: (error: unknown, what: string, fields: Record<string, unknown>) => void
}

/** Runs these consumers until the returned function is called. A new consumer gets the events from now on. Every event
 *  is handled at least once, and those of one organisation in order. A failed event is retried, and becomes a dead
 *  letter after 20 attempts. Meanwhile the later events of its organisation wait; those of others do not. */
export async function startConsumers(
  given: ConsumersOptions,
  consumers: readonly Handler[],
): Promise<() => Promise<void>> {
  const { db, log, warn } = given
  await db.transaction(tx => placeConsumers(tx, log, consumers, warn))
  const stopped = new AbortController()
  const limits = { ...LIMITS, ...given.limits }
  const failed = (consumer: string, tenant: string, error: unknown) =>
    warn(error, 'a consumer failed', { consumer, tenant })
  const options: ReaderOptions = { ...given, limits, failed, signal: stopped.signal }
  const troubled = (error: unknown) => warn(error, 'consumers', {})
  const readers = consumers.map(one => openReader({ ...options, db: db.for(`consumer ${one.id}`) }, one, troubled))
  await log.watch((lanes, subjects) => {
    for (const reader of readers) if (subjects === null || reader.wants(subjects)) reader.wake(lanes)
  })
  const polling = readers.length > 0 ? poll(options, readers, troubled) : Promise.resolve()
  return async () => {
    stopped.abort()
    const ended = Promise.all([polling, ...readers.map(reader => reader.ended())])
    await Promise.race([ended, wait(END_MS, null, { ref: false })])
  }
}

/** Initialises every consumer's position: its own, that of a former id, or the end of the log. */
async function placeConsumers(
  db: Tx,
  log: Log,
  consumers: readonly Handler[],
  warn: ConsumersOptions['warn'],
): Promise<void> {
  const isPlaced = (positions: readonly store.ConsumerPosition[]) =>
    consumers.every(({ id }) => positions.some(({ consumer }) => consumer === id))
  // Before the positions are locked: code that appends in a consumer's transaction locks them in this order.
  const head = isPlaced(await store.selectPositions(db)) ? null : await log.head(db)
  await store.lockPositions(db)
  const known = new Set((await store.selectPositions(db)).map(({ consumer }) => consumer))
  for (const { id, formerIds } of consumers) {
    if (known.delete(id)) continue
    const former = formerIds.find(one => known.delete(one))
    if (former !== undefined) await store.renameConsumer(db, former, id)
    else if (head !== null) await store.insertPositions(db, id, head)
    else throw new Error(`the position of the consumer ${id} was deleted while it started`)
  }
  for (const consumer of known) warn(null, 'a consumer has a position but is not declared any more', { consumer })
}

type Reader = ReturnType<typeof openReader>

async function poll(
  options: ReaderOptions,
  readers: readonly Reader[],
  troubled: (error: unknown) => void,
): Promise<void> {
  const { db, clock, limits, signal } = options
  const ids = readers.map(({ id }) => id)
  while (!signal.aborted) {
    try {
      const behind = await behindOf(db, options.log)
      const due = await store.selectDueConsumers(db, ids, clock.now().toISOString())
      for (const reader of readers) {
        reader.wake((behind.get(reader.id) ?? []).map(({ lane }) => lane))
        if (due.includes(reader.id)) reader.retry()
      }
    } catch (error) {
      if (!signal.aborted) troubled(error)
    }
    await wait(limits.pollMs, null, { signal }).catch(() => {})
  }
}

/** By consumer, the lanes that have entries to read, or will have when an older transaction ends. */
async function behindOf(db: Database, log: Log): Promise<Map<string, store.ConsumerPosition[]>> {
  const positions = await store.selectPositions(db)
  const unread = await log.unread(db, positions)
  return Map.groupBy(
    positions.filter((_, at) => unread[at] !== null),
    ({ consumer }) => consumer,
  )
}

/** Reads the lanes of one consumer, one transaction per lane at a time. */
function openReader(options: ReaderOptions, consumer: Handler, troubled: (error: unknown) => void) {
  /** Lanes to read; `retries` also retries held events. */
  const wanted = new Set<number | 'retries'>()
  const running = new Map<number | 'retries', Promise<void>>()
  const laterMs = new Map<number, number>()

  function start(): void {
    for (const one of wanted) {
      if (running.size >= AT_ONCE_MAX || options.signal.aborted) return
      if (running.has(one)) continue
      wanted.delete(one)
      const work = one === 'retries' ? retryAll() : readOne(one)
      const done = work.catch(troubled).then(() => {
        running.delete(one)
        start()
      })
      running.set(one, done)
    }
  }

  async function readOne(lane: number): Promise<void> {
    const { rest, hasHeld } = await readLane(options, consumer, lane)
    if (hasHeld) wanted.add('retries')
    if (rest === 'now') wanted.add(lane)
    if (rest === 'later') lookAgain(lane)
    else laterMs.delete(lane)
  }

  function lookAgain(lane: number): void {
    const ms = laterMs.get(lane) ?? LATER_MS
    laterMs.set(lane, Math.min(ms * 2, LATER_MAX_MS))
    setTimeout(() => wake([lane]), ms).unref()
  }

  /** There may be many held events, and other work should not wait for all of them. */
  async function retryAll(): Promise<void> {
    const { signal } = options
    for (;;) {
      const startMs = performance.now()
      if (signal.aborted || !(await retryHeld(options, consumer))) return
      await wait((performance.now() - startMs) * REST_SHARE, null, { signal }).catch(() => {})
    }
  }

  function wake(lanes: readonly number[]): void {
    for (const lane of lanes) wanted.add(lane)
    start()
  }

  wake(Array.from({ length: options.log.lanes }, (_, lane) => lane))
  return {
    id: consumer.id,
    /** The position moves past events that the consumer does not subscribe to when the lane is polled. */
    wants: (appended: readonly string[]) => {
      const { subjects } = consumer
      return subjects === INGESTED || appended.some(subject => subjects.some(pattern => matches(pattern, subject)))
    },
    wake,
    retry: () => {
      wanted.add('retries')
      start()
    },
    ended: () => Promise.all(running.values()),
  }
}
