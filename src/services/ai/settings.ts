// Operations under /v1/ai/settings: what an organisation chooses for its model calls.
import { Type } from 'typebox'
import { invalidInput } from '../../kit/check.ts'
import { changesIn } from '../../kit/write.ts'
import { DEFAULT_SETTINGS, SETTINGS_CHANNEL } from './chosen-settings.ts'
import { ModelName } from './model-name.ts'
import { LOCAL_EMBED } from './models/local-models.ts'
import type { Registry } from './models/registry.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

const ENTRIES_MAX = 100
const FALLBACKS_MAX = 5

const Alias = Type.Object(
  {
    name: ModelName('The name that clients use', 'fast'),
    model: ModelName('The model that they then call', 'gpt-5-mini'),
  },
  { additionalProperties: false, title: 'ModelAlias', description: 'Another name for a model' },
)

const Fallback = Type.Object(
  {
    model: ModelName('The model, or an alias', 'gpt-5'),
    to: Type.Array(ModelName('A model', 'claude-sonnet-5'), {
      minItems: 1,
      maxItems: FALLBACKS_MAX,
      uniqueItems: true,
      description: `What is called instead, in this order: up to ${FALLBACKS_MAX} models`,
      examples: [['claude-sonnet-5']],
    }),
  },
  { additionalProperties: false, title: 'ModelFallback', description: 'What is called when a model fails' },
)

const FIELDS = {
  aliases: Type.Array(Alias, {
    maxItems: ENTRIES_MAX,
    description: `Other names for models: up to ${ENTRIES_MAX}; default none`,
    examples: [[{ name: 'vectors', model: 'local-embed-en' }]],
  }),
  fallbacks: Type.Array(Fallback, {
    maxItems: ENTRIES_MAX,
    description: `What is called when a model cannot be reached or is busy: up to ${ENTRIES_MAX}; default none`,
    examples: [[{ model: 'gpt-5', to: ['claude-sonnet-5'] }]],
  }),
}

const AiSettings = Type.Object(FIELDS, {
  title: 'AiSettings',
  description: 'What an organisation chose for its model calls',
})

export const getAiSettings = operation({
  route: 'GET /v1/ai/settings',
  summary: 'Reads what the organisation chose for its model calls',
  access: 'bearer',
  output: AiSettings,
  run: async ({ db, caller }) => (await store.selectSettings(db, caller.org)) ?? DEFAULT_SETTINGS,
})

export const updateAiSettings = operation({
  route: 'PATCH /v1/ai/settings',
  summary: 'Changes what the organisation chose for its model calls',
  description:
    'A list replaces the one before. A key that is limited to models may call an alias only if its limit names the alias, and falls back only to models that its limit names. A request that the provider refuses, and an account that it refuses, are not tried elsewhere.',
  access: 'admin',
  issuesCredential: true, // An alias widens what keys that are limited to models may call.
  input: { aliases: Type.Optional(FIELDS.aliases), fallbacks: Type.Optional(FIELDS.fallbacks) },
  output: AiSettings,
  audit: 'ai.settings.update',
  run: ({ caller: { org }, state, write }, input) =>
    write({ serialize: true }, async ({ db, record }) => {
      requireOnce(
        'aliases',
        'name',
        input.aliases?.map(({ name }) => name),
      )
      requireOnce(
        'fallbacks',
        'model',
        input.fallbacks?.map(({ model }) => model),
      )
      const before = (await store.lockSettings(db, org)) ?? DEFAULT_SETTINGS
      const after = { ...before, ...input }
      await state.registry.ready()
      requireKnown(state.registry, before, input.aliases)
      const changes = changesIn(before, after, ['aliases', 'fallbacks'])
      if (Object.keys(changes).length === 0) return before
      await store.saveSettings(db, org, SETTINGS_CHANNEL, after)
      record('settings', changes)
      return after
    }),
})

/** Whoever has an alias for a server that is off at the moment keeps it. */
function requireKnown(registry: Registry, before: store.AiSettings, aliases: store.AiSettings['aliases'] = []): void {
  const isKnown = ({ name, model }: store.AiSettings['aliases'][number]) =>
    model === LOCAL_EMBED.id ||
    registry.offersOf(model).length > 0 ||
    before.aliases.some(one => one.name === name && one.model === model)
  const at = aliases.findIndex(one => !isKnown(one))
  if (at !== -1)
    throw invalidInput([{ path: `aliases.${at}.model`, says: 'is not known; `GET /v1/models` lists the models' }])
}

function requireOnce(list: string, field: string, names: readonly string[] = []): void {
  const at = names.findIndex((name, index) => names.indexOf(name) !== index)
  if (at !== -1) throw invalidInput([{ path: `${list}.${at}.${field}`, says: 'occurs twice' }])
}
