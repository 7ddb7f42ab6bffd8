// Requests with an `Idempotency-Key`: a repeated request gets the answer of the first, and changes nothing. The answer is
// kept in the transaction that creates the thing, so that there is never one without the other.
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
/** As long as any client's; visible ASCII characters only, because headers have no other encoding. */
const KEY = /^[\x21-\x7e]{1,255}$/

export type IdempotencyOptions = {
  idempotencyRecords: IdempotencyRecords
  serial: Serial
  /** Names of requests that were carried out, and whose answers cannot be kept at the moment. */
  unkept: Set<string>
  engines: { clock: Clock; seal: Seal }
}

/** Null if the request has no key, or the operation creates nothing: then the key is ignored. */
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
  // Another person, or the same one with another role, might not get this answer by the request itself.
  const sent = canonical([key, user, role, credential.isRestricted, project, withDigest(operation, input)])
  return {
    org,
    operation: name,
    path: operation.pathFields.map(field => input[field]),
    key: createHash('sha256').update(key).digest(),
    // The input may contain a password, which must not be guessable from what is stored.
    input: engines.seal.mac(org, name, sent),
    isKept: false,
    keeping: null,
  }
}

/** A stream is not kept. */
const asksForStream = ({ answer, bodyKind }: Operation, { body }: Record<string, unknown>): boolean =>
  answer.kind === 'either' &&
  bodyKind === 'parsed' &&
  ((body as ParsedBody).json as { stream?: unknown } | null)?.stream === true

/** A body of another protocol may be large, and is known by its bytes. */
function withDigest({ bodyKind }: Operation, input: Record<string, unknown>): Record<string, unknown> {
  if (bodyKind !== 'parsed') return input
  return {
    ...input,
    body: createHash('sha256')
      .update((input.body as ParsedBody).bytes)
      .digest('base64'),
  }
}

/** The same text for equal values, whatever the order of their fields. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

/** Runs the work unless it has an answer already. Requests with one key wait for each other; those at another process
 *  find out when they keep their own answer, and are rolled back. */
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
      // It changed nothing, because the thing existed already.
      const isValue = !(answer instanceof Reply || answer instanceof EventStream)
      if (!request.isKept && !disclosesSecret && isValue)
        await db.transaction(tx => keep(tx, request, { answer, made: '' }, now()))
      return answer
    } catch (error) {
      const kept = await find().catch(() => null) // Without the database, the first error says why.
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
    message: 'This request was carried out, and its answer cannot be kept at the moment. Repeat it to get the answer.',
    retryAfterS: 2,
  })

const isSame = ({ input }: KeyedRequest, kept: IdempotencyRecord) => Buffer.compare(input, kept.input) === 0

function answerOf(request: KeyedRequest, kept: IdempotencyRecord): unknown {
  if (!isSame(request, kept)) {
    throw conflict(
      'Another request was sent with this Idempotency-Key, by another person or with another role or input. Use a new key for each request.',
    )
  }
  if (kept.answer !== null) return replyIn(kept.answer)
  const { made } = kept
  // Who deleted a workspace because of a lost token would end all of its tokens.
  const [what, advice] = request.path.includes(made)
    ? [`for \`${made}\``, 'send the request with a new key']
    : [`and created \`${made}\``, `delete \`${made}\` and create another one`]
  throw conflict(
    `This request was carried out already ${what}. Its answer contained a secret, which is not kept. If it was lost, ${advice}.`,
  )
}

const conflict = (message: string) =>
  new Fault('conflict', { message, fields: [{ path: 'Idempotency-Key', says: 'was used before' }] })
