// The pool of connections: a fair queue in front of it, a deadline for each call, and a replacement when the server stops
// answering.
import type postgres from 'postgres'
import { openFairQueue, QueueFull } from '../../fair/queue.ts'
import { EngineUnavailable } from '../engines.ts'
import { openCalls, type RunningCall } from './calls.ts'
import { type ConnectionsOptions, openConnections } from './connections.ts'
import { CONNECT_MS, type Driver, type DriverHandlers } from './driver.ts'
import { isConnectionLost } from './errors.ts'
import { openListener } from './notifications.ts'

export type PoolOptions = {
  connectionsMax: number
  /** How many callers may wait for a connection; further ones are refused at once. */
  queueMax: number
  /** How long a call may wait for a free connection, and for a new one. */
  waitMs?: number
  /** How often the LISTEN connection is checked, and how long it may take to answer; tests shorten them. */
  heartbeat?: { everyMs: number; answerMs: number }
  /** For a whole transaction, and for its end after it was cancelled; tests shorten them. */
  deadlineMs?: number
  cancelMs?: number
  /** Tests shorten them. */
  idle?: Pick<ConnectionsOptions, 'idleMs' | 'answerMs'>
}

/** A server that is silent for this part of the time that a call may wait is down. An idle one answers at once, a busy one
 *  within milliseconds. */
const HEARTBEAT_SHARE = 0.7
/** A few seconds longer than the server lets a single statement run. */
const DEADLINE_MS = 35_000
/** How long a call may take to end after it was cancelled. A connection that is silent for longer is lost. */
const CANCEL_MS = 5_000
/** How long transactions whose COMMIT was sent before the server stopped answering may wait for its outcome. */
const COMMIT_WAIT_S = 30
const CLOSE_WAIT_S = 5

export type Pool = ReturnType<typeof openPool>

export function openPool(options: PoolOptions, open: (handlers: DriverHandlers) => Driver) {
  const { connectionsMax: width, queueMax: waitingMax, waitMs = CONNECT_MS } = options
  const queue = openFairQueue({ width, waitingMax, waitMs })
  const connections = openConnections({ openDriver: onclose => open({ onclose }), ...options.idle })
  /** Set while the server does not answer. Calls then fail at once instead of waiting for a connection. */
  let isDown = false

  const calls = openCalls({
    connectMs: waitMs,
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
    cancelMs: options.cancelMs ?? CANCEL_MS,
    cancel: statement => {
      const pid = backendOf(statement)?.pid
      if (pid) listener.cancel(pid)
    },
  })

  /** Running calls fail, except those whose COMMIT was sent: only the server knows their outcome. Connections that do not
   *  answer cannot be used again. */
  function replace(): void {
    connections.dropFree()
    calls.dropAll(COMMIT_WAIT_S)
  }

  const listener = openListener({
    open,
    answerMs: waitMs * HEARTBEAT_SHARE,
    ...options.heartbeat,
    onUnreachable: isFrozen => {
      // If the server has no connection left for the listener, it gets one of ours.
      if (!isFrozen) connections.dropFree()
      if (isDown) return
      isDown = true
      queue.rejectWaiting(new EngineUnavailable('db', 'down'))
      if (isFrozen) replace()
    },
    onReachable: () => {
      isDown = false
    },
  })

  /** Runs a call when its turn comes, and until it ends or is given up. */
  async function run<T>(user: string, call: RunningCall, start: (sql: postgres.Sql) => PromiseLike<T>): Promise<T> {
    try {
      if (isDown) throw new EngineUnavailable('db', 'down')
      if (!queue.tryEnter(user)) await queue.enter(user)
    } catch (error) {
      throw error instanceof QueueFull ? new EngineUnavailable('db', 'busy', error) : error
    }
    const taken = connections.take()
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
    )
  }

  return {
    run,
    load: queue.load,
    listen: listener.listen,
    waitForNotifications: listener.waitForNotifications,
    close: async () => {
      calls.close()
      await listener.close()
      await connections.dropAll(CLOSE_WAIT_S)
    },
  }
}

/** The connection of a statement. The driver sets it when the statement is sent. */
export function backendOf(statement: object | null): { pid?: number } | null {
  return (statement as { state?: { pid?: number } | null } | null)?.state ?? null
}
