// The state of the tool door: the tools and the lists that are served, prepared once.
import { type Opened, type Opening, serviceKit } from '../../kit/service.ts'
import { METADATA_PATH, metadata } from './metadata.ts'
import type { Views } from './views.ts'

export type Door = {
  /** Set with the first request, because the operations of all services are known only then. */
  views: Views | null
  /** The address of the metadata, which a refusal names. */
  metadataUrl: string
}

export const { operation } = serviceKit<Door>()

export async function openDoor({ baseUrl, identity }: Opening): Promise<Opened<Door>> {
  return {
    state: { views: null, metadataUrl: baseUrl + METADATA_PATH },
    documents: { [METADATA_PATH]: () => metadata(baseUrl, identity.signIn.issuer) },
  }
}
