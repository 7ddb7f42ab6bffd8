// What the sweep of events costs, and what of it is done although another part fails.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import { deleteOld, purgeOrg } from '../../../test/removal.ts'
import type { Tx } from '../../engines/engines.ts'

const host = await startHost()
const { home } = host

type Write = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

/** Returns how many rows of the ids its transactions have read. */
async function rowsReadBy(remove: (write: Write) => Promise<unknown>): Promise<number> {
  const rowsRead = async (tx: Tx) => {
    const [stat] = await tx<{ n: number }>`select seq_tup_read + coalesce(idx_tup_fetch, 0) as n
      from pg_stat_xact_user_tables where relname = 'event_ids'`
    return stat?.n ?? 0
  }
  let read = 0
  const write: Write = work =>
    host.db.transaction(async tx => {
      const before = await rowsRead(tx) // The server also counts what it has not reported of earlier transactions.
      const done = await work(tx)
      read += (await rowsRead(tx)) - before
      return done
    })
  await remove(write)
  return read
}

const now = () => host.clock.now().toISOString()
const insertIds = async (org: string, count: number, age: string) => {
  await host.db.autocommit`insert into event_ids
    select ${org}, gen_random_uuid(), ${now()}::timestamptz - ${age}::interval from generate_series(1, ${count}::int)`
  await host.db.script('analyze event_ids')
}
const ids = async () => (await host.db<{ n: number }>`select count(*) as n from event_ids`)[0]?.n

it('reads the ids a few times at most, however many are old', async () => {
  await insertIds(home.org, 60_000, '8 days')
  await insertIds(home.org, 1_000, '6 days')
  const read = await rowsReadBy(write => deleteOld(host, 'event', write))
  assert.equal(await ids(), 1_000)
  assert.ok(read <= 3 * 61_000, `${read} rows were read`)
})

it('reads the ids of a deleted organisation a few times at most', async () => {
  await insertIds('gone', 60_000, '1 day')
  const read = await rowsReadBy(write => purgeOrg(host, 'gone', write))
  assert.equal(await ids(), 1_000)
  assert.ok(read <= 4 * 61_000, `${read} rows were read`)
})

it('deletes the oldest events first, for which it need not read the others', async () => {
  const insert = (id: string, count: number, age: string) => host.db.autocommit`insert into events
    (received, timestamp, clamped, org, id, wire, event, properties)
    select ${now()}::timestamptz - ${age}::interval, ${now()}, false, ${home.org}, ${id} || n, 'native', 'x', '{}'
    from generate_series(1, ${count}::int) as n`
  await insert('newer', 20_000, '1 day')
  await insert('older', 1, '2 days')
  await host.db.script('analyze events')
  await host.db.transaction(tx => host.engines.warehouse.deleteBefore(tx, home.org, now(), 1))
  assert.equal((await host.db`select from events where org = ${home.org} and id = 'older1'`).length, 0)
})

it('of other tables is done although that of one fails', async () => {
  await insertIds(home.org, 10, '8 days')
  await host.db.autocommit`insert into event_salts (day, salt)
    values (${now().slice(0, 10)}::date - 3, 'x')`
  await host.db.script(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
    create trigger refused before delete on event_ids for each row execute function refuse()`)
  await assert.rejects(deleteOld(host, 'event'), /no/)
  assert.equal((await host.db`select from event_salts`).length, 0)
  await host.db.script('drop trigger refused on event_ids')
  await deleteOld(host, 'event')
  assert.equal(await ids(), 1_000)
})
