// The SQL of model calls: providers, the log of requests, and which responses were issued to whom.
import type { Sql, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import type { Position } from '../../kit/page.ts'
import { anyRow, fragment, oneRow, rowsAs } from '../../kit/sql.ts'
import { isStorable } from '../../kit/storable.ts'
import type { OfferedModel } from './models/offer.ts'

export type ProviderRow = {
  name: string
  kind: string
  baseUrl: string
  apiKey: Uint8Array | null
  models: OfferedModel[]
  created: string
  updated: string
}

export async function selectProviders(db: Sql, after: string, count: number): Promise<ProviderRow[]> {
  return db<ProviderRow>`select name, kind, base_url as "baseUrl", api_key as "apiKey", models, created, updated
    from ai_providers where name > ${after} order by name limit ${count}`
}

/** Locks the row until the end of the transaction. */
export function lockProvider(db: Tx, name: string): Promise<ProviderRow | null> {
  return oneRow(db<ProviderRow>`select name, kind, base_url as "baseUrl", api_key as "apiKey", models, created, updated
    from ai_providers where name = ${name} for update`)
}

/** False if there is one of that name. */
export function insertProvider(db: Tx, row: ProviderRow): Promise<boolean> {
  const { name, kind, baseUrl, apiKey, models, created } = row
  return anyRow(db`insert into ai_providers (name, kind, base_url, api_key, models, created, updated)
    values (${name}, ${kind}, ${baseUrl}, ${apiKey}, ${JSON.stringify(models)}::text::jsonb, ${created}, ${created})
    on conflict do nothing returning 1`)
}

export async function updateProvider(db: Tx, row: ProviderRow): Promise<void> {
  const { name, baseUrl, apiKey, models, updated } = row
  await db`update ai_providers set base_url = ${baseUrl}, api_key = ${apiKey},
      models = ${JSON.stringify(models)}::text::jsonb, updated = ${updated}
    where name = ${name}`
}

export async function deleteProvider(db: Tx, name: string): Promise<boolean> {
  return (await db`delete from ai_providers where name = ${name} returning 1`).length > 0
}

export async function countProviders(db: Sql): Promise<number> {
  const [row] = await db<{ count: number }>`select count(*) from ai_providers`
  return row?.count ?? 0
}

export async function notifyProviders(db: Tx, channel: string): Promise<void> {
  await db`select pg_notify(${channel}, '')`
}

export type RequestRow = {
  id: string
  org: OrgId
  created: string
  key: string | null
  project: string | null
  model: string
  /** The one that answered, if it is another. */
  answeredModel: string | null
  provider: string | null
  wire: string
  streamed: boolean
  error: string | null
  attempts: number
  firstMs: number | null
  totalMs: number
  inputTokens: number
  outputTokens: number
  estimated: boolean
  /** Null if it has no price. */
  amount: number | null
  transaction: string | null
}

const lines = rowsAs<RequestRow>('l', {
  ...{ id: 'text', org: 'text', created: 'timestamptz', key: 'text', project: 'text', model: 'text' },
  ...{ answeredModel: 'text', provider: 'text', wire: 'text', streamed: 'boolean', error: 'text', attempts: 'int' },
  ...{ firstMs: 'int', totalMs: 'int', inputTokens: 'bigint', outputTokens: 'bigint', estimated: 'boolean' },
  ...{ amount: 'bigint', transaction: 'text' },
})

/** A call that failed has a line already if its process died before its hold was released: it is charged then. */
export async function insertRequests(db: Tx, rows: readonly RequestRow[]): Promise<void> {
  await db`insert into ai_requests as r (id, org, created, key, project, model, answered_model, provider, wire, streamed, error,
      attempts, first_ms, total_ms, input_tokens, output_tokens, estimated, amount, transaction)
    select * from ${lines(rows)}
    on conflict (id) do update set amount = excluded.amount, transaction = excluded.transaction,
      input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens, estimated = excluded.estimated
    where r.transaction is null and excluded.transaction is not null`
}

const LINE = fragment`id, org, created, key, project, model, answered_model as "answeredModel", provider, wire, streamed,
  error, attempts, first_ms as "firstMs", total_ms as "totalMs", input_tokens as "inputTokens",
  output_tokens as "outputTokens", estimated, amount, transaction`

export async function selectRequests(db: Sql, org: OrgId, after: Position, count: number): Promise<RequestRow[]> {
  return db<RequestRow>`select ${LINE}
    from ai_requests where org = ${org} and (created, id) < (${after.created}, ${after.id})
    order by created desc, id desc limit ${count}`
}

export function selectRequest(db: Sql, org: OrgId, id: string): Promise<RequestRow | null> {
  return oneRow(db<RequestRow>`select ${LINE} from ai_requests where org = ${org} and id = ${id}`)
}

/** Of a response, as far as it is known: what its turns had, and its items. */
export type IssuedResponse = {
  id: string
  inputTokens: number | null
  outputTokens: number | null
  items: readonly string[]
}

/** May be called again when more is known. */
export async function saveResponse(db: Tx, org: OrgId, issued: IssuedResponse, created: string): Promise<void> {
  const { id, inputTokens, outputTokens, items } = issued
  await db`insert into ai_responses as r (org, id, created, response, input_tokens, output_tokens)
    select ${org}, ${id}, ${created}::timestamptz, null, ${inputTokens}::bigint, ${outputTokens}::bigint
    union all select ${org}, i.id, ${created}::timestamptz, ${id}, null, null from unnest(${items}::text[]) as i (id)
    on conflict (org, id) do update set input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens
    where r.response is null and excluded.response is null and excluded.input_tokens is not null`
}

/** `response` is that of an item; null for a response. The tokens are those of the response. */
export type IssuedRow = {
  id: string
  response: string | null
  inputTokens: number | null
  outputTokens: number | null
}

/** `ids` are any texts that a client sent. */
export async function selectIssued(db: Sql, org: OrgId, ids: readonly string[]): Promise<IssuedRow[]> {
  return db<IssuedRow>`select i.id, i.response, r.input_tokens as "inputTokens", r.output_tokens as "outputTokens"
    from ai_responses i left join ai_responses r on r.org = i.org and r.id = coalesce(i.response, i.id)
    where i.org = ${org} and i.id = any(${ids.filter(isStorable)}::text[])`
}
