// Chat completion chunks as the events of an Anthropic message.

import { piecesOf } from '../chat-answer.ts'
import type { About, JsonObject, ServerEvent, StreamTranslation } from '../translation.ts'
import { answered, eventObject, isAbsent, isObject, malformedUpstream } from '../wire-fields.ts'
import { callId, messagesUsage, refuseParts, stopReason } from './answer.ts'
import { createBlocks, type StreamBlocks } from './blocks.ts'

type State = {
  about: About
  blocks: StreamBlocks
  begun: boolean
  ended: boolean
  /** Undefined before the first choice, and empty until one has a reason. */
  finishReason: string | undefined
  refused: boolean
  usage: unknown
}

/** The names that both vendors give to the same failure. All other failures are Anthropic's `api_error`. */
const ERROR_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['rate_limit_exceeded', 'rate_limit_error'],
  ['insufficient_quota', 'billing_error'],
  ['invalid_request_error', 'invalid_request_error'],
  ['rate_limit_error', 'rate_limit_error'],
  ['overloaded_error', 'overloaded_error'],
])

export function messagesStream(_request: JsonObject, about: About): StreamTranslation {
  const state: State = {
    about,
    blocks: createBlocks(),
    begun: false,
    ended: false,
    finishReason: undefined,
    refused: false,
    usage: null,
  }
  return {
    next(event) {
      if (state.ended) return []
      return event.data.trim() === '[DONE]' ? finish(state, true) : translate(state, eventObject(event.data))
    },
    end: () => (state.ended ? [] : finish(state, false)),
  }
}

function translate(state: State, chunk: JsonObject): ServerEvent[] {
  if (!isAbsent(chunk.error)) return upstreamError(state, chunk.error)
  if (isObject(chunk.usage)) state.usage = chunk.usage
  const events = state.begun ? [] : [messageStart(state, chunk)]
  const choices = isAbsent(chunk.choices) ? [] : answered.list(chunk.choices, 'choices')
  for (const [i, item] of choices.entries()) {
    const choice = answered.object(item, `choices[${i}]`)
    if (!isAbsent(choice.index) && choice.index !== 0) throw malformedUpstream(`choices[${i}].index`, 'must be 0')
    if (!isAbsent(choice.delta)) delta(state, answered.object(choice.delta, `choices[${i}].delta`), events)
    state.finishReason = answered.textOrNone(choice.finish_reason, 'finish_reason') || (state.finishReason ?? '')
  }
  return events
}

function messageStart(state: State, chunk: JsonObject): ServerEvent {
  state.begun = true
  return eventOf({
    type: 'message_start',
    message: {
      id: typeof chunk.id === 'string' && chunk.id !== '' ? chunk.id : state.about.id,
      type: 'message',
      role: 'assistant',
      model: state.about.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      // Chat servers count at the end; `message_delta` has the totals.
      usage: messagesUsage(state.usage),
    },
  })
}

function delta(state: State, value: JsonObject, events: ServerEvent[]): void {
  refuseParts(value, 'delta')
  for (const { kind, text } of piecesOf(value, null)) {
    if (kind === 'refusal') state.refused = true
    push(events, state.blocks.write(kind === 'reasoning' ? 'thinking' : 'text', text))
  }
  if (isAbsent(value.tool_calls)) return
  for (const [i, item] of answered.list(value.tool_calls, 'delta.tool_calls').entries()) {
    const path = `delta.tool_calls[${i}]`
    const call = answered.object(item, path)
    const called = isAbsent(call.function) ? {} : answered.object(call.function, `${path}.function`)
    const id = answered.textOrNone(call.id, `${path}.id`)
    push(
      events,
      state.blocks.call({
        index: isAbsent(call.index) ? i : answered.count(call.index, `${path}.index`),
        id,
        newId: position => callId(id, position, `${path}.id`, state.about),
        name: answered.textOrNone(called.name, `${path}.function.name`),
        text: answered.argumentsText(called.arguments, `${path}.function.arguments`),
      }),
    )
  }
}

/** Some servers send no `[DONE]`, and others no finish reason; either shows that the answer is whole. */
function finish(state: State, isDone: boolean): ServerEvent[] {
  if (state.finishReason === undefined || (state.finishReason === '' && !isDone)) {
    return failed(state, 'api_error', 'The upstream ended the stream before the answer was complete')
  }
  const events: ServerEvent[] = []
  push(events, state.blocks.end())
  const reason = stopReason(state.finishReason, { called: state.blocks.called(), refused: state.refused })
  const usage = messagesUsage(state.usage)
  push(events, [
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ])
  state.ended = true
  return events
}

function upstreamError(state: State, value: unknown): ServerEvent[] {
  const error = isObject(value) ? value : {}
  const message = typeof error.message === 'string' ? error.message : 'The upstream reported an error'
  return failed(state, ERROR_TYPES.get(error.code) ?? ERROR_TYPES.get(error.type) ?? 'api_error', message)
}

function failed(state: State, type: string, message: string): ServerEvent[] {
  state.ended = true
  return [eventOf({ type: 'error', error: { type, message } })]
}

function push(events: ServerEvent[], data: JsonObject[]): void {
  for (const item of data) events.push(eventOf(item))
}

function eventOf(data: JsonObject): ServerEvent {
  return { event: data.type as string, data: JSON.stringify(data) }
}
