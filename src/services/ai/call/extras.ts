// What costs more than its tokens. The prices here know nothing of it, so the operator would pay.
import { invalidInput } from '../../../kit/check.ts'
import type { Price } from '../providers/provider.ts'
import type { JsonObject } from '../translations/translation.ts'

/** Tools that run at the provider, each use of which it charges. */
const TOOLS = /^(web_search|file_search|code_interpreter|code_execution|image_generation)/
const FIELDS = ['web_search_options', 'plugins']
/** By default, or for less. */
const TIERS = ['auto', 'default', 'standard', 'standard_only', 'flex', 'batch']
const SAYS = 'costs more than tokens, which has no price here'

/** Raises 400 for a model that has a price. */
export function requireNoExtras(json: JsonObject, price: Price | null): void {
  if (price === null || (price.input === 0 && price.output === 0)) return
  const field = FIELDS.find(name => (json[name] ?? null) !== null)
  if (field) throw invalidInput([{ path: field, says: SAYS }])
  const { service_tier: tier = null, speed = null, tools } = json
  if (tier !== null && !TIERS.includes(String(tier))) throw invalidInput([{ path: 'service_tier', says: SAYS }])
  if (speed !== null && speed !== 'standard') throw invalidInput([{ path: 'speed', says: SAYS }])
  if (!Array.isArray(tools)) return
  const at = tools.findIndex(tool => isExtra(tool, price))
  if (at !== -1) throw invalidInput([{ path: `tools.${at}.type`, says: SAYS }])
}

function isExtra(tool: unknown, price: Price): boolean {
  const type = String((tool as { type?: unknown } | null)?.type)
  return TOOLS.test(type) && !(type === 'image_generation' && price.image !== undefined)
}
