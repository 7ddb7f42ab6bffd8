// Reads names as lenient providers do, and looks for a field in all objects of a body that belong to the wire, not to the
// client.
import type { FieldFault } from '../../../kit/fault.ts'
import type { JsonObject } from '../translations/translation.ts'

/** Contents chosen by a client, a tool or a model: schemas, arguments, results. Providers do not interpret fields in them. */
const OWN = new Set([
  ...['arguments', 'parameters', 'input_schema', 'output_schema', 'schema', 'json_schema', 'guided_json', 'variables'],
  ...['structured_outputs', 'response_format', 'text', 'output_config', 'output_format', 'chat_template_kwargs'],
  ...['tool_choice', 'metadata', 'logit_bias', 'annotations', 'citations', 'results', 'action', 'documents'],
  'input_examples',
])
/** Fields of the wire at the top level, but of a tool call below. */
const INPUT = 'input'

/** No known name or word is longer, however its letters are written. */
const LENGTH_MAX = 64
const NOT_ASCII = /[^ -~]/

/** Normalises similar letters. Empty for a text that is too long to be a known name, because normalising it may take
 *  quadratic time. */
function composed(text: string): string {
  if (text.length > LENGTH_MAX) return ''
  return (NOT_ASCII.test(text) ? text.normalize('NFKC') : text).toLowerCase()
}

/** A name without the characters that some readers ignore. */
export const plain = (name: string): string => composed(name).replace(/[\s_-]+/g, '')

/** A word as providers may read it; empty if it is not a text. Some providers accept a list of one text for the text. */
export const wordOf = (value: unknown): string => (typeof value === 'string' ? composed(value).trim() : '')

/** What is wrong with a field, and where, from its own name on; null if nothing is. `within` is the name of the field whose
 *  object it is in; empty at the top. */
export type Check = (name: string, value: unknown, within: string) => FieldFault | null

/** The first fault; null if there is none. Its path is built only then, so that other bodies cost no strings. The host bounds
 *  the depth. */
export function faultIn(value: unknown, check: Check, within = ''): FieldFault | null {
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const found = faultIn(value[at], check, within)
      if (found !== null) return { ...found, path: `${at}.${found.path}` }
    }
    return null
  }
  for (const name in value) {
    const inner = (value as JsonObject)[name]
    if ((inner ?? null) === null) continue
    const fault = check(name, inner, within)
    if (fault !== null) return fault
    if (typeof inner !== 'object' || OWN.has(name) || (name === INPUT && within !== '')) continue
    const found = faultIn(inner, check, name)
    if (found !== null) return { ...found, path: `${name}.${found.path}` }
  }
  return null
}
