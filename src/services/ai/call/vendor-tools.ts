// Tools that a vendor runs, such as web search. They can only be requested from a provider that supports the client's format.
import { invalidInput } from '../../../kit/check.ts'
import type { Fault, FieldFault } from '../../../kit/fault.ts'
import type { JsonObject } from '../translations/translation.ts'
import { isAbsent, shown } from '../translations/wire-fields.ts'
import { wordOf } from './fields.ts'
import type { Route } from './route.ts'

/** Fields of the whole body that turn such a tool on. */
export const VENDOR_FIELDS = [
  'web_search_options',
  'search_parameters',
  'search_settings',
  'enable_search',
  'web_search',
  'plugins',
]
/** The fields with which Google names its tools, instead of a type. */
export const VENDOR_TOOLS = [
  ...['google_search', 'google_search_retrieval', 'google_maps', 'enterprise_web_search', 'url_context'],
  ...['code_execution', 'file_search', 'computer_use', 'web_search'],
]
/** The tool types of every format. */
const OWN_TOOLS = ['function', 'custom']

/** The error for a route without such a tool; null if the route supports it, or none is requested. */
export function vendorToolRefusal(json: JsonObject, route: Route): Fault | null {
  if (canRun(route)) return null
  const field = VENDOR_FIELDS.find(name => !isTurnedOff(json[name]))
  if (field !== undefined) return invalidInput([{ path: field, says: vendorToolSays(field, route) }])
  if (!Array.isArray(json.tools)) return null
  for (const [at, tool] of (json.tools as JsonObject[]).entries()) {
    const fault = typeof tool === 'object' && tool !== null ? vendorTool(tool, route) : null
    if (fault !== null) return invalidInput([{ ...fault, path: `tools.${at}.${fault.path}` }])
  }
  return null
}

function vendorTool(tool: JsonObject, route: Route): FieldFault | null {
  const name = VENDOR_TOOLS.find(name => !isTurnedOff(tool[name]))
  if (name !== undefined) return { path: name, says: vendorToolSays(name, route) }
  if (typeof tool.type !== 'string' || OWN_TOOLS.includes(wordOf(tool.type))) return null
  return { path: 'type', says: vendorToolSays(tool.type, route) }
}

const canRun = ({ offer, translation }: Route): boolean => translation === null && offer.at.provider.isLocal !== true

/** Why the tool is not available and what to do; for a route that supports it, that it has no price. */
export function vendorToolSays(tool: unknown, route: Route): string {
  const { offer, translation } = route
  const asks = `asks for the vendor tool \`${shown(tool)}\``
  const own = 'declare a function tool of your own'
  if (canRun(route)) {
    return `${asks}: each use has costs besides the tokens of the model ${offer.id} at the provider ${offer.by}, which have no price here; ${own} instead`
  }
  const why = translation
    ? 'uses another format, in which it cannot be requested'
    : 'runs models on its own machine, without such a tool'
  return `${asks}: the provider ${offer.by} of the model ${offer.id} ${why}; call a model whose provider has this tool in the format of this path, or ${own}`
}

export const isTurnedOff = (value: unknown): boolean =>
  isAbsent(value) || value === false || (Array.isArray(value) && value.length === 0)
