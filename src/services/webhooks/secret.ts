// The secrets of endpoints: `whsec_` and 256 random bits in base64, as the libraries of Standard Webhooks read them.

import type { Random, Seal } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'

const PREFIX = 'whsec_'
const BYTES = 32

export const newSecret = (random: Random): string => PREFIX + Buffer.from(random.bytes(BYTES)).toString('base64')

/** The name under which the secret of an endpoint is sealed. */
const sealName = (id: string) => `webhook ${id}`

export const sealSecret = (seal: Seal, org: OrgId, id: string, secret: string): Uint8Array =>
  seal.seal(org, sealName(id), secret)

export const unsealSecret = (seal: Seal, org: OrgId, id: string, sealed: Uint8Array): string =>
  seal.unseal(org, sealName(id), sealed)
