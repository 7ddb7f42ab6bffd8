// All SQL on the rates of keys.
import type { Tx } from '../../engines/engines.ts'
import { type LeaseRequest, type PermitLease, RATE_WINDOW_MS } from '../../kit/host/permits.ts'

type StoredUses = { by: string; at: number; count: number; spare: number }

/** Unchanged for ten minutes at a time: an update that changes no indexed column is cheaper. */
const ENDS_STEP_MS = 600_000

/** One statement: a conflict with the stored row locks it, so that requests of several processes for one key are granted
 *  one after the other. `by` is the process. */
export async function leasePermits(db: Tx, by: string, request: LeaseRequest): Promise<PermitLease> {
  const { key, rate, nowMs, used, uses, wanted, waiting, untilMs } = request
  const own = uses.map(({ atMs, count }) => ({ by, at: atMs, count, spare: 0 }))
  const free = rate - used
  const first = Math.max(0, Math.min(wanted, free))
  const inserted = [...own, { by, at: untilMs, count: first, spare: Math.max(0, first - waiting) }]
  const ends = new Date(Math.ceil((untilMs + RATE_WINDOW_MS) / ENDS_STEP_MS) * ENDS_STEP_MS).toISOString()
  const [row] = await db<{ granted: number; uses: StoredUses[] }>`
    insert into key_rates as stored (key, uses, granted, ends)
      values (${key}, ${JSON.stringify(inserted)}::text::jsonb, ${first}, ${ends})
    on conflict (key) do update set (uses, granted, ends) = (
      select coalesce(others.uses, '[]') || ${JSON.stringify(own)}::text::jsonb || jsonb_build_object('by', ${by}::text,
            'at', ${untilMs}::bigint, 'count', given.count, 'spare', greatest(0, given.count - ${waiting}::int)),
          given.count, greatest(stored.ends, excluded.ends)
        from (
          select jsonb_agg(one) as uses, coalesce(sum((one->>'count')::int), 0) as count
          from jsonb_array_elements(stored.uses) as one
          where one->>'by' <> ${by} and (one->>'at')::bigint > ${nowMs - RATE_WINDOW_MS}
        ) as others, lateral (
          select greatest(0, least(${wanted}::int, ${free}::int - others.count))::int as count
        ) as given
    ) returning granted, uses`
  const others = row?.uses.filter(one => one.by !== by && one.count > 0) ?? []
  return { granted: row?.granted ?? 0, others: others.map(({ at, count, spare }) => ({ atMs: at, count, spare })) }
}
