// Imports the records of a request in the background, in portions. A portion is one transaction that also ends its lines, so
// that each record is imported exactly once, even if the process stops in between.
import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { type EmitTo, emitting } from '../../../kit/events.ts'
import { Fault } from '../../../kit/fault.ts'
import { userBlocked, userCreated, userUpdated } from '../events.ts'
import { endAccessOf } from '../people/end-access.ts'
import { type Iam, queue } from '../state.ts'
import * as tables from '../tables.ts'
import * as store from './imports.store.ts'
import * as customers from './store.ts'

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000]
/** Few enough that waiting for the locks of the transaction is not noticeable. */
const PORTION = 100
/** The duration of one attempt; a process that stops waits for it. */
const SLICE_MS = 5 * SECOND_MS
/** Each import may take some megabytes. */
const WAITING_MAX = 100

export const importEvents = { ...userCreated, ...userUpdated, ...userBlocked }
type EmitImported = EmitTo<typeof importEvents>

/** The key is the organisation: its imports are done one after the other. */
export const imports = queue<{ id: string }>({
  id: 'iam.imports',
  atOnce: 4,
  backlog: () => ({ perKey: WAITING_MAX, perOrg: Number.POSITIVE_INFINITY, isRecorded: false }),
  isOrdered: true,
  pausesMs: [SECOND_MS, 10 * SECOND_MS, MINUTE_MS, 10 * MINUTE_MS, ...Array<number>(6).fill(HOUR_MS)],
  deadlineMs: 2 * MINUTE_MS,
  run: async ({ clock, state }, { org, payload: { id } }) => {
    const untilMs = clock.elapsedMs() + SLICE_MS
    let size = PORTION
    for (;;) {
      const done = await doPortion(state, org, id, size)
      if (done === 'all') return { isOk: true }
      // From then on the records are imported one by one, to find out which still fit.
      if (done === 'full') size = 1
      if (clock.elapsedMs() > untilMs) return undefined // It continues with the next attempt.
    }
  },
  end: async ({ db, clock }, ended) => {
    for (const { job, status } of ended) {
      if (status === 'failed') await store.giveUp(db, job.payload.id, NOT_DONE, clock.now().toISOString())
    }
  },
})

const NOT_DONE = {
  problem: 'failed',
  says: 'It could not be imported because of an internal error; send it again.',
} as const
const EXISTS = { problem: 'exists', says: 'The address already has an account.' } as const

/** `full`: the portion has more records than the organisation may add customers, and none was imported; a single record is
 *  rejected. */
async function doPortion(state: Iam, org: OrgId, id: string, size: number): Promise<'some' | 'all' | 'full'> {
  const { db } = state.engines
  try {
    return await db.background.for(org).transaction(tx => importLines(state, tx, org, id, size))
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'conflict') throw error
    if (size === 1) await db.background.for(org).transaction(tx => refuseNext(tx, id, error.message))
    return 'full'
  }
}

async function importLines(state: Iam, tx: Tx, org: OrgId, id: string, size: number): Promise<'some' | 'all'> {
  const { engines, baseUrl: source } = state
  const at = engines.clock.now().toISOString()
  const found = await store.beginPortion(tx, org, id, at)
  const lines = found ? await store.selectPendingLines(tx, id, size) : []
  if (lines.length === 0) {
    if (found) await store.finishUserImport(tx, id, at)
    return 'all'
  }
  await emitting({ ...engines, source }, tx, importEvents, async emit => {
    const portion = { tx, org, emit, at }
    const replaced = found?.replaces ? await replaceExisting(portion, lines) : new Set<number>()
    const others = lines.filter(({ line }) => !replaced.has(line))
    const added = await addNew(state, portion, others)
    const existing = others.filter(({ line }) => !added.has(line))
    // An account that was created at the same moment is replaced in the next portion.
    const failed = found?.replaces ? [] : existing.map(({ line, record: { email } }) => ({ line, email, ...EXISTS }))
    await store.endLines(tx, id, [...replaced, ...added], failed, { added: added.size, replaced: replaced.size })
  })
  return 'some'
}

type Portion = { tx: Tx; org: OrgId; emit: EmitImported; at: string }

/** Returns the lines that were added. */
async function addNew(
  { engines, bounds }: Iam,
  { tx, org, emit, at }: Portion,
  lines: readonly store.PendingLine[],
): Promise<Set<number>> {
  if (lines.length === 0) return new Set()
  const rows = lines.map(({ line, record: { emailVerified, blocked, created, ...rest } }) => ({
    ...rest,
    line,
    user: `cus_${engines.random.token(24)}`,
    verified: emailVerified ? at : null,
    blocked: blocked ? at : null,
    created: created ?? at,
  }))
  const ids = await customers.insertCustomers(tx, org, rows, at)
  const added = rows.filter(({ user }) => ids.has(user))
  if (added.length > 0) await bounds.require(tx, tables.customers, org)
  for (const { user, email, blocked } of added) {
    emit('iam.user.created', { user, email }, org)
    if (blocked !== null) emit('iam.user.blocked', { user }, org)
  }
  return new Set(added.map(({ line }) => line))
}

/** Returns the lines whose address had an account. Runs before anything is added: a deletion has the account locked and
 *  waits for the counter of customers. */
async function replaceExisting(portion: Portion, lines: readonly store.PendingLine[]): Promise<Set<number>> {
  const { tx, org } = portion
  const locked = await customers.lockCustomersByAddress(
    tx,
    org,
    lines.map(({ record }) => record.email),
  )
  const byAddress = new Map(locked.map(one => [one.email, one]))
  const replaced = new Set<number>()
  for (const { line, record } of lines) {
    const before = byAddress.get(record.email)
    if (!before) continue
    byAddress.set(record.email, await replace(portion, before, record))
    replaced.add(line)
  }
  return replaced
}

const SHOWN = ['name', 'metadata', 'emailVerified', 'blocked'] as const

async function replace(
  { tx, org, emit, at }: Portion,
  before: customers.Customer,
  { name, metadata, emailVerified, blocked, password }: store.ImportedCustomer,
): Promise<customers.Customer> {
  const { user, email } = before
  const after = { ...before, name, metadata, emailVerified, blocked, updated: at }
  const verified = emailVerified ? ((await customers.selectVerified(tx, org, user)) ?? at) : null
  await endAccessOf(tx, user, null, at)
  await customers.updateCustomer(tx, org, after, verified)
  await customers.setCustomerPassword(tx, org, user, password)
  const isBlocking = blocked && !before.blocked
  if (isBlocking) emit('iam.user.blocked', { user }, org)
  const changed = SHOWN.filter(field => !isDeepStrictEqual(before[field], after[field]))
  const others = isBlocking ? changed.filter(field => field !== 'blocked') : changed
  emit('iam.user.updated', { user, email, changed: [...others, 'password'] }, org)
  return after
}

/** The next line does not fit. */
async function refuseNext(tx: Tx, id: string, says: string): Promise<void> {
  const [next] = await store.selectPendingLines(tx, id, 1)
  if (!next) return
  const { line, record } = next
  await store.endLines(tx, id, [], [{ line, email: record.email, problem: 'bound', says }], { added: 0, replaced: 0 })
}
