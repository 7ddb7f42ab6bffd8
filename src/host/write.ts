// The `write` of an operation: a transaction with its audit entry and its events, retried when it lost a race.
import { setTimeout as wait } from 'node:timers/promises'
import { type Engines, EngineUnavailable, type Tx } from '../engines/engines.ts'
import type { AuditTrail } from '../kit/audit.ts'
import { PLATFORM_ORG, type Principal } from '../kit/caller.ts'
import type { Envelope } from '../kit/event.ts'
import type { Operation, RequestFacts } from '../kit/operation.ts'
import type { Changes, Write, WriteOptions } from '../kit/write.ts'
import type { Queues } from './queues.ts'

/** Takes events in the transaction of the fact they tell. */
export type Outbox = (db: Tx, envelopes: readonly Envelope[]) => Promise<void>

export type WriterOptions = {
  engines: Engines
  audit: AuditTrail
  outbox: Outbox | null
  /** The `source` of events: this host's address. */
  source: string
  queues: Queues
}

/** Whoever loses five times in a row meets a crowd, and is told to come back. */
const TRIES = 5
const PAUSE_MS = 10

type Scope = { db: Tx; record: (on: string, changes?: Changes) => void; emit: (subject: string, data: unknown) => void }
type Work = (scope: Scope) => Promise<unknown>

export function writer(
  options: WriterOptions,
  operation: Operation,
  caller: Principal | null,
  request: RequestFacts,
): Write<Scope> {
  const write = (first: WriteOptions | Work, second?: Work): Promise<unknown> => {
    const work = second ?? (first as Work)
    const perform = () => commit(options, operation, caller, request, work)
    const serialized = second !== undefined && (first as WriteOptions).serialize && caller !== null
    if (!serialized) return perform()
    return options.queues.run(`${operation.path} ${caller.org}`, request.signal, perform)
  }
  return write as Write<Scope>
}

async function commit(
  options: WriterOptions,
  operation: Operation,
  caller: Principal | null,
  request: RequestFacts,
  work: Work,
): Promise<unknown> {
  const { db, random } = options.engines
  for (let attempt = 1; ; attempt++) {
    try {
      const output = await db.transaction(tx => once(options, operation, caller, request, work, tx))
      await db.waitForNotifications()
      return output
    } catch (error) {
      const lostRace = error instanceof EngineUnavailable && error.state === 'conflict'
      if (!lostRace || attempt === TRIES) throw error
      await wait(PAUSE_MS * attempt * (1 + random.bytes(1).readUInt8() / 255))
    }
  }
}

/** One try: what it records and emits is gone with it if it fails. */
async function once(
  { engines, audit, outbox, source }: WriterOptions,
  operation: Operation,
  caller: Principal | null,
  request: RequestFacts,
  work: Work,
  db: Tx,
): Promise<unknown> {
  const entries: { on: string; changes: Changes | null }[] = []
  const emitted: Pick<Envelope, 'type' | 'data'>[] = []
  const output = await work({
    db,
    record: (on, changes = {}) => {
      entries.push({ on, changes: Object.keys(changes).length > 0 ? changes : null })
    },
    emit: (type, data) => void emitted.push({ type, data }),
  })
  // Not before: the work may have waited for a lock.
  const at = engines.clock.now().toISOString()
  const { audit: entry } = operation
  for (const { on, changes } of entries) {
    if (!entry || !caller) throw new Error(`${operation.path} records a change that it does not declare`)
    const org = entry.trail === 'platform' ? PLATFORM_ORG : caller.org
    const { ip, id: requestId } = request
    await audit(db, { org, caller, what: entry.what, on, changes, at, ip, requestId })
  }
  if (emitted.length > 0) {
    const undeclared = emitted.find(({ type }) => !(type in operation.emits))
    if (!outbox || !caller || undeclared) throw new Error(`${operation.path} emits an event that nobody takes`)
    const about = { source, time: at, tenant: caller.org, ...(caller.project && { project: caller.project }) }
    const idOf = () => ({ specversion: '1.0' as const, id: `evt_${engines.random.token(24)}` })
    await outbox(
      db,
      emitted.map(one => ({ ...idOf(), ...about, ...one })),
    )
  }
  return output
}
