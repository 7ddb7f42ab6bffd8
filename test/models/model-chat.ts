// Chat completions as OpenAI sends them, and what it refuses.
import type { Received } from '../model-server.ts'
import { type Counts, type Json, pieces, type Said } from './model.ts'

const HEAD = {
  id: 'chatcmpl-CB3G19mgoZi8x3popLBXCFneXwo9N',
  created: 1_790_000_000,
  model: 'large-2026-04-14',
  service_tier: 'default',
  system_fingerprint: 'fp_c79ab13e31',
}

const usageOf = ({ input, output, cached }: Counts) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
})

const finishOf = ({ calls, isCut }: Said) => (isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop')

export function chatAnswer(said: Said): Json {
  const calls = said.calls.map(({ id, name, input }) => ({
    ...{ id, type: 'function' },
    function: { name, arguments: JSON.stringify(input) },
  }))
  const message = {
    role: 'assistant',
    content: said.text === '' && calls.length > 0 ? null : said.text,
    ...(calls.length > 0 && { tool_calls: calls }),
    refusal: null,
    annotations: [],
  }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishOf(said) }]
  return { ...HEAD, object: 'chat.completion', choices, usage: usageOf(said.counts) }
}

export function chatChunks(said: Said, { stream_options: options }: Json): string[] {
  const isAsked = (options as Json | undefined)?.include_usage === true
  const event = (choices: Json[], usage: Json | null) => {
    const more = { ...(isAsked && { usage }), obfuscation: 'Qm1xUkR' }
    return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices, ...more })}\n\n`
  }
  const chunk = (delta: Json, finish: string | null = null) =>
    event([{ index: 0, delta, logprobs: null, finish_reason: finish }], null)
  const called = said.calls.flatMap(({ id, name, input }, index) => [
    chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ...pieces(JSON.stringify(input)).map(text => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
  ])
  return [
    chunk({ role: 'assistant', content: said.text === '' && called.length > 0 ? null : '', refusal: null }),
    ...pieces(said.text).map(content => chunk({ content })),
    ...called,
    chunk({}, finishOf(said)),
    ...(isAsked ? [event([], usageOf(said.counts))] : []),
    'data: [DONE]\n\n',
  ]
}

const FIELDS = new Set([
  ...[
    'model',
    'messages',
    'stream',
    'stream_options',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'response_format',
  ],
  ...['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'stop', 'n', 'seed', 'user', 'metadata', 'store'],
  ...['reasoning_effort', 'service_tier', 'logprobs', 'top_logprobs', 'prompt_cache_key', 'verbosity'],
])
const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool'])
const PARTS = new Set(['text', 'image_url', 'input_audio', 'file', 'refusal'])

export function chatComplaint({ json }: Received): string | null {
  const unknown = Object.keys(json).find(name => !FIELDS.has(name))
  if (unknown) return `Unknown parameter: '${unknown}'.`
  if (json.stream_options && json.stream !== true) return "'stream_options' is only allowed when 'stream' is enabled."
  for (const { type, function: tool } of json.tools ?? []) {
    if (type !== 'function' || typeof tool?.name !== 'string') return 'Missing required parameter: tools[0].function.'
  }
  return messagesComplaint(json.messages)
}

type Message = { role: string; content?: unknown; tool_calls?: { id: string }[]; tool_call_id?: string }

/** Results follow the calls at once, and answer all of them. */
function messagesComplaint(messages: Message[]): string | null {
  let open = new Set<string>()
  for (const { role, content, tool_calls: calls, tool_call_id: id } of messages) {
    if (!ROLES.has(role)) return `Invalid value: '${role}' as a role.`
    if (role === 'tool') {
      if (!open.delete(id ?? '')) return "messages with role 'tool' must be a response to a preceding 'tool_calls'."
    } else if (open.size > 0) return `tool_call_ids did not have response messages: ${[...open]}`
    if (content === undefined && !calls) return 'Missing required parameter: content.'
    if (content === null && role !== 'assistant') return 'Invalid type for content.'
    for (const { type } of Array.isArray(content) ? content : [])
      if (!PARTS.has(type)) return `Invalid part: '${type}'.`
    if (calls) open = new Set(calls.map(call => call.id))
  }
  return open.size > 0 ? `tool_call_ids did not have response messages: ${[...open]}` : null
}
