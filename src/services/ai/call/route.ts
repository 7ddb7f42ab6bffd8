// How a call of one wire reaches a model of a provider: as it is, or translated.
import type { Caller } from '../../../kit/caller.ts'
import { Fault } from '../../../kit/fault.ts'
import { LOCAL_EMBED } from '../models/local-models.ts'
import type { Offer } from '../models/offer.ts'
import type { Registry } from '../models/registry.ts'
import type { ProviderWire } from '../providers/provider.ts'
import { type AiSettings, modelsFor } from '../settings.ts'
import { chatOverMessages } from '../translations/chat-over-messages/chat-over-messages.ts'
import { messagesOverChat } from '../translations/messages-over-chat/messages-over-chat.ts'
import { responsesOverChat } from '../translations/responses-over-chat/responses-over-chat.ts'
import { through } from '../translations/through.ts'
import type { Translation } from '../translations/translation.ts'

/** `model` is the name by which the offer was found. `translation` is null if the bytes pass through. */
export type Route = { model: string; offer: Offer; wire: ProviderWire; translation: Translation | null }

const TRANSLATIONS: Record<ProviderWire, readonly [over: ProviderWire, Translation][]> = {
  chat: [['messages', chatOverMessages]],
  messages: [['chat', messagesOverChat]],
  responses: [
    ['chat', responsesOverChat],
    ['messages', through(responsesOverChat, chatOverMessages)],
  ],
  embeddings: [],
}

/** Null if the provider does not support the wire, and there is no translation to one that it supports. */
function routeTo(model: string, offer: Offer, wire: ProviderWire): Route | null {
  const { speaks } = offer.at.provider
  if (speaks.includes(wire)) return { model, offer, wire, translation: null }
  const found = TRANSLATIONS[wire].find(([over]) => speaks.includes(over))
  return found ? { model, offer, wire: found[0], translation: found[1] } : null
}

/** The routes to what the client named, in the order in which they are tried: the model, then its fallbacks. */
export function routesTo(
  registry: Registry,
  settings: AiSettings,
  named: string,
  wire: ProviderWire,
  { credential }: Caller,
  isPrepaid: boolean,
): Route[] {
  const [model, ...fallbacks] = modelsFor(settings, named)
  const offers = model === LOCAL_EMBED.id ? [LOCAL_EMBED] : registry.offersOf(model)
  if (offers.length === 0) throw unknownModel(registry.all(), named, model)
  const kind = wire === 'embeddings' ? 'embedding' : 'chat'
  const ways = (name: string) =>
    registry.offersOf(name).flatMap(offer => (offer.kind === kind ? (routeTo(name, offer, wire) ?? []) : []))
  const direct = ways(model)
  if (direct.length === 0) throw otherKind(model, (offers[0] as Offer).kind === kind ? null : (offers[0] as Offer).kind)
  const limit = credential.limits?.model
  const routes = [...direct, ...fallbacks.filter(name => !limit || limit.has(name)).flatMap(ways)]
  if (!credential.budget && !isPrepaid) return routes
  const priced = routes.filter(({ offer }) => offer.price !== null)
  if (priced.length > 0) return priced
  const message = `The model ${model} has no price, so it cannot be called ${isPrepaid ? 'here' : 'by a key with a budget'}. Ask the operator to set the price.`
  throw new Fault('model_unpriced', { message })
}

/** `kind` is null if the model is of the right kind, but its provider does not support the format. */
function otherKind(model: string, kind: Offer['kind'] | null): Fault {
  const path = kind === 'embedding' ? '/v1/embeddings' : '/v1/chat/completions'
  const message = kind
    ? `The model ${model} is of the kind \`${kind}\`: call it at \`POST ${path}\`.`
    : `The model ${model} cannot be called at this path: its provider does not support such calls.`
  return new Fault('invalid_input', { message, fields: [{ path: 'model', says: 'cannot be called at this path' }] })
}

function unknownModel(all: readonly Offer[], named: string, model: string): Fault {
  const which = named === model ? model : `${model} (alias ${named})`
  const message = all.some(({ kind }) => kind === 'chat')
    ? `There is no model ${which}. \`GET /v1/models\` lists those that can be called.`
    : `There is no model ${which}, because no provider is configured. Set OPENAI_API_KEY, ANTHROPIC_API_KEY or the like and restart, start Ollama on this machine, or add a provider with \`POST /v1/ai/providers\`.`
  return new Fault('not_found', { message, fields: [{ path: 'model', says: 'is not known' }] })
}
