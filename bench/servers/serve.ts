// The child's side of a bench server: it starts when told to, tells its CPU time, and ends when its parent does.
import type { Realm } from './sign-ins.ts'

export type Ask = { ask: 'start'; pem: string; realm?: Realm } | { ask: 'cpu' }
/** What a started server tells its parent. Where it knows of keys, `key` is a secret one without bounds, and
 *  `limitedKey` one with limits and a rate that let the load pass. Where people sign in, `realm` is who and where, and
 *  each of `refreshTokens` belongs to a sign-in of its own. */
export type Started = { port: number; key?: string; limitedKey?: string; realm?: Realm; refreshTokens?: string[] }
export type Serving = Started & { close(): Promise<void> }

export function serve(start: (pem: string, realm?: Realm) => Promise<Serving>): void {
  let serving: Promise<Serving> | null = null
  let ending = false
  const tell = (answer: object) => {
    if (process.connected) process.send?.(answer)
  }
  const end = async () => {
    if (ending) return
    ending = true
    await serving?.then(one => one.close()).catch(fail)
    process.exit()
  }
  process.on('message', (asked: Ask) => {
    if (asked.ask === 'cpu') return tell({ cpuUs: cpuUs() })
    serving = start(asked.pem, asked.realm)
    serving.then(({ close: _, ...started }) => tell(started), fail)
  })
  // The parent may end in any way, and Ctrl-C reaches the whole group: each of these must leave nothing behind.
  process.on('disconnect', end)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
}

export function fail(error: unknown): never {
  process.stderr.write(`${(error as Error).stack}\n`)
  process.exit(1)
}

/** Of the whole process, so that garbage collection and the log's writer count too. */
function cpuUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
