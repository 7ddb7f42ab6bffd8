// What the operations of all wires share.
import { Type } from 'typebox'
import { invalidInput } from '../../kit/check.ts'
import { Fault, type FaultCode } from '../../kit/fault.ts'
import type { ParsedBody } from '../../kit/operation.ts'
import { READ_HERE } from './call/body.ts'
import { ModelName } from './model-name.ts'
import type { JsonObject } from './translations/translation.ts'

/** Images and files are sent inside of the body. */
const BODY_LIMIT = 20 * 1024 * 1024

export const Model = ModelName('The model, which `GET /v1/models` lists', 'gpt-5-mini')

/** Whatever the wire has: fields that we do not know pass to the provider. */
export const Foreign = (title: string, description: string) =>
  Type.Object({}, { additionalProperties: true, title, description })

export const ForeignPart = (description: string) => Type.Object({}, { additionalProperties: true, description })

export const modelCall = {
  access: 'bearer',
  project: 'chosen',
  model: 'model',
  metered: true,
  body: 'parsed',
  bodyLimit: BODY_LIMIT,
  passUnknown: true,
  audit: 'none',
} as const

export const CALL_FAULTS = [
  'not_found',
  'model_unpriced',
  'model_refused',
  'model_limit',
  'upstream_busy',
  'upstream_refused',
  'upstream_unreachable',
  'upstream_timeout',
] as const satisfies FaultCode[]

/** The fields of the body; the model is checked already. */
export function fieldsOf({ json }: ParsedBody, required: readonly string[]): JsonObject {
  const fields = json as JsonObject
  requireReadAlike(fields)
  const missing = required.filter(name => fields[name] === undefined || fields[name] === null)
  if (missing.length === 0) return fields
  throw new Fault('invalid_input', {
    message: `The body lacks ${missing.map(name => `\`${name}\``).join(' and ')}.`,
    fields: missing.map(path => ({ path, says: 'is required' })),
  })
}

/** With these a provider would take another model than the one that was checked and priced. */
const OTHER_MODELS = ['models', 'fallbacks', 'route']

/** What decides on the model and the price must mean the same to us and to every provider. Some take names in any case
 *  and with letters that look alike, and texts and numbers for booleans. */
function requireReadAlike(fields: JsonObject): void {
  for (const name of Object.keys(fields)) {
    const plain = name.length > 40 ? name : name.normalize('NFKC').toLowerCase()
    if (plain !== name && [...READ_HERE, ...OTHER_MODELS].includes(plain)) {
      throw invalidInput([{ path: name.slice(0, 40), says: `must be written \`${plain}\`` }])
    }
  }
  const other = OTHER_MODELS.find(name => (fields[name] ?? null) !== null)
  if (other) {
    throw invalidInput([{ path: other, says: 'is not taken: set fallbacks with `PATCH /v1/ai/settings`' }])
  }
  const { stream = null, stream_options: options = null } = fields
  if (stream !== null && typeof stream !== 'boolean')
    throw invalidInput([{ path: 'stream', says: 'must be a boolean' }])
  if (options === null) return
  const { include_usage: usage = null } = options as JsonObject
  if (typeof options !== 'object' || Array.isArray(options)) {
    throw invalidInput([{ path: 'stream_options', says: 'must be an object' }])
  }
  if (usage !== null && typeof usage !== 'boolean') {
    throw invalidInput([{ path: 'stream_options.include_usage', says: 'must be a boolean' }])
  }
}
