// The cached keys that sign deliveries: unsealing a secret costs more than sending a delivery.

import type { Seal } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { unsealSecret } from '../secret.ts'
import { type SigningKeys, signingKeys } from './signature.ts'

export type KeysOf = (org: OrgId, webhook: string, sealed: Uint8Array) => SigningKeys

/** Each takes about a kilobyte. */
const KEPT_MAX = 10_000

/** The cache key is the sealed secret, which is read with each delivery, so that a rotated secret is never used again. */
export function openSigningKeys(seal: Seal): KeysOf {
  const kept = new Map<string, SigningKeys>()
  return (org, webhook, sealed) => {
    const name = `${org} ${webhook} ${Buffer.from(sealed).toString('latin1')}`
    const known = kept.get(name)
    if (known) return known
    const keys = signingKeys(unsealSecret(seal, org, webhook, sealed))
    if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value as string)
    kept.set(name, keys)
    return keys
  }
}
