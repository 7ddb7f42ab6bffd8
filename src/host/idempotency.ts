// Requests with an `Idempotency-Key`: a repeated request gets the answer of the first one and changes nothing. The answer
// is stored in the transaction that creates the resource, so that neither exists without the other.
import { createHash } from 'node:crypto'
import type { Clock, Database, Seal } from '../engines/engines.ts'
import { EventStream, Reply } from '../kit/answer.ts'
import type { Principal } from '../kit/caller.ts'
import { invalidField } from '../kit/check.ts'
import { Fault } from '../kit/fault.ts'
import {
  type IdempotencyRecord,
  type IdempotencyRecords,
  type KeyedRequest,
  replyIn,
} from '../kit/host/idempotency-records.ts'
import type { Operation, ParsedBody, RequestFacts } from '../kit/operation.ts'
import type { Serial } from './serial.ts'

export const IDEMPOTENCY_HEADER = 'idempotency-key'
/** Long enough for every known client. Visible ASCII characters only, because headers have no other encoding. */
const KEY = /^[\x21-\x7e]{1,255}$/

export type IdempotencyOptions = {
  idempotencyRecords: IdempotencyRecords
  serial: Serial
  /** Names of requests that were carried out but whose answers could not be stored yet. */
  unkept: Set<string>
  engines: { clock: Clock; seal: Seal }
}

/** Null if the request has no key, or the operation creates nothing: the key is then ignored. */
export function keyedRequest(
  { engines }: Pick<IdempotencyOptions, 'engines'>,
  operation: Operation,
  caller: Principal | null,
  input: Record<string, unknown>,
  { headers }: RequestFacts,
): KeyedRequest | null {
  const key = headers[IDEMPOTENCY_HEADER]
  if (key === undefined || caller === null || !operation.creates || asksForStream(operation, input)) return null
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters')
  }
  const { org, user, role, project, credential } = caller
  const name = `${operation.method} ${operation.path}`
  // Another person, or the same person with another role, might not be allowed this answer.
  const sent = canonical([key, user, role, credential.isRestricted, project, withDigest(operation, input)])
  return {
    org,
    operation: name,
    path: operation.pathFields.map(field => input[field]),
    key: createHash('sha256').update(key).digest(),
    // The input may contain a password, which must not be guessable from the stored value.
    input: engines.seal.mac(org, name, sent),
    isKept: false,
    keeping: null,
  }
}

/** Streams are not stored. */
const asksForStream = ({ answer, bodyKind }: Operation, { body }: Record<string, unknown>): boolean =>
  answer.kind === 'either' &&
  bodyKind === 'parsed' &&
  ((body as ParsedBody).json as { stream?: unknown } | null)?.stream === true

/** A body of another protocol may be large; it is identified by its bytes. */
function withDigest({ bodyKind }: Operation, input: Record<string, unknown>): Record<string, unknown> {
  if (bodyKind !== 'parsed') return input
  return {
    ...input,
    body: createHash('sha256')
      .update((input.body as ParsedBody).bytes)
      .digest('base64'),
  }
}

/** Equal values give the same text, whatever the order of their fields. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

/** Runs the work unless there is a stored answer. Requests with one key wait for each other. At another process they
 *  conflict when they store their own answer, and are rolled back. */
export function once(
  options: IdempotencyOptions,
  db: Database,
  { disclosesSecret }: Operation,
  request: KeyedRequest,
  signal: AbortSignal,
  work: () => unknown,
): Promise<unknown> {
  const { keep } = options.idempotencyRecords
  const now = () => options.engines.clock.now().toISOString()
  const find = () => options.idempotencyRecords.find(db, request, now())
  const name = `${request.operation} ${request.org} ${Buffer.from(request.key).toString('base64')}`
  return options.serial.run(name, signal, async () => {
    const before = await find()
    if (before) return answerOf(request, before)
    if (options.unkept.has(name)) throw notKept()
    try {
      const answer = await work()
      // It changed nothing, because the resource already existed.
      const isValue = !(answer instanceof Reply || answer instanceof EventStream)
      if (!request.isKept && !disclosesSecret && isValue)
        await db.transaction(tx => keep(tx, request, { answer, made: '' }, now()))
      return answer
    } catch (error) {
      const kept = await find().catch(() => null) // The database is unavailable, as the first error reports.
      if (kept && isSame(request, kept)) return answerOf(request, kept)
      if (request.keeping) noteUnkept(options.unkept, name, request.keeping)
      throw error
    }
  })
}

function noteUnkept(unkept: Set<string>, name: string, keeping: Promise<void>): void {
  unkept.add(name)
  const end = () => unkept.delete(name)
  keeping.then(end, end)
}

const notKept = () =>
  new Fault('database_unreachable', {
    message: 'This request was carried out, but its answer could not be stored yet. Repeat it to get the answer.',
    retryAfterS: 2,
  })

const isSame = ({ input }: KeyedRequest, kept: IdempotencyRecord) => Buffer.compare(input, kept.input) === 0

function answerOf(request: KeyedRequest, kept: IdempotencyRecord): unknown {
  if (!isSame(request, kept)) {
    throw conflict(
      'This Idempotency-Key was already used by another person or with another role or input. Use a new key for each request.',
    )
  }
  if (kept.answer !== null) return replyIn(kept.answer)
  const { made } = kept
  // Deleting a workspace because of a lost token would end all of its tokens.
  const [what, advice] = request.path.includes(made)
    ? [`for \`${made}\``, 'send the request with a new key']
    : [`and created \`${made}\``, `delete \`${made}\` and create another one`]
  throw conflict(
    `This request was already carried out ${what}. Its answer contained a secret, which is not stored. If you lost it, ${advice}.`,
  )
}

const conflict = (message: string) =>
  new Fault('conflict', { message, fields: [{ path: 'Idempotency-Key', says: 'was used before' }] })
