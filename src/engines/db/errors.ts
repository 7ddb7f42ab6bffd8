// Classifies errors of PostgreSQL and of the driver.
import { ConstraintViolated, EngineUnavailable } from '../engines.ts'
import type { RunningCall } from './calls.ts'
import { ConnectFailed } from './driver.ts'

const LOST = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
])

/** The disk of its data or of a statement's temporary files is full. */
const DISK_FULL = '53100'
/** A statement that was cancelled. */
const CANCELLED = '57014'
/** Lock timeouts, and a server short of other resources: a retry may succeed. */
const BUSY = /^(55P03|53...)$/
/** It accepts no writes, or cannot read or write its files; the statement itself is fine. */
const UNUSABLE = /^(25006|58030)$/
/** Serialisation failures and deadlocks: a retry of the transaction succeeds. */
const CONFLICT = /^(40001|40P01)$/
const VIOLATIONS = new Map([
  ['23503', 'reference'],
  ['23505', 'unique'],
] as const)

/** Nothing was sent. CONNECT_TIMEOUT is the driver's, for a server that accepts a connection and does not answer. */
const isNotConnected = (error: unknown) =>
  error instanceof ConnectFailed || (error as { code?: unknown } | null)?.code === 'CONNECT_TIMEOUT'

export const isDiskFull = (error: unknown) => (error as { code?: unknown } | null)?.code === DISK_FULL

/** Whether the connection is lost or about to be: with FATAL, PostgreSQL ends it, with PANIC all of them. */
export function isConnectionLost(error: unknown): boolean {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown }
  return severity === 'FATAL' || severity === 'PANIC' || isNotConnected(error) || LOST.has(String(code))
}

/** Converts errors that are not defects to those of `engines.ts`; rethrows all others unchanged. */
export function translate(error: unknown, { isCommitting }: Pick<RunningCall, 'isCommitting'>): never {
  const { code } = (error ?? {}) as { code?: unknown }
  if (error instanceof EngineUnavailable || typeof code !== 'string') throw error
  if (isNotConnected(error)) throw new EngineUnavailable('db', 'down', error)
  if (isConnectionLost(error)) throw new EngineUnavailable('db', isCommitting ? 'unknown' : 'down', error)
  if (code === DISK_FULL) throw new EngineUnavailable('db', 'full', error)
  if (UNUSABLE.test(code)) throw new EngineUnavailable('db', 'down', error)
  if (CONFLICT.test(code)) throw new EngineUnavailable('db', 'conflict', error)
  if (code === CANCELLED) throw new EngineUnavailable('db', 'slow', error)
  if (BUSY.test(code)) throw new EngineUnavailable('db', 'busy', error)
  const violation = VIOLATIONS.get(code as '23503')
  throw violation ? new ConstraintViolated(violation, error) : error
}
