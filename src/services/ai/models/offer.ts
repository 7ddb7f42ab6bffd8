// The models that can be called: what providers offer, by the name that clients use.
import { type ConfiguredProvider, PROVIDERS } from '../providers/index.ts'
import type { KnownModel, Price, Provider } from '../providers/provider.ts'

/** A model as the operator declares it. `upstream` is its name at the provider, if that is another. */
export type OfferedModel = {
  id: string
  upstream?: string
  kind?: KnownModel['kind']
  price?: Price
  outputMax?: number
} & ModelBounds

/** `beginMs`: until its answer begins. `gapMs`: between two parts of it. `rate` and `concurrency` apply to each
 *  organisation: calls that begin in a minute, and concurrent calls. */
export type ModelBounds = { beginMs?: number; gapMs?: number; rate?: number; concurrency?: number }

/** A model of one provider. `price` is null if it is not known. */
export type Offer = {
  id: string
  upstream: string
  kind: KnownModel['kind']
  price: Price | null
  /** The name under which the provider is listed. */
  by: string
  at: ConfiguredProvider
  bounds: ModelBounds
  /** The most tokens of an answer, if that is known. */
  outputMax?: number
}

export const offersOf = (by: string, at: ConfiguredProvider, models: readonly OfferedModel[]): Offer[] =>
  models.map(({ id, upstream = id, kind = 'chat', price, outputMax = knownOutput(upstream, at), ...bounds }) => ({
    ...{ id, upstream, kind, price: price ?? null, by, at, bounds },
    ...(outputMax !== undefined && { outputMax }),
  }))

/** The limit of a model with a known name: that of its own provider, or else the lowest of all providers. */
function knownOutput(upstream: string, { provider }: ConfiguredProvider): number | undefined {
  const own = outputIn([provider], upstream)
  return own.length > 0 ? own[0] : outputIn(Object.values(PROVIDERS), upstream).sort((a, b) => a - b)[0]
}

const outputIn = (providers: readonly Provider[], upstream: string): number[] =>
  providers.flatMap(({ models }) => models.flatMap(one => (one.id === upstream ? (one.outputTokensMax ?? []) : [])))

export const knownOffers = (at: ConfiguredProvider): Offer[] =>
  at.provider.models.map(({ id, kind, price, outputTokensMax }) => ({
    ...{ id, upstream: id, kind, price, by: at.provider.name, at, bounds: {} },
    ...(outputTokensMax !== undefined && { outputMax: outputTokensMax }),
  }))
