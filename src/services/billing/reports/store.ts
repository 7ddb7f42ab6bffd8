// The SQL of the reports on an organisation's journal.
import type { Sql } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import type { Position } from '../../../kit/page.ts'
import type { Split } from '../periods.ts'
import { type AccountKind, matching, type Total, type TransferRow, type UsageFilter } from '../store.ts'

/** `day` counts from 1970, in UTC. Fields that usage is not grouped by, or that a call did not have, are 0 or empty. */
export type Group = { day: number; key: string; model: string; project: string; product: string }
export type GroupRow = Group & Total
export type GroupBy = Record<keyof Group, boolean>

type TotalRow = { countOfAll: number; amountOfAll: number }

/** The groups after that one, or the first ones, and the total of all groups. One statement reads them, so they are
 *  consistent. */
export async function selectGroups(
  db: Sql,
  org: OrgId,
  filter: UsageFilter,
  { hours, first, last }: Split,
  by: GroupBy,
  after: Group | null,
  count: number,
): Promise<{ total: Total; groups: GroupRow[] }> {
  const { day: fromDay, ...from } = after ?? { day: 0, key: '', model: '', project: '', product: '' }
  const rows = await db<TotalRow & (GroupRow | { [K in keyof GroupRow]: null })>`with used as (
      select hour as at, key, model, project, product, count, amount from billing_hours
      where org = ${org} and hour >= ${hours.since} and hour < ${hours.until}
      union all
      select created, coalesce(key, ''), coalesce(model, ''), coalesce(project, ''), product, 1, amount from billing_transfers
      where org = ${org} and product is not null and created >= ${first.since} and created < ${first.until}
      union all
      select created, coalesce(key, ''), coalesce(model, ''), coalesce(project, ''), product, 1, amount from billing_transfers
      where org = ${org} and product is not null and created >= ${last.since} and created < ${last.until}),
    grouped as materialized (
      select case when ${by.day} then floor(extract(epoch from at) / 86400)::int else 0 end as day,
        case when ${by.key} then key else '' end collate "C" as key,
        case when ${by.model} then model else '' end collate "C" as model,
        case when ${by.project} then project else '' end collate "C" as project,
        case when ${by.product} then product else '' end collate "C" as product,
        sum(count)::bigint as count, sum(amount)::bigint as amount
      from used
      where ${matching(filter)}
      group by 1, 2, 3, 4, 5)
    select total."countOfAll", total."amountOfAll", one.* from (
      select coalesce(sum(count), 0)::bigint as "countOfAll", coalesce(sum(amount), 0)::bigint as "amountOfAll"
      from grouped) as total
    left join (
      select * from grouped where ${after === null} or (day, key, model, project, product)
        > (${fromDay}::int, ${from.key}, ${from.model}, ${from.project}, ${from.product})
      order by day, key, model, project, product limit ${count}) as one on true
    order by day, key, model, project, product`
  const { countOfAll, amountOfAll } = rows[0] as TotalRow
  const groups = rows.filter((row): row is TotalRow & GroupRow => row.day !== null)
  return { total: { count: countOfAll, amount: amountOfAll }, groups }
}

export type JournalRow = TransferRow & { from: AccountKind; to: AccountKind }

/** The transfers after that position, oldest first, and the balance at the same moment. Usage and credits have an index
 *  each, so that a charge need not be written to one more. */
export async function selectJournal(
  db: Sql,
  org: OrgId,
  after: Position,
  count: number,
): Promise<{ balance: number; transfers: JournalRow[] }> {
  const rows = await db<{ balance: number } & (JournalRow | { id: null })>`select
      coalesce((select amount from billing_accounts where org = ${org} and kind = 'balance'), 0)::bigint as balance, t.*
    from (select) as one left join (
      (select id, from_kind as "from", to_kind as "to", amount, created, product, model, key, project, metadata
      from billing_transfers where org = ${org} and product is not null
        and (created, id) > (${after.created}, ${after.id})
      order by created, id limit ${count})
      union all
      (select id, from_kind, to_kind, amount, created, product, model, key, project, metadata
      from billing_transfers where org = ${org} and product is null and (created, id) > (${after.created}, ${after.id})
      order by created, id limit ${count})
      order by created, id limit ${count}) as t on true
    order by created, id`
  const transfers = rows.filter((row): row is { balance: number } & JournalRow => row.id !== null)
  return { balance: rows[0]?.balance ?? 0, transfers }
}
