// What decides on the model, the price and whose data is read must mean the same to us and to every provider. Some take
// names in any case, with letters that look alike or without underscores, and texts and numbers for booleans.
import { invalidInput } from '../../../kit/check.ts'
import type { JsonObject } from '../translations/translation.ts'
import { EXTRA_FIELDS, EXTRA_TOOLS } from './extras.ts'
import { plain } from './fields.ts'
import { REFERENCES, STORED_FIELDS } from './references.ts'

/** With these a provider would take another model than the one that was checked and priced. */
const OTHER_MODELS = ['models', 'fallbacks', 'route', 'preset']
/** What this host reads or refuses, by where it is. */
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
  ...['cache_control', 'max_tool_calls', 'include'],
  ...OTHER_MODELS,
  ...EXTRA_FIELDS,
  ...STORED_FIELDS,
  ...REFERENCES,
])
const TOOL_NAMES = namesBy([
  ...['type', 'name', 'function', 'parameters', 'input_schema', 'tools', 'container', 'environment', 'cache_control'],
  ...['model', 'server_url', 'server_label', 'connector_id'],
  ...EXTRA_TOOLS,
  ...REFERENCES,
])
const OPTION_NAMES = namesBy(['include_usage', 'include_obfuscation'])

function namesBy(names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(names.map(name => [plain(name), name]))
}

export function requireReadAlike(fields: JsonObject): void {
  requireWritten(fields, '', BODY_NAMES)
  const other = OTHER_MODELS.find(name => (fields[name] ?? null) !== null)
  if (other) {
    throw invalidInput([{ path: other, says: 'is not taken: set fallbacks with `PATCH /v1/ai/settings`' }])
  }
  const { background = null } = fields
  if (background !== null && background !== false) {
    throw invalidInput([{ path: 'background', says: 'must not be true: nothing is stored here' }])
  }
  requireStreamRead(fields)
  requireToolsRead(fields.tools, 'tools')
}

function requireWritten(fields: JsonObject, path: string, names: ReadonlyMap<string, string>): void {
  for (const name of Object.keys(fields)) {
    const known = names.get(plain(name))
    if (known === undefined || known === name) continue
    throw invalidInput([{ path: path + name, says: `must be written \`${known}\`` }])
  }
}

function requireStreamRead({ stream = null, stream_options: options = null }: JsonObject): void {
  if (stream !== null && typeof stream !== 'boolean')
    throw invalidInput([{ path: 'stream', says: 'must be a boolean' }])
  if (options === null) return
  if (!isObject(options)) throw invalidInput([{ path: 'stream_options', says: 'must be an object' }])
  requireWritten(options, 'stream_options.', OPTION_NAMES)
  const { include_usage: usage = null } = options
  if (usage !== null && typeof usage !== 'boolean') {
    throw invalidInput([{ path: 'stream_options.include_usage', says: 'must be a boolean' }])
  }
}

/** Also those within a tool that groups others. */
function requireToolsRead(tools: unknown, path: string): void {
  if ((tools ?? null) === null) return
  if (!Array.isArray(tools)) throw invalidInput([{ path, says: 'must be a list' }])
  for (const [at, tool] of tools.entries()) {
    if (!isObject(tool)) throw invalidInput([{ path: `${path}.${at}`, says: 'must be an object' }])
    requireWritten(tool, `${path}.${at}.`, TOOL_NAMES)
    requireToolsRead(tool.tools, `${path}.${at}.tools`)
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
