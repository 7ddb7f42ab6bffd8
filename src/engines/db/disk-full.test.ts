import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { EngineUnavailable } from '../engines.ts'
import { openEngines } from '../open.ts'
import { openPostgres } from './postgres.ts'

const isFull = (error: unknown) => error instanceof EngineUnavailable && error.state === 'full'

describe('a database whose disk is full', () => {
  it('is reported as full until a write succeeds', async t => {
    const { db, drop } = await testDatabase()
    t.after(drop)
    await db.script('create table things (n int)')
    const failing = "do $$ begin raise exception 'no space left' using errcode = '53100'; end $$"
    await db.ping()
    await assert.rejects(db.script(failing), isFull)
    await assert.rejects(db.ping(), isFull)
    await db`select 1`
    await db.transaction(tx => tx`select 1`)
    await db.autocommit`update things set n = 1`
    await assert.rejects(db.ping(), isFull, 'nothing was written')
    await db.autocommit`insert into things values (1)`
    await db.ping()
    await assert.rejects(
      db.transaction(tx => tx.script(failing)),
      isFull,
    )
    await assert.rejects(db.ping(), isFull)
    await db.background.transaction(tx => tx`insert into things values (2)`)
    await db.ping()
  })

  it('is reported in advance if its disk is on this machine', async t => {
    const { at, drop } = await testDatabase()
    let free = 2 ** 30
    const db = openPostgres({ at, connectionsMax: 1, queueMax: 1, freeBytes: async () => free })
    t.after(() => db.close().then(drop))
    await db.ping()
    free = 2 ** 25
    await assert.rejects(db.ping(), isFull)
    await db`select 1`
  })
})

const needsRoot = process.getuid?.() !== 0 && 'mounting a file system needs root'

/** A file system of that size; null if none can be mounted. */
function mountTmpfs(t: TestContext, size: string): { directory: string; unmount(): void } | null {
  const directory = mkdtempSync(join(tmpdir(), 'stoa-disk-'))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory]).status !== 0) {
    rmSync(directory, { recursive: true })
    t.skip('no file system can be mounted here')
    return null
  }
  chmodSync(directory, 0o711)
  const unmount = () => {
    spawnSync('umount', [directory])
    rmSync(directory, { recursive: true, force: true })
  }
  return { directory, unmount }
}

describe('a real disk that is full', { skip: needsRoot }, () => {
  it('fails writes until there is room, and still reads', async t => {
    const mounted = mountTmpfs(t, '4m')
    if (!mounted) return
    const { db, at, drop } = await testDatabase()
    const space = `space_${at.database}`
    t.after(async () => {
      await db.script('drop table if exists large')
      await db.script(`drop tablespace if exists ${space}`)
      await drop()
      mounted.unmount()
    })
    const { uid, gid } = statSync(at.socketDirectory)
    chownSync(mounted.directory, uid, gid)
    await db.script(`create tablespace ${space} location '${mounted.directory}'`)
    await db.script(`create table large (text text) tablespace ${space}`)
    const insert = () => db.autocommit`insert into large select repeat('x', 1000) from generate_series(1, 500)`
    await assert.rejects(async () => {
      for (let times = 0; times < 100; times++) await insert()
    }, isFull)
    await assert.rejects(db.ping(), isFull)
    assert.ok((await db`select from large`).length > 0)
    await db.script('drop table large')
    await db.script(`create table large (text text) tablespace ${space}`)
    await insert()
    await db.ping()
  })

  it('is reported by the embedded server when little space is left', async t => {
    const mounted = mountTmpfs(t, '300m')
    if (!mounted) return
    const { directory, unmount } = mounted
    const ignore = () => {}
    const settings = { databaseUrl: null, dbConnections: 1, dbQueue: 1, dbWaitS: 60, http: { allow: [] }, dns: [] }
    const mail = { smtpUrl: null, from: 'stoa@localhost', ca: undefined, print: ignore }
    const opened = openEngines({ ...settings, dataDirectory: directory, mail, rootKey: null }, ignore, ignore, ignore)
    t.after(async () => {
      await (await opened).close()
      unmount()
    })
    const { db } = (await opened).engines
    await db.ping()
    const [row] = await db<{ max: number }>`select current_setting('max_connections')::int as max`
    assert.equal(row?.max, 1 + 2 + 1 + 20)
    const { bavail, bsize } = statfsSync(directory)
    writeFileSync(join(directory, 'fill'), Buffer.alloc(bavail * bsize - 60 * 2 ** 20))
    await assert.rejects(db.ping(), isFull)
    rmSync(join(directory, 'fill'))
    await db.ping()
  })
})
