// The tables of the host: its schedules, consumers and queues, and the log.
import { table } from '../../kit/table.ts'

const INSTALLATION = 'It is about the processes of the installation'
const DAY_MS = 86_400_000

export const migrations = table({ name: 'migrations', shared: INSTALLATION })
export const leases = table({ name: 'leases', shared: INSTALLATION })
export const positions = table({ name: 'consumer_positions', shared: INSTALLATION })
export const holders = table({ name: 'queue_holders', shared: INSTALLATION })

/** Trimmed to what its consumers have not read. */
export const log = table({ name: 'bus_log', org: 'tenant', remove: (context, org) => context.log.remove(context, org) })

export const held = table({ name: 'consumer_held', org: 'tenant' })
export const waiting = table({ name: 'consumer_waiting', org: 'tenant' })
export const deadLetters = table({
  name: 'dead_letters',
  org: 'tenant',
  retention: [{ column: 'at', keptMs: 30 * DAY_MS }],
})

/** By organisation and hour. */
export const requestCounts = table({
  name: 'request_counts',
  org: 'org',
  retention: [{ column: 'hour', keptMs: 90 * DAY_MS }],
})

/** The settings of organisations. */
export const orgSettings = table({ name: 'org_settings', org: 'org' })

export const keys = table({ name: 'queue_keys', org: 'org' })
export const jobs = table({
  name: 'queue_jobs',
  through: [{ table: 'queue_keys', columns: ['key', 'queue'], keys: ['key', 'queue'] }],
})
