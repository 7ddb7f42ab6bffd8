// Each kind of work has its own connections and queue, so that none delays the others.

export type Profile = 'requests' | 'background' | 'analytics'

/** Connections in addition to those for requests. Two or more for background work, because one of its users alone may
 *  use half. */
export const connectionsOf = (requests: number): Record<Profile, number> => ({
  requests,
  background: Math.max(2, Math.round(requests * 0.6)),
  analytics: Math.max(1, Math.round(requests * 0.2)),
})

/** Every statement is written so that one plan suits all values: planning a listing costs more than running it. A plan
 *  is kept while its tables grow; without this setting, a plan made for an empty table would always scan it. */
const ONE_PLAN = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

/** Server settings. */
export const PARAMETERS: Record<Profile, Record<string, string | number>> = {
  requests: ONE_PLAN,
  background: { ...ONE_PLAN, application_name: 'stoa background' },
  analytics: {
    application_name: 'stoa analytics',
    default_transaction_read_only: 'on',
    // A transaction is a snapshot.
    default_transaction_isolation: 'repeatable read',
    // Conditions differ in how many rows meet them. By default, PostgreSQL plans for unknown values from the sixth time on.
    plan_cache_mode: 'force_custom_plan',
    // Without parallel workers for its statements, so that requests keep the other cores.
    max_parallel_workers_per_gather: 0,
  },
}
