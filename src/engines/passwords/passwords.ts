// Password hashing. It is slow on purpose, so it waits in a fair queue and uses at most half of the cores.
import { availableParallelism } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { hash, verify } from '@node-rs/argon2'
import { type FairQueue, inTurn, openFairQueue, QueueFull } from '../../fair/queue.ts'
import { EngineUnavailable, type Passwords, type PasswordUser } from '../engines.ts'
import { adoptHash, isImported, verifyImported, withoutMark } from './imported.ts'

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** More than any hash verified here takes. */
const EVEN_MS = 1_000
const WAITING_MAX = 200
/** People do not wait longer than this for a page. */
const WAIT_MS = 15_000

/** `cost` is for new hashes; a stored one contains its own. `evenMs` is smaller in tests. */
export function openPasswords(cores = availableParallelism(), cost = ARGON2ID, evenMs = EVEN_MS): Passwords {
  const { memoryCost, timeCost, parallelism } = cost
  const width = Math.max(1, Math.floor(cores / 2))
  const openQueue = () => openFairQueue({ width, waitingMax: WAITING_MAX, waitMs: WAIT_MS })
  const queue = openQueue()
  /** Clients wait here for their organisation's turn, so that the clients of one organisation delay no other, however
   *  many they are. */
  const ofOrgs = new Map<string, FairQueue>()

  async function inTurnOf<T>(user: PasswordUser, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (typeof user === 'string') return inTurn(queue, user, work, signal)
    const { org, client } = user
    const own = ofOrgs.get(org) ?? openQueue()
    ofOrgs.set(org, own)
    try {
      return await inTurn(own, client, () => inTurn(queue, org, work, signal), signal)
    } finally {
      const { running, waiting } = own.load()
      if (running + waiting === 0) ofOrgs.delete(org)
    }
  }

  async function measured<T>(work: () => Promise<T>): Promise<T> {
    const startedMs = performance.now()
    try {
      return await work()
    } finally {
      // On a single core, pause for as long as the work took.
      if (cores < 2) await wait(performance.now() - startedMs)
    }
  }

  const run = <T>(user: PasswordUser, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
    inTurnOf(user, () => measured(work), signal).catch(error => {
      throw error instanceof QueueFull ? new EngineUnavailable('passwords', 'busy', error) : error
    })

  async function verifyEvenly(...[user, digest, password, signal]: Parameters<Passwords['verify']>): Promise<boolean> {
    const startedMs = performance.now()
    if (await run(user, () => check(digest, password), signal)) return true
    const tookMs = performance.now() - startedMs
    const aborted = signal && { signal }
    await wait(evenMs - (tookMs % evenMs), undefined, aborted).catch(error => {
      if (!signal?.aborted) throw error
    })
    return false
  }

  return {
    verifyEvenly,
    hash: (user, password, signal) => run(user, () => hash(password.normalize('NFKC'), cost), signal),
    verify: (user, digest, password, signal) => run(user, () => check(digest, password), signal),
    isCurrent: digest => digest.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`),
    adopt: adoptHash,
    exported: withoutMark,
  }
}

const check = (digest: string, password: string): Promise<boolean> =>
  isImported(digest) ? verifyImported(digest, password) : verify(digest, password.normalize('NFKC'))
