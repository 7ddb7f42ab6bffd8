// Limits the memory that clients occupy: bodies until their request is answered, and answers until they are read. An
// organisation, or a client address without one, may hold at most as much as is left for others. Organisations behind one
// address have separate shares.
import { clientNetwork } from '../fair/address.ts'
import { openShares } from '../fair/shares.ts'
import { Fault } from '../kit/fault.ts'

/** Smaller amounts are not counted: the number of connections bounds them. */
export const UNCOUNTED_BYTES = 16 * 1024

export type Holder = { ip: string; caller: { org: string } | null }

/** The part of the budget that one request holds. */
export type MemoryShare = {
  /** Raises a fault if the memory for so many bytes in total is not available. */
  grow(bytes: number): void
  release(): void
}

export type MemoryBudget = (holder: Holder) => MemoryShare

export function openMemoryBudget(bytesMax: number, refusal: string): MemoryBudget {
  const shares = openShares(bytesMax)
  return ({ ip, caller }) => {
    const user = caller ? caller.org : clientNetwork(ip)
    let held = 0
    return {
      grow: bytes => {
        if (bytes <= held || bytes <= UNCOUNTED_BYTES) return
        if (!shares.take(user, bytes - held)) throw new Fault('overloaded', { message: refusal, retryAfterS: 1 })
        held = bytes
      },
      release: () => {
        if (held === 0) return
        shares.give(user, held)
        held = 0
      },
    }
  }
}

export const openBodyBudget = (bytesMax: number): MemoryBudget =>
  openMemoryBudget(
    bytesMax,
    'Your organisation or address is sending too many large bodies at the same time; nothing was done. Try again in a moment.',
  )

export const openAnswerBudget = (bytesMax: number): MemoryBudget =>
  openMemoryBudget(
    bytesMax,
    'Too many large answers to your organisation or address are still unread. Read them, then request less at a time.',
  )
