// Answers that are kept under the `Idempotency-Key` of the request, so that a repeated request gets the same answer.
import type { Sql, Tx } from '../engines/engines.ts'

/** A request with a key: the digest of the key, and a MAC of who sent what. `path` has what its path names, which was there
 *  before. */
export type KeyedRequest = {
  org: string
  operation: string
  path: unknown[]
  key: Uint8Array
  input: Uint8Array
  /** Whether its answer was kept with what it changed. */
  isKept: boolean
}

/** `answer` is null if it contained a secret; `made` names what was created, or changed. */
export type KeptAnswer = { input: Uint8Array; answer: unknown; made: string }

export type KeptAnswers = {
  find(db: Sql, request: KeyedRequest, at: string): Promise<KeptAnswer | null>
  /** Violates a constraint if there is an answer already. */
  keep(db: Tx, request: KeyedRequest, kept: Pick<KeptAnswer, 'answer' | 'made'>, at: string): Promise<void>
}
