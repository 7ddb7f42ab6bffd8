// Partitions of a table that is partitioned by time. Each such table also has a default partition, for rows whose partition
// was not created.
import type { Sql, Tx } from '../engines.ts'

/** The partitions that are named after their time, such as `bus_log_20261115`. */
export async function selectPartitions(db: Sql, table: string): Promise<string[]> {
  const rows = await db<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
    where inhparent = ${table}::regclass order by 1`
  return rows.map(({ name }) => name).filter(name => /_\d{6,8}$/.test(name))
}

/** Attached afterwards, because this does not block readers and writers of the other partitions. Fails if the default
 *  partition has rows of that time, which then stay there. */
export async function createPartition(db: Tx, table: string, name: string, from: string, to: string): Promise<void> {
  await db.script(`set local lock_timeout = '2s';
    create table ${name} (like ${table} including defaults including indexes);
    alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`)
}

export async function dropPartition(db: Tx, name: string): Promise<void> {
  await db.script(`set local lock_timeout = '2s'; drop table ${name}`)
}
