// The endpoints that this process sends to, each with its own queue.
import type { Clock, Database } from '../../../engines/engines.ts'
import { LOST_MS } from './start.ts'
import * as store from './store.ts'

/** How long an endpoint stays with a process that does not renew that. */
const HELD_MS = 30_000
const RENEW_MS = 10_000
/** Endpoints of one process: each takes a few hundred bytes. */
const ENDPOINTS_MAX = 20_000
const CLAIM_MAX = 1_000
/** Deliveries that an endpoint has in memory, without their bodies. */
const LOADED_MAX = 32
export type Queue = store.Claimed & {
  loaded: store.DueDelivery[]
  running: number
  /** Attempts whose outcome is not written yet, running or not. */
  unended: number
  /** When there is something to load, in the time of the clock; NEVER if nothing is known of. */
  dueMs: number
}

const NEVER = Number.POSITIVE_INFINITY

export type Queues = {
  /** Loads what is due, of endpoints that no other process has. */
  fill(): Promise<void>
  all(): Iterable<Queue>
  /** Gives up the endpoints for which there is nothing to do. */
  release(): Promise<void>
  /** Gives up all. */
  close(): Promise<void>
  /** When there is something to fill or to take. */
  nextDueMs(): Promise<number>
}

/** `me` is the name of this process. */
export function openQueues(db: Database, clock: Clock, me: string): Queues {
  const queues = new Map<string, Queue>()
  let renewMs = 0
  const nowMs = () => clock.now().getTime()
  const now = () => clock.now().toISOString()
  const lost = () => new Date(nowMs() - LOST_MS).toISOString()
  const heldUntil = () => new Date(nowMs() + HELD_MS).toISOString()

  async function renew(): Promise<void> {
    if (clock.elapsedMs() < renewMs) return
    renewMs = clock.elapsedMs() + RENEW_MS
    await store.abandonQueues(db.autocommit, now())
    if (queues.size === 0) return
    const held = new Set(await store.renewQueues(db.autocommit, me, [...queues.keys()], heldUntil()))
    for (const webhook of queues.keys()) if (!held.has(webhook)) queues.delete(webhook)
  }

  /** Also those that this process has, when something new is due there. */
  async function claim(): Promise<void> {
    const count = Math.min(CLAIM_MAX, ENDPOINTS_MAX - queues.size)
    if (count === 0) return
    for (const one of await store.claimQueues(db.autocommit, me, now(), heldUntil(), count)) {
      const queue = queues.get(one.webhook) ?? { ...one, loaded: [], running: 0, unended: 0, dueMs: 0 }
      queue.dueMs = 0
      queues.set(one.webhook, queue)
    }
  }

  async function load(): Promise<void> {
    const atMs = nowMs()
    const wanting = [...queues.values()].filter(({ dueMs, loaded }) => dueMs <= atMs && loaded.length === 0)
    if (wanting.length === 0) return
    // Before the query, because an attempt may end during it.
    for (const queue of wanting) queue.dueMs = NEVER
    const ids = wanting.map(({ webhook }) => webhook)
    const found = Map.groupBy(await store.selectDue(db, ids, now(), lost(), LOADED_MAX), ({ webhook }) => webhook)
    for (const queue of wanting) {
      queue.loaded = found.get(queue.webhook) ?? []
      if (queue.loaded.length === LOADED_MAX) queue.dueMs = 0
    }
  }

  async function releaseThese(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    for (const id of await db.transaction(tx => store.releaseQueues(tx, me, ids, now(), LOST_MS))) queues.delete(id)
  }

  return {
    fill: async () => {
      await renew()
      await claim()
      await load()
    },
    all: () => queues.values(),
    release: async () => {
      const atMs = nowMs()
      const idle = [...queues.values()].filter(one => one.unended === 0 && one.loaded.length === 0 && one.dueMs > atMs)
      await releaseThese(idle.map(({ webhook }) => webhook))
    },
    close: () => releaseThese([...queues.keys()]),
    nextDueMs: async () => {
      const due = queues.size < ENDPOINTS_MAX ? await store.nextDue(db, me) : null
      let dueMs = due === null ? NEVER : Date.parse(due)
      // The others have something to send already, and wait for a place.
      for (const queue of queues.values()) if (queue.loaded.length === 0) dueMs = Math.min(dueMs, queue.dueMs)
      return dueMs
    },
  }
}
