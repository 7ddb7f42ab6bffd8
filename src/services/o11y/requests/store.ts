// The SQL of request counts.
import type { Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'

export type Counts = { requests: number; refused: number; failed: number }
export type Hour = Counts & { at: string }

/** In one order, so that processes that add to the same rows cannot deadlock. */
export async function addCounts(db: Tx, counts: ReadonlyMap<OrgId, Counts>, at: string): Promise<void> {
  const all = [...counts.values()]
  await db`insert into request_counts as t (org, hour, requests, refused, failed)
    select org, date_trunc('hour', ${at}::timestamptz, 'UTC'), requests, refused, failed
    from unnest(${[...counts.keys()]}::text[], ${all.map(one => one.requests)}::bigint[],
      ${all.map(one => one.refused)}::bigint[], ${all.map(one => one.failed)}::bigint[])
      as counted (org, requests, refused, failed)
    order by org
    on conflict (org, hour) do update set requests = t.requests + excluded.requests,
      refused = t.refused + excluded.refused, failed = t.failed + excluded.failed`
}

/** Every hour from the first to the last one, also those without requests. */
export async function selectHours(db: Sql, org: OrgId, from: string, to: string): Promise<Hour[]> {
  return db<Hour>`select hour as at, coalesce(requests, 0)::float8 as requests, coalesce(refused, 0)::float8 as refused,
      coalesce(failed, 0)::float8 as failed
    from generate_series(${from}::timestamptz, ${to}::timestamptz, interval '1 hour') as hour
    left join (select * from request_counts where org = ${org}) as own using (hour)
    order by hour`
}
