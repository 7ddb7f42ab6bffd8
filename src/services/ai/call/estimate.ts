// The maximum cost of a call, which is held when it starts. For postpaid calls it need not be exact, but must be
// cheap to compute; for prepaid calls it is an upper bound.

import { invalidField } from '../../../kit/check.ts'
import { fetchedFile } from '../media.ts'
import type { Offer } from '../models/offer.ts'
import { costOf } from '../price.ts'
import type { Price, ProviderWire } from '../providers/provider.ts'
import { fullInput } from '../tokens.ts'
import type { JsonObject } from '../translations/translation.ts'
import { NO_USAGE } from '../wires/usage.ts'
import type { Limit } from './body.ts'
import { hasLongCache } from './extras.ts'
import { plain } from './fields.ts'
import { choicesIn, limitIn, limitName, requireCount } from './limits.ts'

/** A token is seldom shorter, and hardly ever longer than the wire's own quotes and names. */
const BYTES_PER_TOKEN = 4
const OUTPUT_DEFAULT = 1_024
const OUTPUT_MAX = 200_000
/** Other models have other tokens, and providers add instructions of their own: for tools, several hundred. */
const INPUT_FACTOR = 1.5
const INPUT_MORE = 1_024
/** For a model with an unknown limit: nearly every model can write as much, and providers reject a limit above their
 *  own. */
const OUTPUT_UNKNOWN = 4_096
/** A smaller limit is of no use. */
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

/** `stored` are tokens that the provider has already. */
export function roughCosts(
  { price, kind }: Offer,
  wire: ProviderWire,
  json: JsonObject,
  bytes: number,
  stored: number,
): Costs {
  const inputTokens = stored + Math.ceil(bytes / BYTES_PER_TOKEN)
  const none = { most: 0, least: 0, amount: 0, inputTokens, limitWithin: () => null }
  if (price === null) return none
  const limit = limitIn(json, wire) ?? OUTPUT_DEFAULT
  const output = kind === 'embedding' ? 0 : Math.min(Math.round(limit * choicesIn(json)), OUTPUT_MAX)
  const most = Number(costOf({ ...NO_USAGE, input: inputTokens, output }, price))
  return { ...none, most, least: most, amount: inputCost(price, inputTokens) }
}

/** The maximum over these offers. Raises 400 if the cost has no upper bound. */
export async function fullCosts(
  offers: readonly Offer[],
  wire: ProviderWire,
  json: JsonObject,
  stored: number,
): Promise<Costs> {
  const prices = pricesFor(json, offers)
  requireBounded(json, prices)
  const models = offers.map(({ upstream }) => upstream)
  const sent = await fullInput(json, models)
  const inputTokens = stored + sent.likely
  const input = Math.ceil((stored + sent.most) * INPUT_FACTOR) + INPUT_MORE
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
  const whole = { most: costs(output), amount, inputTokens }
  if (limit !== null) return { ...whole, least: whole.most, limitWithin: () => null }
  const each = mostOf(prices.map(price => outputCost(price, MILLION))) * choices
  const tokensWithin = (held: number) =>
    each === 0 ? output : Math.min(output, Math.floor(((held - costs(0)) * MILLION) / each))
  const limitWithin = (held: number) => ({ name: limitName(wire), tokens: tokensWithin(held) })
  return { ...whole, least: costs(Math.min(OUTPUT_LEAST, output)), limitWithin }
}

/** Input that is written to the cache may cost more: the price for an hour is assumed if the request asks for that. */
function pricesFor(json: JsonObject, offers: readonly Offer[]): Price[] {
  const isLong = hasLongCache(json)
  return offers.flatMap(({ price }) => {
    if (!isLong || price?.cacheWriteHour === undefined) return price ?? []
    return { ...price, cacheWrite: price.cacheWriteHour }
  })
}

const MILLION = 1_000_000
const mostOf = (amounts: readonly number[]) => Math.max(0, ...amounts)

/** Writing to the cache of the provider may cost more. */
const inputCost = (price: Price, input: number): number =>
  mostOf([{ input }, { input, cacheWrite: input }].map(used => Number(costOf({ ...NO_USAGE, ...used }, price))))

const outputCost = (price: Price, output: number): number =>
  mostOf([{ output }, { output, reasoning: output }].map(used => Number(costOf({ ...NO_USAGE, ...used }, price))))

/** An image model generates one image, unless the request asks for more. */
const imagesCost = (price: Price, json: JsonObject): number =>
  price.image === undefined ? 0 : Number(costOf({ ...NO_USAGE, images: imagesIn(json) }, price))

const imagesIn = (json: JsonObject): number =>
  Math.max(choicesIn(json), hasImageTool(json) ? Number(json.max_tool_calls) : 0)

/** Each use of the tool generates an image. */
const hasImageTool = ({ tools, input }: JsonObject): boolean =>
  [tools, ...(Array.isArray(input) ? input.map(item => item?.tools) : [])].some(isImageTool)

const isImageTool = (tools: unknown): boolean =>
  Array.isArray(tools) &&
  tools.some(tool => plain(String(tool?.type).slice(0, 64)) === 'imagegeneration' || isImageTool(tool?.tools))

const IMAGES_MAX = 128

function requireBounded(json: JsonObject, prices: readonly Price[]): void {
  const path = fetchedFile(json)
  if (path !== null) {
    throw invalidField(path, 'is a URL, whose cost cannot be estimated: send the content itself')
  }
  if (!hasImageTool(json) || prices.every(({ image }) => image === undefined)) return
  if ((json.max_tool_calls ?? null) === null) {
    throw invalidField('max_tool_calls', 'is required with the tool `image_generation`')
  }
  requireCount(json, ['max_tool_calls'], IMAGES_MAX)
}
