// Real engines for a bench server, with its own database that is removed afterwards.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../src/engines/db/migrate.ts'
import type { Engines } from '../../src/engines/engines.ts'
import type { HttpOptions } from '../../src/engines/http/http.ts'
import { type OpenEngines, openEngines } from '../../src/engines/open.ts'
import { allMigrations } from '../../src/start/migrations.ts'
import { fail, type Serving } from './serve.ts'

/** Starts a server with engines; their files are removed after the server has closed, unless they are in a directory that is
 *  to be `kept`. `http` says where it may connect to besides public addresses. */
export async function withEngines(
  start: (engines: Engines) => Promise<Serving>,
  { kept, http = { allow: [] } }: { kept?: string | undefined; http?: HttpOptions } = {},
): Promise<Serving> {
  const directory = kept ?? mkdtempSync(join(tmpdir(), 'stoa-bench-'))
  chmodSync(directory, 0o711) // Under root the database runs as another user, who must be able to traverse it.
  let opened: OpenEngines | null = null
  const remove = async () => {
    await opened?.close()
    if (kept !== undefined) return
    for (const path of [directory, opened?.databaseHome]) if (path) rmSync(path, { recursive: true, force: true })
  }
  try {
    opened = await openEngines(
      {
        dataDirectory: directory,
        databaseUrl: null,
        dbConnections: 10,
        dbQueue: 200,
        dbWaitS: 5,
        http,
        dns: [],
        mail: { smtpUrl: null, from: 'bench@localhost', ca: undefined, print: () => {} },
        rootKey: null,
      },
      () => {},
      fail,
      error => fail(error as Error),
    )
    const { engines } = opened
    await migrate(engines.db, allMigrations())
    const serving = await start(engines)
    return { ...serving, close: () => serving.close().then(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}
