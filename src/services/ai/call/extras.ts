// What costs more than its tokens. The prices here know nothing of it, so the operator would pay.
import { invalidInput } from '../../../kit/check.ts'
import type { Price } from '../providers/provider.ts'
import type { JsonObject } from '../translations/translation.ts'
import { fieldIn, wordOf } from './fields.ts'

/** Search, tools that run at the provider, other models beside the one that was named, speech, and the choice among
 *  sellers with different prices. */
export const EXTRA_FIELDS = [
  ...['web_search_options', 'plugins', 'search_parameters', 'search_settings', 'enable_search', 'web_search'],
  ...['compound_custom', 'mcp_servers', 'safety_model', 'audio', 'provider'],
]
/** Google names its tools by a field instead of a type. */
export const EXTRA_TOOLS = [
  ...['google_search', 'google_search_retrieval', 'google_maps', 'enterprise_web_search', 'url_context'],
  ...['code_execution', 'file_search', 'computer_use', 'web_search'],
]
/** Tools that run at the client, or that only choose among its tools. Each use of others may cost; new ones are of either kind,
 *  so that they are refused until they are known. */
const FREE_TOOLS =
  /^(function|custom|namespace|computer|computer_use_preview|local_shell|apply_patch|tool_search|tool_search_tool_(regex|bm25)(_\d+)?|(bash|text_editor|computer|memory)_\d+)$/
/** By default, or for less. */
const TIERS = ['auto', 'default', 'standard', 'standard_only', 'on_demand', 'flex', 'batch']
const CACHE_TTL = '5m'
const SAYS = 'costs more than tokens, which has no price here'

/** Raises 400 for a model that has a price. */
export function requireNoExtras(json: JsonObject, price: Price | null): void {
  if (price === null || (price.input === 0 && price.output === 0)) return
  const path = extraIn(json, price) ?? extraTool(json.tools, 'tools', price) ?? longCache(json)
  if (path !== null) throw invalidInput([{ path, says: SAYS }])
}

function extraIn(json: JsonObject, price: Price): string | null {
  const field = EXTRA_FIELDS.find(name => !isOff(json[name]))
  if (field !== undefined) return field
  if (!isOneOf(json.service_tier, TIERS)) return 'service_tier'
  if (!isOneOf(json.speed, ['standard'])) return 'speed'
  // Inference in one country costs more.
  if (!isOneOf(json.inference_geo, ['global'])) return 'inference_geo'
  const { modalities = null } = json
  const priced = price.image === undefined ? ['text'] : ['text', 'image']
  const isPriced = modalities === null || (Array.isArray(modalities) && modalities.every(one => isOneOf(one, priced)))
  return isPriced ? null : 'modalities'
}

function extraTool(tools: unknown, path: string, price: Price): string | null {
  if (!Array.isArray(tools)) return null
  for (const [at, tool] of tools.entries()) {
    const found = extraOf(tool as JsonObject, `${path}.${at}`, price)
    if (found !== null) return found
  }
  return null
}

/** In the wire of messages, a tool without a type is one of the client. */
function extraOf(tool: JsonObject, path: string, price: Price): string | null {
  const name = EXTRA_TOOLS.find(name => !isOff(tool[name]))
  if (name !== undefined) return `${path}.${name}`
  const { type = null } = tool
  const kind = type === null ? 'custom' : wordOf(type)
  if (kind === 'image_generation' && price.image !== undefined) return null
  return FREE_TOOLS.test(kind) ? extraTool(tool.tools, `${path}.tools`, price) : `${path}.type`
}

/** Input that is cached for an hour costs more than what is cached as usual, whose price is known. */
function longCache(json: JsonObject): string | null {
  const path = fieldIn(
    json,
    (name, value) => name === 'cache_control' && !isOneOf((value as JsonObject).ttl, [CACHE_TTL]),
  )
  return path === null ? null : `${path}.ttl`
}

const isOff = (value: unknown): boolean =>
  (value ?? null) === null || value === false || (Array.isArray(value) && value.length === 0)

/** Absent, or one of the words as providers may read it. */
const isOneOf = (value: unknown, words: readonly string[]): boolean =>
  (value ?? null) === null || words.includes(wordOf(value))
