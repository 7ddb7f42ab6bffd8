// The request of the Responses wire as one of chat completions.

import { type JsonObject, Untranslatable } from '../translation.ts'
import { asked, isAbsent } from '../wire-fields.ts'
import { below, booleanAt, copyPresent, NOT_EXPRESSIBLE, NOT_STORED, refuseUnknown, refuseUnlessOff } from './fields.ts'
import { inputAsChat } from './input.ts'
import { toolFields } from './tools.ts'

type Read = (value: unknown, path: string) => unknown

const COPIED: [name: string, read: Read, newName?: string][] = [
  ['max_output_tokens', asked.number, 'max_completion_tokens'],
  ['temperature', asked.number],
  ['top_p', asked.number],
  ['metadata', asked.object],
  ['user', asked.text],
  ['safety_identifier', asked.text],
  ['prompt_cache_key', asked.text],
  ['prompt_cache_retention', asked.text],
  ['prompt_cache_options', asked.object],
  ['service_tier', asked.text],
]
const STORED = ['previous_response_id', 'conversation']
const REFUSED = [
  'background',
  'prompt',
  'truncation',
  'max_tool_calls',
  'context_management',
  'moderation',
  'access_programs',
  'image',
]
const TRANSLATED = [
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'include',
  'top_logprobs',
  'store',
  'stream',
  'stream_options',
  // About the client, for the provider of its maker.
  'client_metadata',
]
const KNOWN = new Set([...COPIED.map(([name]) => name), ...STORED, ...REFUSED, ...TRANSLATED])

export function chatRequest(body: JsonObject): JsonObject {
  const request = asked.object(body, 'body')
  refuseUnknown(request, '', KNOWN)
  refuseUnlessOff(request, '', STORED, NOT_STORED)
  refuseUnlessOff(request, '', REFUSED)
  acceptStore(request.store)
  return {
    model: asked.text(request.model, 'model'),
    messages: inputAsChat(request.instructions, request.input),
    ...toolFields(request),
    ...textFields(request.text),
    ...reasoningFields(request.reasoning),
    ...logprobFields(request),
    ...copyPresent(request, '', COPIED),
    ...streamFields(request),
  }
}

/** What the fields of the chat request are made from. Its messages and the items of the input have different numbers. */
const MADE_FROM: readonly [made: RegExp, from: string][] = [
  [/^messages\b.*/, 'input'],
  [/^response_format\.json_schema/, 'text.format'],
  [/^response_format/, 'text.format'],
  [/^verbosity/, 'text.verbosity'],
  [/^reasoning_effort/, 'reasoning.effort'],
  [/^max_completion_tokens/, 'max_output_tokens'],
  [/^logprobs/, 'include'],
]

export function fieldOf(path: string): string {
  const [made, from] = MADE_FROM.find(([pattern]) => pattern.test(path)) ?? [/^/, '']
  // A function of a tool is the tool itself.
  return path
    .replace(made, from)
    .replaceAll(/\[(\d{1,6})\]/g, '.$1')
    .replace('.function', '')
}

/** Nothing is stored, and answers say so with `store: false`. True is the default of the wire, so that refusing it would
 *  refuse most clients; what needs a stored response is refused instead. It is not passed on: that would store a chat
 *  completion with the provider, which the client cannot find under the id it gets. */
function acceptStore(store: unknown): void {
  if (!isAbsent(store)) booleanAt(store, 'store')
}

function textFields(value: unknown): JsonObject {
  if (isAbsent(value)) return {}
  const text = asked.object(value, 'text')
  refuseUnknown(text, 'text', new Set(['format', 'verbosity']))
  const verbosity = copyPresent(text, 'text', [['verbosity', asked.text]])
  return isAbsent(text.format)
    ? verbosity
    : { ...responseFormat(asked.object(text.format, 'text.format')), ...verbosity }
}

function responseFormat(format: JsonObject): JsonObject {
  const path = 'text.format'
  switch (format.type) {
    case 'text':
      refuseUnknown(format, path, new Set(['type']))
      return {}
    case 'json_object':
      refuseUnknown(format, path, new Set(['type']))
      return { response_format: { type: 'json_object' } }
    case 'json_schema': {
      refuseUnknown(format, path, new Set(['type', 'name', 'description', 'schema', 'strict']))
      const schema = {
        name: asked.text(format.name, below(path, 'name')),
        schema: asked.object(format.schema, below(path, 'schema')),
        ...copyPresent<unknown>(format, path, [
          ['description', asked.text],
          ['strict', booleanAt],
        ]),
      }
      return { response_format: { type: 'json_schema', json_schema: schema } }
    }
    default:
      throw new Untranslatable(below(path, 'type'), 'must be one of text, json_schema, json_object')
  }
}

/** Values that leave a choice to the server; chat completions has no such choice. */
const LEFT_TO_THE_SERVER = { summary: 'auto', generate_summary: 'auto', context: 'auto', mode: 'standard' }

/** A summary requested as `auto` may be absent. A specific kind of summary is rejected, because this wire has none. */
function reasoningFields(value: unknown): JsonObject {
  if (isAbsent(value)) return {}
  const reasoning = asked.object(value, 'reasoning')
  refuseUnknown(reasoning, 'reasoning', new Set(['effort', ...Object.keys(LEFT_TO_THE_SERVER)]))
  for (const [name, open] of Object.entries(LEFT_TO_THE_SERVER)) {
    if (isAbsent(reasoning[name]) || reasoning[name] === open) continue
    throw new Untranslatable(below('reasoning', name), NOT_EXPRESSIBLE)
  }
  return copyPresent(reasoning, 'reasoning', [['effort', asked.text, 'reasoning_effort']])
}

const LOGPROBS = 'message.output_text.logprobs'
/** Clients that keep their conversation ask for encrypted reasoning with every request. An item of reasoning has it if
 *  the provider encrypts, which none of this wire does, and reasoning that is sent back is not read. */
const INCLUDED = new Set<unknown>([LOGPROBS, 'reasoning.encrypted_content'])

/** `top_logprobs` above 0 alone requests log probabilities: it cannot mean anything else. */
function logprobFields(body: JsonObject): JsonObject {
  const top = isAbsent(body.top_logprobs) ? 0 : asked.number(body.top_logprobs, 'top_logprobs')
  const included = isAbsent(body.include) ? [] : asked.list(body.include, 'include')
  for (const [at, name] of included.entries()) {
    if (!INCLUDED.has(name)) throw new Untranslatable(below('include', at), NOT_EXPRESSIBLE)
  }
  if (!included.includes(LOGPROBS) && top === 0) return {}
  return { logprobs: true, ...(top === 0 ? {} : { top_logprobs: top }) }
}

/** The last event of a stream of responses has the usage, so it is always requested. Obfuscation is not passed on, so the
 *  client cannot have it. */
function streamFields(body: JsonObject): JsonObject {
  if (!isAbsent(body.stream_options)) {
    const options = asked.object(body.stream_options, 'stream_options')
    refuseUnknown(options, 'stream_options', new Set(['include_obfuscation']))
    refuseUnlessOff(options, 'stream_options', ['include_obfuscation'])
  }
  const isStream = !isAbsent(body.stream) && booleanAt(body.stream, 'stream')
  return isStream ? { stream: true, stream_options: { include_usage: true } } : {}
}
