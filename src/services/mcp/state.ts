// The state of the service: the tools and the lists that are served, prepared once.
import { type Attempts, openAttempts } from '../../fair/attempts.ts'
import { type Opened, type Opening, serviceKit } from '../../kit/service.ts'
import { METADATA_PATH, metadata } from './metadata.ts'
import type { Views } from './views.ts'

export type Door = {
  /** Set with the first request, because the operations of all services are known only then. */
  views: Views | null
  /** The address of the metadata, which a refusal names. */
  metadataUrl: string
  /** Counts batches without a credential by client address. */
  strangers: Attempts
}

export const { operation } = serviceKit<Door>()

const MINUTE_MS = 60_000

export async function openDoor({ baseUrl, identity, engines: { clock } }: Opening): Promise<Opened<Door>> {
  return {
    state: {
      views: null,
      metadataUrl: baseUrl + METADATA_PATH,
      strangers: openAttempts(MINUTE_MS, clock.elapsedMs),
    },
    documents: { [METADATA_PATH]: () => metadata(baseUrl, identity.signIn.issuer) },
  }
}
