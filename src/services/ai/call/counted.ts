// The usage of a call: as the provider reports it, or counted here.
import type { ProviderWire } from '../providers/provider.ts'
import { estimateChatInput, estimateEmbeddingsInput } from '../tokens.ts'
import type { JsonObject } from '../translations/translation.ts'
import { NO_USAGE, type Usage } from '../wires/usage.ts'

/** The client's request. `stored` is the number of its tokens that the provider has already. */
export type Asked = { json: JsonObject; stored: number }

/** An interrupted stream may have reported its input only. The report of a complete stream is used, unless the stream has far
 *  more text than it says; the tolerance covers other tokenizers. */
export function usedTokens(reported: Usage | null, counted: Usage | null, isEnded = true) {
  if (!reported || !counted) return { usage: reported ?? counted ?? NO_USAGE, isEstimated: counted !== null }
  const isMore = counted.output > reported.output * (isEnded ? 2 : 1)
  const input = reported.input > 0 ? reported.input : counted.input
  const usage = { ...reported, input, output: isMore ? counted.output : reported.output }
  return { usage, isEstimated: !isEnded || isMore || reported.input === 0 }
}

/** Counting never fails: without the encoding, tokens are estimated from bytes. */
export async function countedIn(wire: ProviderWire, asked: Asked, output: () => Promise<number>): Promise<Usage> {
  if (wire === 'embeddings') return { ...NO_USAGE, input: await estimateEmbeddingsInput(asked.json) }
  const input = asked.stored + (await estimateChatInput(asked.json))
  return { ...NO_USAGE, input, output: await output() }
}
