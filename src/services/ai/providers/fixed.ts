// Providers that are not added with an operation: the environment configures them, or they listen on this machine.
import { type Static, Type } from 'typebox'
import { boolean, string } from '../../../kit/fields.ts'
import type { Registry } from '../models/registry.ts'
import type { ConfiguredProvider } from './index.ts'
import { ProviderModel } from './provider-model.ts'

export const FixedProvider = Type.Object(
  {
    name: string('Its name', 'openai'),
    from: Type.Enum(['environment', 'machine'], {
      description: '`environment`: its variables are set; `machine`: it was found on this machine',
      examples: ['environment'],
    }),
    wire: Type.Enum(['openai', 'anthropic'], { description: 'The format of its API', examples: ['openai'] }),
    baseUrl: string('Its URL', 'https://api.openai.com/v1'),
    hasApiKey: boolean('Whether it has a key', true),
    models: Type.Array(ProviderModel, {
      description: 'Its known models; if there are none, any can be called as `provider/model`',
      examples: [[{ id: 'gpt-5-mini', price: { input: 25, output: 200 } }]],
    }),
  },
  { title: 'FixedProvider', description: 'A provider of models that cannot be changed with an operation' },
)

export type FixedProvider = { at: ConfiguredProvider; from: 'environment' | 'machine' }

/** Without the servers of this machine that are not there at the moment. */
export function shownFixed(state: {
  fixed: readonly FixedProvider[]
  registry: Registry
}): Static<typeof FixedProvider>[] {
  const offers = state.registry.all()
  return state.fixed.flatMap(({ at, from }) => {
    const own = offers.filter(offer => offer.at === at)
    if (from === 'machine' && own.length === 0) return []
    const { name, wire } = at.provider
    const models = own.map(({ id, kind, price }) => ({ id, kind, ...(price !== null && { price }) }))
    return [{ name, from, wire, baseUrl: at.baseUrl, hasApiKey: at.apiKey !== null, models }]
  })
}
