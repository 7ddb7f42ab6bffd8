// Stored answers by the request's `Idempotency-Key`, so that a repeated request gets the same answer.

import type { Sql, Tx } from '../../engines/engines.ts'
import { type Reply, reply } from '../answer.ts'
import type { OrgId } from '../caller.ts'

/** A request with a key: the digest of the key, and a MAC of the sender and the input. `path` contains the names from
 *  the URL, which existed before the request. */
export type KeyedRequest = {
  org: OrgId
  operation: string
  path: unknown[]
  key: Uint8Array
  input: Uint8Array
  /** Whether its answer was stored together with its changes. */
  isKept: boolean
  /** Resolves when its answer is stored, even after the client was told that this takes too long. */
  keeping: Promise<void> | null
}

/** `answer` is null if it contained a secret; `made` names what was created, or changed. */
export type IdempotencyRecord = { input: Uint8Array; answer: unknown; made: string }

export type IdempotencyRecords = {
  find(db: Sql, request: KeyedRequest, at: string): Promise<IdempotencyRecord | null>
  /** Violates a constraint if there is an answer already. */
  keep(db: Tx, request: KeyedRequest, kept: Pick<IdempotencyRecord, 'answer' | 'made'>, at: string): Promise<void>
}

/** Longer bodies are not stored: a repeated request is carried out again. */
const BODY_BYTES_MAX = 1024 * 1024

type KeptReply = { reply: { status: number; headers: Reply['headers']; base64: string } }

/** The stored form of a reply; null if it cannot be stored. */
export function keptReply({ status, headers, body }: Reply): KeptReply | null {
  if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) return null
  const bytes = Buffer.from(body ?? '')
  return bytes.length > BODY_BYTES_MAX ? null : { reply: { status, headers, base64: bytes.toString('base64') } }
}

/** The stored answer, as the operation returned it. */
export function replyIn(kept: unknown): unknown {
  const { reply: found } = (kept ?? {}) as Partial<KeptReply>
  return found ? reply(found.status, found.headers, Buffer.from(found.base64, 'base64')) : kept
}
