// Keeps the answers to requests with an Idempotency-Key for a day.
import type { Tx } from '../../engines/engines.ts'
import type { IdempotencyRecords, KeyedRequest } from '../../kit/host/idempotency-records.ts'
import * as store from './idempotency-records.store.ts'

export const LIFETIME_MS = 24 * 60 * 60_000

/** Answers stored before this time have expired. */
export const keptSince = (at: string): string => new Date(Date.parse(at) - LIFETIME_MS).toISOString()

export const idempotencyRecords: IdempotencyRecords = {
  find: (db, request, at) => store.selectRecord(db, request, keptSince(at)),
  keep: (db, request, kept, at) => store.insertRecord(db, request, kept, at, keptSince(at)),
}

/** For a request that was carried out and cannot be undone: an answer that another process stored for it stays. */
export const keepOnce = (db: Tx, request: KeyedRequest, answer: unknown, at: string): Promise<void> =>
  store.insertRecord(db, request, { answer, made: '' }, at, keptSince(at), true)
