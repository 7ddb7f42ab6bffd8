// What the operations of all wires share.
import { Type } from 'typebox'
import { Fault, type FaultCode } from '../../kit/fault.ts'
import type { ParsedBody } from '../../kit/operation.ts'
import { requireReadAlike } from './call/alike.ts'
import { requireNamesOnce } from './call/names.ts'
import { requireNoReferences } from './call/references.ts'
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
  uses: ['meter'],
  keyed: true,
  body: 'parsed',
  bodyLimit: BODY_LIMIT,
  passUnknown: true,
  passBody: true,
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

/** The fields of the body; the model is checked already. `hasResponses`: whether the wire lets a call go on from an
 *  earlier response, which the operation then checks. */
export function bodyFields(body: ParsedBody, required: readonly string[], hasResponses = false): JsonObject {
  const fields = body.json as JsonObject
  requireNamesOnce(body)
  requireReadAlike(fields, hasResponses)
  requireNoReferences(fields, hasResponses)
  const missing = required.filter(name => fields[name] === undefined || fields[name] === null)
  if (missing.length === 0) return fields
  throw new Fault('invalid_input', {
    message: `The body lacks ${missing.map(name => `\`${name}\``).join(' and ')}.`,
    fields: missing.map(path => ({ path, says: 'is required' })),
  })
}
