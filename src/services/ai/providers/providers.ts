// Operations under /v1/ai/providers: the providers of models.
import { type Static, Type } from 'typebox'
import { nothing } from '../../../kit/answer.ts'
import { ADMIN_ORG } from '../../../kit/caller.ts'
import { invalidField } from '../../../kit/check.ts'
import { conflict, Fault } from '../../../kit/fault.ts'
import { boolean, orNone, slug, string, timestamp } from '../../../kit/fields.ts'
import { listing, page, paging, shownAs } from '../../../kit/page.ts'
import { changesIn } from '../../../kit/write.ts'
import { PROVIDERS_CHANNEL, PROVIDERS_MAX, sealName } from '../models/registry.ts'
import { operation } from '../state.ts'
import * as store from '../store.ts'
import { FixedProvider, shownFixed } from './fixed.ts'
import { BadEnvironment, checkedBaseUrl, PROVIDERS } from './index.ts'
import { ProviderModel } from './provider-model.ts'

const MODELS_MAX = 500
const KINDS = Object.keys(PROVIDERS)

const Models = Type.Array(ProviderModel, {
  maxItems: MODELS_MAX,
  description: `Its models, at most ${MODELS_MAX}`,
  examples: [[{ id: 'large', price: { input: 25, output: 200 } }]],
})

const Wire = Type.Enum(['openai', 'anthropic'], {
  description: 'The format of its API; default: that of its kind',
  examples: ['openai'],
})
const Kind = Type.Enum(KINDS, {
  description:
    'Which provider it is; by default `compatible`, which is any server with the OpenAI format, or `anthropic` if `wire` says so',
  examples: ['compatible'],
})
const BaseUrl = string(
  'Its URL, without the path of an operation; `/v1` if it has no path',
  'https://models.example.com/v1',
  { maxLength: 500 },
)
const Name = slug('The name of the provider here')
const ApiKey = string('Its key; it is stored encrypted and never shown', 'example-key', {
  pattern: '^[\\x21-\\x7e]{1,1000}$',
})

const Provider = Type.Object(
  {
    name: Name,
    wire: Wire,
    kind: Kind,
    baseUrl: string('Its URL', 'https://models.example.com/v1'),
    hasApiKey: boolean('Whether it has a key', true),
    models: Type.Array(ProviderModel, { description: 'Its models' }),
    created: timestamp('When it was added'),
    updated: timestamp('When it was last changed'),
  },
  { title: 'Provider', description: 'A provider of models' },
)

const shown = ({ apiKey, ...row }: store.ProviderRow): Static<typeof Provider> => ({
  ...row,
  wire: PROVIDERS[row.kind]?.wire ?? 'openai',
  hasApiKey: apiKey !== null,
})

export const listProviders = operation({
  route: 'GET /v1/ai/providers',
  summary: 'Lists the providers that were added, by name',
  description:
    'Those that cannot be changed here, because the environment configures them, are in `fixed` of each page.',
  access: 'superadmin',
  input: paging,
  output: Type.Object({
    ...listing(Provider).properties,
    fixed: Type.Array(FixedProvider, {
      description: 'Providers from the environment, and servers that were found on this machine',
    }),
  }),
  run: async ({ db, state }, query) => {
    await state.registry.ready()
    const added = await shownAs(
      page(query, (last, count) => store.selectProviders(db, last, count), 'name'),
      shown,
    )
    return { ...added, fixed: shownFixed(state) }
  },
})

export const addProvider = operation({
  route: 'POST /v1/ai/providers',
  summary: 'Adds a provider; its models can be called immediately',
  description: `At most ${PROVIDERS_MAX}. If several providers offer a model, the added ones are tried first, by name, then those from the environment.`,
  access: 'superadmin',
  input: {
    name: Name,
    wire: Type.Optional(Wire),
    kind: Type.Optional(Kind),
    baseUrl: BaseUrl,
    apiKey: Type.Optional(ApiKey),
    models: Models,
  },
  output: Provider,
  status: 201,
  audit: 'ai.provider.add',
  faults: ['conflict'],
  run: ({ write, seal, clock }, { name, wire, kind = kindOf(wire), baseUrl, apiKey, models }) =>
    write(async ({ db, record }) => {
      if (wire && PROVIDERS[kind]?.wire !== wire) {
        throw invalidField('wire', `is not that of the kind ${kind}`)
      }
      requireDistinct(models)
      const created = clock.now().toISOString()
      const sealed = apiKey === undefined ? null : seal.seal(ADMIN_ORG, sealName(name), apiKey)
      const row = { name, kind, baseUrl: urlOf(kind, baseUrl), apiKey: sealed, models, created, updated: created }
      if ((await store.countProviders(db)) >= PROVIDERS_MAX)
        throw conflict(`There may be at most ${PROVIDERS_MAX} providers.`)
      if (!(await store.insertProvider(db, row)))
        throw conflict(`The provider ${name} already exists; change or delete it.`)
      await store.notifyProviders(db, PROVIDERS_CHANNEL)
      record(name, changesIn(null, recorded(row), FIELDS))
      return shown(row)
    }),
})

export const updateProvider = operation({
  route: 'PATCH /v1/ai/providers/{name}',
  summary: 'Changes the given fields of a provider',
  access: 'superadmin',
  input: { name: Name, baseUrl: Type.Optional(BaseUrl), apiKey: orNone(ApiKey), models: Type.Optional(Models) },
  output: Provider,
  audit: 'ai.provider.update',
  faults: ['not_found'],
  run: ({ write, seal, clock }, { name, baseUrl, apiKey, models }) =>
    write(async ({ db, record }) => {
      const before = await store.lockProvider(db, name)
      if (!before) throw unknown(name)
      if (models) requireDistinct(models)
      const sealed = apiKey ? seal.seal(ADMIN_ORG, sealName(name), apiKey) : null
      const row = {
        ...before,
        ...(baseUrl !== undefined && { baseUrl: urlOf(before.kind, baseUrl) }),
        ...(apiKey !== undefined && { apiKey: sealed }),
        ...(models && { models }),
      }
      const changes = changesIn(recorded(before), recorded(row), FIELDS)
      if (apiKey === undefined && Object.keys(changes).length === 0) return shown(before)
      const after = { ...row, updated: clock.now().toISOString() }
      await store.updateProvider(db, after)
      await store.notifyProviders(db, PROVIDERS_CHANNEL)
      record(name, changes)
      return shown(after)
    }),
})

export const deleteProvider = operation({
  route: 'DELETE /v1/ai/providers/{name}',
  summary: 'Deletes a provider; running calls continue',
  access: 'superadmin',
  input: { name: Name },
  output: nothing,
  audit: 'ai.provider.delete',
  faults: ['not_found'],
  run: ({ write }, { name }) =>
    write(async ({ db, record }) => {
      if (!(await store.deleteProvider(db, name))) throw unknown(name)
      await store.notifyProviders(db, PROVIDERS_CHANNEL)
      record(name)
    }),
})

const kindOf = (wire: 'openai' | 'anthropic' | undefined) => (wire === 'anthropic' ? 'anthropic' : 'compatible')

const FIELDS = ['kind', 'baseUrl', 'hasApiKey', 'models'] as const

const recorded = ({ kind, baseUrl, apiKey, models }: store.ProviderRow) => ({
  ...{ kind, baseUrl, models },
  hasApiKey: apiKey !== null,
})

const unknown = (name: string) => new Fault('not_found', { message: `There is no provider ${name}.` })

function urlOf(kind: string, baseUrl: string): string {
  const provider = PROVIDERS[kind]
  if (!provider) throw invalidField('kind', 'is not known')
  try {
    return checkedBaseUrl(provider, baseUrl, 'baseUrl')
  } catch (error) {
    if (!(error instanceof BadEnvironment)) throw error
    throw invalidField('baseUrl', error.message.replace(/^baseUrl (.*)[.]$/, '$1'))
  }
}

function requireDistinct(models: readonly { id: string }[]): void {
  const ids = models.map(({ id }) => id)
  const at = ids.findIndex((id, index) => ids.indexOf(id) !== index)
  if (at !== -1) throw invalidField(`models.${at}.id`, 'occurs twice')
}
