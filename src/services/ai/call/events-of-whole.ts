// An answer in one piece as the events of a stream: some providers ignore `stream: true`. Each text is one event.
import type { ProviderWire } from '../providers/provider.ts'
import type { JsonObject, ServerEvent } from '../translations/translation.ts'
import { eventText } from './server-events.ts'

/** In the wire of the answer; null if it is not an answer of that wire. */
export function eventsOfWhole(wire: ProviderWire, json: unknown): Buffer | null {
  const events = isObject(json) ? (EVENTS[wire]?.(json) ?? null) : null
  return events && Buffer.from(events.map(eventText).join(''))
}

const EVENTS: Partial<Record<ProviderWire, (json: JsonObject) => ServerEvent[] | null>> = {
  chat: chatEvents,
  messages: messageEvents,
  responses: responseEvents,
}

/** In streams, calls of tools have an index. The usage has a chunk of its own. */
function chatEvents({ choices, usage, ...rest }: JsonObject): ServerEvent[] | null {
  if (!isListOfObjects(choices) || choices.length === 0 || !choices.every(({ message }) => isObject(message)))
    return null
  const head = { ...rest, object: 'chat.completion.chunk' }
  const deltas = choices.map(({ message, ...choice }, index) => {
    const { tool_calls: calls } = message as JsonObject
    const indexed = isListOfObjects(calls) ? { tool_calls: calls.map((call, at) => ({ index: at, ...call })) } : {}
    return { index, ...choice, delta: { ...(message as JsonObject), ...indexed } }
  })
  const chunks: JsonObject[] = [{ ...head, choices: deltas }]
  if (isObject(usage)) chunks.push({ ...head, choices: [], usage })
  return [...chunks.map(chunk => ({ event: null, data: JSON.stringify(chunk) })), { event: null, data: '[DONE]' }]
}

function messageEvents(message: JsonObject): ServerEvent[] | null {
  const { content, stop_reason = null, stop_sequence = null, usage = {} } = message
  if (!isListOfObjects(content)) return null
  const start = { ...message, content: [], stop_reason: null, stop_sequence: null, usage }
  return [
    { type: 'message_start', message: start },
    ...content.flatMap((block, index) => blockEvents(block).map(event => ({ ...event, index }))),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ].map(namedEvent)
}

/** Texts and the input of tools are in deltas. Any other block is whole at its start. */
function blockEvents(block: JsonObject): JsonObject[] {
  const { text, thinking, signature, citations, input } = block
  const deltas: JsonObject[] = []
  const empty: JsonObject = {}
  if (block.type === 'text') {
    empty.text = ''
    if (Array.isArray(citations)) empty.citations = []
    deltas.push({ type: 'text_delta', text })
    for (const citation of Array.isArray(citations) ? citations : []) deltas.push({ type: 'citations_delta', citation })
  } else if (block.type === 'thinking') {
    Object.assign(empty, { thinking: '', signature: '' })
    deltas.push({ type: 'thinking_delta', thinking })
    if (signature !== undefined) deltas.push({ type: 'signature_delta', signature })
  } else if (isObject(input)) {
    empty.input = {}
    deltas.push({ type: 'input_json_delta', partial_json: JSON.stringify(input) })
  }
  return [
    { type: 'content_block_start', content_block: { ...block, ...empty } },
    ...deltas.map(delta => ({ type: 'content_block_delta', delta })),
    { type: 'content_block_stop' },
  ]
}

/** The names of the last events. */
const STATUSES = ['completed', 'incomplete', 'failed']

function responseEvents(response: JsonObject): ServerEvent[] | null {
  const { status, output } = response
  if (!isListOfObjects(output) || !STATUSES.includes(status as string)) return null
  const begun = { ...response, status: 'in_progress', output: [], usage: null, error: null, incomplete_details: null }
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...output.flatMap((item, output_index) => itemEvents(item).map(event => ({ ...event, output_index }))),
    { type: `response.${status}`, response },
  ].map((event, sequence_number) => namedEvent({ ...event, sequence_number }))
}

/** Messages and calls of functions have events for their texts. Any other item is only added and done. */
function itemEvents(item: JsonObject): JsonObject[] {
  const { id: item_id, content, arguments: args } = item
  const within: JsonObject[] = []
  const empty: JsonObject = {}
  if (item.type === 'message' && isListOfObjects(content)) {
    empty.content = []
    within.push(...content.flatMap((part, content_index) => partEvents(part).map(one => ({ ...one, content_index }))))
  } else if (item.type === 'function_call' && typeof args === 'string') {
    empty.arguments = ''
    within.push(
      { type: 'response.function_call_arguments.delta', delta: args },
      { type: 'response.function_call_arguments.done', name: item.name, arguments: args },
    )
  }
  return [
    { type: 'response.output_item.added', item: { ...item, status: 'in_progress', ...empty } },
    ...within.map(event => ({ ...event, item_id })),
    { type: 'response.output_item.done', item },
  ]
}

function partEvents(part: JsonObject): JsonObject[] {
  const field = part.type === 'refusal' ? 'refusal' : 'text'
  const text = part[field]
  if (typeof text !== 'string') return []
  const isText = field === 'text'
  const event = isText ? 'response.output_text' : 'response.refusal'
  const { logprobs = [] } = part
  const more = isText ? { logprobs } : {}
  const empty = { ...part, [field]: '', ...(isText && { annotations: [], logprobs: [] }) }
  return [
    { type: 'response.content_part.added', part: empty },
    { type: `${event}.delta`, delta: text, ...more },
    { type: `${event}.done`, [field]: text, ...more },
    { type: 'response.content_part.done', part },
  ]
}

const namedEvent = (json: JsonObject): ServerEvent => ({ event: json.type as string, data: JSON.stringify(json) })

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isListOfObjects = (value: unknown): value is JsonObject[] => Array.isArray(value) && value.every(isObject)
