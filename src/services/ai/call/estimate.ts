// What a call may cost at most: held when it starts. Where organisations pay afterwards it need not be exact, but must be
// cheap to compute; where they pay in advance, it covers the most.
import type { Offer } from '../models/offer.ts'
import { costOf } from '../price.ts'
import type { Price, ProviderWire } from '../providers/provider.ts'
import { estimateChatInput, estimateEmbeddingsInput } from '../tokens.ts'
import type { JsonObject } from '../translations/translation.ts'
import { NO_USAGE } from '../wires/usage.ts'
import type { Limit } from './body.ts'
import { choicesIn, limitIn, limitName } from './limits.ts'

/** A token is seldom shorter, and hardly ever longer than the wire's own quotes and names. */
const BYTES_PER_TOKEN = 4
const OUTPUT_DEFAULT = 1_024
const OUTPUT_MAX = 200_000
/** Other models have other tokens, and providers add instructions of their own: for tools, several hundred. */
const INPUT_FACTOR = 1.5
const INPUT_MORE = 1_024
/** Of a model of which nobody said more: nearly every one writes as much, and a provider refuses a limit that is above its
 *  own. */
const OUTPUT_UNKNOWN = 4_096
/** Less is no answer. */
const OUTPUT_LEAST = 16

/** `amount` is what the input costs. `limitWithin`: the limit that the host sets on the output so that the call costs no more
 *  than that; null if it sets none. */
export type Costs = {
  most: number
  least: number
  amount: number
  inputTokens: number
  limitWithin(held: number): Limit | null
}

export function roughCosts({ price, kind }: Offer, wire: ProviderWire, json: JsonObject, bytes: number): Costs {
  const inputTokens = Math.ceil(bytes / BYTES_PER_TOKEN)
  const none = { most: 0, least: 0, amount: 0, inputTokens, limitWithin: () => null }
  if (price === null) return none
  const limit = limitIn(json, wire) ?? OUTPUT_DEFAULT
  const output = kind === 'embedding' ? 0 : Math.min(Math.round(limit * choicesIn(json)), OUTPUT_MAX)
  const most = Number(costOf({ ...NO_USAGE, input: inputTokens, output }, price))
  return { ...none, most, least: most, amount: inputCost(price, inputTokens) }
}

/** For any of these ways. */
export async function fullCosts(offers: readonly Offer[], wire: ProviderWire, json: JsonObject): Promise<Costs> {
  const inputTokens = await (wire === 'embeddings' ? estimateEmbeddingsInput(json) : estimateChatInput(json))
  const input = Math.ceil(inputTokens * INPUT_FACTOR) + INPUT_MORE
  const prices = offers.flatMap(({ price }) => price ?? [])
  const inputMost = mostOf(prices.map(price => inputCost(price, input)))
  const amount = mostOf(prices.map(price => inputCost(price, inputTokens)))
  const costs = (output: number) =>
    inputMost + mostOf(prices.map(price => outputCost(price, output * choices) + imagesCost(price, json)))
  const choices = choicesIn(json)
  if (wire === 'embeddings') {
    return { most: inputMost, least: inputMost, amount, inputTokens, limitWithin: () => null }
  }
  const limit = limitIn(json, wire)
  const output = limit ?? Math.min(...offers.map(({ outputMax }) => outputMax ?? OUTPUT_UNKNOWN))
  const most = costs(output)
  if (limit !== null) return { most, least: most, amount, inputTokens, limitWithin: () => null }
  const each = mostOf(prices.map(price => outputCost(price, MILLION))) * choices
  const tokensWithin = (held: number) =>
    each === 0 ? output : Math.min(output, Math.floor(((held - costs(0)) * MILLION) / each))
  const limitWithin = (held: number) => ({ name: limitName(wire), tokens: tokensWithin(held) })
  return { most, least: costs(Math.min(OUTPUT_LEAST, output)), amount, inputTokens, limitWithin }
}

const MILLION = 1_000_000
const mostOf = (amounts: readonly number[]) => Math.max(0, ...amounts)

/** Writing to the cache of the provider may cost more. */
const inputCost = (price: Price, input: number): number =>
  mostOf([{ input }, { input, cacheWrite: input }].map(used => Number(costOf({ ...NO_USAGE, ...used }, price))))

const outputCost = (price: Price, output: number): number =>
  mostOf([{ output }, { output, reasoning: output }].map(used => Number(costOf({ ...NO_USAGE, ...used }, price))))

/** A model that makes images makes one, unless it is asked for more. */
const imagesCost = (price: Price, json: JsonObject): number =>
  price.image === undefined ? 0 : Number(costOf({ ...NO_USAGE, images: choicesIn(json) }, price))
