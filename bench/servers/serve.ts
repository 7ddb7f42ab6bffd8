// The child process of a bench server: it starts on request, reports its CPU time, and exits with its parent.
import type { FilledOrg, Listing } from '../../test/listings.ts'
import type { BenchApp } from './open-identity.ts'
import type { Realm } from './sign-ins.ts'

export type Command = { command: 'start'; pem: string; realm?: Realm } | { command: 'used' }
/** What a started server reports to its parent. If it has keys, `key` is a secret one without bounds, and `limitedKey`
 *  one with limits and a rate that allow the load; if it has several organisations, `keys` has one of each. If it has sign-in, `realm` describes user and client, and each of
 *  `refreshTokens` belongs to a separate sign-in. If it has filled tables, `growth` describes their callers, and
 *  `customers` says how many there are. */
export type Started = {
  port: number
  key?: string
  limitedKey?: string
  keys?: string[]
  realm?: Realm
  refreshTokens?: string[]
  growth?: Growth
  customers?: Customers
  /** The directory of the socket of its database. */
  database?: string
  /** The process id of the server of its database. */
  databasePid?: number
}
type ListingOrg = FilledOrg & { callers: Record<Listing['as'], Record<string, string>> }
/** `now` is the time of the newest rows. */
export type Growth = { now: string; busy: ListingOrg; quiet: ListingOrg }
/** `now` is when the last of them registered, `app` the one that they sign in to, and `mails` a directory with the code that
 *  was mailed last to each address. */
export type Customers = { count: number; now: string; identityPort: number; app: BenchApp; mails: string }
/** `cpuUs` replaces the CPU time of the process by that of what is measured instead. */
export type Serving = Started & { close(): Promise<void>; cpuUs?(): number }
/** What a server has used so far, and the memory that it has now. */
export type Used = { cpuUs: number; residentBytes: number }

export function serve(start: (pem: string, realm?: Realm) => Promise<Serving>): void {
  let serving: Promise<Serving> | null = null
  let ending = false
  const send = (answer: object) => {
    if (process.connected) process.send?.(answer)
  }
  const end = async () => {
    if (ending) return
    ending = true
    await serving?.then(({ close }) => close()).catch(fail)
    process.exit()
  }
  process.on('message', async (message: Command) => {
    if (message.command === 'used') return send(usedBy(await serving))
    serving = start(message.pem, message.realm)
    serving.then(({ close: _, cpuUs: __, ...started }) => send(started), fail)
  })
  // The parent may exit in any way, and Ctrl-C reaches the whole process group: nothing may be left behind in any case.
  process.on('disconnect', end)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
}

export function fail(error: unknown): never {
  process.stderr.write(`${(error as Error).stack}\n`)
  process.exit(1)
}

const usedBy = (serving: Serving | null): Used => ({
  cpuUs: (serving?.cpuUs ?? processCpuUs)(),
  residentBytes: process.memoryUsage.rss(),
})

/** Of the whole process, so that garbage collection and log writing are included. */
export function processCpuUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
