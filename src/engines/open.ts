// The only module that chooses between embedded and external engines.
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from './clock/clock.ts'
import { DATABASE_USER, type EmbeddedOptions, type EmbeddedServer, startEmbedded } from './db/embedded/server.ts'
import { openPostgres, requireVersion } from './db/postgres.ts'
import { connectionsOf } from './db/profiles.ts'
import { openDns } from './dns/dns.ts'
import type { Engines } from './engines.ts'
import { type HttpOptions, openHttp } from './http/http.ts'
import { type LogOptions, openLog } from './log/log.ts'
import { type MailSettings, openMail } from './mail/mail.ts'
import { openPasswords } from './passwords/passwords.ts'
import { systemRandom } from './random/random.ts'
import { rootKey } from './seal/root-key.ts'
import { openSeal } from './seal/seal.ts'
import { openWarehouse } from './warehouse/warehouse.ts'

export type EngineSettings = {
  dataDirectory: string
  databaseUrl: string | null
  dbConnections: number
  dbQueue: number
  dbWaitS: number
  http: HttpOptions
  /** Resolvers to use instead of the system's, `address` or `address:port`. */
  dns: string[]
  mail: Omit<MailSettings, 'directory'>
  /** The key that seals secrets; null for the one in the data directory. */
  rootKey: Uint8Array | null
}

export type OpenEngines = { engines: Engines; databaseHome: string | null; close(): Promise<void>; abandon(): void }

export async function openEngines(
  options: EngineSettings,
  logLine: EmbeddedOptions['log'],
  lost: (error: Error) => void,
  warn: LogOptions['warn'],
): Promise<OpenEngines> {
  const { dataDirectory, databaseUrl, dbConnections } = options
  // More than the pools need: LISTEN has its own connection, and operators may connect with a client.
  const pooled = Object.values(connectionsOf(dbConnections)).reduce((sum, count) => sum + count)
  const settings = { max_connections: String(pooled + 20) }
  const embedded: EmbeddedServer | null = databaseUrl
    ? null
    : await startEmbedded({ dataDirectory, log: logLine, lost, settings })
  const db = openPostgres({
    at: embedded
      ? { socketDirectory: embedded.socketDirectory, database: 'postgres', user: DATABASE_USER }
      : { url: databaseUrl as string },
    connectionsMax: dbConnections,
    queueMax: options.dbQueue,
    waitMs: options.dbWaitS * 1_000,
    ...(embedded && { freeBytes: () => freeBytes(embedded.home) }),
  })
  if (databaseUrl) await requireVersion(db)
  const http = openHttp({ ...options.http, dns: options.dns })
  const root = options.rootKey ?? rootKey(dataDirectory, systemRandom)
  const seal = openSeal(root, systemRandom)
  const mail = openMail({ ...options.mail, directory: join(dataDirectory, 'mail') }, systemClock, systemRandom)
  const log = openLog({ db, random: systemRandom, warn })
  const [dns, passwords] = [openDns(options.dns), openPasswords()]
  return {
    engines: {
      db,
      log,
      warehouse: openWarehouse(),
      http,
      dns,
      mail,
      clock: systemClock,
      random: systemRandom,
      seal,
      passwords,
    },
    databaseHome: embedded?.home ?? null,
    abandon: () => embedded?.abandon(),
    close: async () => {
      await log.close()
      await http.close()
      await db.close()
      await embedded?.stop()
    },
  }
}

/** The disk space that an unprivileged account may still use, as the database runs under one. */
async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
