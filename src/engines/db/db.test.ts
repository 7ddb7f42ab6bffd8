import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { externalPostgres } from '../../../test/external.ts'
import { testDatabase } from '../../../test/host.ts'
import { EngineUnavailable } from '../engines.ts'
import { databaseConforms } from './conformance.ts'
import { readMigrations } from './migrate.ts'
import { openPostgres, requireVersion } from './postgres.ts'

const embedded = await testDatabase()
after(embedded.drop)
databaseConforms('embedded PostgreSQL', async limits => openPostgres({ at: embedded.at, ...limits }))

const external = await externalPostgres()
if ('url' in external) {
  after(external.stop)
  databaseConforms(`external PostgreSQL ${external.version}`, async limits => {
    return openPostgres({ at: { url: external.url }, ...limits })
  })
} else {
  it('conforms on an external PostgreSQL', { skip: external.missing })
}

describe('a server that is not there', () => {
  const limits = { connectionsMax: 1, queueMax: 1 }

  it('is said to be down', async t => {
    const db = openPostgres({ at: { url: 'postgres://nobody@127.0.0.1:1/none' }, ...limits })
    t.after(() => db.close())
    await assert.rejects(db.ping(), (error: unknown) => error instanceof EngineUnavailable && error.state === 'down')
    await assert.rejects(requireVersion(db), /^Error: DATABASE_URL: ECONNREFUSED/)
  })
})

describe('migration files', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stoa-migrations-'))
  after(() => rm(directory, { recursive: true }))
  const folder = (name: string, ...files: string[]) => {
    const path = join(directory, name)
    mkdirSync(path)
    for (const file of files) writeFileSync(join(path, file), 'select 1')
    return pathToFileURL(`${path}/`)
  }

  it('are read in order', () => {
    const read = readMigrations('x', folder('good', '0002-b.sql', '0001-a.sql'))
    assert.deepEqual(
      read.map(({ name }) => name),
      ['0001-a.sql', '0002-b.sql'],
    )
  })

  it('with a gap, a doubled number or another name stop the start', () => {
    for (const [name, ...files] of [
      ['gap', '0001-a.sql', '0003-b.sql'],
      ['double', '0001-a.sql', '0001-b.sql'],
      ['name', '0001-a.sql', 'notes.txt'],
    ] as [string, ...string[]][]) {
      assert.throws(() => readMigrations('x', folder(name, ...files)), /numbered 0001/)
    }
  })
})
