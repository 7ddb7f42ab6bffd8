// Fields that decide on the model, the price and whose data is read must mean the same to us and to every provider. Some
// providers accept names in any case, with similar letters or without underscores, and texts and numbers for booleans.
import { invalidInput } from '../../../kit/check.ts'
import type { FieldFault } from '../../../kit/fault.ts'
import type { JsonObject } from '../translations/translation.ts'
import { BETA_FIELDS, EXTRA_FIELDS } from './extras.ts'
import { type Check, faultIn, plain } from './fields.ts'
import { ITEM_FIELDS, isReference, NOT_ISSUED, REFERENCES, STORED_FIELDS } from './references.ts'
import { VENDOR_TOOLS } from './vendor-tools.ts'

/** With these a provider would use another model than the one that was checked and priced. */
const OTHER_MODELS = ['models', 'fallbacks', 'route', 'preset']
/** The fields that this host reads or rejects, by their place. */
const BODY_NAMES = namesBy([
  ...['model', 'stream', 'stream_options', 'background', 'tools', 'functions', 'tool_choice', 'store', 'n', 'best_of'],
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'messages', 'input', 'system', 'instructions'],
  ...[
    'response_format',
    'text',
    'dimensions',
    'encoding_format',
    'service_tier',
    'speed',
    'modalities',
    'inference_geo',
  ],
  ...['cache_control', 'max_tool_calls', 'include', 'reasoning', 'context_management', 'prompt_cache_options'],
  ...BETA_FIELDS,
  ...OTHER_MODELS,
  ...EXTRA_FIELDS,
  ...STORED_FIELDS,
  ...REFERENCES,
])
const TOOL_NAMES = namesBy([
  ...['type', 'name', 'function', 'parameters', 'input_schema', 'tools', 'container', 'environment', 'cache_control'],
  ...['model', 'server_url', 'server_label', 'connector_id'],
  ...VENDOR_TOOLS,
  ...REFERENCES,
])
const OPTION_NAMES = namesBy(['include_usage', 'include_obfuscation'])
const CACHE_NAMES = namesBy(['type', 'ttl', 'mode'])
const ITEM_NAMES = namesBy(ITEM_FIELDS)
/** By the name of the enclosing field, at any depth. */
const NESTED_NAMES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ['cache_control', CACHE_NAMES],
  ['prompt_cache_options', CACHE_NAMES],
  ['prompt_cache_breakpoint', CACHE_NAMES],
  ['reasoning', namesBy(['mode', 'effort'])],
  ['context_management', namesBy(['edits', 'type'])],
  ['edits', namesBy(['type'])],
  ['tools', TOOL_NAMES],
])
/** Names in nearly every part of a message, which need no look-up. */
const USUAL = new Set([
  'type',
  'text',
  'role',
  'content',
  'name',
  'image_url',
  'url',
  'source',
  'data',
  'cache_control',
])
/** At any depth below the top level. */
const ANYWHERE = namesBy(['cache_control', 'prompt_cache_breakpoint', 'tools'])

function namesBy(names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(names.map(name => [plain(name), name]))
}

/** `hasItems`: whether `input` consists of response items. */
export function requireReadAlike(fields: JsonObject, hasItems: boolean): void {
  const fault = unreadable(fields) ?? streamFault(fields) ?? (hasItems ? itemFault(fields.input) : null)
  if (fault) throw invalidInput([fault])
  const below = faultIn(fields, checkField)
  if (below) throw invalidInput([below])
}

function unreadable(fields: JsonObject): FieldFault | null {
  const written = misspelled(fields, '', BODY_NAMES)
  if (written) return written
  const other = OTHER_MODELS.find(name => (fields[name] ?? null) !== null)
  if (other) return { path: other, says: 'is not supported: set fallbacks with `PATCH /v1/ai/settings`' }
  const { background = null } = fields
  if (background === null || background === false) return null
  return { path: 'background', says: 'must not be true: nothing is stored here' }
}

function misspelled(fields: JsonObject, path: string, names: ReadonlyMap<string, string>): FieldFault | null {
  for (const name of Object.keys(fields)) {
    const known = names.get(plain(name))
    if (known !== undefined && known !== name) return { path: path + name, says: `must be written \`${known}\`` }
  }
  return null
}

function streamFault({ stream = null, stream_options: options = null }: JsonObject): FieldFault | null {
  if (stream !== null && typeof stream !== 'boolean') return { path: 'stream', says: 'must be a boolean' }
  if (options === null) return null
  if (!isObject(options)) return { path: 'stream_options', says: 'must be an object' }
  const { include_usage: usage = null } = options
  if (usage === null || typeof usage === 'boolean') return misspelled(options, 'stream_options.', OPTION_NAMES)
  return { path: 'stream_options.include_usage', says: 'must be a boolean' }
}

/** A text, or items: some providers accept items in nested lists. */
function itemFault(input: unknown): FieldFault | null {
  if ((input ?? null) === null || typeof input === 'string') return null
  if (!Array.isArray(input)) return { path: 'input', says: 'must be a text or a list of items' }
  for (const [at, item] of input.entries()) {
    if (!isObject(item)) return { path: `input.${at}`, says: 'must be an object' }
    const fault = misspelled(item, `input.${at}.`, ITEM_NAMES)
    if (fault) return fault
  }
  return null
}

/** Checks any object below the top level, and lists of tools at any level. */
const checkField: Check = (name, value, within) => {
  if (USUAL.has(name)) return null
  if (name === 'tools') return toolsFault(value)
  const read = within === '' ? '' : plain(name)
  const known = NESTED_NAMES.get(within)?.get(read) ?? ANYWHERE.get(read)
  if (known !== undefined && known !== name) return { path: name, says: `must be written \`${known}\`` }
  return isReference(name, value) ? { path: name, says: NOT_ISSUED } : null
}

function toolsFault(tools: unknown): FieldFault | null {
  if (!Array.isArray(tools)) return { path: 'tools', says: 'must be a list' }
  const at = tools.findIndex(tool => !isObject(tool))
  return at === -1 ? null : { path: `tools.${at}`, says: 'must be an object' }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
