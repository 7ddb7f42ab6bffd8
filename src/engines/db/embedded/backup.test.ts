// A copy made while tables grow, shrink, are dropped and created is consistent: each transaction is there completely or not
// at all.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { type ArchiveEntry, readArchive, writeArchive } from '../../archive/archive.ts'
import { openPostgres } from '../postgres.ts'
import { backUpCluster } from './backup.ts'
import { restoreCluster } from './restore.ts'
import { DATABASE_USER, type EmbeddedServer, startEmbedded } from './server.ts'

const ACCOUNTS = 20_000
const TOTAL = ACCOUNTS * 100

const open = ({ socketDirectory }: EmbeddedServer) =>
  openPostgres({
    at: { socketDirectory, database: 'postgres', user: DATABASE_USER },
    connectionsMax: 8,
    queueMax: 100,
    waitMs: 60_000,
  })

const serve = (dataDirectory: string) => startEmbedded({ dataDirectory, log: () => {}, lost: () => {} })

it('is consistent whatever is written during the copy', { timeout: 120_000 }, async t => {
  const root = mkdtempSync(join(tmpdir(), 'stoa-copy-'))
  const [from, to] = [join(root, 'from'), join(root, 'to')]
  for (const directory of [root, from, to]) mkdirSync(directory, { recursive: true, mode: 0o711 })
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const server = await serve(from)
  const db = open(server)
  await db.session(async ({ script }) => {
    await script(`create table accounts (id int primary key, balance int not null);
      insert into accounts select n, 100 from generate_series(0, ${ACCOUNTS - 1}) n;
      create table changing (n int, filler text)`)
  })
  const over = { isOver: false }
  // Money moves between accounts on different pages; their sum is always the same.
  const transfers = Array.from({ length: 4 }, async (_, number) => {
    for (let n = number; !over.isOver; n += 7) {
      const [payer, payee] = [(n * 7_919) % ACCOUNTS, (n * 104_729 + 1) % ACCOUNTS]
      await db.transaction(async tx => {
        await tx`update accounts set balance = balance - 1 where id = ${payer}`
        await tx`update accounts set balance = balance + 1 where id = ${payee}`
      })
    }
  })
  // Files are truncated, removed and created while they are copied.
  const changes = db.session(async ({ script }) => {
    for (let n = 0; !over.isOver; n++) {
      await script(`insert into changing select i, repeat('x', 500) from generate_series(1, 20000) i`)
      await script(`create table made_${n} as select * from changing limit 5000`)
      await script('delete from changing')
      await script('vacuum changing')
      if (n % 2) await script(`drop table made_${n - 1}`)
    }
  })
  const file = join(root, 'copy.tar.zst')
  let copied = 0
  const { signal } = new AbortController()
  const count = (bytes: number) => {
    copied += bytes
  }
  await backUpCluster(server.home, server.socketDirectory, ({ entries }) => writeArchive(file, entries, count, signal))
  over.isOver = true
  await Promise.all([...transfers, changes])
  await db.close()
  await server.stop()
  assert.ok(copied > 20_000_000)

  const cluster = restoreCluster(to)
  await readArchive(file, (entry: ArchiveEntry) => cluster.place(entry), signal)
  await cluster.start()
  const restored = await serve(to)
  t.after(restored.stop)
  const copy = open(restored)
  t.after(copy.close)
  const [sum] = await copy<{ accounts: number; total: number }>`
    select count(*)::int as accounts, sum(balance)::int as total from accounts`
  assert.deepEqual(sum, { accounts: ACCOUNTS, total: TOTAL })
  // Reads every row of every remaining table.
  for (const { name } of await copy<{
    name: string
  }>`select tablename as name from pg_tables where schemaname = 'public'`) {
    await copy.session(({ script }) =>
      script(`select count(*), max(filler) from ${name === 'accounts' ? 'changing' : name}`),
    )
  }
})
