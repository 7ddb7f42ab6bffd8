// An organisation's model aliases and fallbacks: /v1/ai/settings.
import { Type } from 'typebox'
import { invalidField } from '../../kit/check.ts'
import { declareOrgSettings, type ValuesOf } from '../../kit/org-settings/declare.ts'
import { ModelName } from './model-name.ts'
import { LOCAL_EMBED } from './models/local-models.ts'
import type { Registry } from './models/registry.ts'

const ENTRIES_MAX = 100
const FALLBACKS_MAX = 5

const Alias = Type.Object(
  {
    name: ModelName('The name that clients use', 'fast'),
    model: ModelName('The model that is then called', 'gpt-5-mini'),
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
      description: `The models that are called instead, in this order: up to ${FALLBACKS_MAX}, of the same kind`,
      examples: [['claude-sonnet-5']],
    }),
  },
  {
    additionalProperties: false,
    title: 'ModelFallback',
    description: 'The models that are called when another one fails',
  },
)

export const aiSettings = declareOrgSettings({
  service: 'ai',
  what: "the organisation's aliases of models, and the models to use when another one fails",
  description:
    'A list replaces the previous one. A key limited to models may call an alias only if its limit names the alias, and falls back only to models that its limit names. If the provider rejects the request or the account, no fallback is called.',
  issuesCredential: true, // An alias widens what keys that are limited to models may call.
  fields: {
    aliases: {
      schema: Type.Array(Alias, {
        maxItems: ENTRIES_MAX,
        description: `Other names for models: up to ${ENTRIES_MAX}; default none`,
        examples: [[{ name: 'vectors', model: 'local-embed-en' }]],
      }),
      default: [],
    },
    fallbacks: {
      schema: Type.Array(Fallback, {
        maxItems: ENTRIES_MAX,
        description: `The models to call when a model cannot be reached or is busy: up to ${ENTRIES_MAX} entries; default none`,
        examples: [[{ model: 'gpt-5', to: ['claude-sonnet-5'] }]],
      }),
      default: [],
    },
  },
  prepare: async (change, before, { registry }: { registry: Registry }) => {
    const { aliases = [], fallbacks = [] } = change
    const names = aliases.map(({ name }) => name)
    const models = fallbacks.map(({ model }) => model)
    requireOnce('aliases', 'name', names)
    requireOnce('fallbacks', 'model', models)
    await registry.ready()
    requireKnown(registry, before.aliases, aliases)
    requireSameKind(registry, change.aliases ?? before.aliases, fallbacks)
    return change
  },
})

export type AiSettings = ValuesOf<typeof aiSettings>

/** The models to try for a name, in order. An alias has the fallbacks of its model, unless it has its own. */
export function modelsFor({ aliases, fallbacks }: AiSettings, name: string): [string, ...string[]] {
  const model = aliases.find(one => one.name === name)?.model ?? name
  const next = fallbacks.find(one => one.model === name) ?? fallbacks.find(one => one.model === model)
  return [model, ...(next?.to ?? []).filter(other => other !== model)]
}

/** Rejects aliases of unknown models. Existing aliases stay valid, because their server may only be off at the moment. */
function requireKnown(registry: Registry, before: AiSettings['aliases'], aliases: AiSettings['aliases']): void {
  const isKnown = ({ name, model }: AiSettings['aliases'][number]) =>
    model === LOCAL_EMBED.id ||
    registry.offersOf(model).length > 0 ||
    before.some(one => one.name === name && one.model === model)
  const at = aliases.findIndex(one => !isKnown(one))
  if (at !== -1) throw invalidField(`aliases.${at}.model`, 'is not known; `GET /v1/models` lists the models')
}

/** A fallback of another kind is never called. A model that is not known at the moment may be of any kind. */
function requireSameKind(registry: Registry, aliases: AiSettings['aliases'], fallbacks: AiSettings['fallbacks']): void {
  const kindsOf = (model: string) =>
    (model === LOCAL_EMBED.id ? [LOCAL_EMBED] : registry.offersOf(model)).map(({ kind }) => kind)
  for (const [at, { model, to }] of fallbacks.entries()) {
    const [needed, ...more] = kindsOf(aliases.find(({ name }) => name === model)?.model ?? model)
    if (needed === undefined || more.some(kind => kind !== needed)) continue
    const wrong = to.findIndex(name => kindsOf(name).length > 0 && !kindsOf(name).includes(needed))
    if (wrong === -1) continue
    const says = `is not of the kind \`${needed}\`, which a fallback of ${model} must be; \`GET /v1/models\` lists the kinds`
    throw invalidField(`fallbacks.${at}.to.${wrong}`, says)
  }
}

function requireOnce(list: string, field: string, names: readonly string[]): void {
  const at = names.findIndex((name, index) => names.indexOf(name) !== index)
  if (at !== -1) throw invalidField(`${list}.${at}.${field}`, 'occurs twice')
}
