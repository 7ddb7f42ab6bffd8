// Work of each kind has connections and a queue of its own, so that none of them delays the others.

export type Profile = 'requests' | 'background' | 'analytics'

/** Connections in addition to those of requests. Two or more for background work: one of its users alone gets half. */
export const connectionsOf = (requests: number): Record<Profile, number> => ({
  requests,
  background: Math.max(2, Math.round(requests * 0.6)),
  analytics: Math.max(1, Math.round(requests * 0.2)),
})

/** Every statement is written so that one plan suits all values: planning a listing costs more than running it. A plan is
 *  kept while its tables grow, and an empty one would always be read as a whole. */
const ONE_PLAN = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

/** Settings of the server. */
export const PARAMETERS: Record<Profile, Record<string, string | number>> = {
  requests: ONE_PLAN,
  background: { ...ONE_PLAN, application_name: 'stoa background' },
  analytics: {
    application_name: 'stoa analytics',
    default_transaction_read_only: 'on',
    // Without the further processes that a statement may start, requests keep the other cores.
    max_parallel_workers_per_gather: 0,
  },
}
