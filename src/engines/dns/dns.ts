import { Resolver } from 'node:dns/promises'
import type { Dns } from '../engines.ts'

/** A resolver that has not answered by then is asked once more; whoever waits is a person with a page open. */
const TIMEOUT_MS = 2_000
const TRIES = 2

/** There is no such name, or it has no such record: both are answers. */
const NONE = new Set(['ENOTFOUND', 'ENODATA'])

export function openDns(servers: string[]): Dns {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers.length > 0) resolver.setServers(servers)
  return {
    txt: async name => {
      try {
        // A record longer than 255 bytes travels in several strings, which belong together.
        return (await resolver.resolveTxt(name)).map(parts => parts.join(''))
      } catch (error) {
        return NONE.has((error as NodeJS.ErrnoException).code ?? '') ? [] : null
      }
    },
  }
}
