import { Resolver } from 'node:dns/promises'
import type { Dns } from '../engines.ts'

/** Per attempt. Short, because a person is waiting for the result. */
const TIMEOUT_MS = 2_000
const TRIES = 2

/** Definite answers: the name does not exist, or it has no such record. */
const NONE = new Set(['ENOTFOUND', 'ENODATA'])

export function openDns(servers: string[]): Dns {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers.length > 0) resolver.setServers(servers)
  return {
    txt: async name => {
      try {
        // A record longer than 255 bytes is split into several strings.
        return (await resolver.resolveTxt(name)).map(parts => parts.join(''))
      } catch (error) {
        return NONE.has((error as NodeJS.ErrnoException).code ?? '') ? [] : null
      }
    },
  }
}
