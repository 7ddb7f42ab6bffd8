// Runs the consumers of this process. A lane is read when it is said to have new events, and once a second if it has some:
// a process may die between its commit and its notification.
import { setTimeout as wait } from 'node:timers/promises'
import type { BusConsumer } from '../engines.ts'
import { retryHeld } from './held-events.ts'
import { type ReaderOptions, type ReadOutcome, readLane } from './lane-reader.ts'
import * as store from './store.ts'

export const LANES = 16
const ALL_LANES = Array.from({ length: LANES }, (_, lane) => lane)
/** How many transactions of one consumer run at once in this process. */
const AT_ONCE_MAX = 4
/** How soon to look again after events whose transaction has not ended; it doubles up to the interval of polling. */
const LATER_MS = 5
/** How long running transactions may take to end. */
const END_MS = 10_000

export type Readers = { wake(lanes: readonly number[]): void; close(): Promise<void> }

type ReadersOptions = Omit<ReaderOptions, 'signal'> & {
  pollMs: number
  /** Told of failures that no event is to blame for. */
  troubled: (error: unknown) => void
}

export function openReaders(given: ReadersOptions, consumers: readonly BusConsumer[]): Readers {
  const stopped = new AbortController()
  const options: ReaderOptions = { ...given, signal: stopped.signal }
  const all = consumers.map(consumer =>
    openReader({ ...options, db: given.db.for(`consumer ${consumer.name}`) }, consumer, given),
  )
  const names = consumers.map(({ name }) => name)

  async function poll(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        const behind = Map.groupBy(await store.selectBehind(given.db, names), row => row.consumer)
        const due = await store.selectDueConsumers(given.db, names, given.now().toISOString())
        for (const reader of all) {
          reader.wake((behind.get(reader.name) ?? []).map(({ lane }) => lane))
          if (due.includes(reader.name)) reader.retry()
        }
      } catch (error) {
        if (!stopped.signal.aborted) given.troubled(error)
      }
      await wait(given.pollMs, null, { signal: stopped.signal }).catch(() => {})
    }
  }
  const polling = consumers.length > 0 ? poll() : Promise.resolve()

  return {
    wake: lanes => {
      for (const reader of all) reader.wake(lanes)
    },
    close: async () => {
      stopped.abort()
      const ended = Promise.all([polling, ...all.map(reader => reader.ended())])
      await Promise.race([ended, wait(END_MS, null, { ref: false })])
    },
  }
}

/** Reads the lanes of one consumer, each by one transaction at a time. */
function openReader(options: ReaderOptions, consumer: BusConsumer, { pollMs, troubled }: ReadersOptions) {
  /** Lanes to read; `retries` to try held events. */
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
    const outcome: ReadOutcome = await readLane(options, consumer, lane)
    if (outcome === 'more') wanted.add(lane)
    if (outcome === 'later') lookAgain(lane)
    else laterMs.delete(lane)
  }

  function lookAgain(lane: number): void {
    const ms = laterMs.get(lane) ?? LATER_MS
    laterMs.set(lane, Math.min(ms * 2, pollMs))
    if (ms < pollMs) setTimeout(() => wake([lane]), ms).unref()
  }

  async function retryAll(): Promise<void> {
    while (!options.signal.aborted && (await retryHeld(options, consumer))) {}
  }

  function wake(lanes: readonly number[]): void {
    for (const lane of lanes) wanted.add(lane)
    start()
  }

  wake(ALL_LANES)
  return {
    name: consumer.name,
    wake,
    retry: () => {
      wanted.add('retries')
      start()
    },
    ended: () => Promise.all(running.values()),
  }
}
