// The schema of a provider's model and its prices.
import { Type } from 'typebox'
import { integer } from '../../../kit/fields.ts'
import { ModelName } from '../model-name.ts'

/** Many times what any model costs. With the most tokens that a call can have, its cost still fits the journal. */
const PRICE_MAX = 1_000_000

const cents = (what: string) =>
  Type.Number({ minimum: 0, maximum: PRICE_MAX, description: `${what}, in cents per million tokens`, examples: [25] })

const Price = Type.Object(
  {
    input: cents('Input'),
    output: cents('Output'),
    cachedInput: Type.Optional(cents("Input from the provider's cache (by default priced as input)")),
    cacheWrite: Type.Optional(cents("Input that is written to the provider's cache (by default priced as input)")),
    cacheWriteHour: Type.Optional(
      cents('Input that is cached for an hour, in the messages format (if absent, such caching is rejected)'),
    ),
    reasoning: Type.Optional(cents('Reasoning (by default priced as output)')),
    image: Type.Optional(
      Type.Number({ minimum: 0, maximum: PRICE_MAX, description: 'An image, in cents', examples: [4] }),
    ),
  },
  { additionalProperties: false, description: 'The prices of the model', examples: [{ input: 25, output: 200 }] },
)

const bound = (description: string, example: number, maximum: number) =>
  Type.Optional(integer(description, example, { minimum: 1, maximum }))

const HOUR_MS = 3_600_000

export const ProviderModel = Type.Object(
  {
    id: ModelName('The name that clients use', 'large'),
    upstream: Type.Optional(ModelName('Its name at the provider, if that is another', 'large-2026-01')),
    kind: Type.Optional(
      Type.Enum(['chat', 'embedding'], { description: 'The kind of model; default `chat`', examples: ['chat'] }),
    ),
    price: Type.Optional(Price),
    outputMax: bound(
      'The most tokens of an answer, assumed for prepaid calls that set no limit; default: the known limit of a model of this name, or 4096',
      16_384,
      1e8,
    ),
    beginMs: bound('Milliseconds until its answer must begin; default 300000', 60_000, HOUR_MS),
    gapMs: bound('Milliseconds between two parts of its answer; default 300000', 60_000, HOUR_MS),
    rate: bound('Calls that an organisation may begin in a minute, in each process of this service', 600, 1e6),
    concurrency: bound('Concurrent calls of an organisation, in each process of this service', 50, 1e5),
  },
  { additionalProperties: false, title: 'ProviderModel', description: 'A model of a provider' },
)
