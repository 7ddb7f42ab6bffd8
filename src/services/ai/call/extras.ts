// Rejects features with costs besides tokens. The prices here do not cover them, so the operator would pay.
import type { IncomingHttpHeaders } from 'node:http'
import { invalidInput } from '../../../kit/check.ts'
import type { FieldFault } from '../../../kit/fault.ts'
import type { Price } from '../providers/provider.ts'
import type { JsonObject } from '../translations/translation.ts'
import { faultIn, wordOf } from './fields.ts'
import type { Route } from './route.ts'
import { isTurnedOff, VENDOR_FIELDS, VENDOR_TOOLS, vendorToolSays } from './vendor-tools.ts'

/** Search, tools that run at the provider, other models beside the one that was named, speech, and the choice among
 *  sellers with different prices. */
export const EXTRA_FIELDS = [
  ...['web_search_options', 'plugins', 'search_parameters', 'search_settings', 'enable_search', 'web_search'],
  ...['compound_custom', 'mcp_servers', 'safety_model', 'audio', 'provider'],
]
/** Tools that run at the client, or that only choose among its tools. Each use of other tools may cost money; unknown tools
 *  are rejected until they are listed here. */
const FREE_TOOLS =
  /^(function|custom|namespace|computer|computer_use_preview|local_shell|apply_patch|tool_search|tool_search_tool_(regex|bm25)(_\d+)?|(bash|text_editor|computer|memory)_\d+)$/
/** The tiers at the default price or less. */
const TIERS = ['auto', 'default', 'standard', 'standard_only', 'on_demand', 'flex', 'batch']
/** Beta features that a header enables: longer prompts and faster answers, at other prices. */
const EXTRA_BETAS = ['context-1m', 'fast-mode']
export const BETA_HEADERS = ['anthropic-beta', 'openai-beta']
export const BETA_FIELDS = ['betas', 'anthropic_beta']
const HOUR = '1h'
const SAYS = 'has costs besides tokens, which have no price here'
const COMPACTS = 'compacts the conversation, which cannot be prepaid because its cost is not known in advance'

type Asked = { json: JsonObject; headers: IncomingHttpHeaders; isPrepaid: boolean }

/** Raises 400 for a model that has a price. */
export function requireNoExtras({ json, headers, isPrepaid }: Asked, route: Route): void {
  const { offer, wire, translation } = route
  const { price } = offer
  if (price === null || (price.input === 0 && price.output === 0)) return
  // The usage of other wires does not report for how long input is cached.
  const ttls = wire === 'messages' && price.cacheWriteHour !== undefined ? ['5m', HOUR] : ['5m']
  const path = extraIn(json, price)
  const fault =
    (path === null ? null : { path, says: VENDOR_FIELDS.includes(path) ? vendorToolSays(path, route) : SAYS }) ??
    (translation ? null : extraBeta(json, headers)) ??
    faultIn(json, (name, value, within) => {
      if (name === 'tools') return extraTool(value, price, route)
      const found = extraWithin(name, value, within, ttls)
      if (found !== null) return { path: found, says: SAYS }
      return isPrepaid && name === 'type' && isCompaction(value, within) ? { path: name, says: COMPACTS } : null
    })
  if (fault !== null) throw invalidInput([fault])
}

/** Whether input is cached for an hour. */
export const hasLongCache = (json: JsonObject): boolean =>
  faultIn(json, (name, value, within) =>
    isTtl(name, within) && wordOf(value) === HOUR ? { path: '', says: '' } : null,
  ) !== null

const isTtl = (name: string, within: string): boolean => name === 'ttl' && within === 'cache_control'

/** Finds options of the wire at any depth. */
function extraWithin(name: string, value: unknown, within: string, ttls: readonly string[]): string | null {
  if (isTtl(name, within)) return isOneOf(value, ttls) ? null : name
  if (name === 'ttl' && within.startsWith('prompt_cache_')) return isOneOf(value, ['30m']) ? null : name
  if (name === 'mode' && within === 'reasoning') return isOneOf(value, ['standard']) ? null : name
  return null
}

/** The other edits only remove something. */
const isCompaction = (type: unknown, within: string): boolean =>
  within === 'context_management' || within === 'edits'
    ? !wordOf(type).startsWith('clear_')
    : within === 'input' && type === 'compaction_trigger'

function extraBeta(json: JsonObject, headers: IncomingHttpHeaders): FieldFault | null {
  const given = [...BETA_HEADERS.map(name => [name, headers[name]]), ...BETA_FIELDS.map(name => [name, json[name]])]
  for (const [path, value] of given as [string, unknown][]) {
    const words = String(value ?? '')
      .split(',')
      .map(wordOf)
    const beta = EXTRA_BETAS.find(beta => words.some(word => word.startsWith(beta)))
    if (beta !== undefined) return { path, says: `must not turn on \`${beta}\`: it ${SAYS}` }
  }
  return null
}

function extraIn(json: JsonObject, price: Price): string | null {
  const field = EXTRA_FIELDS.find(name => !isTurnedOff(json[name]))
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

/** Tools inside a grouping tool are a separate list. */
function extraTool(tools: unknown, price: Price, route: Route): FieldFault | null {
  for (const [at, tool] of (tools as JsonObject[]).entries()) {
    const found = extraOf(tool, price)
    if (found === null) continue
    const says = vendorToolSays(found === 'type' ? tool.type : found, route)
    return { path: `tools.${at}.${found}`, says }
  }
  return null
}

/** In the messages wire, a tool without a type is the client's own. */
function extraOf(tool: JsonObject, price: Price): string | null {
  const name = VENDOR_TOOLS.find(name => !isTurnedOff(tool[name]))
  if (name !== undefined) return name
  const { type = null } = tool
  const kind = type === null ? 'custom' : wordOf(type)
  if (kind === 'image_generation' && price.image !== undefined) return null
  return FREE_TOOLS.test(kind) ? null : 'type'
}

/** Absent, or one of the words as providers may read it. */
const isOneOf = (value: unknown, words: readonly string[]): boolean =>
  (value ?? null) === null || words.includes(wordOf(value))
