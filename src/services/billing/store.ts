// The SQL of the journal, its holds and its summaries.
import type { Fragment, Sql, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import type { Position } from '../../kit/page.ts'
import { anyRow, fragment, rowsAs } from '../../kit/sql.ts'

export type AccountKind = 'balance' | 'credits' | 'revenue'

/** `product`, `model`, `key` and `project` are null for credits. */
export type NewTransfer = {
  id: string
  org: OrgId
  from: AccountKind
  to: AccountKind
  amount: number
  created: string
  product: string | null
  model: string | null
  key: string | null
  project: string | null
  metadata: Record<string, unknown>
}

const newTransfers = rowsAs<NewTransfer>('t', {
  ...{ id: 'text', org: 'text', from: 'text', to: 'text', amount: 'bigint', created: 'timestamptz', product: 'text' },
  ...{ model: 'text', key: 'text', project: 'text', metadata: 'jsonb' },
})

/** Raises a violated uniqueness if one of them was written before. */
export async function insertTransfers(db: Tx, transfers: readonly NewTransfer[]): Promise<void> {
  await db`insert into billing_transfers
      (id, org, from_kind, to_kind, amount, created, product, model, key, project, metadata)
    select * from ${newTransfers(transfers)}`
}

/** Those of the ids that have a transfer. */
export async function selectKnown(db: Sql, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db<{ id: string }>`select id from billing_transfers where id = any(${ids})`
  return new Set(rows.map(({ id }) => id))
}

export type Account = { org: OrgId; kind: AccountKind; amount: number }
const moves = rowsAs<Account>('m', { org: 'text', kind: 'text', amount: 'bigint' })

/** Moves amounts, and ends these holds. Returns the new balances. Rows are locked in one order, so that transactions that
 *  touch the same organisations cannot deadlock. */
export async function addToAccounts(
  db: Tx,
  movements: readonly Account[],
  holds: readonly string[],
): Promise<Account[]> {
  return db<Account>`with locked as materialized (select id from billing_holds where id = any(${holds}) order by id for update),
    ended as (delete from billing_holds as h using locked where h.id = locked.id returning h.org, h.amount),
    released as (select org, sum(amount) as amount from ended group by org),
    moved as (select org, kind, sum(amount) as amount from ${moves(movements)} group by org, kind)
    insert into billing_accounts as a (org, kind, amount, held)
    select m.org, m.kind, m.amount, case when m.kind = 'balance' then -coalesce(r.amount, 0) else 0 end
    from moved as m left join released as r on r.org = m.org order by m.org, m.kind
    on conflict (org, kind) do update set amount = a.amount + excluded.amount, held = a.held + excluded.held
    returning a.org, a.kind, a.amount`
}

/** The same for the spending of one organisation, as part of one statement with `deleteHolds` of the same ids: the held amount
 *  that it reads is that of before the statement. */
export async function moveSpent(db: Tx, org: OrgId, spent: number, holds: readonly string[]): Promise<void> {
  await db`insert into billing_accounts as a (org, kind, amount, held)
    select ${org}, kind, amount, held from (values ('balance', -${spent}::bigint,
        -(select coalesce(sum(amount), 0) from billing_holds where id = any(${holds}))::bigint),
      ('revenue', ${spent}::bigint, 0::bigint)) as m (kind, amount, held) order by kind
    on conflict (org, kind) do update set amount = a.amount + excluded.amount, held = a.held + excluded.held`
}

export async function deleteHolds(db: Tx, ids: readonly string[]): Promise<void> {
  await db`delete from billing_holds where id in (
    select id from billing_holds where id = any(${ids}) order by id for update)`
}

export type HourRow = {
  org: OrgId
  hour: string
  product: string
  key: string
  project: string
  model: string
  amount: number
}

const used = rowsAs<HourRow>('used', {
  ...{
    org: 'text',
    hour: 'timestamptz',
    product: 'text',
    key: 'text',
    project: 'text',
    model: 'text',
    amount: 'bigint',
  },
})

export async function addToHours(db: Tx, rows: readonly HourRow[]): Promise<void> {
  await db`insert into billing_hours as h (org, hour, product, key, project, model, count, amount)
    select org, hour, product, key, project, model, count(*), sum(amount) from ${used(rows)}
    group by org, hour, product, key, project, model order by org, hour, product, key, project, model
    on conflict (org, hour, product, key, project, model)
      do update set count = h.count + excluded.count, amount = h.amount + excluded.amount`
}

/** What organisations had spent in the month before, and what their alerts are. */
export type SpentBefore = {
  org: OrgId
  month: string
  spent: number
  spendAlerts: number[]
  balanceAlert: number | null
}

type Spent = { org: OrgId; amount: number }
const sums = rowsAs<Spent>('s', { org: 'text', amount: 'bigint' })

/** Adds to what they spent in that month. */
export async function addToMonth(db: Tx, month: string, spent: readonly Spent[]): Promise<SpentBefore[]> {
  return db<SpentBefore>`with added as (
      select org, sum(amount)::bigint as amount from ${sums(spent)} group by org order by org)
    insert into billing_orgs as o (org, month, spent) select org, ${month}, amount from added
    on conflict (org) do update set month = excluded.month,
      spent = excluded.spent + case when o.month = excluded.month then o.spent else 0 end
    returning o.org, o.month, o.spent - (select amount from added where added.org = o.org) as spent,
      o.spend_alerts as "spendAlerts", o.balance_alert as "balanceAlert"`
}

/** The same, but fails for an organisation that has alerts, because the month must not be null. */
export async function addToMonthUnlessAlerted(db: Tx, month: string, spent: readonly Spent[]): Promise<void> {
  await db`insert into billing_orgs as o (org, month, spent)
    select org, ${month}, sum(amount) from ${sums(spent)} group by org order by org
    on conflict (org) do update set
      month = case when o.spend_alerts = '{}' and o.balance_alert is null then excluded.month end,
      spent = excluded.spent + case when o.month = excluded.month then o.spent else 0 end`
}

export type Balance = { amount: number; held: number }

export async function selectBalance(db: Sql, org: OrgId): Promise<Balance> {
  const [row] = await db<Balance>`select amount, held from billing_accounts where org = ${org} and kind = 'balance'`
  return row ?? { amount: 0, held: 0 }
}

export type NewHold = {
  id: string
  org: OrgId
  amount: number
  product: string
  model: string
  key: string | null
  project: string | null
  soFar: number
  metadata: Record<string, unknown>
}

const newHolds = rowsAs<NewHold>('h', {
  ...{ id: 'text', amount: 'bigint', product: 'text', model: 'text', key: 'text', project: 'text', soFar: 'bigint' },
  metadata: 'jsonb',
})

/** Holds of one organisation: all of them, or none if it must pay in advance and has too little. False then. Waits for
 *  the disk only then: what is lost with the database is released, and another call might hold it. */
export function insertHolds(
  db: Tx,
  org: OrgId,
  holds: readonly NewHold[],
  expires: string,
  isPrepaid: boolean,
): Promise<boolean> {
  const sum = holds.reduce((all, { amount }) => all + amount, 0)
  return anyRow(db`with taken as (
      insert into billing_accounts as a (org, kind, amount, held) select ${org}, 'balance', 0, ${sum}::bigint
      where not ${isPrepaid} or ${sum}::bigint = 0
        or exists (select from billing_accounts where org = ${org} and kind = 'balance')
      on conflict (org, kind) do update set held = a.held + excluded.held
        where not ${isPrepaid} or a.amount - a.held >= excluded.held
      returning org)
    insert into billing_holds (id, org, amount, expires, product, model, key, project, so_far, metadata)
    select id, ${org}, amount, ${expires}::timestamptz, product, model, key, project, so_far, metadata
    from ${newHolds(holds)}
    where exists (select from taken)
      and (${isPrepaid} or set_config('synchronous_commit', 'off', true) = 'off')
    returning 1`)
}

/** Locks the account until the transaction ends. */
export async function lockBalance(db: Tx, org: OrgId): Promise<Balance> {
  const [row] = await db<Balance>`select amount, held from billing_accounts where org = ${org} and kind = 'balance'
    for update`
  return row ?? { amount: 0, held: 0 }
}

export type HoldSoFar = { id: string; soFar: number; metadata: Record<string, unknown> }
const soFar = rowsAs<HoldSoFar>('g', { id: 'text', soFar: 'bigint', metadata: 'jsonb' })

/** Renews the holds of running calls. A locked hold is renewed the next time: waiting for it would keep the others locked. */
export async function renewHolds(db: Tx, holds: readonly HoldSoFar[], expires: string): Promise<void> {
  await db`with given as (select * from ${soFar(holds)}),
    locked as materialized (select id from billing_holds where id = any(${holds.map(({ id }) => id)})
      and ended is null order by id for update skip locked)
    update billing_holds as h set expires = ${expires}, so_far = g.so_far, metadata = g.metadata
    from given as g join locked on locked.id = g.id where h.id = g.id`
}

export type EndedHold = Omit<NewHold, 'amount'> & { ended: string; details: unknown }

/** Ends holds of one organisation whose calls have ended; holds that could not be written before are written now. The rows are
 *  sent as one text, which is read faster than a list for each column; clients wait for this. */
export async function endHolds(db: Tx, org: OrgId, holds: readonly EndedHold[], expires: string): Promise<void> {
  const rows = holds.map(({ id, product, model, key, project, soFar, metadata, ended, details }) => ({
    ...{ id, product, model, key, project, soFar, metadata, ended, details },
  }))
  await db`insert into billing_holds
      (id, org, amount, expires, product, model, key, project, so_far, metadata, ended, details)
    select id, ${org}, 0, ${expires}::timestamptz, product, model, key, project, "soFar", metadata, ended, details
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as h (id text, product text, model text, key text,
      project text, "soFar" bigint, metadata jsonb, ended timestamptz, details jsonb) order by id
    on conflict (id) do update set expires = excluded.expires, model = excluded.model, so_far = excluded.so_far,
      metadata = excluded.metadata, ended = excluded.ended, details = excluded.details`
}

/** The holds of an organisation's ended calls. */
export async function selectEnded(db: Sql, org: OrgId): Promise<string[]> {
  const rows = await db<{ id: string }>`select id from billing_holds where org = ${org} and ended is not null`
  return rows.map(({ id }) => id)
}

export type LeftHold = Omit<EndedHold, 'ended'> & { ended: string | null }
const LEFT = fragment`id, org, product, model, key, project, so_far as "soFar", metadata, ended, details`

/** The ids whose holds are written. */
export async function selectHolds(db: Sql, ids: readonly string[]): Promise<{ id: string; org: OrgId }[]> {
  return db<{ id: string; org: OrgId }>`select id, org from billing_holds where id = any(${ids})`
}

export async function lockHolds(db: Tx, ids: readonly string[]): Promise<LeftHold[]> {
  return db<LeftHold>`select ${LEFT} from billing_holds where id = any(${ids}) order by id for update`
}

/** Organisations with holds whose process died, after that one. */
export async function selectLeftOrgs(db: Sql, now: string, after: string): Promise<OrgId[]> {
  const rows = await db<{ org: OrgId }>`select distinct org from billing_holds
    where expires < ${now} and org > ${after} order by org limit 100`
  return rows.map(({ org }) => org)
}

/** Holds of one organisation, at most `count`, that no other transaction settles at the moment. Waits for its other rows time
 *  out soon. */
export async function lockExpiredHolds(
  db: Tx,
  org: OrgId,
  now: string,
  count: number,
  without: readonly string[],
): Promise<LeftHold[]> {
  await db`select set_config('lock_timeout', '1s', true)`
  return db<LeftHold>`select ${LEFT} from billing_holds
    where org = ${org} and expires < ${now} and not id = any(${without}) order by id limit ${count}
    for update skip locked`
}

/** What accounts record as held, less the sum of the holds: zero unless they are damaged. */
export async function sumHeld(db: Sql): Promise<number> {
  const [row] = await db<{ amount: number }>`select ((select coalesce(sum(held), 0) from billing_accounts)
    - (select coalesce(sum(amount), 0) from billing_holds))::bigint as amount`
  return row?.amount ?? 0
}

export type TransferRow = {
  id: string
  amount: number
  created: string
  product: string | null
  model: string | null
  key: string | null
  project: string | null
  metadata: Record<string, unknown>
}

/** Empty texts and `-infinity`/`infinity` stand for no filter, so that one statement fits all. */
export type UsageFilter = {
  product: string
  key: string
  project: string
  model: string
  since: string
  until: string
}

const TRANSFER = fragment`id, amount, created, product, model, key, project, metadata`

/** The filters that an index begins with are written out, because the plan is the same for all values. */
export async function selectUsage(
  db: Sql,
  org: OrgId,
  filter: UsageFilter,
  after: Position,
  count: number,
): Promise<TransferRow[]> {
  const { product, since, until } = filter
  return db<TransferRow>`select ${TRANSFER} from billing_transfers
    where org = ${org} and ${written(filter)} and product is not null
      and created >= ${since} and created < ${until} and (created, id) < (${after.created}, ${after.id})
      and (${product} = '' or product = ${product})
    order by created desc, id desc limit ${count}`
}

function written({ key, project, model }: UsageFilter): Fragment {
  const ofModel = fragment`(${model} = '' or model = ${model})`
  if (key !== '') return fragment`key = ${key} and (${project} = '' or project = ${project}) and ${ofModel}`
  if (project !== '') return fragment`project = ${project} and ${ofModel}`
  return model === '' ? fragment`true` : fragment`model = ${model}`
}

/** For sums, which read all that is in the period. */
export const matching = ({ product, key, project, model }: UsageFilter): Fragment =>
  fragment`(${product} = '' or product = ${product}) and (${key} = '' or key = ${key})
    and (${project} = '' or project = ${project}) and (${model} = '' or model = ${model})`

export type Total = { count: number; amount: number }

/** Of whole hours: from `since` up to `until`, both at the beginning of an hour or infinite. */
export async function sumHours(db: Sql, org: OrgId, filter: UsageFilter): Promise<Total> {
  const { since, until } = filter
  const [row] =
    await db<Total>`select coalesce(sum(count), 0)::bigint as count, coalesce(sum(amount), 0)::bigint as amount
    from billing_hours where org = ${org} and hour >= ${since} and hour < ${until} and ${matching(filter)}`
  return row as Total
}

/** For parts of an hour. */
export async function sumTransfers(db: Sql, org: OrgId, filter: UsageFilter): Promise<Total> {
  const { since, until } = filter
  const [row] = await db<Total>`select count(*) as count, coalesce(sum(amount), 0)::bigint as amount
    from billing_transfers where org = ${org} and product is not null and created >= ${since} and created < ${until} and ${matching(filter)}`
  return row as Total
}

export async function selectCredits(db: Sql, org: OrgId, after: Position, count: number): Promise<TransferRow[]> {
  return db<TransferRow>`select id, case when to_kind = 'balance' then amount else -amount end as amount, created,
      product, model, key, project, metadata from billing_transfers
    where org = ${org} and product is null and (created, id) < (${after.created}, ${after.id})
    order by created desc, id desc limit ${count}`
}

/** For comparisons with charges: amounts as in the journal. */
export async function saveAlerts(
  db: Tx,
  org: OrgId,
  spendAlerts: readonly number[],
  balanceAlert: number | null,
): Promise<void> {
  await db`insert into billing_orgs (org, spend_alerts, balance_alert) values (${org}, ${spendAlerts}, ${balanceAlert})
    on conflict (org) do update set spend_alerts = excluded.spend_alerts, balance_alert = excluded.balance_alert`
}

/** The sum of all accounts, which is zero unless the journal is damaged. */
export async function sumAccounts(db: Sql): Promise<number> {
  const [row] = await db<{ amount: number }>`select coalesce(sum(amount), 0)::bigint as amount from billing_accounts`
  return row?.amount ?? 0
}

/** The accounts whose amount differs from the sum of their transfers. */
export async function selectUnbalanced(db: Sql): Promise<{ org: OrgId; kind: string }[]> {
  return db<{ org: OrgId; kind: string }>`with moved as (
      select org, to_kind as kind, amount from billing_transfers
      union all select org, from_kind, -amount from billing_transfers),
    derived as (select org, kind, sum(amount) as amount from moved group by org, kind)
    select coalesce(a.org, d.org) as org, coalesce(a.kind, d.kind) as kind
    from billing_accounts as a full join derived as d on a.org = d.org and a.kind = d.kind
    where coalesce(a.amount, 0) <> coalesce(d.amount, 0)`
}
