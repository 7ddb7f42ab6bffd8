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
  models.map(({ id, upstream = id, kind = 'chat', price, outputMax = knownOutput(upstream, at), ...bounds }) => ({
    ...{ id, upstream, kind, price: price ?? null, by, at, bounds },
    ...(outputMax !== undefined && { outputMax }),
  }))

/** Of a model whose name is known: with its own provider, or else the least of all, because the name may stand for any. */
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
