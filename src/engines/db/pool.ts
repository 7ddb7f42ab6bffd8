// The connection pools, one per profile: a fair queue in front of each, a deadline for each call, and replacement
// connections when the server stops answering.
import type postgres from 'postgres'
import { openFairQueue, QueueFull } from '../../fair/queue.ts'
import { EngineUnavailable } from '../engines.ts'
import { type Calls, openRunningCalls, type RunningCall } from './calls.ts'
import { type ConnectionsOptions, openDatabaseConnections } from './connections.ts'
import { type Driver, type DriverHandlers, WAIT_MS } from './driver.ts'
import { isConnectionLost } from './errors.ts'
import { openNotifications } from './notifications.ts'
import { connectionsOf, type Profile } from './profiles.ts'

export type PoolOptions = {
  /** The connections for requests; other profiles have additional ones. */
  connectionsMax: number
  /** How many callers may wait for a connection; further ones are refused immediately. */
  queueMax: number
  /** How long a call may wait for a connection. */
  waitMs?: number
  /** How often the LISTEN connection is checked, and how long it may take to answer; tests shorten them. */
  heartbeat?: { everyMs: number; answerMs: number }
  /** The time limits for a whole transaction, and for its end after a cancellation; tests shorten them. */
  deadlineMs?: number
  cancelMs?: number
  /** Tests shorten them. */
  idle?: Pick<ConnectionsOptions, 'idleMs' | 'answerMs'>
}

/** The shares of a call's waiting time after which the LISTEN connection is checked, and after which a silent one is
 *  lost. Another connection then gets half of that time (`notifications.ts`). So a silent server counts as down before
 *  the call has waited for all of it. An idle server answers immediately, a busy one within milliseconds. */
const [EVERY_SHARE, ANSWER_SHARE] = [0.2, 0.2]
const EVERY_MAX_MS = 1_000
/** A few seconds longer than the server lets a single statement run. */
const DEADLINE_MS = 35_000
/** How long a cancelled call may take to end. A connection that is silent for longer is lost. */
const CANCEL_MS = 5_000
/** How long transactions whose COMMIT was sent before the server stopped answering may wait for its outcome. */
const COMMIT_WAIT_S = 30
const CLOSE_WAIT_S = 5
/** How many times as long a call may wait. Reads over many rows take seconds, and a dashboard has several at once. */
const PATIENCE: Record<Profile, number> = { requests: 1, background: 1, analytics: 4 }

export function openPools(options: PoolOptions, open: (handlers: DriverHandlers, profile: Profile) => Driver) {
  const { waitMs = WAIT_MS } = options
  /** Set while the server does not answer. Calls then fail immediately instead of waiting for a connection. */
  let isDown = false

  const calls = openRunningCalls({
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
    cancelMs: options.cancelMs ?? CANCEL_MS,
    cancel: statement => {
      const pid = backendOf(statement)?.pid
      if (pid) listener.cancel(pid)
    },
  })
  const widths = connectionsOf(options.connectionsMax)
  const poolOf = (profile: Profile) =>
    openPool(
      { ...options, waitMs: waitMs * PATIENCE[profile], connectionsMax: widths[profile], calls, isDown: () => isDown },
      onclose => open({ onclose }, profile),
    )
  const pools = { requests: poolOf('requests'), background: poolOf('background'), analytics: poolOf('analytics') }
  const all = Object.values(pools)

  const listener = openNotifications({
    open: handlers => open(handlers, 'requests'),
    everyMs: Math.min(EVERY_MAX_MS, waitMs * EVERY_SHARE),
    answerMs: waitMs * ANSWER_SHARE,
    ...options.heartbeat,
    onUnreachable: isFrozen => {
      // If the server has no connection left for the listener, it gets one of the pool's.
      if (!isFrozen) for (const pool of all) pool.dropFree()
      if (isDown) return
      isDown = true
      for (const pool of all) pool.rejectWaiting(new EngineUnavailable('db', 'down'))
      if (!isFrozen) return
      // Running calls fail, except those whose COMMIT was sent: only the server knows their outcome. Connections that do
      // not answer cannot be reused.
      for (const pool of all) pool.dropFree()
      calls.dropAll(COMMIT_WAIT_S)
    },
    onReachable: () => {
      isDown = false
    },
  })

  return {
    ...pools,
    listener,
    close: async () => {
      calls.close()
      await listener.close()
      await Promise.all(all.map(pool => pool.close()))
    },
  }
}

type OwnOptions = PoolOptions & { waitMs: number; calls: Calls; isDown: () => boolean }

function openPool(options: OwnOptions, open: (onclose: () => void) => Driver) {
  const { connectionsMax: width, queueMax: waitingMax, waitMs, calls, isDown } = options
  const queue = openFairQueue({ width, waitingMax, waitMs })
  const connections = openDatabaseConnections({ openDriver: open, ...options.idle })

  /** Runs a call in its turn, until it ends or is given up. */
  async function run<T>(user: string, call: RunningCall, start: (sql: postgres.Sql) => PromiseLike<T>): Promise<T> {
    const untilMs = performance.now() + waitMs
    try {
      if (isDown()) throw new EngineUnavailable('db', 'down')
      if (!queue.tryEnter(user)) await queue.enter(user)
    } catch (error) {
      throw error instanceof QueueFull ? new EngineUnavailable('db', 'busy', error) : error
    }
    const taken = connections.take(untilMs - performance.now())
    const connection = taken instanceof Promise ? await taken : taken
    return calls.run(
      call,
      () => start(connection.driver.sql),
      (error, waitS) => {
        // The driver fails the call first and reports the loss later.
        if (isConnectionLost(error)) void connections.drop(connection, waitS)
        else connections.give(connection)
        queue.leave(user)
      },
      connection.isNew ? untilMs - performance.now() : null,
    )
  }

  return {
    run,
    load: queue.load,
    rejectWaiting: queue.rejectWaiting,
    dropFree: connections.dropFree,
    close: () => connections.dropAll(CLOSE_WAIT_S),
  }
}

/** The connection of a statement. The driver sets it when the statement is sent. */
export function backendOf(statement: object | null): { pid?: number } | null {
  return (statement as { state?: { pid?: number } | null } | null)?.state ?? null
}
