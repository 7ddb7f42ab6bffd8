// An answer in one piece, on its way to the client.
import { isUtf8 } from 'node:buffer'
import { type Reply, reply } from '../../../kit/answer.ts'
import { Fault } from '../../../kit/fault.ts'
import type { ProviderWire } from '../providers/provider.ts'
import { countText } from '../tokens.ts'
import type { About, JsonObject } from '../translations/translation.ts'
import type { Whole } from './attempt.ts'
import { type Asked, countedIn, usedTokens } from './counted.ts'
import type { Issuing } from './issued.ts'
import type { Outcome } from './outcome.ts'
import { USAGE_IN } from './produced.ts'
import { unusable } from './refusal.ts'
import type { Route } from './route.ts'
import { wordsIn } from './texts.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
/** A text is sent in one piece with the head. To encode a longer one again would cost more than that saves. */
const TEXT_BYTES_MAX = 16 * 1024

/** What an answer is built from, besides the provider's bytes. `inputTokens` is an estimate; `told` are headers. */
export type Answering = Asked & {
  wire: ProviderWire
  inputTokens: number
  about: About
  issuing: Issuing | null
  outcome: Outcome
  told: Record<string, string>
}

export async function wholeReply(
  route: Route,
  { bytes, text, json }: Whole,
  answering: Answering,
  firstMs: number,
): Promise<Reply> {
  const { about, issuing, outcome, told } = answering
  const reported = USAGE_IN[route.wire](json)
  const isWhole = reported !== null && reported.input > 0 && (reported.output > 0 || wordsIn(json) === '')
  const counted = isWhole ? null : await countedIn(route.wire, answering, () => countText(wordsIn(json)))
  const used = { route, ...usedTokens(reported, counted), firstMs }
  const answer = answerOf(route, json, about, answering.json)
  if (answer instanceof Fault) {
    await outcome.settle({ ...used, error: answer.code })
    throw answer
  }
  const replied = reply(200, { ...JSON_TYPE, ...told }, answer ?? asText(bytes, text))
  const noted = issuing?.whole(json, used.usage)
  const [paid] = await Promise.all([outcome.answer({ ...used, error: null }, replied), noted])
  return paid
}

/** Bytes that are not valid text must pass unchanged. */
const asText = (bytes: Buffer, text: string) => (bytes.length <= TEXT_BYTES_MAX && isUtf8(bytes) ? text : bytes)

/** Null if the bytes pass through. The provider's output is charged even if it cannot be translated. */
function answerOf(
  { translation, offer }: Route,
  json: object,
  about: About,
  request: JsonObject,
): string | Fault | null {
  if (!translation) return null
  try {
    return JSON.stringify(translation.answer(json as JsonObject, about, request))
  } catch (cause) {
    return unusable(offer.by, cause).fault
  }
}
