// What `npm run backup` and `npm run restore` share: one file as argument, the host's settings, and errors printed as one
// line.
import { resolve } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { settingsOf } from '../kit/service.ts'
import { StartRefused } from '../kit/setting.ts'
import { services } from '../services/index.ts'

/** `signal`: the command is to end and to remove what it has written. */
export type Command = { usage: string; run(file: string, config: Config, signal: AbortSignal): Promise<void> }

/** A terminal signals npm and this process, and npm passes its signal on. A later signal ends the process without clean-up. */
const SAME_SIGNAL_MS = 1_000

export function runCommand({ usage, run }: Command): void {
  const [file, ...flags] = process.argv.slice(2)
  if (file === '--help') return void process.stdout.write(usage)
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => stopping.abort(new StartRefused(`stopped by ${name}; nothing was kept`)))
    let firstAt = Number.POSITIVE_INFINITY
    process.on(name, () => {
      if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1)
      firstAt = Math.min(firstAt, performance.now())
    })
  }
  const running = (async () => {
    if (!file || file.startsWith('-')) throw new StartRefused(`name a file.\n\n${usage.trimEnd()}`)
    const config = readConfig(flags, settingsOf(services))
    process.umask(0o022) // As when the host starts: private files set their own mode.
    await run(resolve(file), config, stopping.signal)
  })()
  running.then(
    () => process.exit(0),
    error => {
      const { message } = (stopping.signal.aborted ? stopping.signal.reason : error) as Error
      process.stderr.write(`stoa: ${message}\n`)
      process.exit(1)
    },
  )
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']

export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  return `${(bytes / 1000 ** power).toFixed(power < 2 ? 0 : 1)} ${UNITS[power]}`
}
