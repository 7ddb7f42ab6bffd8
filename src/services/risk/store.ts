// All SQL on the published sets. No query depends on an organisation.
import type { Sql, Tx } from '../../engines/engines.ts'
import { anyRow, oneRow } from '../../kit/sql.ts'

/** The stored state of one source. */
export type SourceRow = {
  source: string
  versionId: number | null
  version: string | null
  keys: number
  asOf: string | null
  origin: string | null
  etag: string | null
  modified: string | null
  refusal: string | null
}

export function selectSources(db: Sql, set: string): Promise<SourceRow[]> {
  return db<SourceRow>`select source, version_id as "versionId", version, keys, as_of as "asOf", origin, etag, modified,
      refusal
    from risk_sources where set_name = ${set}`
}

/** The packed members of a version, in order. */
export async function selectSetMembers(db: Sql, versionId: number): Promise<Uint8Array[]> {
  const rows = await db<{ packed: Uint8Array }>`select packed from risk_members
    where version_id = ${versionId} order by n`
  return rows.map(({ packed }) => packed)
}

/** Records that the last import of a source failed; the current version stays. */
export async function noteRefusal(db: Tx, set: string, source: string, refusal: string): Promise<void> {
  await db`insert into risk_sources (set_name, source, refusal) values (${set}, ${source}, ${refusal})
    on conflict (set_name, source) do update set refusal = excluded.refusal`
}

export type SourceUpdate = { at: string; origin: string; etag: string | null; modified: string | null }

/** Records that the source publishes the same data as before. */
export async function noteUnchanged(db: Tx, set: string, source: string, update: SourceUpdate): Promise<void> {
  await db`update risk_sources set as_of = ${update.at}, origin = ${update.origin}, etag = ${update.etag},
      modified = ${update.modified}, refusal = null
    where set_name = ${set} and source = ${source}`
}

export type UnfinishedImport = { id: number; version: string; imported: number }

/** The version whose import was begun but not finished, if there is one. */
export function selectUnfinishedImport(db: Sql, set: string, source: string): Promise<UnfinishedImport | null> {
  return oneRow(db<UnfinishedImport>`select id, version, imported from risk_versions
    where set_name = ${set} and source = ${source} and state = 'importing'`)
}

/** Deletes the members of an unfinished version that the source no longer publishes; the version stays in the
 *  manifest. */
export async function discardImport(db: Tx, id: number, at: string): Promise<void> {
  await db`delete from risk_members where version_id = ${id}`
  await db`update risk_versions set state = 'discarded', finished = ${at} where id = ${id}`
}

export type NewVersion = { version: string; raw: string; keys: number; at: string }

export async function insertImport(
  db: Tx,
  set: string,
  source: string,
  { version, raw, keys, at }: NewVersion,
): Promise<number> {
  const [row] = await db<{ id: number }>`insert into risk_versions (set_name, source, version, raw, keys, state, begun)
    values (${set}, ${source}, ${version}, ${raw}, ${keys}, 'importing', ${at}) returning id`
  return row?.id as number
}

/** Writes a chunk of members and the progress of the import. */
export async function insertMembers(
  db: Tx,
  id: number,
  n: number,
  { packed, keys }: { packed: Uint8Array; keys: number },
): Promise<void> {
  await db`with written as (
      insert into risk_members (version_id, n, packed) values (${id}, ${n}, ${packed}) returning version_id
    ) update risk_versions set imported = imported + ${keys} from written where id = written.version_id`
}

/** Makes this version the current one. Members of versions older than the one it replaces are deleted. */
export async function finishImport(
  db: Tx,
  set: string,
  source: string,
  id: number,
  { version, keys, at, origin, etag, modified }: SourceUpdate & { version: string; keys: number },
): Promise<void> {
  const [before] = await db<{ id: number | null }>`select version_id as id from risk_sources
    where set_name = ${set} and source = ${source}`
  await db`update risk_versions set state = 'ready', finished = ${at} where id = ${id}`
  await db`insert into risk_sources (set_name, source, version_id, version, keys, as_of, origin, etag, modified)
    values (${set}, ${source}, ${id}, ${version}, ${keys}, ${at}, ${origin}, ${etag}, ${modified})
    on conflict (set_name, source) do update set version_id = excluded.version_id, version = excluded.version,
      keys = excluded.keys, as_of = excluded.as_of, origin = excluded.origin, etag = excluded.etag,
      modified = excluded.modified, refusal = null`
  await db`delete from risk_members using risk_versions
    where risk_versions.id = version_id and set_name = ${set} and source = ${source}
      and version_id <> ${id} and version_id is distinct from ${before?.id ?? null}`
}

export type Receipt = { source: string; version: string; keys: number; asOf: string }

/** Stores what the screening component reports as loaded, unless a later load is stored. */
export function keepReceipt(db: Tx, set: string, receipt: Receipt): Promise<boolean> {
  return anyRow(db`insert into risk_sources as stored (set_name, source, version, keys, as_of)
    values (${set}, ${receipt.source}, ${receipt.version}, ${receipt.keys}, ${receipt.asOf})
    on conflict (set_name, source) do update set version = excluded.version, keys = excluded.keys,
      as_of = excluded.as_of, refusal = null
    where stored.as_of is null or stored.as_of <= excluded.as_of
    returning source`)
}
