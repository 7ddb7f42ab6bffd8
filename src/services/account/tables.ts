import { table } from '../../kit/table.ts'
import { LIFETIME_MS } from './idempotency-records.ts'
import { isLiveKey } from './store.ts'

export const keys = table({
  name: 'keys',
  org: 'org',
  bound: {
    setting: 'STOA_KEYS_MAX',
    fallback: 1_000,
    doc: 'Keys that an organisation may have, without revoked and expired ones',
    what: 'live keys',
    remedy: 'Revoke one first.',
    where: isLiveKey,
  },
})

/** They end with the sign-in that they belong to. */
export const sessions = table({ name: 'sessions', org: 'org' })

export const keyRates = table({
  name: 'key_rates',
  through: [{ table: 'keys', columns: ['key'], keys: ['id'] }],
  retention: [{ column: 'ends', keptMs: 0 }],
})

export const idempotencyRecords = table({
  name: 'idempotency_records',
  org: 'org',
  retention: [{ column: 'at', keptMs: LIFETIME_MS }],
})
