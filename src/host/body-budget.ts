// The memory for request bodies. Bodies are held until their request is answered; an organisation, or without one a
// client address, may hold no more than is left for the others. Organisations behind one address do not share.
import { clientNetwork } from '../fair/address.ts'
import { openShares } from '../fair/shares.ts'
import { Fault } from '../kit/fault.ts'

/** Smaller bodies are not counted: the number of connections bounds them. */
export const UNCOUNTED_BYTES = 16 * 1024

export type BodyHolder = { ip: string; caller: { org: string } | null }

/** The part of the budget that one request holds. */
export type BodyShare = {
  /** Raises a fault if the memory for so many bytes in total is not available. */
  grow(bytes: number): void
  release(): void
}

export type BodyBudget = (holder: BodyHolder) => BodyShare

export function openBodyBudget(bytesMax: number): BodyBudget {
  const shares = openShares(bytesMax)
  return ({ ip, caller }) => {
    const user = caller ? caller.org : clientNetwork(ip)
    let held = 0
    return {
      grow: bytes => {
        if (bytes <= held || bytes <= UNCOUNTED_BYTES) return
        if (!shares.take(user, bytes - held)) throw tooMuch()
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

const tooMuch = () =>
  new Fault('overloaded', {
    message:
      'Too many large bodies of your organisation or address are being received; nothing was done. Send it again in a moment.',
    retryAfterS: 1,
  })
