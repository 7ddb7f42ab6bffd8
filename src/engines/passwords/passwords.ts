// Password hashing. It is slow on purpose, so it waits in a fair queue and uses at most half of the cores.
import { availableParallelism } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { hash, verify } from '@node-rs/argon2'
import { inTurn, openFairQueue, QueueFull } from '../../fair/queue.ts'
import { EngineUnavailable, type Passwords } from '../engines.ts'
import { adoptHash, isImported, verifyImported, withoutMark } from './imported.ts'

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const WAITING_MAX = 200
/** People do not wait longer for a page. */
const WAIT_MS = 15_000

/** `cost` is that of new hashes; a stored one says its own. */
export function openPasswords(cores = availableParallelism(), cost = ARGON2ID): Passwords {
  const { memoryCost, timeCost, parallelism } = cost
  const queue = openFairQueue({ width: Math.max(1, Math.floor(cores / 2)), waitingMax: WAITING_MAX, waitMs: WAIT_MS })

  async function measured<T>(work: () => Promise<T>): Promise<T> {
    const startedMs = performance.now()
    try {
      return await work()
    } finally {
      // On a single core, pause for as long as the work took.
      if (cores < 2) await wait(performance.now() - startedMs)
    }
  }

  const run = <T>(user: string, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
    inTurn(queue, user, () => measured(work), signal).catch(error => {
      throw error instanceof QueueFull ? new EngineUnavailable('passwords', 'busy', error) : error
    })

  return {
    hash: (user, password, signal) => run(user, () => hash(password.normalize('NFKC'), cost), signal),
    verify: (user, digest, password, signal) => run(user, () => check(digest, password), signal),
    isCurrent: digest => digest.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`),
    adopt: adoptHash,
    exported: withoutMark,
  }
}

const check = (digest: string, password: string): Promise<boolean> =>
  isImported(digest) ? verifyImported(digest, password) : verify(digest, password.normalize('NFKC'))
