// Finds the models of a server on this machine, such as Ollama or llama.cpp.
import { text } from 'node:stream/consumers'
import { type Http, HttpFailure } from '../../../engines/engines.ts'
import type { ConfiguredProvider } from '../providers/index.ts'
import { type Offer, offersOf } from './offer.ts'

const WAIT_MS = 2_000
const BYTES_MAX = 1024 * 1024
const MODELS_MAX = 200
/** They cost nothing here. */
const FREE = { input: 0, output: 0 }

/** None if no such server listens. */
export async function findLocal(http: Http, at: ConfiguredProvider): Promise<Offer[]> {
  const { provider, baseUrl, apiKey } = at
  try {
    const answer = await http.send({
      method: 'GET',
      url: baseUrl + provider.path('models'),
      headers: provider.headers(apiKey),
      timeoutMs: WAIT_MS,
      bodyBytesMax: BYTES_MAX,
      reach: 'configured',
    })
    const body = await text(answer.body)
    if (answer.status !== 200) return []
    return offersOf(
      provider.name,
      at,
      idsIn(body).map(id => ({ id, kind: /embed/i.test(id) ? 'embedding' : 'chat', price: FREE })),
    )
  } catch (error) {
    if (error instanceof HttpFailure) return []
    throw error
  }
}

/** None if another program listens there. */
function idsIn(body: string): string[] {
  try {
    const { data } = JSON.parse(body) as { data?: unknown }
    if (!Array.isArray(data)) return []
    const ids = data.map(one => (one as { id?: unknown } | null)?.id)
    return ids.filter(id => typeof id === 'string' && /^[\x21-\x7e]{1,200}$/.test(id)).slice(0, MODELS_MAX) as string[]
  } catch {
    return []
  }
}
