// All SQL on endpoints.
import type { Sql, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import type { Position } from '../../kit/page.ts'
import { fragment, oneRow } from '../../kit/sql.ts'
import type { Retry } from './dispatch/store.ts'

export type Endpoint = {
  id: string
  url: string
  events: string[]
  description: string
  status: 'active' | 'disabled'
  retry: Retry
  created: string
  updated: string
}

/** With the outcomes of its deliveries in the last seven days. */
export type CountedEndpoint = Endpoint & { deliveries7d: number; failures7d: number }

const ENDPOINT = fragment`id, url, events, description, status, retry, created, updated`
const counted = (now: string) => fragment`select ${ENDPOINT},
      coalesce(week.deliveries, 0) as "deliveries7d", coalesce(week.failures, 0) as "failures7d"
    from webhooks left join lateral (
      select sum(deliveries)::bigint as deliveries, sum(failures)::bigint as failures from webhook_days
      where webhook = id and day > ${now}::timestamptz::date - 7) as week on true`

export async function selectEndpoints(
  db: Sql,
  org: OrgId,
  now: string,
  after: Position,
  count: number,
): Promise<CountedEndpoint[]> {
  return db<CountedEndpoint>`${counted(now)}
    where org = ${org} and (created, id) < (${after.created}, ${after.id})
    order by created desc, id desc limit ${count}`
}

export function selectEndpoint(db: Sql, org: OrgId, now: string, id: string): Promise<CountedEndpoint | null> {
  return oneRow(db<CountedEndpoint>`${counted(now)}
    where org = ${org} and id = ${id}`)
}

export async function isEndpoint(db: Sql, org: OrgId, id: string): Promise<boolean> {
  return (await db`select from webhooks where org = ${org} and id = ${id}`).length > 0
}

/** Locks it until the transaction ends. */
export function lockEndpoint(db: Tx, org: OrgId, id: string): Promise<Endpoint | null> {
  return oneRow(db<Endpoint>`select ${ENDPOINT} from webhooks
    where org = ${org} and id = ${id} for no key update`)
}

export async function insertEndpoint(db: Tx, org: OrgId, row: Endpoint, secret: Uint8Array): Promise<void> {
  const { id, url, events, description, status, retry, created, updated } = row
  await db`insert into webhooks (id, org, url, events, description, status, retry, secret, created, updated)
    values (${id}, ${org}, ${url}, ${events}, ${description}, ${status}, ${retry}, ${secret}, ${created}, ${updated})`
}

export async function updateEndpoint(db: Tx, org: OrgId, row: Endpoint): Promise<void> {
  const { id, url, events, description, status, retry, updated } = row
  await db`update webhooks set url = ${url}, events = ${events}, description = ${description}, status = ${status},
      retry = ${retry}, updated = ${updated}
    where org = ${org} and id = ${id}`
}

/** Its deliveries are deleted later, by the schedule. */
export async function deleteEndpoint(db: Tx, org: OrgId, id: string): Promise<Endpoint | null> {
  const [row] = await db<Endpoint>`delete from webhooks where org = ${org} and id = ${id}
    returning ${ENDPOINT}`
  if (row) await db`insert into webhook_deleted (webhook, org) values (${id}, ${org})`
  return row ?? null
}

/** The former secret signs too until `until`; null ends it immediately. */
export async function updateSecret(
  db: Tx,
  org: OrgId,
  id: string,
  secret: Uint8Array,
  formerUntil: string | null,
  at: string,
): Promise<void> {
  await db`update webhooks set secret = ${secret}, updated = ${at}, former_until = ${formerUntil},
      former = case when ${formerUntil}::timestamptz is null then null else secret end
    where org = ${org} and id = ${id}`
}
