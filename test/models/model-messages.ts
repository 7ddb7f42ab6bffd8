// Messages as Anthropic sends them, and what it refuses.
import type { Received } from '../model-server.ts'
import { type Counts, type Json, pieces, type Said } from './model.ts'

const HEAD = {
  model: 'claude-large-20260929',
  id: 'msg_018CttprAoSqXdPFkmoKBpNS',
  type: 'message',
  role: 'assistant',
}

/** Its `input_tokens` do not include those of the cache. */
const inputOf = ({ input, cached }: Counts) => ({
  input_tokens: input - cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
})
const usageOf = (counts: Counts, output: number) => ({
  ...inputOf(counts),
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: output,
  service_tier: 'standard',
})

const stopOf = ({ calls, isCut }: Said) => (isCut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn')
const DIRECT = { caller: { type: 'direct' } }

export const messageAnswer = (said: Said): Json => ({
  ...HEAD,
  content: [
    ...(said.text === '' ? [] : [{ type: 'text', text: said.text }]),
    ...said.calls.map(call => ({ type: 'tool_use', ...call, ...DIRECT })),
  ],
  stop_reason: stopOf(said),
  stop_sequence: null,
  usage: usageOf(said.counts, said.counts.output),
})

/** It puts spaces before the last bracket, of different number. */
const event = (type: string, data: Json) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data }).slice(0, -1)}${' '.repeat(type.length % 7)}}\n\n`

export function messageEvents(said: Said): string[] {
  const block = (index: number, start: Json, deltas: Json[]) => [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map(delta => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
  const texts = pieces(said.text).map(text => ({ type: 'text_delta', text }))
  const first = texts.length > 0 ? [block(0, { type: 'text', text: '' }, texts)] : []
  const called = said.calls.map(({ id, name, input }, n) => {
    const parts = ['', ...pieces(JSON.stringify(input))].map(text => ({ type: 'input_json_delta', partial_json: text }))
    return block(first.length + n, { type: 'tool_use', id, name, input: {}, ...DIRECT }, parts)
  })
  const message = { ...HEAD, content: [], stop_reason: null, stop_sequence: null, usage: usageOf(said.counts, 1) }
  const usage = { ...inputOf(said.counts), output_tokens: said.counts.output }
  return [
    event('message_start', { message }),
    'event: ping\ndata: {"type": "ping"}\n\n',
    ...[...first, ...called].flat(),
    event('message_delta', { delta: { stop_reason: stopOf(said), stop_sequence: null }, usage }),
    event('message_stop', {}),
  ]
}

const FIELDS = new Set([
  ...[
    'model',
    'messages',
    'max_tokens',
    'system',
    'stream',
    'stop_sequences',
    'temperature',
    'top_p',
    'top_k',
    'tools',
  ],
  ...['tool_choice', 'metadata', 'thinking', 'output_config', 'service_tier', 'cache_control'],
])

/** Anthropic keeps the conversation if the request has a field `thread` and this name in its header. */
const THREADS = 'message-threads-2026-08-12'

export function messagesComplaint({ json, headers }: Received): string | null {
  if (!headers['anthropic-version']) return 'anthropic-version: header is required'
  const hasThreads = String(headers['anthropic-beta']).includes(THREADS)
  const unknown = Object.keys(json).find(name => !FIELDS.has(name) && !(name === 'thread' && hasThreads))
  if (unknown) return `${unknown}: Extra inputs are not permitted`
  if (!Number.isInteger(json.max_tokens) || json.max_tokens < 1) return 'max_tokens: Field required'
  for (const [n, tool] of (json.tools ?? []).entries()) {
    if (tool.input_schema?.type !== 'object') return `tools.${n}.custom.input_schema.type: Field required`
  }
  const format = json.output_config?.format
  if (format && openObject(format.schema)) return "output_config.format.schema: 'additionalProperties' must be false"
  return turnsComplaint(json.messages, json.thread?.type === 'continue')
}

/** Whether an object of the schema allows other properties, which Anthropic refuses. */
const openObject = (schema: unknown): boolean => {
  if (typeof schema !== 'object' || schema === null) return false
  const { type, additionalProperties } = schema as Json
  return (type === 'object' && additionalProperties !== false) || Object.values(schema).some(openObject)
}

type Block = { type: string; id?: string; tool_use_id?: string; text?: string }
type Message = { role: string; content: string | Block[] }

/** The next turn begins with the results of all calls. Those of a thread that is continued are not in the request. */
function turnsComplaint(messages: Message[], isContinued: boolean): string | null {
  let open = new Set<string>()
  for (const [n, { role, content }] of messages.entries()) {
    if (role !== 'user' && role !== 'assistant') return `messages.${n}.role: Input should be 'user' or 'assistant'`
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as Block] : content
    for (const { type, tool_use_id: id, text } of blocks) {
      if (type === 'text' && !text) return `messages.${n}: text content blocks must be non-empty`
      const isKnown = open.delete(id ?? '') || (isContinued && n === 0)
      if (type === 'tool_result' && !isKnown) return `messages.${n}: unexpected tool_use_id: ${id}`
      if (type !== 'tool_result' && open.size > 0) return `messages.${n}: tool_use without tool_result: ${[...open]}`
    }
    if (open.size > 0) return `messages.${n}: tool_use without tool_result: ${[...open]}`
    open = new Set(blocks.flatMap(({ type, id }) => (type === 'tool_use' && id ? [id] : [])))
  }
  return open.size > 0 ? `tool_use ids were found without tool_result blocks: ${[...open]}` : null
}
