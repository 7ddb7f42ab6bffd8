// Operations under /v1/models: the models that can be called.
import { Type } from 'typebox'
import { Fault } from '../../../kit/fault.ts'
import { integer, string } from '../../../kit/fields.ts'
import { operation } from '../state.ts'
import { LOCAL_EMBED } from './local-models.ts'
import type { Offer } from './offer.ts'

const cents = (what: string, example: number) =>
  Type.Number({ description: `${what}, in cents per million tokens`, examples: [example] })

const ModelPrice = Type.Object(
  {
    input: cents('Input', 25),
    output: cents('Output', 200),
    cachedInput: Type.Optional(cents("Input from the provider's cache", 2.5)),
    cacheWrite: Type.Optional(cents("Input that is written to the provider's cache", 31.25)),
    cacheWriteHour: Type.Optional(cents("Input that is written to the provider's cache for an hour", 50)),
    reasoning: Type.Optional(cents('Reasoning', 200)),
    image: Type.Optional(Type.Number({ description: 'An image, in cents', examples: [4] })),
  },
  { title: 'ModelPrice', description: 'The prices of a model' },
)

const ListedModel = Type.Object(
  {
    id: string('The name for `model`', 'gpt-5-mini'),
    object: Type.Literal('model', { description: 'Always `model`' }),
    created: integer('Always 0: providers do not agree on it', 0),
    owned_by: string('The provider', 'openai'),
    kind: Type.Enum(['chat', 'embedding'], { description: 'The kind of model', examples: ['chat'] }),
    price: Type.Optional(ModelPrice),
  },
  {
    title: 'Model',
    description: 'A model that can be called; without a price, its calls are counted but cost nothing',
  },
)

const listed = ({ id, by, kind, price }: Offer) => ({
  ...{ id, object: 'model' as const, created: 0, owned_by: by, kind },
  ...(price !== null && { price }),
})

export const listModels = operation({
  route: 'GET /v1/models',
  summary: 'Lists the models that can be called',
  access: 'bearer',
  project: 'chosen',
  output: Type.Object(
    {
      object: Type.Literal('list', { description: 'Always `list`' }),
      data: Type.Array(ListedModel, { description: 'The models, by name' }),
    },
    { title: 'ModelList', description: 'In the format of the models interface' },
  ),
  run: async ({ caller, state }) => {
    await state.registry.ready()
    const first = new Map([LOCAL_EMBED, ...state.registry.all()].reverse().map(offer => [offer.id, offer]))
    const limit = caller.credential.limits?.model
    const allowed = [...first.values()].filter(({ id }) => !limit || limit.has(id))
    return { object: 'list' as const, data: allowed.sort((a, b) => (a.id < b.id ? -1 : 1)).map(listed) }
  },
})

export const getModel = operation({
  route: 'GET /v1/models/{id...}',
  summary: 'Returns one model that can be called',
  access: 'bearer',
  project: 'chosen',
  model: 'id',
  input: { id: string('The name of the model', 'local-embed-en', { maxLength: 200 }) },
  output: ListedModel,
  faults: ['not_found'],
  run: async ({ state }, { id }) => {
    await state.registry.ready()
    const [offer] = id === LOCAL_EMBED.id ? [LOCAL_EMBED] : state.registry.offersOf(id)
    if (!offer) throw new Fault('not_found', { message: `There is no model ${id}.` })
    return listed({ ...offer, id })
  },
})
