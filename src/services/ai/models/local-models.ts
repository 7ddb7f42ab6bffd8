// The model that is part of this product.
import { PROVIDERS } from '../providers/index.ts'
import type { Provider } from '../providers/provider.ts'
import type { Offer } from './offer.ts'

/** It is called without a provider; this stands for one where the log and the listing name it. */
const HERE = { ...(PROVIDERS.compatible as Provider), name: 'stoa', speaks: ['embeddings'] as const }

export const LOCAL_EMBED: Offer = {
  id: 'local-embed-en',
  upstream: 'local-embed-en',
  kind: 'embedding',
  price: { input: 0, output: 0 },
  by: 'stoa',
  at: { provider: HERE, baseUrl: '', apiKey: null },
  bounds: {},
}
