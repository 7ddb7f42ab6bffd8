// The events of an Anthropic message as chat completion chunks.

import type { About, JsonObject, ServerEvent, StreamTranslation } from '../translation.ts'
import { answered, countOrNone, eventObject, isAbsent, isObject, malformedUpstream } from '../wire-fields.ts'
import { argumentsText, chatUsage, checkIgnored, finishReason } from './answer.ts'

const COUNTS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens']

/** `written` is whether arguments of the tool were sent. */
type Block = { type: string; tool: number; input: unknown; written: boolean }

type State = {
  about: About
  id: string
  withUsage: boolean
  begun: boolean
  ended: boolean
  /** The blocks that are open, by Anthropic's index. */
  blocks: Map<number, Block>
  tools: number
  stopReason: unknown
  usage: JsonObject
}

export function chatStream(request: JsonObject, about: About): StreamTranslation {
  const options = request.stream_options
  const state: State = {
    about,
    id: about.id,
    withUsage: isObject(options) && options.include_usage === true,
    begun: false,
    ended: false,
    blocks: new Map(),
    tools: 0,
    stopReason: null,
    usage: {},
  }
  return {
    next: event => (state.ended ? [] : translate(state, eventObject(event.data))),
    end: () => (state.ended ? [] : failed(state, 'The upstream ended the stream before the answer was complete')),
  }
}

function translate(state: State, event: JsonObject): ServerEvent[] {
  if (event.type === 'error') return upstreamError(state, event.error)
  if (event.type === 'message_start') return messageStart(state, event)
  switch (event.type) {
    case 'content_block_start':
      return blockStart(state, event)
    case 'content_block_delta':
      return blockDelta(state, event)
    case 'content_block_stop':
      return blockStop(state, event)
    case 'message_delta':
      messageDelta(state, event)
      return []
    case 'message_stop':
      return messageStop(state)
    default:
      // `ping`, and types that Anthropic adds: its documentation asks clients to ignore these.
      return []
  }
}

function messageStart(state: State, event: JsonObject): ServerEvent[] {
  if (state.begun) throw malformedUpstream('message_start', 'came twice')
  state.begun = true
  const message = answered.object(event.message, 'message_start.message')
  if (typeof message.id === 'string') state.id = message.id
  addUsage(state, message.usage)
  return [chunk(state, { role: 'assistant', content: '' })]
}

function blockStart(state: State, event: JsonObject): ServerEvent[] {
  if (!state.begun) throw malformedUpstream('content_block_start', 'came before message_start')
  const index = answered.count(event.index, 'content_block_start.index')
  if (state.blocks.has(index)) throw malformedUpstream('content_block_start.index', 'is of a block that is open')
  const path = 'content_block_start.content_block'
  const start = answered.object(event.content_block, path)
  const type = answered.text(start.type, `${path}.type`)
  const block: Block = { type, tool: state.tools, input: start.input, written: false }
  state.blocks.set(index, block)
  if (type === 'text') return textChunk(state, 'content', start.text ?? '', `${path}.text`)
  if (type === 'thinking') return textChunk(state, 'reasoning_content', start.thinking ?? '', `${path}.thinking`)
  if (type !== 'tool_use') {
    checkIgnored(start, path)
    return []
  }
  state.tools++
  const id = answered.name(start.id, `${path}.id`)
  const name = answered.name(start.name, `${path}.name`)
  return [
    chunk(state, { tool_calls: [{ index: block.tool, id, type: 'function', function: { name, arguments: '' } }] }),
  ]
}

function blockDelta(state: State, event: JsonObject): ServerEvent[] {
  const path = 'content_block_delta.delta'
  const block = openBlock(state, event.index, 'content_block_delta')
  const delta = answered.object(event.delta, path)
  switch (delta.type) {
    case 'text_delta':
      return textChunk(state, 'content', delta.text, `${path}.text`)
    case 'thinking_delta':
      return textChunk(state, 'reasoning_content', delta.thinking, `${path}.thinking`)
    case 'input_json_delta':
      if (block.type !== 'tool_use') throw malformedUpstream(`${path}.type`, 'does not fit the block')
      return argumentsChunk(state, block, answered.text(delta.partial_json, `${path}.partial_json`))
    default:
      checkIgnored(delta, path)
      return []
  }
}

/** A tool without parameters may have no delta, or only empty ones; clients parse the joined text as JSON. */
function blockStop(state: State, event: JsonObject): ServerEvent[] {
  const block = openBlock(state, event.index, 'content_block_stop')
  state.blocks.delete(event.index as number)
  if (block.type !== 'tool_use' || block.written) return []
  return argumentsChunk(state, block, argumentsText(block.input, 'content_block_start.content_block.input'))
}

function openBlock(state: State, index: unknown, event: string): Block {
  const block = state.blocks.get(answered.count(index, `${event}.index`))
  if (!block) throw malformedUpstream(`${event}.index`, 'is of a block that is not open')
  return block
}

function messageDelta(state: State, event: JsonObject): void {
  const delta = answered.object(event.delta, 'message_delta.delta')
  if (!isAbsent(delta.stop_reason)) state.stopReason = delta.stop_reason
  addUsage(state, event.usage)
}

function messageStop(state: State): ServerEvent[] {
  if (!state.begun) throw malformedUpstream('message_stop', 'came before message_start')
  const events = [chunk(state, {}, finishReason(state.stopReason, state.tools > 0))]
  if (state.withUsage) events.push(eventOf({ ...head(state), choices: [], usage: chatUsage(state.usage) }))
  state.ended = true
  return [...events, { event: null, data: '[DONE]' }]
}

/** The counts of `message_delta` are totals that replace those of `message_start`, if they are counts. */
function addUsage(state: State, usage: unknown): void {
  if (!isObject(usage)) return
  for (const name of COUNTS) state.usage[name] = countOrNone(usage[name]) ?? state.usage[name]
  if (isObject(usage.output_tokens_details)) state.usage.output_tokens_details = usage.output_tokens_details
}

function textChunk(state: State, field: string, value: unknown, path: string): ServerEvent[] {
  const text = answered.text(value, path)
  return text === '' ? [] : [chunk(state, { [field]: text })]
}

function argumentsChunk(state: State, block: Block, text: string): ServerEvent[] {
  if (text === '') return []
  block.written = true
  return [chunk(state, { tool_calls: [{ index: block.tool, function: { arguments: text } }] })]
}

function upstreamError(state: State, value: unknown): ServerEvent[] {
  const error = isObject(value) ? value : {}
  const message = typeof error.message === 'string' ? error.message : 'The upstream reported an error'
  return failed(state, message, typeof error.type === 'string' ? error.type : undefined)
}

function failed(state: State, message: string, type = 'server_error'): ServerEvent[] {
  state.ended = true
  return [eventOf({ error: { message, type, code: null } })]
}

function head(state: State): JsonObject {
  return { id: state.id, object: 'chat.completion.chunk', created: state.about.created, model: state.about.model }
}

/** OpenAI sends `usage: null` in all chunks but the last when the client asked for usage. */
function chunk(state: State, delta: JsonObject, reason: string | null = null): ServerEvent {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: reason }]
  return eventOf(state.withUsage ? { ...head(state), choices, usage: null } : { ...head(state), choices })
}

function eventOf(data: JsonObject): ServerEvent {
  return { event: null, data: JSON.stringify(data) }
}
