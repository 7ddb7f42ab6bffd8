// The models that can be called: what providers offer, by the name that clients use.
import type { ConfiguredProvider } from '../providers/index.ts'
import type { KnownModel, Price } from '../providers/provider.ts'

/** A model as the operator declares it. `upstream` is its name at the provider, if that is another. */
export type OfferedModel = {
  id: string
  upstream?: string
  kind?: KnownModel['kind']
  price?: Price
} & ModelBounds

/** `beginMs`: until its answer begins. `gapMs`: between two parts of it. `rate` and `concurrency` are those of each
 *  organisation: calls that begin in a minute, and calls at once. */
export type ModelBounds = { beginMs?: number; gapMs?: number; rate?: number; concurrency?: number }

/** A model of one provider. `price` is null if nobody said what it costs. */
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
  models.map(({ id, upstream = id, kind = 'chat', price, ...bounds }) => ({
    ...{ id, upstream, kind, price: price ?? null, by, at, bounds },
  }))

export const knownOffers = (at: ConfiguredProvider): Offer[] =>
  at.provider.models.map(({ id, kind, price, outputTokensMax }) => ({
    ...{ id, upstream: id, kind, price, by: at.provider.name, at, bounds: {} },
    ...(outputTokensMax !== undefined && { outputMax: outputTokensMax }),
  }))
