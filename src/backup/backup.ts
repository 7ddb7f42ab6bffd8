// `npm run backup -- <file>`: copies the data directory with its embedded database, whether Stoa is running or not.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { writeArchive } from '../engines/archive/archive.ts'
import { systemClock } from '../engines/clock/clock.ts'
import { backUpCluster } from '../engines/db/embedded/backup.ts'
import { existingCluster } from '../engines/db/embedded/location.ts'
import { startEmbedded, stateOf } from '../engines/db/embedded/server.ts'
import { EngineUnavailable } from '../engines/engines.ts'
import { StartRefused } from '../kit/setting.ts'
import { lockDataDirectory, RESTORING } from '../start/data-directory.ts'
import { runCommand, sizeText } from './command.ts'
import { backupOf } from './files.ts'

const USAGE = `Backs up the data directory with its embedded database, even while Stoa is running:

  npm run backup -- <file> [--data <directory>]

The file must not exist. It will contain all keys and passwords of this host; only its owner can read it.
`

/** A starting host has its database ready within this time. */
const STARTING_MS = 60_000
const PROGRESS_MS = 10_000

runCommand({
  usage: USAGE,
  run: async (file, config, signal) => {
    if (config.DATABASE_URL) {
      throw new StartRefused('DATABASE_URL is set: back up that database with pg_dump, as docs/OPERATIONS.md describes')
    }
    if (!existsSync(config.STOA_DATA)) throw new StartRefused(`STOA_DATA: there is no directory ${config.STOA_DATA}`)
    const dataDirectory = realpathSync(config.STOA_DATA)
    const home = existingCluster(dataDirectory)
    if (!home) throw new StartRefused(`${dataDirectory} has no embedded database to back up`)
    if (existsSync(join(dataDirectory, RESTORING))) {
      throw new StartRefused(`a restore into ${dataDirectory} was interrupted; run npm run restore again`)
    }
    requireWritable(file, [dataDirectory, home])
    const started = performance.now()
    const { path, bytes } = await withServer(dataDirectory, home, signal, socketDirectory =>
      copy(dataDirectory, home, socketDirectory, file, signal),
    )
    const seconds = Math.ceil((performance.now() - started) / 1_000)
    process.stdout.write(
      `Backed up ${dataDirectory} (${sizeText(bytes)}) to ${path} (${sizeText(statSync(path).size)}) in ${seconds} s.\n` +
        `It contains secrets: keep it private. \`npm run restore -- ${path}\` restores it.\n`,
    )
  },
})

/** `home`, of the database, may be outside of the data directory. */
function requireWritable(file: string, copied: readonly string[]): void {
  if (existsSync(file)) throw new StartRefused(`${file} exists; choose another name`)
  const folder = dirname(file)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StartRefused(`there is no directory ${folder} to write ${basename(file)} to`)
  }
  const real = `${realpathSync(folder)}/`
  if (copied.some(one => real.startsWith(`${realpathSync(one)}/`))) {
    throw new StartRefused(`${file} is inside the data directory; choose a path outside of it`)
  }
}

/** Uses the database server of the running host, or starts one. */
async function withServer<T>(
  dataDirectory: string,
  home: string,
  signal: AbortSignal,
  work: (socketDirectory: string) => Promise<T>,
): Promise<T> {
  const opened = await lockDataDirectory(dataDirectory)
  if (!opened) {
    const socketDirectory = await socketOfHost(home, signal)
    return work(socketDirectory).catch((error: unknown) => {
      if (!(error instanceof EngineUnavailable)) throw error
      throw new Error('Stoa or its database stopped during the backup; nothing was kept. Run the command again')
    })
  }
  const server = await startEmbedded({ dataDirectory, log: () => {}, lost: () => {} })
  try {
    return await work(server.socketDirectory)
  } finally {
    await server.stop()
    opened.release()
  }
}

async function socketOfHost(home: string, signal: AbortSignal): Promise<string> {
  for (
    const deadline = performance.now() + STARTING_MS;
    performance.now() < deadline;
    await wait(200, null, { signal })
  ) {
    const state = stateOf(home)
    if (state?.isReady) return state.socketDirectory
  }
  throw new Error('Stoa is running, but its database is not ready; check its log and try again')
}

async function copy(dataDirectory: string, home: string, socketDirectory: string, path: string, signal: AbortSignal) {
  let bytes = 0
  await backUpCluster(home, socketDirectory, async backup => {
    const progress = setInterval(() => {
      process.stderr.write(`${sizeText(bytes)} of about ${sizeText(backup.bytes)}\n`)
    }, PROGRESS_MS)
    try {
      const created = systemClock.now().toISOString()
      const count = (more: number) => {
        bytes += more
      }
      await writeArchive(path, backupOf(dataDirectory, backup, created, leaveOut), count, signal)
    } finally {
      clearInterval(progress)
    }
  })
  return { path, bytes }
}

const leaveOut = (name: string) => void process.stderr.write(`Not in the backup: ${name} (a link or a special file)\n`)
