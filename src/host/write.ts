// The `write` of an operation: a transaction with its audit entry and its events, retried after conflicts.
import { setTimeout as wait } from 'node:timers/promises'
import { ConstraintViolated, type Database, type Engines, EngineUnavailable, type Tx } from '../engines/engines.ts'
import type { AuditTrail } from '../kit/audit.ts'
import type { OrgId, Principal } from '../kit/caller.ts'
import { type Emitted, publish } from '../kit/events.ts'
import { Fault } from '../kit/fault.ts'
import type { IdempotencyRecords, KeyedRequest } from '../kit/host/idempotency-records.ts'
import { containsSecret, type Operation, type RequestFacts } from '../kit/operation.ts'
import type { Changes, RecordChange, Write, WriteOptions } from '../kit/write.ts'
import type { Serial } from './serial.ts'

export type WriterOptions = {
  engines: Engines
  audit: AuditTrail
  /** The `source` of events: this host's address. */
  source: string
  serial: Serial
  idempotencyRecords: IdempotencyRecords
}

/** After five conflicts in a row the caller gets 503 with Retry-After. */
const ATTEMPTS_MAX = 5
const BACKOFF_MS = 10

type Scope = { db: Tx; record: RecordChange; emit: (subject: string, data: unknown, tenant?: OrgId) => void }
type Work = (scope: Scope) => Promise<unknown>

export function writer(
  options: WriterOptions,
  db: Database,
  operation: Operation,
  caller: Principal | null,
  request: RequestFacts,
  keyed: KeyedRequest | null,
): Write<Scope> {
  const write = (first: WriteOptions | Work, second?: Work): Promise<unknown> => {
    const work = second ?? (first as Work)
    const perform = () => commit(options, db, { operation, caller, request, keyed }, work)
    const serialized = second !== undefined && (first as WriteOptions).serialize && caller !== null
    if (!serialized) return perform()
    return options.serial.run(`${operation.path} ${caller.org}`, request.signal, perform)
  }
  return write as Write<Scope>
}

/** The call that writes. */
type Writing = {
  operation: Operation
  caller: Principal | null
  request: RequestFacts
  keyed: KeyedRequest | null
}

async function commit(options: WriterOptions, db: Database, writing: Writing, work: Work): Promise<unknown> {
  const { random } = options.engines
  for (let attempt = 1; ; attempt++) {
    try {
      const output = await db.transaction(tx => tryOnce(options, writing, work, tx))
      await db.waitForNotifications()
      return output
    } catch (error) {
      const isConflict = error instanceof EngineUnavailable && error.state === 'conflict'
      const isViolation = error instanceof ConstraintViolated
      if (isViolation && attempt > 1) throw violationFault(error, writing.operation)
      if ((!isConflict && !isViolation) || attempt === ATTEMPTS_MAX) throw error
      await wait(BACKOFF_MS * attempt * (1 + random.bytes(1).readUInt8() / 255))
    }
  }
}

/** After a retry, in which the work would have reported what is missing or exists already. */
function violationFault(error: ConstraintViolated, { faults }: Operation): Error {
  const { kind, cause } = error
  if (kind === 'unique') {
    if (!faults.includes('conflict')) return error
    return new Fault('conflict', { message: 'This already exists, or was just created by another request.', cause })
  }
  if (faults.includes('not_found')) {
    return new Fault('not_found', { message: 'Something that this request refers to was just deleted.', cause })
  }
  // The only other references of rows are to the organisation and the caller's membership.
  const message = 'The organisation or membership of this credential was just deleted.'
  return new Fault('credential_refused', { message, cause })
}

/** One attempt. Its audit entries and events are discarded if it fails. */
async function tryOnce(
  { engines, audit, source, idempotencyRecords }: WriterOptions,
  { operation, caller, request, keyed }: Writing,
  work: Work,
  db: Tx,
): Promise<unknown> {
  const entries: { on: string; changes: Changes | null; trail: OrgId | undefined }[] = []
  const emitted: Emitted[] = []
  const output = await work({
    db,
    record: (on, changes = {}, trail) => {
      entries.push({ on, changes: Object.keys(changes).length > 0 ? changes : null, trail })
    },
    emit: (subject, data, tenant) => {
      if (!caller) throw new Error(`${operation.path} emits an event without a caller`)
      // The caller's project means nothing to another organisation.
      const isOwn = tenant === undefined || tenant === caller.org
      emitted.push({ subject, data, tenant: tenant ?? caller.org, project: isOwn ? caller.project : null })
    },
  })
  // Read the clock after the work: it may have waited for a lock.
  const { log, clock, random } = engines
  const at = clock.now().toISOString()
  const { audit: what } = operation
  for (const { on, changes, trail } of entries) {
    if (what === null || !caller) throw new Error(`${operation.path} records a change but declares no audit entry`)
    const { ip, id: requestId } = request
    await audit(db, { org: trail ?? caller.org, caller, what, on, changes, at, ip, requestId })
  }
  // An operation that creates something records what it created; the return value of this work is its answer.
  const made = entries.at(-1)?.on
  if (keyed !== null && made !== undefined) {
    const answer = containsSecret(operation.answer.value, output) ? null : output
    await idempotencyRecords.keep(db, keyed, { answer, made }, at)
    db.afterCommit(() => {
      keyed.isKept = true
    })
  }
  await publish({ log, clock, random, source }, db, operation.emits, emitted)
  return output
}
